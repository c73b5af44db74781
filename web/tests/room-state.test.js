import test from 'node:test';
import assert from 'node:assert/strict';
import { initialUi } from '../model.js';
import { PRESENT } from '../page-state.js';
import {
  isAsked,
  awayFor,
  reduceRoom,
  supportsReactions,
  shownState,
  initialState,
  awaitsOnlyBots,
  tableShown,
} from '../session/room-state.js';

const seat = (n, more = {}) => ({
  seat: n,
  name: ['Ana', 'Mira'][n],
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
  ...more,
});
const room = (more = {}) => ({
  code: 'K7QF3M',
  game: 'towers',
  phase: 'playing',
  rules: {},
  clock: null,
  forced: 'auto',
  min: 2,
  max: 5,
  host: 0,
  watchers: 0,
  seats: [seat(0), seat(1)],
  fair: { commitment: '' },
  keep_days: 30,
  ...more,
});
const state = (version, more = {}) => ({
  version,
  next: 0,
  asked: [],
  table: {},
  mine: null,
  actions: [],
  events: [],
  deadline_ms: null,
  ...more,
});
const welcome = (more = {}) => ({
  type: 'welcome',
  protocol: 1,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: room(),
  state: state(5),
  history: [{ type: 'round' }],
  chat: [],
  ...more,
});
const after = (...news) => news.reduce((known, each) => reduceRoom(known, each, 1000), initialState);

const RESULT = { table: 'result', past: null };

test('a welcome with an older version of the same game counts, and says that moves were lost', () => {
  const known = after(welcome({ state: state(9) }));
  assert.equal(known.refused, null);
  const back = reduceRoom(known, welcome({ state: state(7) }), 0);
  assert.deepEqual([back.game.version, back.refused], [7, { code: 'moves_lost', action: null }]);
  for (const same of [
    welcome({ state: state(9) }),
    welcome({ state: state(10) }),
    welcome({ state: state(7), room: room({ fair: { commitment: 'another game' } }) }),
  ]) {
    assert.equal(reduceRoom(known, same, 0).refused, null);
  }
});

test('a welcome replaces the whole state', () => {
  const known = after(welcome());
  assert.equal(known.you.seat, 0);
  assert.equal(known.game.version, 5);
  assert.equal(known.history.length, 1);
});

test('a state that is not newer is dropped', () => {
  const known = after(welcome());
  assert.equal(reduceRoom(known, { type: 'state', state: state(5, { events: [{ type: 'pass' }] }) }, 0), known);
  assert.equal(reduceRoom(known, { type: 'state', state: state(4) }, 0), known);
  assert.equal(reduceRoom(known, { type: 'state', state: state(6) }, 0).game.version, 6);
});

test('history grows by the events of each state', () => {
  const known = after(welcome(), { type: 'state', state: state(6, { events: [{ type: 'bid', seat: 0, count: 2 }] }) });
  assert.deepEqual(
    known.history.map((event) => event.type),
    ['round', 'bid'],
  );
  assert.deepEqual(
    known.fresh.map((event) => event.type),
    ['bid'],
  );
});

test('an act is pending until its number is passed', () => {
  const acting = after(welcome(), { type: 'act_sent', action: { type: 'pass' } });
  assert.deepEqual(acting.pending, { n: 0, action: { type: 'pass' } });
  assert.ok(reduceRoom(acting, { type: 'state', state: state(6, { next: 0 }) }, 0).pending, 'another player moved');
  assert.equal(reduceRoom(acting, { type: 'state', state: state(6, { next: 1 }) }, 0).pending, null);
});

test('after a reconnect an act stays pending only while its number is still wanted', () => {
  const acting = after(welcome(), { type: 'act_sent', action: { type: 'pass' } });
  assert.ok(reduceRoom(acting, welcome({ state: state(5, { next: 0 }) }), 0).pending);
  assert.equal(reduceRoom(acting, welcome({ state: state(6, { next: 1 }) }), 0).pending, null);
  assert.equal(reduceRoom(acting, welcome({ state: null, room: room({ phase: 'lobby' }) }), 0).pending, null);
});

