import test from 'node:test';
import assert from 'node:assert/strict';
import * as device from '../device.js';
import { Session } from '../session.js';
import { fold, nothing } from '../store.js';
import { FakeSocket, fakeTime } from './fakesocket.js';

/** This device's storage, as a browser has it. */
class FakeStorage {
  kept = new Map();
  getItem(key) { return this.kept.get(key) ?? null; }
  setItem(key, text) { this.kept.set(key, text); }
}

const seat = (n, name) => ({ seat: n, name, kind: 'human', connected: true, away_ms: 0, wins: 0, bot: null });
const room = (more = {}) => ({
  code: 'K7QF3M', game: 'towers', phase: 'lobby', rules: {}, clock: null, forced: 'auto', min: 2, max: 5, host: 0, watchers: 0,
  seats: [seat(0, 'Ana'), seat(1, 'Mira')], fair: { commitment: 'first' }, keep_days: 30, ...more,
});
const playing = (more = {}) => room({ phase: 'playing', ...more });
const state = (version, more = {}) => ({ version, next: 0, table: {}, mine: null, actions: [{ type: 'pass' }], events: [], deadline_ms: null, ...more });
const welcome = (more = {}) => ({ type: 'welcome', protocol: 1, you: { seat: 0, token: 'secret', name: 'Ana' }, room: room(), state: null, history: [], chat: [], ...more });
const inGame = (more = {}) => welcome({ room: playing(), state: state(5), ...more });

let visits = 0;

/** Somebody opens a room on a device with nothing remembered. */
function visit(t, options = {}) {
  const { tick } = fakeTime(t);
  globalThis.localStorage = options.storage ?? new FakeStorage();
  FakeSocket.made = [];
  // Backoff is remembered by address, so every story has its own.
  const url = `ws://session/${visits++}`;
  const page = { known: nothing, told: [], gone: false };
  const begin = (more = {}) => new Session({
    code: 'K7QF3M', url,
    known: () => page.known,
    learn: (news) => { page.known = fold(page.known, news, 0); },
    gone: async () => page.gone,
    onSettled: () => page.told.push('settled'),
    onTrouble: (what) => page.told.push(`trouble ${what}`),
    onRefused: () => page.told.push('refused'),
    onHandover: (key) => page.told.push(`handover ${key}`),
    line: { socket: FakeSocket, random: () => 1 },
    ...options.session, ...more,
  });
  const last = () => FakeSocket.made.at(-1);
  const server = {
    welcomes: (message = welcome()) => { last().opens(); last().hears(message); },
    says: (message) => last().hears(message),
    closes: (code) => last().breaks(code),
    /** What it was told on the newest line, by type. */
    heard: (type) => last().sent.filter((message) => message.type === type),
    hello: () => last().sent[0],
  };
  const act = (session, action) => {
    page.known = fold(page.known, { type: 'acted', action }, 0);
    session.send({ type: 'act', n: page.known.pending.n, action });
  };
  return { begin, page, server, act, tick, end: () => { t.mock.timers.reset(); t.mock.restoreAll(); } };
}

test('whoever joins by name keeps the seat, and comes back to it with its token', (t) => {
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

test('a watcher comes back as a watcher', (t) => {
  const { begin, server, tick } = visit(t);
  begin().join('Zoe', true);
  server.welcomes(welcome({ you: { seat: null, token: null, name: 'Zoe' } }));
  server.closes(1006);
  tick(500);
  server.welcomes();
  assert.deepEqual([server.hello().token, server.hello().watch], [null, true]);
});

test('a seat that is gone is forgotten, and the page says why', (t) => {
  for (const code of [4001, 4003, 4010]) {
    const { begin, page, server, end } = visit(t);
    device.keepSeat('K7QF3M', 'secret', 'Ana');
    begin().connect();
    server.welcomes();
    server.closes(code);
    assert.deepEqual([device.tokenFor('K7QF3M'), page.told.at(-1)], [null, `trouble ${code}`]);
    end();
  }
});

test('a handed-over link that is used up says nothing about the seat this device has', (t) => {
  const { begin, page, server } = visit(t);
  device.keepSeat('K7QF3M', 'secret', 'Ana');
  begin({ key: 'once' }).connect();
  FakeSocket.made.at(-1).opens();
  assert.equal(server.hello().token, 'once');
  server.closes(4001);
  assert.deepEqual([device.tokenFor('K7QF3M'), page.told], ['secret', ['trouble link_used']]);
});

test('an act that was lost with the line goes again, and only if its number is still wanted', (t) => {
  for (const [next, sent] of [[0, 1], [1, 0]]) {
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

test('whoever plays against bots has them seated and the game started, once', (t) => {
  const { begin, server, tick } = visit(t);
  begin({ bots: 2 }).join('Ana', false);
  server.welcomes();
  assert.deepEqual(FakeSocket.made.at(-1).sent.map((message) => message.type), ['join', 'add_bot', 'add_bot', 'start']);
  server.closes(1012);
  tick(500);
  server.welcomes();
  assert.equal(FakeSocket.made.length, 2);
  assert.equal(server.heard('start').length, 0);
});
