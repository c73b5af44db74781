// One line to one room that always comes back. It knows sockets, time and close codes, not games.
// Phones kill sockets without a word, so silence counts as loss; a closing code that names a reason is final.

/** @typedef {import('./wire.js').ClientMessage} ClientMessage */
/** @typedef {import('./wire.js').ServerMessage} ServerMessage */
/** @typedef {'connecting' | 'open' | 'waiting' | 'closed'} LineStatus */
/**
 * @typedef {object} LineOptions
 * @property {string} url
 * @property {() => ClientMessage} join the first message of every connection
 * @property {(message: ServerMessage) => void} onMessage
 * @property {(status: LineStatus, code: number | null) => void} onStatus
 * @property {() => void} [onMiss] an attempt ended before it opened: perhaps the room is gone
 * @property {typeof WebSocket} [socket] another kind of socket, for tests
 * @property {() => number} [random]
 */

const ATTEMPT_MS = 5000;
const PING_MS = 10000;
const PONG_MS = 5000;
const BACKOFF_MS = [500, 10000];

/** The server means these: too early or bad join, bad token, too many places, removed, expired, other protocol. */
const FINAL = new Set([4000, 4001, 4002, 4003, 4010, 4011]);

export class Line {
  /** @param {LineOptions} options */
  constructor(options) {
    this.options = options;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.status = /** @type {LineStatus} */ ('connecting');
    this.misses = 0;
    /** @type {Record<'attempt' | 'retry' | 'ping' | 'pong', ReturnType<typeof setTimeout> | undefined>} */
    this.timers = { attempt: undefined, retry: undefined, ping: undefined, pong: undefined };
    this.awake = () => this.wake();
    this.watch(true);
    this.connect();
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
    if (typeof document !== 'undefined' && document.visibilityState === 'hidden') return;
    if (this.status === 'waiting') this.connect();
    else if (this.status === 'open') this.ping();
  }

  connect() {
    this.drop();
    this.change('connecting', null);
    const Socket = this.options.socket ?? WebSocket;
    const socket = new Socket(this.options.url);
    this.socket = socket;
    let opened = false;
    const current = () => this.socket === socket;
    this.timers.attempt = setTimeout(() => current() && this.retry(opened), ATTEMPT_MS);
    socket.onopen = () => {
      if (!current()) return;
      opened = true;
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
      if (FINAL.has(event.code)) this.end(event.code);
      else this.retry(opened);
    };
  }

  /** @param {ServerMessage} message */
  heard(message) {
    // Anything heard proves that the line lives.
    clearTimeout(this.timers.pong);
    this.timers.pong = undefined;
    if (message.type !== 'welcome') return;
    clearTimeout(this.timers.attempt);
    this.misses = 0;
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

  /** @param {boolean} opened */
  retry(opened) {
    this.drop();
    if (!opened) this.options.onMiss?.();
    const [least, most] = BACKOFF_MS;
    const ceiling = Math.min(most, least * 2 ** Math.min(this.misses, 10));
    this.misses += 1;
    this.change('waiting', null);
    // Full jitter: after a restart everybody comes back, but not all in the same instant.
    this.timers.retry = setTimeout(() => this.connect(), ceiling * this.random());
  }

  random() {
    return (this.options.random ?? Math.random)();
  }

  /** @param {number | null} code */
  end(code) {
    this.drop();
    this.watch(false);
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
    this.options.onStatus(status, code);
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