test('a refusal frees the table and says why, unless the act was played after all', () => {
  const acting = after(welcome(), { type: 'act_sent', action: { type: 'pass' } });
  const refused = reduceRoom(acting, { type: 'rejected', n: 0, code: 'starter_must_bid', detail: '' }, 0);
  assert.equal(refused.pending, null);
  assert.equal(refused.refused.code, 'starter_must_bid');
  const played = reduceRoom(acting, { type: 'rejected', n: 0, code: 'already_played', detail: '' }, 0);
  assert.equal(played.pending, null);
  assert.equal(played.refused, null);
  assert.equal(reduceRoom(acting, { type: 'rejected', n: 7, code: 'out_of_step', detail: '' }, 0), acting);
});

test('after a reconnect into another game nothing stays pending, though its numbers are the same', () => {
  const acting = after(welcome(), { type: 'act_sent', action: { type: 'pass' } });
  const next = welcome({ room: room({ fair: { commitment: 'another' } }), state: state(40, { next: 0 }) });
  assert.equal(reduceRoom(acting, next, 0).pending, null);
});

test('an error ends the waiting too, because it may answer the act', () => {
  const acting = after(welcome(), { type: 'act_sent', action: { type: 'pass' } });
  const freed = reduceRoom(acting, { type: 'error', code: 'bad_message', detail: '' }, 0);
  assert.deepEqual([freed.pending, freed.refused.code], [null, 'bad_message']);
});

test('a rematch closes the game', () => {
  const known = after(welcome(), { type: 'room', room: room({ phase: 'lobby' }) });
  assert.equal(known.game, null);
  assert.deepEqual(known.history, []);
});

test('a watcher has no act to count', () => {
  const known = after(welcome({ you: { seat: null, token: null, name: 'Zoe' }, state: state(5, { next: null }) }), {
    type: 'act_sent',
    action: {},
  });
  assert.equal(known.pending, null);
});

test('away time continues from when it was received', () => {
  const known = reduceRoom(
    initialState,
    welcome({ room: room({ seats: [seat(0), seat(1, { connected: false, away_ms: 5000 })] }) }),
    1000,
  );
  assert.equal(awayFor(known, 0, 9000), null);
  assert.equal(awayFor(known, 1, 3000), 7000);
});

test('a player who has chosen in a simultaneous step may still act, but is not asked', () => {
  const at = (seat) =>
    after(welcome({ you: { seat, token: 't', name: 'Ana' }, state: state(5, { actions: [{}], asked: [1] }) }));
  assert.equal(isAsked(at(0)), false);
  assert.equal(isAsked(at(1)), true);
  assert.equal(isAsked(at(null)), false);
});

test('a player is asked when the state says so, and not after the end', () => {
  assert.equal(isAsked(after(welcome({ state: state(5, { asked: [0, 1] }) }))), true);
  assert.equal(isAsked(after(welcome())), false);
  assert.equal(isAsked(after(welcome({ room: room({ phase: 'finished' }), state: state(5, { asked: [0] }) }))), false);
  assert.equal(isAsked(initialState), false);
});

test('the player’s own chat lines are not unread', () => {
  const line = (who) => ({ type: 'chat', seat: who, name: who ? 'Mira' : 'Ana', text: 'hi', at: 1 });
  assert.equal(after(welcome(), line(0)).unread, 0);
  assert.equal(after(welcome(), line(1), line(1)).unread, 2);
  assert.equal(after(welcome(), line(1), { type: 'chat_read' }).unread, 0);
});

test('a seated player can hurry bots while the game waits only for them, if the server supports it', () => {
  const at = (you, who, more = { pace: 'normal' }) =>
    awaitsOnlyBots(
      after(
        welcome({
          you: { seat: you, token: null, name: 'Ana' },
          state: state(5, { asked: who }),
          room: room({ seats: [seat(0), seat(1, { kind: 'bot', bot: 'easy' }), seat(2, { bot: 'normal' })], ...more }),
        }),
      ),
    );
  assert.equal(at(0, [1]), true);
  assert.equal(at(0, [1, 2]), true, 'one who stands in for somebody is a bot as well');
  assert.equal(at(0, [0, 1]), false, 'a person is waited for');
  assert.equal(at(0, []), false, 'the game is over');
  assert.equal(at(null, [1]), false, 'who watches hurries nobody');
  assert.equal(at(0, [1], {}), false, 'an older server would not know the message');
  assert.equal(awaitsOnlyBots(initialState), false);
});

