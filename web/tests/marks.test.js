// Controls without a legal action are `aria-disabled` for assistive technology, though a tap still explains why.

import test from 'node:test';
import assert from 'node:assert/strict';
import { gameUis } from './games.js';
import { catalogue } from './texts.js';
import { setCatalogues } from '../i18n.js';
import { initialState } from '../session/room-state.js';

setCatalogues('en', catalogue(), {});

const seats = ['Ana', 'Mira'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
}));
const view = (game, table, actions, choice = {}) => ({
  table,
  actions,
  mine: null,
  seat: 0,
  wide: false,
  now: 0,
  commands: {},
  known: {
    ...initialState,
    room: { game, phase: 'playing', seats, rules: {} },
    you: { seat: 0, token: 't', name: 'Ana' },
  },
  ui: { place: { name: 'room' }, moment: null, rooms: {}, choice: { ...gameUis[game].noChoice(), ...choice } },
});

/** Every node of a drawing. */
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
/** The names of the enabled and of the disabled ones. */
function marks(drawn, kind, name) {
  const found = nodes(drawn).filter((node) => node.props && kind in node.props);
  const those = (on) => found.filter((node) => (node.props['aria-disabled'] === true) === on).map((node) => name(node));
  return { can: those(false), cannot: those(true) };
}

const cards = (text) =>
  text.split(' ').map((word) => ({ tower: word.split('-')[0], value: Number(word.split('-')[1]) }));
const towers = (given) => ({ candy: [], spooky: [], tree: [], scrap: [], sand: [], ...given });
const SCORE = { towers: 0, tallest: 0, demolition: 0, total: 0 };
const building = (own = {}) => ({
  phase: 'build',
  round: 1,
  deal: 1,
  turn: 0,
  starter: 0,
  row: [],
  draw: 40,
  discard: [],
  calls: [],
  standing: { seat: 0, count: 2 },
  hand: cards('sand-7 tree-9'),
  demolished_now: null,
  outcome: null,
  players: [0, 1].map((seat) => ({ seat, towers: towers(own), demolished: 0, score: SCORE })),
});

test('marks the cards in hand that cannot be built now', () => {
  const drawn = gameUis.towers.board(view('towers', building(), [{ type: 'build', card: cards('tree-9')[0] }]));
  assert.deepEqual(
    marks(drawn, 'data-card', (node) => node.props['data-fly']),
    { can: ['tree-9'], cannot: ['sand-7'] },
  );
});

test('marks the cards in the row that cannot be taken', () => {
  const table = {
    ...building(),
    phase: 'take',
    row: cards('sand-7 tree-9 candy-2'),
    hand: [],
    standing: { seat: 0, count: 1 },
  };
  const drawn = gameUis.towers.board(
    view('towers', table, [
      { type: 'take', cards: cards('sand-7') },
      { type: 'take', cards: cards('candy-2') },
    ]),
  );
  assert.deepEqual(
    marks(drawn, 'data-card', (node) => node.props['data-fly']),
    { can: ['sand-7', 'candy-2'], cannot: ['tree-9'] },
  );
});

test('marks Demolish when there is nothing to demolish, and the towers that cannot be demolished', () => {
  const bar = (actions) =>
    nodes(gameUis.towers.bar(view('towers', building({ sand: [9] }), actions))).find((node) => node.key === 'demolish')
      .props['aria-disabled'];
  assert.equal(bar([]), true);
  assert.equal(bar([{ type: 'demolish', tower: 'sand' }]), false);
  const drawn = gameUis.towers.board(
    view('towers', building({ sand: [9], tree: [5, 0] }), [{ type: 'demolish', tower: 'sand' }], { wrecking: true }),
  );
  assert.deepEqual(
    marks(drawn, 'data-tower', (node) => node.props['data-tower']),
    { can: ['sand'], cannot: ['candy', 'spooky', 'tree', 'scrap'] },
  );
});

const DICE = ['white', 'yellow', 'blue', 'red', 'violet', 'blue', 'blue'].map((color) => ({ color, value: 3 }));
const sheet = { violet: [], blue: [9], red: [], yellow: [] };
const rolled = (phase) => ({
  phase,
  turn: 0,
  round: 1,
  rolls: 1,
  dice: DICE,
  totals: { violet: 6, blue: 12, red: 6, yellow: 6 },
  used: null,
  decided: [false, false],
  outcome: null,
  players: [0, 1].map((seat) => ({
    seat,
    rows: sheet,
    misses: 0,
    score: { columns: Array(6).fill(null), misses: 0, total: 0 },
  })),
});

test('marks the rows that accept no total and the dice that cannot be rerolled', () => {
  const choosing = gameUis.qwantum.board(
    view('qwantum', rolled('choose'), [{ type: 'enter', row: 'blue' }, { type: 'skip' }]),
  );
  assert.deepEqual(marks(choosing, 'data-card', (node) => node.key).can, ['blue']);
  const rolling = gameUis.qwantum.board(
    view('qwantum', rolled('roll'), [{ type: 'reroll', dice: [0, 1, 2, 3, 4, 5, 6] }, { type: 'keep' }]),
  );
  assert.deepEqual(marks(rolling, 'data-card', (node) => node.key).can, ['0', '1', '2', '3', '4', '5', '6']);
});
