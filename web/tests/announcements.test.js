import test from 'node:test';
import assert from 'node:assert/strict';
import { nothingAnnounced, announcementsFor } from '../announcements.js';
import { gameUis } from './games.js';
import { setCatalogues } from '../i18n.js';
import { PRESENT } from '../page-state.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const NAMES = ['Ana', 'Mira', 'Tomas'];
const seats = (given = {}) =>
  NAMES.map((name, seat) => ({
    seat,
    name,
    kind: 'human',
    connected: true,
    away_ms: 0,
    wins: 0,
    bot: null,
    ...given[seat],
  }));
const room = (more = {}) => ({
  code: 'K7QF3M',
  game: 'qwantum',
  phase: 'playing',
  rules: {},
  clock: null,
  forced: 'ask',
  min: 2,
  max: 4,
  host: 0,
  watchers: 0,
  fair: { commitment: '' },
  keep_days: 30,
  seats: seats(),
  ...more,
});
const player = (seat, misses = 0) => ({
  seat,
  rows: { violet: [], blue: [], red: [], yellow: [] },
  misses,
  score: { columns: [], misses: 0, total: 0 },
});
const table = (more = {}) => ({
  phase: 'roll',
  turn: 1,
  round: 1,
  rolls: 0,
  dice: null,
  totals: null,
  used: null,
  decided: [false, false, false],
  players: [0, 1, 2].map((seat) => player(seat)),
  outcome: null,
  ...more,
});
/** Seats that must act: in the shared step those that have not chosen, otherwise the seat whose turn it is. */
const asking = ({ phase, turn, decided }) =>
  phase === 'share' ? [0, 1, 2].filter((seat) => !decided[seat]) : turn === null ? [] : [turn];
const state = (version, more = {}) => {
  const laid = more.table ?? table();
  return {
    version,
    next: 0,
    asked: asking(laid),
    table: laid,
    mine: { choice: null },
    actions: [],
    events: [],
    deadline_ms: null,
    ...more,
  };
};
const welcome = (more = {}) => ({
  type: 'welcome',
  protocol: 1,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: room(),
  state: state(5),
  history: [],
  chat: [],
  ...more,
});
const line = (status) => ({ type: 'connection', status, code: null });

/** Ana's page. Applies messages one by one, and returns the announcements of each. */
function anasPage(...first) {
  let [known, already] = [initialState, nothingAnnounced];
  const hear = (news, ui = {}) => {
    const before = known;
    known = reduceRoom(known, news, 1000);
    const gameUi = gameUis[known.room?.game ?? ''];
    const view = {
      gameUi: gameUi ?? null,
      known,
      ui: { place: { name: 'room' }, shown: PRESENT, choice: gameUi?.noChoice(), moment: null, ...ui },
      commands: {},
      wide: false,
      now: 1000,
      seat: known.you?.seat ?? null,
      table: known.game?.table ?? null,
      actions: known.game?.actions ?? [],
      mine: known.game?.mine ?? null,
    };
    const heard = announcementsFor(already, before, view, news.type === 'chat' || news.type === 'reacted');
    already = heard.already;
    return heard.said;
  };
  for (const news of first) hear(news);
  return hear;
}

test('announces what other players do, and then the prompt', () => {
  const hear = anasPage(line('open'), welcome());
  const events = [
    { type: 'skip', seat: 1 },
    { type: 'turn', seat: 0 },
  ];
  assert.deepEqual(
    hear({ type: 'state', state: state(6, { events, table: table({ turn: 0 }), actions: [{ type: 'roll' }] }) }),
    ['Mira skips', 'Roll the dice'],
  );
});

test('does not announce the player’s own acts', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(hear({ type: 'state', state: state(6, { events: [{ type: 'keep', seat: 0 }] }) }), []);
});

test('announces the player’s own dice on every roll, even with the same totals', () => {
  const hear = anasPage(line('open'), welcome());
  const dice = [
    { color: 'white', value: 3 },
    ...['yellow', 'blue', 'red', 'violet', 'blue', 'blue'].map((color) => ({ color, value: 2 })),
  ];
  const rolled = (version, rolls) =>
    hear({
      type: 'state',
      state: state(version, {
        next: rolls,
        events: [{ type: 'roll', seat: 0, dice }],
        table: table({ turn: 0, rolls, dice, phase: rolls > 1 ? 'choose' : 'roll' }),
        actions: [{ type: 'enter', row: 'red' }],
      }),
    });
  const totals = 'violet 5, blue 9, red 5, and yellow 5';
  assert.deepEqual(rolled(6, 1), [totals, 'Tap dice to reroll, or keep all']);
  assert.deepEqual(rolled(7, 2), [totals, 'Enter one total, or skip']);
});

