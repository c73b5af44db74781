/** A socket that does what the test says. */
export class FakeSocket {
  static made = [];
  constructor(url) {
    this.url = url;
    this.readyState = 0;
    this.sent = [];
    FakeSocket.made.push(this);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = 3;
  }
  opens() {
    this.readyState = 1;
    this.onopen?.();
  }
  isHeard(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  breaks(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/**
 * A clock that the test turns. Time passes in small steps, as it does for a page; a device that sleeps stops its
 * timers, but not the clock on the wall.
 */
export function fakeTime(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 1000000;
  t.mock.method(Date, 'now', () => now);
  t.mock.method(AbortSignal, 'timeout', (ms) => {
    const given = new AbortController();
    setTimeout(() => given.abort(), ms);
    return given.signal;
  });
  const pass = (ms) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return {
    tick: (ms) => {
      for (let left = ms; left > 0; left -= 50) pass(Math.min(50, left));
    },
    sleep: (ms) => {
      now += ms;
    },
    now: () => now,
  };
}
