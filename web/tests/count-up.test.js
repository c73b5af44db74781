import test from 'node:test';
import assert from 'node:assert/strict';
import { countUp } from '../screens/count-up.js';
import { Model, initialUi } from '../model.js';

const ui = (more = {}) => ({ ...initialUi('towers'), ...more });

/** A model that counts, with a manual clock. */
function counting(atOnce, whole) {
  let now = 0;
  const due = [];
  const ends = [];
  const model = new Model(ui(), () => {});
  countUp(
    model,
    atOnce,
    whole,
    undefined,
    () => ends.push(now),
    () => now,
    (then) => due.push(then),
  );
  return {
    model,
    due,
    ends,
    pass: (ms) => {
      now += ms;
      due.splice(0).forEach((then) => then());
    },
  };
}

test('counts scores up over time, and stops when everything is counted', () => {
  const { model, due, ends, pass } = counting(false, () => 100);
  assert.equal(model.ui.countedMs, 0);
  pass(60);
  assert.equal(model.ui.countedMs, 60);
  pass(60);
  assert.equal(model.ui.countedMs, 100);
  pass(60);
  assert.equal(due.length, 0);
  assert.equal(ends.length, 1, 'that all is counted is said once');
});

test('shows everything counted to a player who comes late, in every game', () => {
  const { model, due } = counting(true, () => 100);
  assert.ok(model.ui.countedMs >= 100);
  assert.equal(due.length, 0);
});

test('waits with the count until its code is loaded and while an earlier moment is shown', () => {
  let all = Infinity;
  const { model, ends, pass } = counting(false, () => all);
  pass(60);
  assert.equal(model.ui.countedMs, 0, 'nobody could see it yet');
  all = 100;
  model.apply({ type: 'past', past: { moments: [1, 2, 3, 4, 5], number: null } });
  model.apply({ type: 'moment', at: 4 });
  pass(60);
  assert.deepEqual([model.ui.countedMs, model.ui.shown.at], [0, 4], 'nobody is taken out of the past');
  model.apply({ type: 'leave_moment' });
  pass(60);
  pass(60);
  pass(60);
  assert.deepEqual([model.ui.countedMs, ends.length], [100, 1]);
});

test('stops the count when the next game ends', () => {
  const first = counting(false, () => 100);
  const second = counting(false, () => 100);
  for (let i = 0; i < 3; i++) for (const each of [first, second]) each.pass(60);
  assert.deepEqual([first.ends.length, second.ends.length], [0, 1]);
});
