import test from 'node:test';
import assert from 'node:assert/strict';
import { Lesson as Qwantum } from '../games/qwantum/lesson.js';
import { FACES, ROWS, dice } from '../games/qwantum/pieces.js';
import { steps as qwantumSteps } from '../games/qwantum/script.js';
import { score as columns } from '../games/qwantum/lesson-table.js';
import { Lesson as Towers } from '../games/towers/lesson.js';
import { steps as towersSteps } from '../games/towers/script.js';
import { score } from '../games/towers/lesson-table.js';
import { catalogue } from './texts.js';

const english = catalogue();

/** The rule for placing a card, written independently: the lesson must teach it. */
const fits = (value, top) => top === undefined || (top !== 0 && (value < top || top === 8 || value === 9));

/** A player who follows the coach, and plays the first listed act unless `prefer` chooses another. */
async function learner(Lesson, prefer = (acts) => acts[0]) {
  const seen = [];
  let state = null;
  const refused = [];
  const lesson = new Lesson(
    'Ana',
    (message) => {
      if (message.type === 'welcome' || message.type === 'state') seen.push((state = message.state));
      if (message.type === 'rejected') refused.push(message.code);
    },
    0,
  );
  lesson.begin();
  const act = (action) => lesson.send({ type: 'act', n: state.next, action });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 2));
  for (let i = 0; i < 200 && !(lesson.isLast && !lesson.pending.length); i++) {
    await rest();
    if (lesson.pending.length) continue;
    if (lesson.step.tells) lesson.proceed();
    else
      act(
        prefer(
          state.actions.filter((action) => action.type !== 'undo' && lesson.expects(action)),
          lesson,
          state,
        ),
      );
  }
  lesson.close();
  return { lesson, seen, refused, last: seen.at(-1), act };
}

test('Five Towers: a player who follows the coach reaches the end', async () => {
  const { lesson, last, refused } = await learner(Towers);
  assert.equal(lesson.step.say, 'end');
  assert.deepEqual(refused, []);
  assert.deepEqual(last.table.players[0].score, { towers: 14, tallest: 4, demolition: -1, total: 17 });
});

test('Five Towers: any order of building that is offered leads to the end as well', async () => {
  const { lesson, last } = await learner(Towers, (acts) => acts.at(-1));
  assert.equal(lesson.step.say, 'end');
  assert.equal(last.table.players[0].score.total, 17);
});

test('Five Towers: nothing in the lesson breaks the rules', async () => {
  for (const prefer of [(acts) => acts[0], (acts) => acts.at(-1)]) {
    const { seen } = await learner(Towers, prefer);
    for (const { table, actions } of seen) {
      for (const player of table.players) {
        for (const values of Object.values(player.towers))
          values.forEach((value, at) => assert.ok(fits(value, values[at - 1]), `${value} on ${values[at - 1]}`));
      }
      const own = table.players[0].towers;
      for (const action of actions) {
        if (action.type === 'bid') assert.ok(action.count > table.standing.count && action.count <= table.row.length);
        if (action.type === 'build')
          assert.ok(fits(action.card.value, own[action.card.tower].at(-1)), JSON.stringify(action));
        if (action.type === 'demolish') assert.ok(own[action.tower].length && own[action.tower].at(-1) !== 0);
        if (action.type === 'take') assert.equal(action.cards.length, table.standing.count);
      }
      if (table.turn === 0 && table.phase !== 'auction') assert.ok(actions.length, 'never stuck');
    }
  }
});

test('Five Towers: what the coach says about the points of a demolition is what they are', async () => {
  const { seen } = await learner(Towers);
  const points = ({ table }) => table.players[0].score.towers + table.players[0].score.demolition;
  const demolished = seen.findIndex(({ table }) => table.players[0].demolished === 1);
  const lost = points(seen[demolished - 1]) - points(seen[demolished]);
  // Each card of the new tower is a point.
  const won = seen.at(-1).table.players[0].towers.spooky.length;
  assert.deepEqual({ won, lost }, { won: 3, lost: 2 });
  const told = {
    en: /^Three points won, two lost/,
    de: /^Drei Punkte gewonnen, zwei verloren/,
    lt: /^Trys taškai laimėti, du prarasti/,
    pl: /^Trzy punkty zyskane, dwa stracone/,
    hu: /^Három pontot nyersz, kettőt vesztesz/,
  };
  for (const [code, words] of Object.entries(told)) {
    assert.match(catalogue(code)['lesson.towers.build3.why'], words, code);
  }
});

