// Scripted tables of Qwantum and their screens. The messages are those of the wire contract; no rule is applied here.

import { CHAT, room } from './scenes.js';
import { say } from './words.js';

const ROWS = ['violet', 'blue', 'red', 'yellow'];
const dice = (text) =>
  text.split(' ').map((word) => ({
    color: ['white', ...ROWS].find((color) => color[0] === word[0].toLowerCase()),
    value: Number(word[1]),
  }));
const ROLL = { dice: dice('W5 Y5 B5 R3 V6 B2 B3'), totals: { violet: 11, blue: 15, red: 8, yellow: 10 } };
const sheet = (...rows) => Object.fromEntries(ROWS.map((row, i) => [row, rows[i]]));
const HALF = [
  sheet([3, 10, 12, 18], [4, 7, 13], [6, 9, 11, 18, 14, 5], [5, 8]),
  sheet([6, 11], [5, 9, 14, 20, 12], [7], [4, 8, 15]),
  sheet([2, 5, 9, 21, 13, 7], [8, 16], [3, 6, 12], [9, 12, 18, 19]),
  sheet([], [3], [10, 11, 12], [2, 6, 17, 24, 20]),
];
const FULL = [0, 1, 2, 3].map((seat) =>
  sheet(
    [13 + seat, 20, 22, 28, 24, 18],
    [14, 17 + seat, 23, 33, 22, 11],
    [16, 19, 21, 28 + seat, 24, 15],
    [15, 18, 27, 30, 29, 10].slice(0, 6 - seat),
  ),
);
const LONG = ['Wilhelmina Wunderbar', 'Žydrūnė Vaitiekūnien', 'Grzegorz Brzęczyszcz', 'Nagyszentmiklósi Áké'];
const HEBREW = ['אביגיל בת שמעון הכהן', 'יהונתן בן עוזיאל לוי', 'מרים בת עמרם ויוכבדת', 'נעמי'];
const HISTORY = [
  { type: 'turn', seat: 1 },
  { type: 'roll', seat: 1, dice: ROLL.dice },
  { type: 'keep', seat: 1 },
  { type: 'enter', seat: 1, row: 'blue', value: 15 },
  { type: 'enter', seat: 0, row: 'red', value: 8 },
  { type: 'skip', seat: 1 },
  { type: 'turn', seat: 0 },
  { type: 'roll', seat: 0, dice: ROLL.dice },
  { type: 'skip', seat: 0 },
  { type: 'miss', seat: 0 },
];

/** What all have just chosen together, after seat 3 rolled. */
const CHOSEN = [
  ...HISTORY,
  { type: 'turn', seat: 3 },
  { type: 'roll', seat: 3, dice: ROLL.dice },
  { type: 'keep', seat: 3 },
  { type: 'skip', seat: 3 },
  { type: 'enter', seat: 0, row: 'yellow', value: 8 },
  { type: 'enter', seat: 1, row: 'blue', value: 12 },
  { type: 'enter', seat: 2, row: 'red', value: 12 },
  { type: 'skip', seat: 3 },
  { type: 'miss', seat: 3 },
  { type: 'turn', seat: 0 },
];

/** What the line tells of a table for so many; points are laid by hand like everything else. */
function scene(
  code,
  players,
  { state = {}, actions = [], mine = { choice: null }, seat = 0, sheets = HALF, history = HISTORY, more = {} },
) {
  const score = (at) => ({
    columns: sheets === FULL ? [14, 18, 22, 30, at ? null : 24, null] : [4, 8, null, null, null, null],
    misses: -10,
    total: sheets === FULL ? 98 - at * 24 : 2,
  });
  const table = {
    phase: 'roll',
    turn: 0,
    round: 12,
    rolls: 1,
    ...ROLL,
    used: null,
    decided: Array(players).fill(false),
    outcome: null,
    players: Array.from({ length: players }, (_, at) => ({ seat: at, rows: sheets[at], misses: 4, score: score(at) })),
    ...state,
  };
  const asked =
    table.phase === 'share'
      ? table.decided.flatMap((done, at) => (done ? [] : [at]))
      : table.turn === null
        ? []
        : [table.turn];
  const seated = room(players, {
    code,
    game: 'qwantum',
    rules: {},
    max: 4,
    seats: { 1: { kind: 'bot', bot: 'normal' }, 2: { connected: false, away_ms: 12000 } },
    ...more,
  });
  return {
    welcome: {
      type: 'welcome',
      protocol: 1,
      room: seated,
      history,
      chat: CHAT,
      you: { seat, token: seat === null ? null : 'a-token-of-this-scene', name: 'Ana' },
      state: {
        version: 60,
        next: 12,
        asked,
        actions,
        events: [],
        deadline_ms: null,
        mine: seat === null ? null : mine,
        table,
      },
    },
  };
}

