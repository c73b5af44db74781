import test from 'node:test';
import assert from 'node:assert/strict';
import { Connection } from '../session/socket.js';
import { FakeSocket, fakeTime } from './fake-socket.js';

let rooms = 0;

function setUp(t, options = {}) {
  const { tick, sleep, now } = fakeTime(t);
  FakeSocket.made = [];
  // Backoff is kept per URL, so each test has its own.
  const url = `ws://x/${rooms++}`;
  const seen = { status: [], messages: [], misses: 0 };
  const open = () =>
    new Connection({
      url,
      socket: FakeSocket,
      random: () => 1,
      join: () => ({ type: 'join', name: 'Ana', token: null, watch: false }),
      onMessage: (message) => seen.messages.push(message),
      onStatus: (status, code) => seen.status.push(code === null ? status : `${status} ${code}`),
      onMiss: () => {
        seen.misses += 1;
      },
      ...options,
    });
  const line = open();
  const last = () => FakeSocket.made.at(-1);
  const settle = () => {
    last().opens();
    last().isHeard({ type: 'welcome' });
  };
  const end = () => {
    t.mock.timers.reset();
    t.mock.restoreAll();
  };
  return { line, open, seen, last, settle, tick, sleep, now, end };
}

test('joins first and is open once welcomed', (t) => {
  const { line, seen, last, settle } = setUp(t);
  assert.equal(line.send({ type: 'start' }), false);
  settle();
  assert.equal(last().sent[0].type, 'join');
  assert.equal(line.send({ type: 'start' }), true);
  assert.deepEqual(seen.status, ['connecting', 'open']);
});

