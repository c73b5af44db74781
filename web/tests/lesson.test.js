import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Lesson, steps } from '../games/towers/lesson.js';
import { score } from '../games/towers/stage.js';

const english = Object.assign({}, ...['en', 'lesson/en'].map((path) => JSON.parse(readFileSync(new URL(`../i18n/${path}.json`, import.meta.url), 'utf8'))));

/** What may go on what, told once more: the lesson must not teach anything else. */
const fits = (value, top) => top === undefined || (top !== 0 && (value < top || top === 8 || value === 9));

/** Somebody who does what the coach says, in the order of the acts listed unless `prefer` knows better. */
async function learner(prefer = (acts) => acts[0]) {
  const seen = [];
  let state = null;
  const refused = [];
  const lesson = new Lesson('Ana', (message) => {
    if (message.type === 'welcome' || message.type === 'state') seen.push(state = message.state);
    if (message.type === 'rejected') refused.push(message.code);
  }, 0);
  lesson.begin();
  const act = (action) => lesson.send({ type: 'act', n: state.next, action });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 2));
  for (let i = 0; i < 200 && !(lesson.at === steps.length - 1 && !lesson.coming.length); i++) {
    await rest();
    if (lesson.coming.length) continue;
    if (lesson.step.tells) lesson.proceed();
    else act(prefer(state.actions.filter((action) => action.type !== 'undo' && lesson.wanted(action)), lesson, state));
  }
  lesson.close();
  return { lesson, seen, refused, last: seen.at(-1), act };
}

test('whoever does what the coach says gets to the end', async () => {
  const { lesson, last, refused } = await learner();
  assert.equal(lesson.step.say, 'end');
  assert.deepEqual(refused, []);
  assert.deepEqual(last.table.players[0].score, { towers: 14, tallest: 4, demolition: -1, total: 17 });
});

test('any order of building that is offered leads to the end as well', async () => {
  const { lesson, last } = await learner((acts) => acts.at(-1));
  assert.equal(lesson.step.say, 'end');
  assert.equal(last.table.players[0].score.total, 17);
});

test('nothing in the lesson breaks the rules', async () => {
  for (const prefer of [(acts) => acts[0], (acts) => acts.at(-1)]) {
    const { seen } = await learner(prefer);
    for (const { table, actions } of seen) {
      for (const player of table.players) {
        for (const values of Object.values(player.towers)) values.forEach((value, at) => assert.ok(fits(value, values[at - 1]), `${value} on ${values[at - 1]}`));
      }
      const own = table.players[0].towers;
      for (const action of actions) {
        if (action.type === 'bid') assert.ok(action.count > table.standing.count && action.count <= table.row.length);
        if (action.type === 'build') assert.ok(fits(action.card.value, own[action.card.tower].at(-1)), JSON.stringify(action));
        if (action.type === 'demolish') assert.ok(own[action.tower].length && own[action.tower].at(-1) !== 0);
        if (action.type === 'take') assert.equal(action.cards.length, table.standing.count);
      }
      if (table.turn === 0 && table.phase !== 'auction') assert.ok(actions.length, 'never stuck');
    }
  }
});

test('no card is on the table twice', async () => {
  const { seen } = await learner();
  for (const { table } of seen) {
    const cards = [...table.row, ...table.hand, ...table.discard].map((card) => `${card.tower}-${card.value}`)
      .concat(table.players.flatMap((player) => Object.entries(player.towers).flatMap(([tower, values]) => values.map((value) => `${tower}-${value}`))));
    assert.equal(new Set(cards).size, cards.length, cards.join(' '));
  }
});

test('another legal act is refused with a code of its own, and nothing moves', () => {
  const heard = [];
  const lesson = new Lesson('Ana', (message) => heard.push(message), 0);
  lesson.begin();
  lesson.at = 1;
  lesson.send({ type: 'act', n: 0, action: { type: 'bid', count: 5 } });
  assert.equal(heard.at(-1).code, 'lesson');
  assert.equal(lesson.at, 1);
  assert.ok(english['code.lesson']);
});

test('undo goes back one step at a time, to the choice of cards', async () => {
  let undone = 0;
  const { lesson, last } = await learner((acts, lesson, state) => {
    if (undone < 3 && state.table.phase === 'build' && !state.table.hand.length) {
      for (; undone < 3; undone++) lesson.send({ type: 'act', n: lesson.next, action: { type: 'undo' } });
      lesson.send({ type: 'act', n: lesson.next, action: { type: 'undo' } });
      assert.equal(lesson.step.say, 'take');
      return { type: 'take', cards: lesson.step.take };
    }
    return acts[0];
  });
  assert.equal(lesson.step.say, 'end');
  assert.equal(last.table.players[0].score.total, 17);
});

test('every step has its words', () => {
  for (const step of steps) assert.ok(english[`lesson.${step.say}`] && english[`lesson.${step.why ?? step.say}.why`], step.say);
});

test('the score is counted as the rules count it', () => {
  const bare = { candy: [], spooky: [], tree: [], scrap: [], sand: [] };
  assert.equal(score({ ...bare, candy: [14, 10, 9, 3], tree: [11, 5, 0], sand: [12, 8, 15, 9, 4, 0] }, 2).total, 25);
  assert.equal(score({ ...bare, candy: [15, 12, 10, 9, 7, 4, 1], sand: [3, 0] }, 0).total, 18);
  assert.deepEqual(score(bare, 0), { towers: 0, tallest: 0, demolition: 0, total: 0 });
});