const reroll = [{ type: 'reroll', dice: [0, 1, 2, 3, 4, 5, 6] }, { type: 'keep' }];
const enter = [...['violet', 'blue', 'yellow'].map((row) => ({ type: 'enter', row })), { type: 'skip' }];
const own = (page, row, how) => page.locator(`.ownside .lane.${row}`).click(how);
const opened = async (page, tap) => {
  await tap;
  await page.locator('dialog[open]').waitFor();
};

/** Every screen of this game: who is there, what the line tells, what is touched then. */
const SCREENS = {
  blank: [3, { state: { rolls: 0, dice: null, totals: null }, actions: [{ type: 'roll' }] }],
  first: [
    3,
    {
      sheets: HALF.map(() => sheet([], [], [], [])),
      state: { round: 1, rolls: 0, dice: null, totals: null },
      actions: [{ type: 'roll' }],
      history: [{ type: 'turn', seat: 0 }],
    },
  ],
  news: [4, { state: { rolls: 0, dice: null, totals: null }, actions: [{ type: 'roll' }], history: CHOSEN }],
  again: [
    4,
    { actions: reroll, more: { names: LONG } },
    async (page) => {
      for (const at of [1, 3, 4]) await page.locator('.dice button').nth(at).click();
    },
  ],
  theirs: [2, { state: { turn: 1 } }, (page) => page.locator('.dice button').first().click({ force: true })],
  choose: [2, { state: { phase: 'choose', rolls: 2 }, actions: enter }],
  share: [
    4,
    { state: { phase: 'share', rolls: 2, decided: [false, true, false, true] }, actions: enter },
    (page) => own(page, 'yellow'),
  ],
  decided: [
    4,
    {
      state: { phase: 'share', rolls: 2, turn: 3, used: 'red', decided: [true, true, false, false] },
      actions: enter,
      mine: { choice: { type: 'enter', row: 'blue' } },
      more: { names: LONG },
    },
  ],
  refusal: [3, { state: { phase: 'choose', rolls: 2 }, actions: enter }, (page) => own(page, 'red', { force: true })],
  hebrew: [4, { actions: reroll, sheets: FULL, more: { names: HEBREW } }],
  'four-full': [
    4,
    { sheets: FULL, state: { phase: 'share', rolls: 2, decided: [false, true, false, true] }, actions: enter },
  ],
  watching: [3, { seat: null, sheets: FULL, state: { turn: 1, phase: 'choose', rolls: 2 } }],
  chart: [3, { actions: reroll }, (page) => opened(page, page.locator('.chartButton').click())],
  sheet: [3, { actions: reroll, sheets: FULL }, (page) => opened(page, page.locator('.rival').first().click())],
  rules: [
    3,
    { actions: reroll },
    async (page) => {
      await opened(page, page.getByRole('button', { name: say('menu'), exact: true }).click());
      await page
        .locator('dialog[open]')
        .getByRole('button', { name: say('rules'), exact: true })
        .click();
      await page.locator('.rulebook').waitFor();
    },
  ],
  moment: [
    2,
    { actions: reroll },
    async (page, { wide }) => {
      if (!wide) await page.getByRole('button', { name: say('log_chat') }).click();
      await page.locator('.log .moment').nth(2).click();
      await page.locator('.steps.past').waitFor();
    },
  ],
  'end-2': [
    2,
    {
      sheets: FULL,
      state: { phase: 'finished', turn: null, outcome: { winners: [0], scores: [98, 74] } },
      more: { phase: 'finished' },
    },
  ],
  'end-3': [
    3,
    {
      sheets: FULL,
      state: { phase: 'finished', turn: null, outcome: { winners: [0], scores: [98, 74, 50] } },
      more: { phase: 'finished' },
    },
  ],
  'hebrew-end': [
    4,
    {
      sheets: FULL,
      state: { phase: 'finished', turn: null, outcome: { winners: [0, 1], scores: [98, 98, 50, 26] } },
      more: { phase: 'finished', names: HEBREW },
    },
  ],
  'end-4': [
    4,
    {
      sheets: FULL,
      state: { phase: 'finished', turn: null, outcome: { winners: [0], scores: [98, 74, 50, 26] } },
      more: { phase: 'finished', names: LONG },
    },
  ],
};

/** The same in the form of the whole album. */
export const QWANTUM = Object.entries(SCREENS).map(([name, [players, how, open]]) => ({
  name: `qwantum-${name}`,
  seat: true,
  scene: (code) => scene(code, players, how),
  ready: name.includes('end') ? '.ending.over' : 'main.game',
  open,
  passing: ['refusal', 'theirs'].includes(name),
  tables: !name.startsWith('end'),
  longNames: true,
}));
