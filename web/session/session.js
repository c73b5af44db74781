// One visit to one room: joining, reconnecting, leaving, and what is sent again. It knows the protocol and the seats of
// this device, not the screen.

import * as device from '../device.js';
import { isValidName } from '../player-name.js';
import { haveOf } from './have.js';
import { Connection } from './socket.js';
import { hasGap } from './room-state.js';

/** @typedef {import('../games/types.js').ClientMessage} ClientMessage */
/** @typedef {import('../games/types.js').ServerMessage} ServerMessage */
/** @typedef {import('./room-state.js').RoomState} RoomState */
/**
 * @typedef {object} SessionOptions
 * @property {string} code
 * @property {string} url
 * @property {string | null} [key] handover key from another device, valid for one welcome
 * @property {boolean} [atOnce] joins under the saved name without asking
 * @property {number} [bots] number of bots to play against immediately
 * @property {boolean} [screen] whether this is a television: it watches, and does not use this device's seats
 * @property {() => string} [guest] name for a player without one, against bots
 * @property {() => RoomState} known returns the room state
 * @property {(news: Parameters<typeof import('./room-state.js').reduceRoom>[1]) => void} dispatch
 * @property {() => Promise<boolean>} gone asks the server whether the room is certainly gone
 * @property {() => void} onSettled called when this page has its seat, or another one
 * @property {(what: string) => void} onTrouble called when the visit has ended, with the reason
 * @property {(why: string) => void} onRefused called when the name was refused and must be asked for again
 * @property {() => void} onLeft called when the seat is given up, and the server knows
 * @property {(key: string) => void} onHandover called with the handover key for another device
 * @property {Partial<import('./socket.js').ConnectionOptions>} [connection] options of the connection; for tests
 */

const PROTOCOL = 1;
/** Name of a television among the watchers, in every language. */
const SCREEN = 'TV';
/** The first message was refused. */
const BAD_JOIN = 4000;
/** Close code that answers `leave`. */
const LEFT = 1000;
/** The room was not found. A seat's token is kept after one such answer. */
const EXPIRED = 4010;
/** Close codes for a seat that does not exist. */
const NO_SEAT = new Set([4001, 4003, EXPIRED]);

export class Session {
  /** @param {SessionOptions} options */
  constructor(options) {
    this.options = options;
    this.key = options.key ?? null;
    this.bots = options.bots ?? 0;
    /** Kept here too, because storage may be forbidden or cleared. @type {string | null} */
    this.token = options.screen ? null : device.tokenFor(options.code);
    /** One for the whole visit: after a lost welcome the server recognises the player by name and salt. */
    this.salt = device.newSalt();
    /** The content of `join`, also for reconnects. */
    this.entry = options.screen
      ? { name: SCREEN, watch: true }
      : { name: device.rememberedName() || (this.bots && options.guest?.()) || '', watch: false };
    /** The typed name, until the server has accepted it. @type {string | null} */
    this.typed = null;
    /** Why the server refused the first message. @type {string | null} */
    this.objection = null;
    /** The server's commitment for the next game, seen before it begins. @type {string | null} */
    this.bound = null;
    /**
     * What the last `join` said of the events that the page has. False once a server has refused the field: servers
     * before this version do, and may return after an update was undone.
     * @type {import('../wire.js').Have | null | false}
     */
    this.have = null;
    /** Whether this player wants to leave and the server has not acknowledged it yet. */
    this.leaving = false;
    /** @type {Connection | null} */
    this.connection = null;
  }

  /**
   * Whether the page can join without asking: it has a seat or a handover key, or a name to play on or against bots.
   */
  get ready() {
    return (
      !!this.options.screen ||
      this.key !== null ||
      this.token !== null ||
      ((this.bots > 0 || !!this.options.atOnce) && isValidName(this.entry.name))
    );
  }

  /** @param {string} name @param {boolean} watch */
  join(name, watch) {
    this.entry = { name, watch };
    this.typed = name;
    this.connect();
  }

  connect() {
    this.connection?.close();
    const { url } = this.options;
    this.connection = new Connection({
      url,
      join: () => this.joinMessage(),
      final: (code) => this.leaving && code === LEFT,
      onMessage: (message) => this.hear(message),
      onStatus: (status, code, crowded) => {
        if (code === BAD_JOIN && this.have) return this.joinWithoutHave();
        this.options.dispatch({ type: 'connection', status, code, crowded });
        if (code !== null) this.ended(code);
      },
      onMiss: () => void this.missed(),
      ...this.options.connection,
    });
  }

