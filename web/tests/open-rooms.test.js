// The list of rooms with a seat on this device, on the home page.

import test from 'node:test';
import assert from 'node:assert/strict';
import * as device from '../device.js';
import { watchOpenRooms } from '../session/open-rooms.js';

/** Runs everything that is due. */
const breath = () => new Promise(setImmediate);

test('refreshes running games while the list is shown, but not waiting rooms', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  device.saveSeat('AAAAAA', 'one', 'Ana');
  device.saveSeat('BBBBBB', 'two', 'Ana');
  const asked = [];
  let turn = 0;
  let looks = true;
  let told = [];
  const done = watchOpenRooms(
    async (code) => {
      asked.push(code);
      return code === 'AAAAAA' ? { phase: 'playing', asked: [turn] } : { phase: 'lobby' };
    },
    (open) => {
      told = open;
    },
    () => looks,
  );
  await breath();
  assert.deepEqual(asked.sort(), ['AAAAAA', 'BBBBBB']);
  turn = 1;
  t.mock.timers.tick(8000);
  await breath();
  assert.deepEqual(asked, ['AAAAAA', 'BBBBBB', 'AAAAAA']);
  assert.deepEqual(told.find((each) => each.code === 'AAAAAA').room.asked, [1]);
  looks = false;
  t.mock.timers.tick(8000);
  await done;
  assert.equal(asked.length, 3, 'nobody looks any more');
  for (const code of ['AAAAAA', 'BBBBBB']) device.forgetSeat(code);
});
