// Where the page is: on the front page, in a room, or in the guided first round. It opens and closes the line that goes with it, and knows
// rooms and links, not what is drawn of them.

import { isScreen, keyInAddress, socketUrl, Refused } from './base.js';
import * as device from './device.js';
import { has, t } from './i18n.js';
import { findOpen } from './kept.js';
import { Session } from './session.js';
import { nothing } from './store.js';

/** @typedef {import('./wire.js').ClientMessage} ClientMessage */
/** @typedef {import('./view.js').Rehearsal} Rehearsal */
/** @typedef {Parameters<typeof import('./store.js').fold>[1]} News */
/**
 * @typedef {object} EnteringOptions
 * @property {import('./model.js').Model} model
 * @property {(news: News) => void} learn
 * @property {typeof import('./base.js').ask} ask
 * @property {() => void} wantLobby fetches the lobby
 * @property {(code: string | null) => void} go
 * @property {(sheet: import('./view.js').Sheet) => void} open
 * @property {(options: import('./session.js').SessionOptions) => Session} [visit] another kind of session, for tests
 */

export class Entering {
  /** @param {EnteringOptions} options */
  constructor(options) {
    this.options = options;
    /** The other end: a session in a room, or the guided first round. @type {{send(message: ClientMessage): boolean, close(): void} | null} */
    this.line = null;
    /** The visit to the room in the address. @type {Session | null} */
    this.session = null;
    /** How many pages were opened in this one: what an earlier one asked for is no longer wanted. */
    this.visits = 0;
  }

  /**
   * Opens a room: back to one's seat when this device has one, else to the join screen. Without a code, the front page.
   * @param {string | null} code
   * @param {number} [bots] to play against as soon as one sits
   * @param {boolean} [atOnce] under the name this device knows, without asking
   */
  async enter(code, bots = 0, atOnce = false) {
    const { model, ask, wantLobby } = this.options;
    this.leaveLine();
    const kept = device.keptSeats();
    model.known = nothing;
    model.show({
      code, preview: null, trouble: null, sheet: null, past: null, number: null, moment: null, playing: false, replay: null, choice: null, busy: false, reveal: 0, counting: false, stay: false, onward: false, lesson: null, why: null,
      open: model.ui.open.filter((each) => each.code in kept),
    });
    const visit = ++this.visits;
    if (!code) return findOpen((each) => ask(`rooms/${each}`), (open) => model.show({ open }), () => visit === this.visits);
    // It will most likely be needed, and comes while a name is typed; against bots the game starts without it.
    if (!bots && !isScreen()) wantLobby();
    this.line = this.session = this.visitTo(code, bots, atOnce);
    if (!this.session.ready) return this.preview(code);
    this.connecting();
    this.session.connect();
  }

  leaveLine() {
    this.line?.close();
    this.line = this.session = null;
  }

  /** Shows that the room is being joined. */
  connecting() {
    const { model } = this.options;
    model.known = { ...nothing, line: 'connecting' };
    model.show({ busy: true, trouble: null, choice: null, why: null });
  }

  /** @param {string} code @param {number} bots @param {boolean} atOnce */
  visitTo(code, bots, atOnce) {
    const { model, learn, ask, go, visit = (options) => new Session(options) } = this.options;
    /** @type {Session} */
    const session = visit({
      code, bots, atOnce, screen: isScreen(), guest: () => (has('names') ? device.guestName(t('names').split(', ')) : ''), url: socketUrl(code), key: keyInAddress(), learn, known: () => model.known,
      gone: () => ask(`rooms/${code}`).then(() => false, (problem) => problem.code === 'no_such_room'),
      onSettled: () => {
        model.ui = { ...model.ui, busy: session.bots > 0, preview: null };
      },
      onTrouble: (what) => model.show({ trouble: what, busy: false, sheet: null }),
      onRefused: (why) => {
        model.show({ why, busy: false });
        if (!model.ui.preview) void this.preview(code);
      },
      onLeft: () => go(null),
      onHandover: (key) => void this.handOver(code, key),
    });
    return session;
  }

  /** What can be seen of a room before one joins it. @param {string} code */
  async preview(code) {
    const { model, ask } = this.options;
    try {
      const room = await ask(`rooms/${code}`);
      if (model.ui.code === code) model.show({ preview: room });
    } catch (problem) {
      if (model.ui.code === code) model.show({ trouble: problem instanceof Refused ? problem.code : 'unreachable' });
    }
  }

  /** The link for another device, and its picture as soon as the server has drawn it. @param {string} code @param {string} key */
  async handOver(code, key) {
    const { model, ask, open } = this.options;
    open({ name: 'device', key });
    try {
      const picture = URL.createObjectURL(await ask(`rooms/${code}/qr.svg`, { key }, (answer) => answer.blob()));
      if (model.ui.sheet?.key === key) model.show({ sheet: { name: 'device', key, picture } });
    } catch {
      // Without the picture the link still does.
    }
  }

  /** @param {string} name @param {boolean} watch */
  join(name, watch) {
    this.connecting();
    this.session?.join(name, watch);
  }

  rejoin() {
    this.connecting();
    this.session?.connect();
  }

  /** Plays against a script instead of a server. @param {Rehearsal} open */
  rehearse(open) {
    const { model, learn } = this.options;
    this.leaveLine();
    model.known = nothing;
    model.ui = { ...model.ui, code: '', trouble: null, sheet: null, past: null, number: null, moment: null, replay: null, choice: null };
    this.line = open(learn);
    learn({ type: 'line', status: 'open', code: null });
  }

  /** @param {ClientMessage} message @returns {boolean} whether it left this device */
  send(message) {
    return this.line?.send(message) ?? false;
  }
}