  /** @returns {ClientMessage} */
  joinMessage() {
    this.objection = null;
    if (this.have !== false) this.have = haveOf(this.options.known());
    return {
      type: 'join',
      name: this.entry.name,
      token: this.key ?? this.token,
      watch: this.entry.watch,
      salt: this.salt,
      protocol: PROTOCOL,
      ...(this.have && { have: this.have }),
    };
  }

  /** Joins again, and asks for the whole history. */
  joinWithoutHave() {
    this.have = false;
    this.connect();
  }

  /** @param {ClientMessage} message @returns {boolean} whether it was sent */
  send(message) {
    return this.connection?.send(message) ?? false;
  }

  /** The page goes elsewhere; the seat stays. */
  close() {
    this.connection?.close();
  }

  /**
   * Gives up the seat. It is forgotten only when the server knows; while disconnected, `leave` is sent after the next
   * welcome.
   */
  leave() {
    this.leaving = true;
    return this.send({ type: 'leave' });
  }

  /** @param {ServerMessage} message */
  hear(message) {
    const { known, dispatch } = this.options;
    // A state was missed. A new welcome contains everything.
    if (message.type === 'state' && hasGap(known().game, message.state)) return this.connection?.retry();
    if (message.type === 'welcome') this.welcomed(message.you);
    if (message.type === 'you') this.seated(message);
    if (message.type === 'renamed') device.renameMuted(message.was, message.name);
    if (message.type === 'error') {
      // The server closes the connection next, and the page joins again.
      if (message.code === 'bad_message' && this.have && this.connection?.status !== 'open') return;
      this.objection = message.code;
      this.leaving = false;
    }
    this.recordCommitment(message);
    if (message.type === 'handover') this.options.onHandover(message.code);
    const lost = known().pending;
    dispatch(message);
    if (message.type !== 'welcome') return;
    if (this.leaving) return void this.leave();
    this.playBots();
    // The act was lost with the connection and is still wanted by its number, so it is sent again.
    const pending = known().pending;
    if (lost && pending) this.send({ type: 'act', n: pending.n, action: pending.action });
  }

  /** Saves the server's commitment before a game, for the deal check afterwards. @param {ServerMessage} message */
  recordCommitment(message) {
    if ('room' in message)
      this.bound =
        message.room.phase === 'lobby' ? message.room.fair.commitment : message.type === 'welcome' ? null : this.bound;
    if (message.type !== 'state' || !this.bound) return;
    device.saveDeal({
      code: this.options.code,
      version: message.state.version,
      commitment: this.bound,
      salt: this.salt,
    });
    this.bound = null;
  }

  /** Adds the bots and starts the game. */
  playBots() {
    if (!this.bots) return;
    for (; this.bots; this.bots--) this.send({ type: 'add_bot', level: device.botSettings().level });
    this.send({ type: 'start' });
  }

  /** @param {import('../wire.js').You} you */
  welcomed(you) {
    if (this.typed !== null) device.rememberName(this.typed);
    this.typed = null;
    this.seated(you);
  }

  /** Saves the seat, so that a reload comes back to it. @param {import('../wire.js').You} you */
  seated(you) {
    const { code, onSettled } = this.options;
    this.key = null;
    this.entry = { name: you.name || this.entry.name, watch: you.seat === null };
    this.token = you.token;
    if (this.options.screen) return onSettled();
    if (you.token) device.saveSeat(code, you.token, you.name);
    else device.forgetSeat(code);
    onSettled();
  }

  forget() {
    this.token = null;
    if (!this.options.screen) device.forgetSeat(this.options.code);
  }

  /**
   * An attempt failed before it opened, so the room may be gone. The token is kept, because a server may not find a
   * room for a moment.
   */
  async missed() {
    const { gone, onLeft, onTrouble } = this.options;
    if (!(await gone()) || this.connection?.status === 'closed') return;
    this.close();
    if (this.leaving) onLeft();
    else onTrouble('no_such_room');
  }

  /** The server closed the connection for good. @param {number} closed */
  ended(closed) {
    const { onLeft, onRefused, onTrouble } = this.options;
    // A used handover link says nothing about a seat this device may have.
    const stale = this.key !== null && closed === 4001;
    const byName = this.key === null && this.token === null;
    this.key = null;
    this.entry = { ...this.entry, watch: !!this.options.screen };
    if (closed === LEFT || (NO_SEAT.has(closed) && !stale && closed !== EXPIRED)) this.forget();
    if (closed === LEFT || (NO_SEAT.has(closed) && this.leaving)) return onLeft();
    this.leaving = false;
    // What was refused is not sent again by itself.
    this.bots = 0;
    if (closed === BAD_JOIN && byName) onRefused(this.objection ?? String(closed));
    else onTrouble(stale ? 'link_used' : String(closed));
  }
}
