import test from 'node:test';
import assert from 'node:assert/strict';
import { Line } from '../socket.js';
import { FakeSocket } from './fakesocket.js';

function setUp(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  FakeSocket.made = [];
  const seen = { status: [], messages: [], misses: 0 };
  const line = new Line({
    url: 'ws://x', socket: FakeSocket, random: () => 1,
    join: () => ({ type: 'join', name: 'Ana', token: null, watch: false }),
    onMessage: (message) => seen.messages.push(message),
    onStatus: (status, code) => seen.status.push(code === null ? status : `${status} ${code}`),
    onMiss: () => { seen.misses += 1; },
  });
  const last = () => FakeSocket.made.at(-1);
  const settle = () => { last().opens(); last().hears({ type: 'welcome' }); };
  return { line, seen, last, settle, tick: (ms) => t.mock.timers.tick(ms) };
}

test('joins first and is open once welcomed', (t) => {
  const { line, seen, last, settle } = setUp(t);
  assert.equal(line.send({ type: 'start' }), false);
  settle();
  assert.equal(last().sent[0].type, 'join');
  assert.equal(line.send({ type: 'start' }), true);
  assert.deepEqual(seen.status, ['connecting', 'open']);
});

test('an attempt is given up after five seconds and tried again', (t) => {
  const { seen, last, tick } = setUp(t);
  tick(4999);
  assert.equal(FakeSocket.made.length, 1);
  tick(1);
  assert.equal(seen.status.at(-1), 'waiting');
  assert.equal(seen.misses, 1);
  tick(500);
  assert.equal(FakeSocket.made.length, 2);
  assert.equal(last().readyState, 0);
});

test('waits longer each time, at most ten seconds, and never stops', (t) => {
  const { last, tick } = setUp(t);
  for (const wait of [500, 1000, 2000, 4000, 8000, 10000, 10000, 10000]) {
    const before = FakeSocket.made.length;
    last().breaks();
    tick(wait - 1);
    assert.equal(FakeSocket.made.length, before, `not before ${wait}`);
    tick(1);
    assert.equal(FakeSocket.made.length, before + 1);
  }
});

test('silence after a ping is a dead line', (t) => {
  const { settle, last, tick } = setUp(t);
  settle();
  tick(10000);
  assert.equal(last().sent.at(-1).type, 'ping');
  tick(5000);
  assert.equal(FakeSocket.made.length, 2);
});

test('a pong keeps the line', (t) => {
  const { settle, last, tick } = setUp(t);
  settle();
  for (let i = 0; i < 5; i++) {
    tick(10000);
    last().hears({ type: 'pong', t: 1 });
  }
  assert.equal(FakeSocket.made.length, 1);
});

test('codes that name a reason are final', (t) => {
  for (const code of [4000, 4001, 4002, 4003, 4010, 4011]) {
    const { seen, settle, last, tick } = setUp(t);
    settle();
    last().breaks(code);
    tick(60000);
    assert.equal(seen.status.at(-1), `closed ${code}`);
    assert.equal(FakeSocket.made.length, 1);
    t.mock.timers.reset();
  }
});

test('a restart and a slow reader come back', (t) => {
  for (const code of [1012, 1006, 4008, 4009]) {
    const { seen, settle, last, tick } = setUp(t);
    settle();
    last().breaks(code);
    tick(500);
    settle();
    assert.equal(seen.status.at(-1), 'open');
    t.mock.timers.reset();
  }
});

test('looking at the page again tries at once', (t) => {
  const { line, settle, last } = setUp(t);
  settle();
  last().breaks();
  line.wake();
  assert.equal(FakeSocket.made.length, 2);
});

test('an old socket is not listened to', (t) => {
  const { line, seen, settle, last } = setUp(t);
  settle();
  const old = last();
  line.connect();
  old.hears({ type: 'state' });
  old.breaks(4003);
  assert.equal(seen.messages.length, 1);
  assert.equal(seen.status.at(-1), 'connecting');
});
