import test from 'node:test';
import assert from 'node:assert/strict';
import * as device from '../device.js';
import { fnv1a } from '../session/have.js';
import { Session } from '../session/session.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { FakeSocket, fakeTime } from './fake-socket.js';

/** A window without storage. */
class ForbiddenStorage {
  getItem() {
    throw new Error('forbidden');
  }
  setItem() {
    throw new Error('forbidden');
  }
}

/** The storage of a device. */
class FakeStorage {
  kept = new Map();
  getItem(key) {
    return this.kept.get(key) ?? null;
  }
  setItem(key, text) {
    this.kept.set(key, text);
  }
}

const seat = (n, name) => ({ seat: n, name, kind: 'human', connected: true, away_ms: 0, wins: 0, bot: null });
const room = (more = {}) => ({
  code: 'K7QF3M',
  game: 'towers',
  phase: 'lobby',
  rules: {},
  clock: null,
  forced: 'auto',
  min: 2,
  max: 5,
  host: 0,
  watchers: 0,
  seats: [seat(0, 'Ana'), seat(1, 'Mira')],
  fair: { commitment: 'first' },
  keep_days: 30,
  ...more,
});
const playing = (more = {}) => room({ phase: 'playing', ...more });
const state = (version, more = {}) => ({
  version,
  next: 0,
  table: {},
  mine: null,
  actions: [{ type: 'pass' }],
  events: [],
  deadline_ms: null,
  ...more,
});
const welcome = (more = {}) => ({
  type: 'welcome',
  protocol: 1,
  you: { seat: 0, token: 'secret', name: 'Ana' },
  room: room(),
  state: null,
  history: [],
  chat: [],
  ...more,
});
const inGame = (more = {}) => welcome({ room: playing(), state: state(5), ...more });

let visits = 0;

/** A visit to a room on a device without saved data. */
function visit(t, options = {}) {
  const { tick } = fakeTime(t);
  globalThis.localStorage = options.storage ?? new FakeStorage();
  // What an earlier test could not store lasts as long as the page.
  if (!options.storage) device.forgetSeat('K7QF3M');
  FakeSocket.made = [];
  // Backoff is kept per URL, so each test has its own.
  const url = `ws://session/${visits++}`;
  const page = { known: initialState, told: [], gone: false };
  const begin = (more = {}) =>
    new Session({
      code: 'K7QF3M',
      url,
      known: () => page.known,
      dispatch: (news) => {
        page.known = reduceRoom(page.known, news, 0);
      },
      gone: async () => page.gone,
      onSettled: () => page.told.push('settled'),
      onTrouble: (what) => page.told.push(`trouble ${what}`),
      onRefused: (why) => page.told.push(`refused ${why}`),
      onLeft: () => page.told.push('left'),
      onHandover: (key) => page.told.push(`handover ${key}`),
      connection: { socket: FakeSocket, random: () => 1 },
      ...options.session,
      ...more,
    });
  const last = () => FakeSocket.made.at(-1);
  const server = {
    welcomes: (message = welcome()) => {
      last().opens();
      last().isHeard(message);
    },
    says: (message) => last().isHeard(message),
    closes: (code) => last().breaks(code),
    /** The messages on the newest connection, by type. */
    heard: (type) => last().sent.filter((message) => message.type === type),
    hello: () => last().sent[0],
  };
  const act = (session, action) => {
    page.known = reduceRoom(page.known, { type: 'act_sent', action }, 0);
    session.send({ type: 'act', n: page.known.pending.n, action });
  };
  return {
    begin,
    page,
    server,
    act,
    tick,
    end: () => {
      t.mock.timers.reset();
      t.mock.restoreAll();
    },
  };
}

test('joins by name, and rejoins with the token of the seat', (t) => {
  const { begin, server, tick } = visit(t);
  const session = begin();
  assert.equal(session.ready, false, 'somebody new is asked for a name');
  session.join('Ana', false);
  server.welcomes();
  assert.deepEqual([server.hello().name, server.hello().token, server.hello().watch], ['Ana', null, false]);
  assert.equal(device.tokenFor('K7QF3M'), 'secret');
  server.closes(1012);
  tick(500);
  server.welcomes();
  assert.equal(server.hello().token, 'secret');
  assert.equal(begin().ready, true, 'a reload needs no question');
});