const over = () => after(welcome({ room: room({ phase: 'finished' }) }));
const next = (phase) => room({ phase, fair: { commitment: 'next' } });

test('keeps the finished game when the table is opened for the next one', () => {
  const known = reduceRoom(over(), { type: 'room', room: next('lobby') }, 1000);
  assert.deepEqual([known.game, known.last.game.version, known.last.room.phase], [null, 5, 'finished']);
  assert.equal(shownState(known, { shown: PRESENT }).room.phase, 'lobby');
  const shown = shownState(known, { shown: RESULT });
  assert.deepEqual(
    [shown.room.phase, shown.game.version, shown.history.length, shown.connection],
    ['finished', 5, 1, known.connection],
  );
  const begun = reduceRoom(
    reduceRoom(known, { type: 'room', room: next('playing') }, 1000),
    { type: 'state', state: state(1) },
    1000,
  );
  assert.equal(shownState(begun, { shown: RESULT }).game.version, 5);
});

test('keeps it also if that happened while disconnected', () => {
  assert.equal(reduceRoom(over(), welcome({ room: next('playing'), state: state(1) }), 1000).last.game.version, 5);
  assert.equal(
    reduceRoom(over(), welcome({ room: room({ phase: 'finished' }) }), 1000).last,
    null,
    'the same game once more is no next one',
  );
});

test('hands are raised only if the server supports them', () =>
  assert.deepEqual([room(), room({ pace: 'calm' }), null].map(supportsReactions), [false, true, false]));

test('a new name is used at the table, for the player and at the last result', () => {
  const over = after(welcome({ room: room({ phase: 'finished' }) }), { type: 'room', room: room({ phase: 'lobby' }) });
  const known = reduceRoom(over, { type: 'renamed', seat: 0, was: 'Ana', name: 'Ona' }, 0);
  assert.deepEqual(
    [known.room, known.last.room].map(({ seats }) => seats.map((info) => info.name)),
    [
      ['Ona', 'Mira'],
      ['Ona', 'Mira'],
    ],
  );
  assert.equal(known.you.name, 'Ona');
  assert.equal(reduceRoom(over, { type: 'renamed', seat: 1, was: 'Mira', name: 'Ona' }, 0).you.name, 'Ana');
});

const ui = (more = {}) => ({ ...initialUi('towers'), ...more });

test('a past moment has no actions, and nothing can be played twice while an act is being sent', () => {
  const game = { table: 'now', actions: ['bid'], mine: 'hand' };
  const known = { ...initialState, game };
  const past = [{ table: 'the start' }, { table: 'then' }];
  assert.deepEqual(tableShown(known, ui({ past })), game);
  assert.deepEqual(tableShown(known, ui({ past, moment: 1 })), { table: 'then', actions: [], mine: null });
  assert.deepEqual(tableShown(known, ui({ past, moment: 7 })), game, 'a moment that does not exist is none');
  assert.deepEqual(tableShown({ ...known, pending: { n: 0, action: 'bid' } }, ui()).actions, []);
  assert.deepEqual(tableShown(initialState, ui()), { table: null, actions: [], mine: null });
});

test('a welcome with the events since appends them, and one without replaces the history', () => {
  const known = after(welcome({ history: [{ n: 1 }, { n: 2 }] }));
  const since = reduceRoom(known, welcome({ since: 2, history: [{ n: 3 }] }), 0);
  assert.deepEqual(since.history, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.deepEqual(reduceRoom(known, welcome({ since: 2, history: [] }), 0).history, known.history);
  assert.deepEqual(reduceRoom(known, welcome({ history: [{ n: 4 }] }), 0).history, [{ n: 4 }]);
});