test('Five Towers: no card is on the table twice', async () => {
  const { seen } = await learner(Towers);
  for (const { table } of seen) {
    const cards = [...table.row, ...table.hand, ...table.discard]
      .map((card) => `${card.tower}-${card.value}`)
      .concat(
        table.players.flatMap((player) =>
          Object.entries(player.towers).flatMap(([tower, values]) => values.map((value) => `${tower}-${value}`)),
        ),
      );
    assert.equal(new Set(cards).size, cards.length, cards.join(' '));
  }
});

test('refuses another legal act with its own code and changes nothing', () => {
  const heard = [];
  const lesson = new Towers('Ana', (message) => heard.push(message), 0);
  lesson.begin();
  lesson.at = 1;
  lesson.send({ type: 'act', n: 0, action: { type: 'bid', count: 5 } });
  assert.equal(heard.at(-1).code, 'lesson');
  assert.equal(lesson.at, 1);
  assert.ok(english['code.lesson']);
});

test('Five Towers: undo goes back one step at a time, to the choice of cards', async () => {
  let undone = 0;
  const { lesson, last } = await learner(Towers, (acts, lesson, state) => {
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

test('every step of both lessons has its words', () => {
  for (const [game, steps] of Object.entries({ towers: towersSteps, qwantum: qwantumSteps })) {
    for (const step of steps)
      assert.ok(
        english[`lesson.${game}.${step.say}`] && english[`lesson.${game}.${step.why}.why`],
        `${game} ${step.say}`,
      );
  }
});

test('Five Towers: the score is counted as the rules count it', () => {
  const bare = { candy: [], spooky: [], tree: [], scrap: [], sand: [] };
  assert.equal(score({ ...bare, candy: [14, 10, 9, 3], tree: [11, 5, 0], sand: [12, 8, 15, 9, 4, 0] }, 2).total, 25);
  assert.equal(score({ ...bare, candy: [15, 12, 10, 9, 7, 4, 1], sand: [3, 0] }, 0).total, 18);
  assert.deepEqual(score(bare, 0), { towers: 0, tallest: 0, demolition: 0, total: 0 });
});

for (const [game, Lesson, steps] of [
  ['Five Towers', Towers, towersSteps],
  ['Qwantum', Qwantum, qwantumSteps],
]) {
  test(`${game}: a player who comes back at a step finds the table unchanged`, async () => {
    /** The first state of each step, from a player who goes through all of them. */
    const met = new Map();
    const lesson = new Lesson(
      'Ana',
      ({ state }) => !lesson.pending.length && !met.has(lesson.at) && met.set(lesson.at, state),
      0,
    );
    lesson.begin();
    while (!lesson.isLast || lesson.pending.length) {
      if (lesson.pending.length) await new Promise((resolve) => setTimeout(resolve, 1));
      else if (lesson.step.tells) lesson.proceed();
      else for (const action of lesson.solution()) lesson.send({ type: 'act', n: lesson.next, action });
    }
    assert.equal(met.size, steps.length);
    for (const at of steps.keys()) {
      const heard = [];
      const back = new Lesson('Ana', (message) => heard.push(message));
      back.begin(at);
      assert.equal(back.at, at);
      const { state } = heard[0];
      const { table, actions, next } = met.get(at);
      assert.deepEqual(
        [heard.length, { table: state.table, actions: state.actions, next: state.next }],
        [1, { table, actions, next }],
        `step ${at}`,
      );
    }
    const past = [];
    const far = new Lesson('Ana', (message) => past.push(message));
    far.begin(99);
    assert.ok(far.isLast && past.length === 1, 'an address with a number that never was leads to the end');
  });
}

/** The act that the step asks for. A list of rerolls names all dice, so it does not contain the one of the step. */
const asAsked = (acts, lesson) => acts[0] ?? lesson.step.act;

test('Qwantum: a player who follows the coach reaches the end', async () => {
  const { lesson, last, refused } = await learner(Qwantum, asAsked);
  assert.equal(lesson.step.say, 'end');
  assert.deepEqual(refused, []);
  const [you, rook] = last.table.players;
  assert.deepEqual(you.score, { columns: [6, 10, 15, 20, null, null], misses: 0, total: 51 });
  assert.deepEqual([rook.misses, rook.score.total], [1, 41]);
  assert.equal(last.table.turn, 0);
});

/** The rule for the next number of a row, written independently: higher up to the thick line, then lower. */
const follows = (value, values) =>
  values.length < 6 && (!values.length || (values.length < 4 ? value > values.at(-1) : value < values.at(-1)));

test('Qwantum: nothing in the lesson breaks the rules', async () => {
  const { seen } = await learner(Qwantum, asAsked);
  for (const { table, actions, asked } of seen) {
    for (const player of table.players) {
      for (const row of ROWS)
        player.rows[row].forEach((value, at) =>
          assert.ok(follows(value, player.rows[row].slice(0, at)), `${value} in ${player.rows[row]}`),
        );
    }
    if (table.dice) {
      assert.equal(table.dice[0].color, 'white');
      table.dice.slice(1).forEach((die, at) =>
        assert.ok(
          dice(FACES[at]).some((face) => face.color === die.color && face.value === die.value),
          `die ${at + 1} has no ${die.color} ${die.value}`,
        ),
      );
    }
    const entries = actions.filter((action) => action.type === 'enter').map((action) => action.row);
    const may = ROWS.filter((row) => row !== table.used && follows(table.totals?.[row], table.players[0].rows[row]));
    if (asked.length && (table.phase === 'choose' || table.phase === 'share'))
      assert.deepEqual(entries, may, 'just what fits should be offered');
    else assert.deepEqual(entries, []);
    if (table.turn === 0 && table.phase !== 'roll' && asked.length)
      assert.ok(
        actions.some((action) => action.type === 'skip'),
        'never stuck',
      );
  }
});

test('Qwantum: where Rook marks a miss nothing would have fitted', async () => {
  const { seen } = await learner(Qwantum, asAsked);
  const at = seen.findIndex((state) => state.events.some((event) => event.type === 'miss'));
  const { totals, players } = seen[at - 1].table;
  for (const row of ROWS)
    assert.ok(!follows(totals[row], players[1].rows[row]), `${row} ${totals[row]} would fit Rook`);
});

test('Qwantum: other dice, another row and other acts are refused, and nothing moves', () => {
  const heard = [];
  const lesson = new Qwantum('Ana', (message) => heard.push(message), 0);
  lesson.begin();
  const refused = (action) => {
    const { at, version } = lesson;
    lesson.send({ type: 'act', n: 0, action });
    assert.equal(heard.at(-1).code, 'lesson', JSON.stringify(action));
    assert.deepEqual([lesson.at, lesson.version], [at, version]);
  };
  lesson.proceed();
  refused({ type: 'keep' });
  lesson.send({ type: 'act', n: 0, action: { type: 'roll' } });
  for (const action of [{ type: 'keep' }, { type: 'reroll', dice: [0, 1] }, { type: 'reroll', dice: [] }])
    refused(action);
  lesson.send({ type: 'act', n: 1, action: { type: 'reroll', dice: [0] } });
  for (const action of [{ type: 'skip' }, { type: 'enter', row: 'red' }]) refused(action);
});

test('Qwantum: a column is counted as the rules count it', () => {
  const rows = { violet: [4, 4, 4, 6], blue: [4, 4, 7, 6], red: [7, 4, 7, 6], yellow: [9, 9, 9, 6] };
  assert.deepEqual(columns(rows, 3), { columns: [7, 9, 7, 6, null, null], misses: -6, total: 23 });
});
