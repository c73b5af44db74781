import test from 'node:test';
import assert from 'node:assert/strict';
import { countUp, playedOn, stepped, tableShown } from '../replay.js';
import { Model, opened } from '../model.js';
import { nothing } from '../store.js';

const ui = (more = {}) => ({ ...opened('towers'), ...more });

test('a replay takes one step at a time, until it has caught up', () => {
  assert.deepEqual(playedOn(ui({ moment: 0, playing: true }), 3), { moment: 1 });
  assert.deepEqual(playedOn(ui({ moment: 2, playing: true }), 3), { playing: false });
  assert.equal(playedOn(ui({ moment: 1, playing: false }), 3), null);
  assert.equal(playedOn(ui({ moment: null, playing: true }), 3), null);
});

test('steps by hand stop a replay and stay within the game', () => {
  assert.deepEqual(stepped(ui({ moment: 1, playing: true }), 1, 3), { moment: 2, playing: false });
  assert.deepEqual(stepped(ui({ moment: 2 }), 1, 3), { moment: 2, playing: false });
  assert.deepEqual(stepped(ui({ moment: 0 }), -1, 3), { moment: 0, playing: false });
});

test('in the past nothing can be done and nothing is secret; while an act is on its way nothing can be done twice', () => {
  const game = { table: 'now', actions: ['bid'], mine: 'hand' };
  const known = { ...nothing, game, history: ['a', 'b'], room: { seats: [1, 2, 3] } };
  const face = { tableAt: (history, index, seats) => `${history[index]} of ${seats}` };
  assert.deepEqual(tableShown(known, ui(), face), game);
  assert.deepEqual(tableShown(known, ui({ moment: 1 }), face), { table: 'b of 3', actions: [], mine: null });
  assert.deepEqual(tableShown({ ...known, pending: { n: 0, action: 'bid' } }, ui(), face).actions, []);
  assert.deepEqual(tableShown(nothing, ui(), null), { table: null, actions: [], mine: null });
});

/** A model that counts, with a clock that is turned by hand. */
function counting(atOnce, whole) {
  let now = 0;
  const due = [];
  const model = new Model(ui({ moment: 4 }), () => {});
  countUp(model, atOnce, whole, () => now, (then) => due.push(then));
  return { model, due, pass: (ms) => { now += ms; due.splice(0).forEach((then) => then()); } };
}

test('scores count up with the time that passes, and stop when all is counted', () => {
  const { model, due, pass } = counting(false, () => 100);
  assert.deepEqual([model.ui.reveal, model.ui.moment], [0, null]);
  pass(60);
  assert.equal(model.ui.reveal, 60);
  pass(60);
  assert.equal(model.ui.reveal, 100);
  pass(60);
  assert.equal(due.length, 0);
});

test('who is late sees everything counted, whatever the game', () => {
  const { model, due } = counting(true, () => 100);
  assert.ok(model.ui.reveal >= 100);
  assert.equal(due.length, 0);
});
