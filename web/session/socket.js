// A connection to one room that reconnects with backoff. It knows sockets, time and close codes, not games. Phones
// close sockets silently, so silence counts as loss. A close code that names a reason is final.

import { backoff, growingTimeout } from '../retry.js';

/** @typedef {import('../games/types.js').ClientMessage} ClientMessage */
/** @typedef {import('../games/types.js').ServerMessage} ServerMessage */
/** @typedef {'connecting' | 'open' | 'waiting' | 'closed'} ConnectionStatus */
/**
 * @typedef {object} ConnectionOptions
 * @property {string} url
 * @property {() => ClientMessage} join returns the first message of every connection
 * @property {(message: ServerMessage) => void} onMessage
 * @property {(status: ConnectionStatus, code: number | null, crowded: boolean) => void} onStatus with whether the
 *   server was at capacity
 * @property {(code: number) => boolean} [final] whether a close code that otherwise leads to a reconnect is final now
 * @property {() => void} [onMiss] called when an attempt failed before it opened, so the room may be gone
 * @property {typeof WebSocket} [socket] socket class; for tests
 * @property {() => number} [random]
 */

// An attempt times out when it makes no progress, not when it takes long as a whole. Opening is a few small packets,
// but the welcome of a long game is one large message, and nothing is seen before its end.
const OPEN_MS = 5000;
const WELCOME_MS = 20000;
const PING_MS = 10000;
const PONG_MS = 5000;
/**
 * A connection that lasts this long is a success. One that is closed right after each welcome must wait longer and
 * longer.
 */
const HELD_MS = 2000;
/** Interval for comparing timers with the wall clock: a sleeping device stops timers, but not the clock. */
const BEAT_MS = 1000;
/** Later than this, a timer was suspended, not just delayed. */
const LATE_MS = 2000;

/** Final close codes: bad join, bad token, too many connections, removed, expired, other protocol. */
const FINAL = new Set([4000, 4001, 4002, 4003, 4010, 4011]);
/** The server is at capacity and keeps the seats: reconnect later, and say why it takes a while. */
const SERVER_FULL = 1013;

/**
 * Backoff state per URL, so that a new connection right after a close does not skip the delay.
 * @type {Map<string, {misses: number, notBefore: number}>}
 */
const backoffs = new Map();