test('a watcher rejoins as a watcher', (t) => {
  const { begin, server, tick } = visit(t);
  begin().join('Zoe', true);
  server.welcomes(welcome({ you: { seat: null, token: null, name: 'Zoe' } }));
  server.closes(1006);
  tick(500);
  server.welcomes();
  assert.deepEqual([server.hello().token, server.hello().watch], [null, true]);
});

test('forgets a lost seat, keeps that of a missing room, and says why', (t) => {
  for (const code of [4001, 4003, 4010]) {
    const { begin, page, server, end } = visit(t);
    device.saveSeat('K7QF3M', 'secret', 'Ana');
    begin().connect();
    server.welcomes();
    server.closes(code);
    assert.deepEqual(
      [device.tokenFor('K7QF3M'), page.told.at(-1)],
      [code === 4010 ? 'secret' : null, `trouble ${code}`],
    );
    end();
  }
});

test('a used handover link does not cost this device its own seat', (t) => {
  const { begin, page, server } = visit(t);
  device.saveSeat('K7QF3M', 'secret', 'Ana');
  begin({ key: 'once' }).connect();
  FakeSocket.made.at(-1).opens();
  assert.equal(server.hello().token, 'once');
  server.closes(4001);
  assert.deepEqual([device.tokenFor('K7QF3M'), page.told], ['secret', ['trouble link_used']]);
});

test('resends an act that was lost with the connection if its number is still expected', (t) => {
  for (const [next, sent] of [
    [0, 1],
    [1, 0],
  ]) {
    const { begin, server, act, tick, end } = visit(t);
    const session = begin();
    session.join('Ana', false);
    server.welcomes(inGame());
    server.closes(1006);
    act(session, { type: 'pass' });
    tick(500);
    server.welcomes(inGame({ state: state(5 + next, { next }) }));
    assert.equal(server.heard('act').length, sent);
    end();
  }
});

test('adds bots and starts the game once', (t) => {
  const { begin, server, tick } = visit(t);
  begin({ bots: 2 }).join('Ana', false);
  server.welcomes();
  assert.deepEqual(
    FakeSocket.made.at(-1).sent.map((message) => message.type),
    ['join', 'add_bot', 'add_bot', 'start'],
  );
  server.closes(1012);
  tick(500);
  server.welcomes();
  assert.equal(FakeSocket.made.length, 2);
  assert.equal(server.heard('start').length, 0);
});

test('uses a guest name against bots without saving it, with the chosen level', (t) => {
  const { begin, server } = visit(t);
  device.rememberName('');
  device.rememberBotSettings({ level: 'hard' });
  const session = begin({ bots: 1, guest: () => 'Wren' });
  assert.equal(session.ready, true);
  session.connect();
  server.welcomes();
  assert.deepEqual(
    [server.hello().name, server.heard('add_bot')[0].level, device.rememberedName()],
    ['Wren', 'hard', ''],
  );
  device.rememberBotSettings({ level: 'normal' });
  device.forgetSeat('K7QF3M');
  assert.equal(begin({ guest: () => 'Wren' }).ready, false, 'friends are told a name of one’s own');
  device.rememberName('Ana');
  assert.equal(begin({ bots: 1, guest: () => 'Wren' }).entry.name, 'Ana');
});

test('saves a name once the server has accepted it', (t) => {
  const { begin, server } = visit(t);
  begin().join('Ana', false);
  FakeSocket.made.at(-1).opens();
  assert.equal(device.rememberedName(), '');
  server.says(welcome({ you: { seat: 0, token: 'secret', name: 'Ana 2' } }));
  assert.equal(device.rememberedName(), 'Ana', 'as it was typed, not as this table numbers it');
});

test('a refused name cancels a game against bots, without retries', (t) => {
  const { begin, page, server, tick } = visit(t);
  device.rememberName('Anaa');
  const session = begin({ bots: 2 });
  assert.equal(session.ready, true);
  session.connect();
  FakeSocket.made.at(-1).opens();
  server.says({ type: 'error', code: 'bad_name', detail: '' });
  server.closes(4000);
  tick(60000);
  assert.deepEqual(
    [page.told, session.bots, session.ready, FakeSocket.made.length],
    [['refused bad_name'], 0, false, 1],
  );
});

