// Where the page is: on the home page, in a room, or in the guided first round. It opens and closes the connection that
// belongs to it, and draws nothing.

import { isTelevision, takeHandoverKey, socketUrl, RequestError } from './urls.js';
import * as device from './device.js';
import { has, t } from './i18n.js';
import { watchOpenRooms } from './session/open-rooms.js';
import { initialState } from './session/room-state.js';
import { Session } from './session/session.js';

/** @typedef {import('./games/types.js').ClientMessage} ClientMessage */
/** @typedef {import('./view.js').OpenScripted} Rehearsal */
/** @typedef {Parameters<typeof import('./session/room-state.js').reduceRoom>[1]} Input */
/**
 * @typedef {object} RouterOptions
 * @property {import('./model.js').Model} model
 * @property {(news: Input) => void} dispatch
 * @property {typeof import('./urls.js').ask} ask
 * @property {() => void} loadLobby loads the lobby
 * @property {(code: string | null) => void} go
 * @property {(sheet: import('./view.js').Sheet) => void} open
 * @property {(options: import('./session/session.js').SessionOptions) => Session} [visit] creates a session; for tests
 */

export class Router {
  /** @param {RouterOptions} options */
  constructor(options) {
    this.options = options;
    /**
     * A session in a room, or the scripted server of the guided first round.
     * @type {{send(message: ClientMessage): boolean, close(): void} | null}
     */
    this.connection = null;
    /** The session of the room in the address. @type {Session | null} */
    this.session = null;
  }

  /**
   * Opens a room: at this device's seat if it has one, else with the join screen. Without a code it opens the home
   * page.
   * @param {string | null} code
   * @param {number} [bots] number of bots to play against immediately
   * @param {boolean} [atOnce] joins under the saved name without asking
   */
  async enter(code, bots = 0, atOnce = false) {
    const { model, ask, loadLobby } = this.options;
    this.disconnect();
    /** @type {import('./view.js').Place} */
    const place = code ? { name: 'joining', code } : { name: 'home', code: null };
    model.apply({ type: 'enter', place });
    if (!code) {
      const kept = device.savedSeats();
      model.show({ open: model.ui.open.filter((each) => each.code in kept) });
      return watchOpenRooms(
        (each) => ask(`rooms/${each}`),
        (open) => model.show({ open }),
        () => model.ui.place === place,
      );
    }
    // It is likely needed soon, and loads while a name is typed. A game against bots starts without it.
    if (!bots && !isTelevision()) loadLobby();
    this.connection = this.session = this.createSession(code, bots, atOnce);
    if (!this.session.ready) return this.preview(code);
    this.rejoin();
  }

  disconnect() {
    this.connection?.close();
    this.connection = this.session = null;
  }

  /** @param {string} code @param {number} bots @param {boolean} atOnce */
  createSession(code, bots, atOnce) {
    const { model, dispatch, ask, go, visit = (options) => new Session(options) } = this.options;
    /** @type {Session} */
    const session = visit({
      code,
      bots,
      atOnce,
      screen: isTelevision(),
      guest: () => (has('names') ? device.guestName(t('names').split(', ')) : ''),
      url: socketUrl(code),
      key: takeHandoverKey(),
      dispatch,
      known: () => model.known,
      gone: () =>
        ask(`rooms/${code}`).then(
          () => false,
          (problem) => problem.code === 'no_such_room',
        ),
      onSettled: () => model.show({ busy: session.bots > 0, preview: null }),
      onTrouble: (what) => model.apply({ type: 'enter', place: { name: 'trouble', code, what } }),
      onRefused: (why) => {
        this.joining(code, { why });
        if (!model.ui.preview) void this.preview(code);
      },
      onLeft: () => go(null),
      onHandover: (key) => void this.handOver(code, key),
    });
    return session;
  }

  /** Loads what can be seen of a room before joining. @param {string} code */
  async preview(code) {
    const { model, ask } = this.options;
    const { place } = model.ui;
    try {
      const room = await ask(`rooms/${code}`);
      if (model.ui.place === place) model.show({ preview: room });
    } catch (problem) {
      if (model.ui.place !== place) return;
      const what = problem instanceof RequestError ? problem.code : 'unreachable';
      model.apply({ type: 'enter', place: { name: 'trouble', code, what } });
    }
  }

  /**
   * Shows the link for another device, and its QR code once the server has drawn it.
   * @param {string} code
   * @param {string} key
   */
  async handOver(code, key) {
    const { model, ask, open } = this.options;
    open({ name: 'device', key });
    try {
      const picture = URL.createObjectURL(await ask(`rooms/${code}/qr.svg`, { key }, (answer) => answer.blob()));
      if (model.ui.sheet?.key === key) model.show({ sheet: { name: 'device', key, picture } });
    } catch {
      // The link works without the picture.
    }
  }

  /** @param {string} name @param {boolean} watch */
  join(name, watch) {
    this.connect((session) => session.join(name, watch));
  }

  rejoin() {
    this.connect((session) => session.connect());
  }

  /**
   * Shows the join screen, with the room if it was seen already.
   * @param {string} code
   * @param {Partial<import('./view.js').Ui>} more
   * @param {import('./session/room-state.js').RoomState} [known]
   */
  joining(code, more, known) {
    const { model } = this.options;
    model.apply({
      type: 'enter',
      place: { name: 'joining', code },
      known,
      with: { preview: model.ui.preview, ...more },
    });
  }

  /** Shows that the page is joining. @param {(session: Session) => void} how */
  connect(how) {
    const { session } = this;
    if (!session) return;
    this.joining(session.options.code, { busy: true }, { ...initialState, connection: 'connecting' });
    how(session);
  }

  /** Plays against a script instead of a server. @param {Rehearsal} open */
  rehearse(open) {
    const { model, dispatch } = this.options;
    this.disconnect();
    const { server, show } = open(dispatch);
    this.connection = server;
    model.apply({ type: 'enter', place: { name: 'lesson', code: null, show } });
    dispatch({ type: 'connection', status: 'open', code: null });
  }

  /** @param {ClientMessage} message @returns {boolean} whether it was sent */
  send(message) {
    return this.connection?.send(message) ?? false;
  }
}