export class Connection {
  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.options = options;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {ConnectionStatus} */
    this.status = 'connecting';
    this.opened = false;
    /** Whether the server was at capacity at the last attempt. */
    this.crowded = false;
    /** Number of attempts in a row that timed out: on a slow connection the next one gets more time. */
    this.late = 0;
    /** When the current attempt began, and the deadline for its next progress. */
    this.began = 0;
    this.due = 0;
    this.pace = backoffs.get(options.url) ?? { misses: 0, notBefore: 0 };
    backoffs.set(options.url, this.pace);
    /** @type {Record<'attempt' | 'retry' | 'held' | 'ping' | 'pong', ReturnType<typeof setTimeout> | undefined>} */
    this.timers = { attempt: undefined, retry: undefined, held: undefined, ping: undefined, pong: undefined };
    this.awake = () => this.wake();
    this.watch(true);
    const wait = Math.min(
      this.pace.notBefore - Date.now(),
      backoff(Infinity, () => 1),
    );
    if (wait > 0) this.wait(wait);
    else this.connect();
    this.checkClock();
  }

  /** @param {ClientMessage} message @returns {boolean} whether it was sent */
  send(message) {
    if (this.status !== 'open' || this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Closes for good. */
  close() {
    this.end(null);
  }

  /** The page is visible again, or the network is back: check at once whether the connection is alive. */
  wake() {
    if (hidden() || this.status === 'closed') return;
    // An older attempt is most likely lost. A recent one was started by the same wake-up.
    const stuck = this.status === 'connecting' && !this.opened && Date.now() - this.began > BEAT_MS;
    if (this.status === 'waiting' || stuck || this.isOverdue()) this.connect();
    else if (this.status === 'open') this.ping();
  }

  /** Wakes up without an event, such as a laptop that was closed with the page in front. */
  checkClock() {
    if (this.status === 'closed') return;
    // Browsers slow down the timers of a hidden page, so being late means nothing there.
    if (!hidden() && this.isOverdue()) this.connect();
    this.beating = setTimeout(() => this.checkClock(), BEAT_MS);
  }

  /** Whether a timer should have fired long ago. */
  isOverdue() {
    return Date.now() > this.due + LATE_MS;
  }

  connect() {
    this.drop();
    this.change('connecting', null);
    const Socket = this.options.socket ?? WebSocket;
    const socket = new Socket(this.options.url);
    this.socket = socket;
    this.opened = false;
    this.began = Date.now();
    const current = () => this.socket === socket;
    this.expect(OPEN_MS);
    socket.onopen = () => {
      if (!current()) return;
      this.opened = true;
      this.expect(WELCOME_MS);
      socket.send(JSON.stringify(this.options.join()));
    };
    socket.onmessage = (event) => {
      if (!current()) return;
      /** @type {ServerMessage} */
      const message = JSON.parse(String(event.data));
      this.heard(message);
      this.options.onMessage(message);
    };
    socket.onclose = (event) => {
      if (!current()) return;
      this.crowded = event.code === SERVER_FULL;
      if (FINAL.has(event.code) || this.options.final?.(event.code)) this.end(event.code);
      else this.retry();
    };
  }

  /** Sets the timeout for the next step of this attempt. @param {number} ms */
  expect(ms) {
    const most = growingTimeout(ms, this.late);
    clearTimeout(this.timers.attempt);
    this.due = Date.now() + most;
    this.timers.attempt = setTimeout(() => {
      this.late += 1;
      this.retry();
    }, most);
  }

  /** @param {ServerMessage} message */
  heard(message) {
    // Any message proves that the connection is alive.
    clearTimeout(this.timers.pong);
    this.timers.pong = undefined;
    if (message.type === 'welcome' || this.status === 'open') this.due = Date.now() + PING_MS + PONG_MS;
    if (message.type !== 'welcome') return;
    clearTimeout(this.timers.attempt);
    this.late = 0;
    this.crowded = false;
    this.timers.held = setTimeout(() => Object.assign(this.pace, { misses: 0, notBefore: 0 }), HELD_MS);
    this.change('open', null);
    this.schedulePing();
  }

  schedulePing() {
    clearTimeout(this.timers.ping);
    this.timers.ping = setTimeout(() => this.ping(), PING_MS);
  }

  ping() {
    if (this.timers.pong) return;
    this.send({ type: 'ping', t: Math.round(performance.now()) });
    this.timers.pong = setTimeout(() => this.connect(), PONG_MS);
    this.schedulePing();
  }

  /** Reconnects after a delay: the attempt failed, or a state was missed. */
  retry() {
    const met = this.opened;
    this.drop();
    if (!met) this.options.onMiss?.();
    // The existence check may have closed the connection.
    if (this.status !== 'closed') this.wait(this.miss());
  }

  /** Counts a failure. @returns {number} the delay before the next attempt */
  miss() {
    this.pace.misses += 1;
    const wait = backoff(this.pace.misses, this.options.random);
    this.pace.notBefore = Date.now() + wait;
    return wait;
  }

  /** @param {number} ms */
  wait(ms) {
    this.due = Date.now() + ms;
    this.timers.retry = setTimeout(() => this.connect(), ms);
    this.change('waiting', null);
  }

  /** @param {number | null} code */
  end(code) {
    this.drop();
    this.watch(false);
    clearTimeout(this.beating);
    if (code !== null) this.miss();
    this.change('closed', code);
  }

  drop() {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers.pong = undefined;
    const socket = this.socket;
    this.socket = null;
    if (socket && socket.readyState < 2) socket.close();
  }

  /** @param {ConnectionStatus} status @param {number | null} code */
  change(status, code) {
    if (this.status === 'closed') return;
    this.status = status;
    this.options.onStatus(status, code, this.crowded);
  }

  /** @param {boolean} on */
  watch(on) {
    if (typeof window === 'undefined') return;
    const verb = on ? 'addEventListener' : 'removeEventListener';
    document[verb]('visibilitychange', this.awake);
    window[verb]('pageshow', this.awake);
    window[verb]('online', this.awake);
    // The connection is most likely lost: check now rather than at the next ping.
    window[verb]('offline', this.awake);
  }
}

/** Whether the page is hidden. */
const hidden = () => typeof document !== 'undefined' && document.visibilityState === 'hidden';