test('asks for a name instead of sending a saved one that is invalid', (t) => {
  const { begin } = visit(t);
  device.rememberName('x'.repeat(25));
  assert.equal(begin({ bots: 2 }).ready, false);
});

test('reports a refused first message, and waits for a tap', (t) => {
  const { begin, page, server, tick } = visit(t);
  device.saveSeat('K7QF3M', 'secret', 'Ana');
  begin().connect();
  FakeSocket.made.at(-1).opens();
  server.closes(4000);
  tick(60000);
  assert.deepEqual([page.told, FakeSocket.made.length, device.tokenFor('K7QF3M')], [['trouble 4000'], 1, 'secret']);
});

test('uses one salt for all attempts of a visit, and another for the next visit', (t) => {
  const { begin, server, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  const salts = new Set();
  for (let i = 0; i < 3; i++) {
    FakeSocket.made.at(-1).opens();
    salts.add(server.hello().salt);
    server.closes(1006);
    tick(4000);
  }
  assert.equal(salts.size, 1);
  assert.match([...salts][0], /^[0-9a-f]{32}$/);
  begin().join('Ana', false);
  FakeSocket.made.at(-1).opens();
  assert.ok(!salts.has(server.hello().salt));
});

test('rejoins the seat after a short disconnect even without storage', (t) => {
  const { begin, server, tick } = visit(t, { storage: new ForbiddenStorage() });
  begin().join('Ana', false);
  server.welcomes();
  server.closes(1006);
  tick(500);
  server.welcomes();
  assert.deepEqual([server.hello().token, server.hello().watch], ['secret', false]);
  assert.equal(begin().ready, true, 'so does a way over the front page');
});

test('keeps the seat when storage is cleared while the page is open', (t) => {
  const { begin, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes();
  globalThis.localStorage.kept.clear();
  server.closes(1006);
  tick(500);
  server.welcomes();
  assert.equal(server.hello().token, 'secret');
});

test('forgets the seat only when the server has acknowledged the leave', (t) => {
  const { begin, page, server, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  server.welcomes();
  assert.equal(session.leave(), true);
  assert.equal(device.tokenFor('K7QF3M'), 'secret');
  server.says({ type: 'you', seat: null, token: null, name: 'Ana' });
  server.closes(1000);
  tick(60000);
  assert.deepEqual([page.told.at(-1), device.tokenFor('K7QF3M'), FakeSocket.made.length], ['left', null, 1]);
});

test('keeps the seat of a disconnected player who leaves until the server knows', (t) => {
  const { begin, page, server, act, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  server.welcomes(inGame());
  server.closes(1006);
  act(session, { type: 'pass' });
  assert.equal(session.leave(), false);
  assert.deepEqual([device.tokenFor('K7QF3M'), session.leaving], ['secret', true]);
  tick(500);
  server.welcomes(inGame());
  assert.deepEqual([server.heard('leave').length, server.heard('act').length], [1, 0]);
  server.closes(1000);
  assert.deepEqual([page.told.at(-1), device.tokenFor('K7QF3M')], ['left', null]);
});

test('takes an invalid token as the answer to a leave', (t) => {
  const { begin, page, server, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  server.welcomes();
  session.leave();
  server.closes(1006);
  tick(500);
  FakeSocket.made.at(-1).opens();
  assert.equal(server.hello().token, 'secret');
  server.closes(4001);
  assert.deepEqual([page.told.at(-1), device.tokenFor('K7QF3M')], ['left', null]);
});

test('watches when the seat was given up in another tab', (t) => {
  const { begin, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes();
  server.says({ type: 'you', seat: null, token: null, name: 'Ana' });
  server.closes(1000);
  tick(500);
  server.welcomes();
  assert.deepEqual([server.hello().token, server.hello().watch], [null, true]);
});

test('does not resend a refused leave', (t) => {
  const { begin, server, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  server.welcomes();
  session.leave();
  server.says({ type: 'error', code: 'too_fast', detail: '' });
  server.closes(1006);
  tick(500);
  server.welcomes();
  assert.equal(server.heard('leave').length, 0);
});

test('never sends a lost act to the next game, whose acts are also counted from 0', (t) => {
  const { begin, page, server, act, tick } = visit(t);
  const session = begin();
  session.join('Ana', false);
  server.welcomes(inGame());
  server.closes(1006);
  act(session, { type: 'pass' });
  tick(500);
  server.welcomes(inGame({ room: playing({ fair: { commitment: 'second' } }), state: state(90) }));
  assert.deepEqual([server.heard('act').length, page.known.pending], [0, null]);
});

test('reconnects for a new welcome after a gap in the versions', (t) => {
  const { begin, page, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes(inGame());
  server.says({ type: 'state', state: state(6) });
  server.says({ type: 'state', state: state(8, { events: [{ type: 'pass', seat: 1 }] }) });
  assert.equal(page.known.game.version, 6);
  tick(500);
  server.welcomes(inGame({ state: state(8), history: [{ type: 'bid' }, { type: 'pass' }] }));
  assert.deepEqual([FakeSocket.made.length, page.known.game.version, page.known.history.length], [2, 8, 2]);
});

test('stops reconnecting to a room that the server reports gone, and keeps its token', async (t) => {
  for (const gone of [true, false]) {
    const { begin, page, server, end } = visit(t);
    device.saveSeat('K7QF3M', 'secret', 'Ana');
    page.gone = gone;
    begin().connect();
    server.closes(1006);
    await null;
    await null;
    assert.deepEqual([device.tokenFor('K7QF3M'), page.told], ['secret', gone ? ['trouble no_such_room'] : []]);
    end();
  }
});

const round = { type: 'round', n: 1 };
const bid = { type: 'bid', seat: 1, count: 3, note: 'ő' };
const pass = { type: 'pass', seat: 0 };

test('a reconnect during a game receives only the missing events, and has the full history', (t) => {
  const { begin, page, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes(inGame({ page: 'v1', history: [round] }));
  assert.equal('have' in server.hello(), false, 'a first visit has nothing');
  server.says({ type: 'state', state: state(6, { events: [bid] }) });
  server.closes(1006);
  tick(500);
  const missed = inGame({ page: 'v1', state: state(7), since: 2, history: [pass] });
  server.welcomes(missed);
  assert.deepEqual(server.hello().have, {
    game: 'first',
    events: 2,
    checksum: fnv1a('[{"type":"round","n":1},{"type":"bid","seat":1,"count":3,"note":"ő"}]'),
  });
  const fresh = inGame({ page: 'v1', state: state(7), history: [round, bid, pass] });
  assert.deepEqual(page.known, reduceRoom({ ...initialState, connection: 'open' }, fresh, 0));

  // The database lost moves: the server sends everything, and it replaces what the page had.
  server.closes(1006);
  tick(1000);
  server.welcomes(inGame({ page: 'v1', state: state(8), history: [round, pass] }));
  assert.equal(server.hello().have.events, 3);
  assert.deepEqual(page.known.history, [round, pass]);
});

test('asks an earlier server for the whole history', (t) => {
  const { begin, page, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes(inGame({ history: [round] }));
  server.closes(1006);
  tick(500);
  server.welcomes(inGame({ history: [round, bid] }));
  assert.equal('have' in server.hello(), false);
  assert.deepEqual(page.known.history, [round, bid]);
});

test('joins again without `have` if an earlier server refuses it', (t) => {
  const { begin, page, server, tick } = visit(t);
  begin().join('Ana', false);
  server.welcomes(inGame({ page: 'v2', history: [round] }));
  server.closes(1012);
  tick(500);
  FakeSocket.made.at(-1).opens();
  assert.equal(server.hello().have.events, 1);
  server.says({ type: 'error', code: 'bad_message', detail: 'unknown field `have`' });
  server.closes(4000);
  assert.equal(page.known.refused, null, 'the player is not bothered with it');
  tick(2000);
  server.welcomes(inGame({ history: [round, bid] }));
  assert.deepEqual(['have' in server.hello(), server.hello().token], [false, 'secret']);
  assert.deepEqual(
    [page.known.history, page.known.connection, page.told],
    [[round, bid], 'open', ['settled', 'settled']],
  );
});

test('the checksum of events is FNV-1a of their UTF-8 bytes', () => {
  // From the test vectors of the algorithm's authors.
  assert.deepEqual(['', 'a', 'foobar'].map(fnv1a), [0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});