test('announces taken cards, demolitions and roofs of a build, but not each card', () => {
  const card = (tower, value) => ({ tower, value });
  const hear = anasPage(line('open'), welcome({ room: room({ game: 'towers' }), state: null }));
  const laid = { phase: 'auction', turn: 2, round: 2, players: [], row: [], standing: null };
  const events = [
    { type: 'take', seat: 1, cards: [card('sand', 4), card('candy', 0)] },
    { type: 'demolish', seat: 1, tower: 'tree' },
    { type: 'build', seat: 1, card: card('sand', 4) },
    { type: 'build', seat: 1, card: card('candy', 0) },
    { type: 'finish', seat: 1 },
  ];
  assert.deepEqual(hear({ type: 'state', state: { ...state(6, { table: laid, events }), asked: [2] } }), [
    'Mira takes Sand 4 and Candy 0',
    'Mira demolishes the top of Tree',
    'Mira roofs Candy',
  ]);
});

test('announces no prompt in the guided first round, where the coach asks', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(
    hear(
      { type: 'state', state: state(6, { table: table({ turn: 0 }), actions: [{ type: 'roll' }] }) },
      { place: { name: 'lesson' } },
    ),
    [],
  );
});

test('announces chat with its speaker, except the player’s own lines', () => {
  const hear = anasPage(line('open'), welcome());
  const chat = (seat) => ({ type: 'chat', seat, name: NAMES[seat] ?? 'Ona', text: 'Tea?', at: 1 });
  assert.deepEqual(hear(chat(1)), ['Mira says: Tea?']);
  assert.deepEqual(hear(chat(null)), ['Ona says: Tea?']);
  assert.deepEqual(hear(chat(0)), []);
});

test('tells a player once that a bot has taken over the seat', () => {
  const hear = anasPage(line('open'), welcome());
  const played = { type: 'room', room: room({ seats: seats({ 0: { bot: 'normal' } }) }) };
  assert.deepEqual(hear(played), ['A bot is playing for you']);
  assert.deepEqual(hear({ ...played }), []);
});

test('announces in the lobby who joins and leaves, and who is the new host', () => {
  const lobby = (...names) =>
    room({ phase: 'lobby', host: 0, seats: names.map((name, seat) => ({ ...seats()[0], seat, name })) });
  const hear = anasPage(
    line('open'),
    welcome({ you: { seat: 1, token: 't', name: 'Ana' }, room: lobby('Mira', 'Ana'), state: null }),
  );
  assert.deepEqual(hear({ type: 'room', room: lobby('Mira', 'Ana', 'Tomas') }), ['Tomas joins the table']);
  assert.deepEqual(hear({ type: 'room', room: lobby('Ana', 'Tomas') }), [
    'Mira leaves the table',
    'You’re now the host',
  ]);
});

test('announces in a game who is away, played by a bot, or back', () => {
  const hear = anasPage(line('open'), welcome());
  const mira = (how) => hear({ type: 'room', room: room({ seats: seats({ 1: how }) }) });
  assert.deepEqual(mira({ connected: false }), ['Mira is away']);
  assert.deepEqual(mira({ connected: false, bot: 'normal' }), ['A bot is playing for Mira']);
  assert.deepEqual(mira({}), ['Mira is back']);
  assert.deepEqual(mira({ kind: 'bot', bot: 'normal' }), ['Mira left; a bot takes over']);
});

test('announces a lost connection once, and its return once, whatever the number of retries', () => {
  const hear = anasPage(line('open'), welcome());
  const tries = ['waiting', 'connecting', 'waiting', 'connecting', 'waiting', 'connecting'].flatMap((status) =>
    hear(line(status)),
  );
  assert.deepEqual(tries, ['Reconnecting…']);
  assert.deepEqual(hear(line('open')), ['Connected again']);
  assert.deepEqual(
    hear(line('connecting')),
    ['Reconnecting…'],
    'and once more when it is lost again, here without a pause before the first try',
  );
});

test('announces a first connection only if it takes several attempts', () => {
  const ordinary = anasPage();
  assert.deepEqual(
    ['connecting', 'open'].flatMap((status) => ordinary(line(status))),
    [],
  );
  const hear = anasPage(line('connecting'));
  assert.deepEqual(
    ['waiting', 'connecting', 'waiting', 'open'].flatMap((status) => hear(line(status))),
    ['Reconnecting…', 'Connected again'],
  );
});

