// One visit to one room: how this page joins it and comes back to it, what is still on its way, and how it ends.
// It knows the wire and the seats of this device, not the screen.

import * as device from './device.js';
import { fits } from './name.js';
import { Line } from './socket.js';
import { hasGap } from './store.js';

/** @typedef {import('./wire.js').ClientMessage} ClientMessage */
/** @typedef {import('./wire.js').ServerMessage} ServerMessage */
/** @typedef {import('./store.js').Known} Known */
/**
 * @typedef {object} SessionOptions
 * @property {string} code
 * @property {string} url
 * @property {string | null} [key] what another device handed over; good for one welcome
 * @property {boolean} [atOnce] whether this person joins under the name this device knows, without being asked
 * @property {number} [bots] how many to play against as soon as this person sits
 * @property {boolean} [screen] whether this is a television: it watches, and leaves the seats of this device alone
 * @property {() => string} [guest] what somebody who has no name yet is called against bots
 * @property {() => Known} known what the page knows of the room
 * @property {(news: Parameters<typeof import('./store.js').fold>[1]) => void} learn
 * @property {() => Promise<boolean>} gone asks whether the room is certainly no more
 * @property {() => void} onSettled this page has its place, or another one
 * @property {(what: string) => void} onTrouble it is over, and why
 * @property {(why: string) => void} onRefused the name was not accepted and must be asked for again
 * @property {() => void} onLeft the seat is given up, and the server knows
 * @property {(key: string) => void} onHandover another device may have the seat with this
 * @property {Partial<import('./socket.js').LineOptions>} [line] another kind of line, for tests
 */

const PROTOCOL = 1;
/** What a television is called among those who watch: the same in every language. */
const SCREEN = 'TV';
/** The answer to `leave`. */
const LEFT = 1000;
/** The room was not found; a seat's token outlives one such answer. */
const EXPIRED = 4010;
/** There is no such seat, any more or at all. */
const SEATLESS = new Set([4001, 4003, EXPIRED]);

export class Session {
  /** @param {SessionOptions} options */
  constructor(options) {
    this.options = options;
    this.key = options.key ?? null;
    this.bots = options.bots ?? 0;
    /** Kept here too: storage may be forbidden, or cleared under the open page. @type {string | null} */
    this.token = options.screen ? null : device.tokenFor(options.code);
    /** One for the whole visit: who repeats name and salt is the same person whose welcome was lost. */
    this.salt = device.freshSalt();
    /** What joining says, so that a reconnect says it again. */
    this.entry = options.screen ? { name: SCREEN, watch: true } : { name: device.rememberedName() || (this.bots && options.guest?.()) || '', watch: false };
    /** The name that was typed, until the server has taken it. @type {string | null} */
    this.typed = null;
    /** What the server had against the first message. @type {string | null} */
    this.objection = null;
    /** What the server is bound to for the next game, as this page saw it before. @type {string | null} */
    this.bound = null;
    /** Whether this person wants to leave and the server has not yet acknowledged it. */
    this.leaving = false;
    /** @type {Line | null} */
    this.line = null;
  }

  /** Whether joining needs no question: this device has the seat, was handed it, or comes under a known or given name to play against bots, or on. */
  get ready() {
    return !!this.options.screen || this.key !== null || this.token !== null || ((this.bots > 0 || !!this.options.atOnce) && fits(this.entry.name));
  }

  /** @param {string} name @param {boolean} watch */
  join(name, watch) {
    this.entry = { name, watch };
    this.typed = name;
    this.connect();
  }

  connect() {
    this.line?.close();
    const { url } = this.options;
    this.line = new Line({
      url,
      join: () => this.hello(),
      final: (code) => this.leaving && code === LEFT,
      onMessage: (message) => this.hear(message),
      onStatus: (status, code, crowded) => {
        this.options.learn({ type: 'line', status, code, crowded });
        if (code !== null) this.ended(code);
      },
      onMiss: () => void this.missed(),
      ...this.options.line,
    });
  }

  /** @returns {ClientMessage} */
  hello() {
    this.objection = null;
    return { type: 'join', name: this.entry.name, token: this.key ?? this.token, watch: this.entry.watch, salt: this.salt, protocol: PROTOCOL };
  }

