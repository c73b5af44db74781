// What is new on the table for a player, and what of it is announced, in both games.

import test from 'node:test';
import assert from 'node:assert/strict';
import { gameUis } from './games.js';
import { catalogue } from './texts.js';
import { setCatalogues } from '../i18n.js';
import { latest, newsFrom, newsOf, newsOn } from '../news.js';
import { initialState } from '../session/room-state.js';

setCatalogues('en', catalogue(), {});

const seats = ['Ana', 'Mira', 'Tomas'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
}));
const view = (game, history, table, seat = 0, more = {}) => {
  const known = { ...initialState, history, room: { game, phase: 'playing', seats } };
  const ui = { moment: null, past: null, ...more };
  const past = { eventRange: (_, at) => [at, at + 1] };
  return { known, ui, gameUi: gameUis[game], table, seat, ...newsOn({ known, ui, past, table, seat }, gameUis[game]) };
};
const fresh = (...how) => [...view(...how).fresh].sort();

const card = (text) => ({ tower: text.split('-')[0], value: Number(text.split('-')[1]) });
const built = (seat, text) => ({ type: 'build', seat, card: card(text) });
const towersTable = {
  players: [{}, { candy: [13], tree: [14, 11, 9, 5], scrap: [10, 6] }, { spooky: [9, 3, 0] }].map((given, seat) => ({
    seat,
    towers: { candy: [], spooky: [], tree: [], scrap: [], sand: [], ...given },
  })),
};

test('news begin after this seat’s last act, and for watchers with the last act', () => {
  const history = [
    { type: 'round' },
    { type: 'bid', seat: 1, count: 1 },
    { type: 'bid', seat: 0, count: 2 },
    { type: 'pass', seat: 1 },
    { type: 'take', seat: 2 },
    { type: 'build', seat: 2 },
    { type: 'discard' },
  ];
  assert.deepEqual(
    [0, 1, 2, null].map((seat) => newsFrom(history, seat)),
    [3, 4, 6, 4],
  );
  assert.deepEqual(
    [0, null].map((seat) => newsFrom([], seat)),
    [0, 0],
  );
  assert.equal(newsFrom([{ type: 'round' }], 0), 0, 'before the first act of a game all of it is new');
});

test('highlights the others’ storeys, scores and calls until the next act', () => {
  const history = [
    { type: 'finish', seat: 0 },
    { type: 'discard', cards: [] },
    { type: 'round', round: 2 },
    { type: 'bid', seat: 1, count: 2 },
    { type: 'pass', seat: 2 },
  ];
  assert.deepEqual(fresh('towers', history, towersTable), ['call 1', 'call 2']);
  const more = [...history, built(1, 'tree-9'), built(1, 'tree-5'), built(1, 'scrap-6')];
  assert.deepEqual(fresh('towers', more, towersTable), [
    '1 scrap 1',
    '1 tree 2',
    '1 tree 3',
    'call 1',
    'call 2',
    'score 1',
  ]);
  assert.deepEqual(
    fresh('towers', [...more, { type: 'bid', seat: 0, count: 1 }], towersTable),
    [],
    'what was answered is no news',
  );
});

test('highlights a demolished top, but nothing that was undone or retracted', () => {
  const start = [
    { type: 'pass', seat: 0 },
    { type: 'take', seat: 1, cards: [] },
    { type: 'demolish', seat: 1, tower: 'sand' },
    built(1, 'scrap-10'),
    built(1, 'candy-13'),
  ];
  assert.deepEqual(fresh('towers', [...start, { type: 'undo', seat: 1 }], towersTable), [
    '1 sand -',
    '1 scrap 1',
    'score 1',
  ]);
  assert.deepEqual(fresh('towers', [...start, { type: 'retract', seat: 1 }], towersTable), []);
});

test('highlights in a replay what happened in the shown moment', () => {
  const history = [built(1, 'tree-5'), { type: 'bid', seat: 2, count: 1 }, { type: 'bid', seat: 0, count: 2 }];
  assert.deepEqual(fresh('towers', history, towersTable, 0, { past: [], moment: 1 }), ['call 2']);
});

const ROWS = { violet: [3], blue: [4, 7], red: [6, 9], yellow: [] };
const sheets = (more = {}) => ({
  decided: [false, false, false],
  ...more,
  players: [0, 1, 2].map((seat) => ({
    seat,
    rows: ROWS,
    misses: 1,
    score: { columns: [5, null, null, null, null, null], misses: -1, total: 4 },
  })),
});
const TURN = [
  { type: 'turn', seat: 1 },
  { type: 'roll', seat: 1 },
  { type: 'keep', seat: 1 },
  { type: 'enter', seat: 1, row: 'blue', value: 7 },
];
const SHARED = [
  { type: 'enter', seat: 0, row: 'red', value: 9 },
  { type: 'enter', seat: 1, row: 'red', value: 9 },
  { type: 'skip', seat: 2 },
];

test('highlights simultaneous choices for every player, including their own', () => {
  const history = [...TURN, ...SHARED, { type: 'turn', seat: 2 }];
  for (const seat of [0, 1, 2, null])
    assert.deepEqual(fresh('qwantum', history, sheets(), seat), ['0 red 1', '1 red 1'], `for ${seat}`);
  assert.deepEqual(
    fresh('qwantum', [...history, { type: 'roll', seat: 2 }], sheets(), 2),
    [],
    'the roller has seen it',
  );
  assert.deepEqual(
    fresh('qwantum', [...history, { type: 'roll', seat: 2 }], sheets(), 0),
    ['0 red 1', '1 red 1'],
    'who waits has not',
  );
});

test('highlights the roller’s first entry until this seat has chosen', () => {
  assert.deepEqual(fresh('qwantum', TURN, sheets(), 0), ['1 blue 1']);
  assert.deepEqual(fresh('qwantum', TURN, sheets({ decided: [true, false, false] }), 0), []);
});

test('highlights a score when a column is full, or with a miss', () => {
  const history = [...TURN.slice(0, 3), { type: 'enter', seat: 1, row: 'violet', value: 3 }];
  assert.deepEqual(fresh('qwantum', history, sheets(), 0), ['1 violet 0', 'score 1']);
  assert.deepEqual(fresh('qwantum', [...TURN, { type: 'skip', seat: 0 }, { type: 'miss', seat: 1 }], sheets(), 0), [
    'misses 1',
    'score 1',
  ]);
});

test('describes a player’s news to screen readers, and skips visible changes in the last log line', () => {
  const history = [
    { type: 'pass', seat: 0 },
    { type: 'bid', seat: 1, count: 2 },
    built(1, 'tree-5'),
    { type: 'finish', seat: 1 },
    { type: 'round', round: 2, starter: 0, row: [] },
  ];
  const seen = view('towers', history, towersTable);
  assert.equal(newsOf(seen, 1), 'New: Mira bids 2, Mira builds Tree 5, Mira finishes. ');
  assert.equal(newsOf(seen, 2), '');
  assert.equal(latest(seen), 'Mira builds Tree 5');
  assert.equal(latest(view('towers', [], towersTable)), '');
});
