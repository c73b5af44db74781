// One visit to one room: how this page joins it and comes back to it, what is still on its way, and how it ends.
// It knows the wire and the seats of this device, not the screen.

import * as device from './device.js';
import { Line } from './socket.js';

/** @typedef {import('./wire.js').ClientMessage} ClientMessage */
/** @typedef {import('./wire.js').ServerMessage} ServerMessage */
/** @typedef {import('./store.js').Known} Known */
/**
 * @typedef {object} SessionOptions
 * @property {string} code
 * @property {string} url
 * @property {string | null} [key] what another device handed over; good for one welcome
 * @property {number} [bots] how many to play against as soon as this person sits
 * @property {() => Known} known what the page knows of the room
 * @property {(news: Parameters<typeof import('./store.js').fold>[1]) => void} learn
 * @property {() => Promise<boolean>} gone asks whether the room is certainly no more
 * @property {() => void} onSettled this page has its place, or another one
 * @property {(what: string) => void} onTrouble it is over, and why
 * @property {() => void} onRefused the first message was not accepted: the name must be asked for again
 * @property {(key: string) => void} onHandover another device may have the seat with this
 * @property {Partial<import('./socket.js').LineOptions>} [line] another kind of line, for tests
 */

const PROTOCOL = 1;

export class Session {
  /** @param {SessionOptions} options */
  constructor(options) {
    this.options = options;
    this.key = options.key ?? null;
    this.bots = options.bots ?? 0;
    /** What joining says, so that a reconnect says it again. */
    this.entry = { name: device.rememberedName(), watch: false };
    /** @type {Line | null} */
    this.line = null;
  }

  /** Whether joining needs no question: this device has the seat, was handed it, or plays against bots under a known name. */
  get ready() {
    return this.key !== null || device.tokenFor(this.options.code) !== null || (this.bots > 0 && this.entry.name !== '');
  }

  /** @param {string} name @param {boolean} watch */
  join(name, watch) {
    this.entry = { name, watch };
    this.connect();
  }

  connect() {
    this.line?.close();
    const { url } = this.options;
    this.line = new Line({
      url,
      join: () => this.hello(),
      onMessage: (message) => this.hear(message),
      onStatus: (status, code) => {
        if (code !== null) this.ended(code);
        this.options.learn({ type: 'line', status, code });
      },
      onMiss: () => void this.missed(),
      ...this.options.line,
    });
  }

  /** @returns {ClientMessage} */
  hello() {
    const token = this.key ?? device.tokenFor(this.options.code);
    return { type: 'join', name: this.entry.name, token, watch: this.entry.watch, salt: device.freshSalt(), protocol: PROTOCOL };
  }

  /** @param {ClientMessage} message @returns {boolean} whether it left this device */
  send(message) {
    return this.line?.send(message) ?? false;
  }

  /** The page goes elsewhere; the seat stays. */
  close() {
    this.line?.close();
  }

  /** @param {ServerMessage} message */
  hear(message) {
    const { known, learn } = this.options;
    if (message.type === 'welcome') this.settle(message.you);
    if (message.type === 'you') this.settle(message);
    if (message.type === 'handover') this.options.onHandover(message.code);
    const lost = known().pending;
    learn(message);
    if (message.type !== 'welcome') return;
    this.playBots();
    // Sent before the line broke and still wanted by its number: it never arrived, so it goes again.
    const pending = known().pending;
    if (lost && pending) this.send({ type: 'act', n: pending.n, action: pending.action });
  }

  /** One tap from the front page: the bots sit down, and the game begins. */
  playBots() {
    if (!this.bots) return;
    for (; this.bots; this.bots--) this.send({ type: 'add_bot', level: 'normal' });
    this.send({ type: 'start' });
  }

  /** Where this page sits now is kept, so that a reload comes back to it. @param {import('./wire.js').You} you */
  settle(you) {
    const { code, onSettled } = this.options;
    this.key = null;
    this.entry = { name: you.name || this.entry.name, watch: you.seat === null };
    if (you.token) device.keepSeat(code, you.token, you.name);
    else device.forgetSeat(code);
    onSettled();
  }

  /** An attempt ended before it opened: perhaps the room is no more. */
  async missed() {
    const { code, gone, onTrouble } = this.options;
    if (!await gone() || this.line?.status === 'closed') return;
    device.forgetSeat(code);
    this.close();
    onTrouble('no_such_room');
  }

  /** The server closed the line and meant it. @param {number} closed */
  ended(closed) {
    const { code, onRefused, onTrouble } = this.options;
    // A link that was handed over and is used up says nothing about a seat this device may have.
    const stale = this.key !== null && closed === 4001;
    this.key = null;
    if (!stale && (closed === 4001 || closed === 4003 || closed === 4010)) device.forgetSeat(code);
    this.entry = { ...this.entry, watch: false };
    // A name perhaps: the reason has been said, and the join screen asks again.
    if (closed === 4000) onRefused();
    else onTrouble(stale ? 'link_used' : String(closed));
  }
}