const SHARE = { phase: 'share', rolls: 2, totals: { violet: 6, blue: 13, red: 6, yellow: 8 }, used: 'red' };
const ENTER = [{ type: 'enter', row: 'blue' }, { type: 'skip' }];
const sharing = (version, decided, more = {}) => ({
  type: 'state',
  state: state(version, { table: table({ ...SHARE, decided }), actions: ENTER, ...more }),
});

test('does not repeat a prompt when another player decides or a row is picked', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(hear(sharing(6, [false, false, false])), ['Everyone: enter a total, or skip']);
  assert.deepEqual(hear(sharing(7, [false, true, false])), []);
  assert.deepEqual(hear(sharing(8, [false, true, true]), { choice: { again: [], rolled: [], row: 'blue' } }), []);
});

test('repeats the same words for another decision', () => {
  const hear = anasPage(line('open'), welcome());
  const roll = (version, next) => ({
    type: 'state',
    state: state(version, { next, table: table({ turn: 0 }), actions: [{ type: 'roll' }] }),
  });
  assert.deepEqual(hear(roll(6, 0)), ['Roll the dice']);
  assert.deepEqual(hear(roll(7, 3)), ['Roll the dice']);
});

test('repeats the prompt after a reconnect', () => {
  const hear = anasPage(line('open'), welcome(), sharing(6, [false, false, false]), line('waiting'));
  assert.deepEqual(hear(line('open')), ['Connected again']);
  assert.deepEqual(hear(welcome({ state: sharing(6, [false, false, false]).state })), [
    'Everyone: enter a total, or skip',
  ]);
});

test('words the prompt for the present table even while an earlier moment is shown', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(
    hear({ type: 'state', state: state(6, { table: table({ turn: 0 }), actions: [{ type: 'roll' }] }) }, { moment: 0 }),
    ['Roll the dice'],
  );
});

test('announces the player’s own miss with its cost', () => {
  const hear = anasPage(line('open'), welcome());
  const events = [
    { type: 'skip', seat: 0 },
    { type: 'miss', seat: 0 },
    { type: 'turn', seat: 1 },
  ];
  assert.deepEqual(
    hear({
      type: 'state',
      state: state(6, { events, table: table({ players: [player(0, 3), player(1), player(2)] }) }),
    }),
    ['You mark a miss: −3'],
  );
});

const END = { type: 'end', winners: [1], scores: [12, 31, 1] };

test('announces the end with all scores, best first', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(
    hear({ type: 'state', state: state(6, { events: [END], table: table({ phase: 'finished', turn: null }) }) }),
    ['Mira wins', 'Mira: 31 points', 'Ana: 12 points', 'Tomas: 1 point'],
  );
  assert.deepEqual(hear({ type: 'room', room: room({ phase: 'finished' }) }), []);
});

test('announces an end that was missed while disconnected, but not to a page opened later', () => {
  const over = welcome({
    room: room({ phase: 'finished' }),
    state: state(9, { table: table({ phase: 'finished', turn: null }) }),
    history: [{ type: 'turn', seat: 1 }, END],
  });
  assert.deepEqual(anasPage(line('open'), welcome(), line('waiting'), line('open'))(over)[0], 'Mira wins');
  assert.deepEqual(anasPage(line('open'))(over), []);
});

test('who looks at the last result isHeard once that the table is open, and that the next game has begun', () => {
  const page = anasPage(welcome({ room: room({ phase: 'finished' }) }));
  const next = (phase) => ({ type: 'room', room: room({ phase, host: 1, fair: { commitment: 'next' } }) });
  const stays = { shown: { table: 'result', past: null } };
  assert.deepEqual(
    page(next('lobby'), stays).filter((words) => words.includes('table')),
    ['Mira has opened the table for the next game'],
  );
  assert.deepEqual(page(next('lobby'), stays), []);
  page(next('playing'), stays);
  assert.ok(page({ type: 'state', state: state(1) }, stays).includes('The next game has begun'));
});

test('announces reactions with their player, except the player’s own', () => {
  const page = anasPage(welcome());
  assert.deepEqual(page({ type: 'reacted', seat: 1, reaction: 'wow' }), ['Mira: Wow']);
  assert.deepEqual(page({ type: 'reacted', seat: 0, reaction: 'wow' }), []);
});
