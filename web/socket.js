// One line to one room that always comes back. It knows sockets, time and close codes, not games.
// Phones kill sockets without a word, so silence counts as loss; a closing code that names a reason is final.

import { backoff, patience } from './patience.js';

/** @typedef {import('./wire.js').ClientMessage} ClientMessage */
/** @typedef {import('./wire.js').ServerMessage} ServerMessage */
/** @typedef {'connecting' | 'open' | 'waiting' | 'closed'} LineStatus */
/**
 * @typedef {object} LineOptions
 * @property {string} url
 * @property {() => ClientMessage} join the first message of every connection
 * @property {(message: ServerMessage) => void} onMessage
 * @property {(status: LineStatus, code: number | null, crowded: boolean) => void} onStatus with whether the server had no place
 * @property {(code: number) => boolean} [final] whether a code that else means "come back" is an answer just now
 * @property {() => void} [onMiss] an attempt ended before it opened: perhaps the room is gone
 * @property {typeof WebSocket} [socket] another kind of socket, for tests
 * @property {() => number} [random]
 */

// An attempt is given up when it makes no progress, not when all of it takes long: opening is a few small packets, but
// the welcome of a long game over a slow line is one large message, of which nothing is seen before its end.
const OPEN_MS = 5000;
const WELCOME_MS = 20000;
const PING_MS = 10000;
const PONG_MS = 5000;
/** A line that held for so long is a success. One that is closed right after each welcome must wait ever longer. */
const HELD_MS = 2000;
/** A device that slept stops its timers, but not the clock on the wall: this often they are compared. */
const BEAT_MS = 1000;
/** Later than this is no timer that was merely busy. */
const LATE_MS = 2000;

/** The server means these: too early or bad join, bad token, too many places, removed, expired, other protocol. */
const FINAL = new Set([4000, 4001, 4002, 4003, 4010, 4011]);
/** The server has no place just now, and keeps what it has for those with a seat: come back, and say why it takes a while. */
const CROWDED = 1013;

/**
 * Backoff belongs to the address, not to one line to it: a new line right after a close is no way around the wait.
 * @type {Map<string, {misses: number, notBefore: number}>}
 */
const paces = new Map();

export class Line {
  /** @param {LineOptions} options */
  constructor(options) {
    this.options = options;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.status = /** @type {LineStatus} */ ('connecting');
    this.opened = false;
    /** Whether the last attempt found no place. */
    this.crowded = false;
    /** How many attempts in a row ran out of time: on a slow line the next one gets more. */
    this.late = 0;
    /** When the current attempt began, and by when something must have come of what is under way. */
    this.began = 0;
    this.due = 0;
    this.pace = paces.get(options.url) ?? { misses: 0, notBefore: 0 };
    paces.set(options.url, this.pace);
    /** @type {Record<'attempt' | 'retry' | 'held' | 'ping' | 'pong', ReturnType<typeof setTimeout> | undefined>} */
    this.timers = { attempt: undefined, retry: undefined, held: undefined, ping: undefined, pong: undefined };
    this.awake = () => this.wake();
    this.watch(true);
    const wait = Math.min(this.pace.notBefore - Date.now(), backoff(Infinity, () => 1));
    if (wait > 0) this.wait(wait);
    else this.connect();
    this.beat();
  }

  /** @param {ClientMessage} message @returns {boolean} whether it left this device */
  send(message) {
    if (this.status !== 'open' || this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** The person left the room: nothing comes back. */
  close() {
    this.end(null);
  }

  /** The page is looked at again, or the network is back: find out at once whether the line still lives. */
  wake() {
    if (hidden() || this.status === 'closed') return;
    // What was begun before is most likely lost; what was begun just now was begun by the same waking.
    const stuck = this.status === 'connecting' && !this.opened && Date.now() - this.began > BEAT_MS;
    if (this.status === 'waiting' || stuck || this.overdue()) this.connect();
    else if (this.status === 'open') this.ping();
  }

  /** Wakes by itself where no event tells: a laptop that was closed with the page in front. */
  beat() {
    if (this.status === 'closed') return;
    // Browsers slow the timers of a hidden page, so being late means nothing there.
    if (!hidden() && this.overdue()) this.connect();
    this.beating = setTimeout(() => this.beat(), BEAT_MS);
  }

  /** Whether a timer should have rung long ago. */
  overdue() {
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
      const message = /** @type {ServerMessage} */ (JSON.parse(String(event.data)));
      this.heard(message);
      this.options.onMessage(message);
    };
    socket.onclose = (event) => {
      if (!current()) return;
      this.crowded = event.code === CROWDED;
      if (FINAL.has(event.code) || this.options.final?.(event.code)) this.end(event.code);
      else this.retry();
    };
  }

  /** The next step of this attempt must come within this time. @param {number} ms */
  expect(ms) {
    const most = patience(ms, this.late);
    clearTimeout(this.timers.attempt);
    this.due = Date.now() + most;
    this.timers.attempt = setTimeout(() => {
      this.late += 1;
      this.retry();
    }, most);
  }

  /** @param {ServerMessage} message */
  heard(message) {
    // Anything heard proves that the line lives.
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

  /** Comes in anew, after a while: this attempt is lost, or what was heard has a hole. */
  retry() {
    const met = this.opened;
    this.drop();
    if (!met) this.options.onMiss?.();
    // Asking whether the room still is may have ended it all.
    if (this.status !== 'closed') this.wait(this.miss());
  }

  /** Counts a failure. @returns {number} how long to wait after it */
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

  /** @param {LineStatus} status @param {number | null} code */
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
    // The line is most likely gone: ask it now rather than at the next ping.
    window[verb]('offline', this.awake);
  }
}

/** Whether nobody looks at this page. */
const hidden = () => typeof document !== 'undefined' && document.visibilityState === 'hidden';
