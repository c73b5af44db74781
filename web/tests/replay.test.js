import test from 'node:test';
import assert from 'node:assert/strict';
import { countUp, tableShown } from '../replay.js';
import { Model, opened } from '../model.js';
import { nothing } from '../store.js';

const ui = (more = {}) => ({ ...opened('towers'), ...more });

test('in the past nothing can be done and nothing is secret; while an act is on its way nothing can be done twice', () => {
  const game = { table: 'now', actions: ['bid'], mine: 'hand' };
  const known = { ...nothing, game };
  const past = [{ table: 'the start' }, { table: 'then' }];
  assert.deepEqual(tableShown(known, ui({ past })), game);
  assert.deepEqual(tableShown(known, ui({ past, moment: 1 })), { table: 'then', actions: [], mine: null });
  assert.deepEqual(tableShown(known, ui({ past, moment: 7 })), game, 'a moment that does not exist is none');
  assert.deepEqual(tableShown({ ...known, pending: { n: 0, action: 'bid' } }, ui()).actions, []);
  assert.deepEqual(tableShown(nothing, ui()), { table: null, actions: [], mine: null });
});

/** A model that counts, with a clock that is turned by hand. */
function counting(atOnce, whole) {
  let now = 0;
  const due = [];
  const ends = [];
  const model = new Model(ui(), () => {});
  countUp(model, atOnce, whole, undefined, () => ends.push(now), () => now, (then) => due.push(then));
  return { model, due, ends, pass: (ms) => { now += ms; due.splice(0).forEach((then) => then()); } };
}

test('scores count up with the time that passes, and stop when all is counted', () => {
  const { model, due, ends, pass } = counting(false, () => 100);
  assert.equal(model.ui.reveal, 0);
  pass(60);
  assert.equal(model.ui.reveal, 60);
  pass(60);
  assert.equal(model.ui.reveal, 100);
  pass(60);
  assert.equal(due.length, 0);
  assert.equal(ends.length, 1, 'that all is counted is said once');
});

test('who is late sees everything counted, whatever the game', () => {
  const { model, due } = counting(true, () => 100);
  assert.ok(model.ui.reveal >= 100);
  assert.equal(due.length, 0);
});

test('the count waits for what shows it, and for whoever looks at an earlier moment', () => {
  let all = Infinity;
  const { model, ends, pass } = counting(false, () => all);
  pass(60);
  assert.equal(model.ui.reveal, 0, 'nobody could see it yet');
  all = 100;
  model.ui.moment = 4;
  pass(60);
  assert.deepEqual([model.ui.reveal, model.ui.moment], [0, 4], 'nobody is taken out of the past');
  model.ui.moment = null;
  pass(60);
  pass(60);
  pass(60);
  assert.deepEqual([model.ui.reveal, ends.length], [100, 1]);
});

test('the end of the next game is counted alone', () => {
  const first = counting(false, () => 100);
  const second = counting(false, () => 100);
  for (let i = 0; i < 3; i++) for (const each of [first, second]) each.pass(60);
  assert.deepEqual([first.ends.length, second.ends.length], [0, 1]);
});