test('retries an attempt that takes more than five seconds', (t) => {
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

test('backs off up to ten seconds, and never stops retrying', (t) => {
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

test('retries later when the server is at capacity, and reports that', (t) => {
  const crowds = [];
  const { settle, last, tick } = setUp(t, {
    onStatus: (status, code, crowded) => crowds.push([status, code, crowded]),
  });
  last().opens();
  last().breaks(1013);
  assert.deepEqual(crowds.at(-1), ['waiting', null, true]);
  tick(500);
  assert.deepEqual(crowds.at(-1), ['connecting', null, true]);
  settle();
  assert.deepEqual(crowds.at(-1), ['open', null, false]);
});

test('treats a missing pong as a lost connection', (t) => {
  const { settle, last, tick } = setUp(t);
  settle();
  tick(10000);
  assert.equal(last().sent.at(-1).type, 'ping');
  tick(5000);
  assert.equal(FakeSocket.made.length, 2);
});

test('a pong keeps the connection', (t) => {
  const { settle, last, tick } = setUp(t);
  settle();
  for (let i = 0; i < 5; i++) {
    tick(10000);
    last().isHeard({ type: 'pong', t: 1 });
  }
  assert.equal(FakeSocket.made.length, 1);
});

test('codes that name a reason are final', (t) => {
  for (const code of [4000, 4001, 4002, 4003, 4010, 4011]) {
    const { seen, settle, last, tick, end } = setUp(t);
    settle();
    last().breaks(code);
    tick(60000);
    assert.equal(seen.status.at(-1), `closed ${code}`);
    assert.equal(FakeSocket.made.length, 1);
    end();
  }
});

test('reconnects after a restart or as a slow reader', (t) => {
  for (const code of [1012, 1006, 4008, 4009]) {
    const { seen, settle, last, tick, end } = setUp(t);
    settle();
    last().breaks(code);
    tick(500);
    settle();
    assert.equal(seen.status.at(-1), 'open');
    end();
  }
});

test('retries at once when the page becomes visible', (t) => {
  const { line, settle, last } = setUp(t);
  settle();
  last().breaks();
  line.wake();
  assert.equal(FakeSocket.made.length, 2);
});

test('ignores messages of an old socket', (t) => {
  const { line, seen, settle, last } = setUp(t);
  settle();
  const old = last();
  line.connect();
  old.isHeard({ type: 'state' });
  old.breaks(4003);
  assert.equal(seen.messages.length, 1);
  assert.equal(seen.status.at(-1), 'connecting');
});

/** All kinds of close codes: of the WebSocket protocol, our own, and unknown ones. */
const CODES = [
  ...Array.from({ length: 16 }, (_, i) => 1000 + i),
  3000,
  3999,
  ...Array.from({ length: 16 }, (_, i) => 4000 + i),
  4999,
];

/** Number of attempts in a minute when the server closes each connection at once, before or after its welcome. */
function triesInAMinute({ seen, open, last, settle, tick, now }, code, { welcomed }) {
  const until = now() + 60000;
  while (now() < until) {
    if (last().readyState < 2) {
      if (welcomed) settle();
      else last().opens();
      last().breaks(code);
    }
    // The page opens the room again as soon as the connection is closed.
    if (seen.status.at(-1) === `closed ${code}`) open();
    tick(100);
  }
  return FakeSocket.made.length;
}

test('backs off after every close code, also in a new connection', (t) => {
  for (const code of CODES) {
    for (const welcomed of [true, false]) {
      const stage = setUp(t, { random: () => 0.5 });
      const tries = triesInAMinute(stage, code, { welcomed });
      assert.ok(tries < 20, `${code}, ${welcomed ? 'after' : 'before'} the welcome: tried ${tries} times in a minute`);
      stage.end();
    }
  }
});

test('has a minimum delay even with the smallest random factor', (t) => {
  const { settle, last, tick } = setUp(t, { random: () => 0 });
  settle();
  last().breaks();
  tick(99);
  assert.equal(FakeSocket.made.length, 1);
  tick(1);
  assert.equal(FakeSocket.made.length, 2);
});

test('resets the backoff after a stable connection', (t) => {
  const { settle, last, tick } = setUp(t);
  for (const wait of [500, 1000, 2000]) {
    last().breaks();
    tick(wait);
  }
  settle();
  tick(2000);
  last().breaks();
  tick(500);
  assert.equal(FakeSocket.made.length, 5);
});

test('connects at once to a room that was closed some seconds ago', (t) => {
  const { open, last, tick } = setUp(t);
  last().opens();
  last().breaks(4000);
  tick(3000);
  open();
  assert.equal(FakeSocket.made.length, 2);
});

test('waits longer for the welcome than for the connection, and longer after each timeout', (t) => {
  const { seen, last, tick } = setUp(t);
  last().opens();
  tick(19900);
  assert.equal(FakeSocket.made.length, 1, 'a long game over a slow line');
  tick(100);
  assert.equal(seen.status.at(-1), 'waiting');
  assert.equal(seen.misses, 0, 'the room is there');
  tick(500);
  last().opens();
  tick(29900);
  last().isHeard({ type: 'welcome' });
  assert.equal(seen.status.at(-1), 'open');
  assert.equal(FakeSocket.made.length, 2);
});

test('gives a slow connection more time with each attempt, up to fifteen seconds', (t) => {
  const { tick } = setUp(t);
  for (const [patience, wait] of [
    [5000, 500],
    [7500, 1000],
    [11250, 2000],
    [15000, 4000],
    [15000, 8000],
  ]) {
    const before = FakeSocket.made.length;
    tick(patience + wait - 50);
    assert.equal(FakeSocket.made.length, before);
    tick(50);
    assert.equal(FakeSocket.made.length, before + 1);
  }
});

test('reconnects at once after a sleep, with or without an event', (t) => {
  for (const event of [true, false]) {
    const { line, settle, tick, sleep, end } = setUp(t);
    settle();
    sleep(60000);
    if (event) line.wake();
    else tick(1000);
    assert.equal(FakeSocket.made.length, 2);
    end();
  }
});

test('abandons a stuck attempt and a long delay after a sleep', (t) => {
  for (const stuck of [true, false]) {
    const { last, tick, sleep, end } = setUp(t);
    if (!stuck) last().breaks();
    tick(100);
    sleep(60000);
    tick(1000);
    assert.equal(FakeSocket.made.length, 2);
    end();
  }
});

test('pings instead of reconnecting after a short time in the background', (t) => {
  const { line, settle, last, tick } = setUp(t);
  settle();
  tick(5000);
  line.wake();
  assert.equal(last().sent.at(-1).type, 'ping');
  assert.equal(FakeSocket.made.length, 1);
});

test('makes one attempt for several wake-up events, and keeps a welcome under way', (t) => {
  const { line, last, tick } = setUp(t);
  tick(2000);
  for (let i = 0; i < 3; i++) line.wake();
  assert.equal(FakeSocket.made.length, 2);
  last().opens();
  tick(8000);
  line.wake();
  assert.equal(FakeSocket.made.length, 2);
});
