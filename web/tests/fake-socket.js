/** A socket that the test controls. */
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
 * A manual clock. Time passes in small steps, as it does for a page. A sleeping device stops its timers, but not the
 * wall clock.
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