  /** @param {ClientMessage} message @returns {boolean} whether it left this device */
  send(message) {
    return this.line?.send(message) ?? false;
  }

  /** The page goes elsewhere; the seat stays. */
  close() {
    this.line?.close();
  }

  /** Gives up the seat. It is forgotten only when the server knows; without a line it is said with the next welcome. */
  leave() {
    this.leaving = true;
    return this.send({ type: 'leave' });
  }

  /** @param {ServerMessage} message */
  hear(message) {
    const { known, learn } = this.options;
    // A fresh welcome tells what was missed; drawing on would show a game that never was.
    if (message.type === 'state' && hasGap(known().game, message.state)) return this.line?.retry();
    if (message.type === 'welcome') this.welcomed(message.you);
    if (message.type === 'you') this.settle(message);
    if (message.type === 'renamed') device.muteFollows(message.was, message.name);
    if (message.type === 'error') {
      this.objection = message.code;
      this.leaving = false;
    }
    this.witness(message);
    if (message.type === 'handover') this.options.onHandover(message.code);
    const lost = known().pending;
    learn(message);
    if (message.type !== 'welcome') return;
    if (this.leaving) return void this.leave();
    this.playBots();
    // Sent before the line broke and still wanted by its number: it never arrived, so it goes again.
    const pending = known().pending;
    if (lost && pending) this.send({ type: 'act', n: pending.n, action: pending.action });
  }

  /** Keeps what the server was bound to before a game, to be held against the deal afterwards. @param {ServerMessage} message */
  witness(message) {
    if ('room' in message) this.bound = message.room.phase === 'lobby' ? message.room.fair.commitment : message.type === 'welcome' ? null : this.bound;
    if (message.type !== 'state' || !this.bound) return;
    device.keepDeal({ code: this.options.code, version: message.state.version, commitment: this.bound, salt: this.salt });
    this.bound = null;
  }

  /** One tap from the front page: the bots sit down, and the game begins. */
  playBots() {
    if (!this.bots) return;
    for (; this.bots; this.bots--) this.send({ type: 'add_bot', level: device.against().level });
    this.send({ type: 'start' });
  }

  /** @param {import('./wire.js').You} you */
  welcomed(you) {
    if (this.typed !== null) device.rememberName(this.typed);
    this.typed = null;
    this.settle(you);
  }

  /** Where this page sits now is kept, so that a reload comes back to it. @param {import('./wire.js').You} you */
  settle(you) {
    const { code, onSettled } = this.options;
    this.key = null;
    this.entry = { name: you.name || this.entry.name, watch: you.seat === null };
    this.token = you.token;
    if (this.options.screen) return onSettled();
    if (you.token) device.keepSeat(code, you.token, you.name);
    else device.forgetSeat(code);
    onSettled();
  }

  forget() {
    this.token = null;
    if (!this.options.screen) device.forgetSeat(this.options.code);
  }

  /** An attempt ended before it opened: perhaps the room is gone. The seat's token is kept: a server may not find a room for a moment. */
  async missed() {
    const { gone, onLeft, onTrouble } = this.options;
    if (!await gone() || this.line?.status === 'closed') return;
    this.close();
    if (this.leaving) onLeft();
    else onTrouble('no_such_room');
  }

  /** The server closed the line and meant it. @param {number} closed */
  ended(closed) {
    const { onLeft, onRefused, onTrouble } = this.options;
    // A link that was handed over and is used up says nothing about a seat this device may have.
    const stale = this.key !== null && closed === 4001;
    const byName = this.key === null && this.token === null;
    this.key = null;
    this.entry = { ...this.entry, watch: !!this.options.screen };
    if (closed === LEFT || (SEATLESS.has(closed) && !stale && closed !== EXPIRED)) this.forget();
    if (closed === LEFT || (SEATLESS.has(closed) && this.leaving)) return onLeft();
    this.leaving = false;
    // Nothing that was refused is said again by itself: the person says another name, or taps.
    this.bots = 0;
    if (closed === 4000 && byName) onRefused(this.objection ?? String(closed));
    else onTrouble(stale ? 'link_used' : String(closed));
  }
}
