// The state of the page: what it knows of its room and where it is. The reducer says how events change it; the model
// applies them and tells its listeners. It does not know who sends events or renders.

import { initialUi, reducePage } from './page-state.js';
import { shownState, initialState } from './session/room-state.js';

export { initialUi };

/** @typedef {import('./session/room-state.js').RoomState} RoomState */
/** @typedef {import('./view.js').Ui} Ui */
/** @typedef {import('./page-state.js').PageEvent} PageEvent */

export class Model {
  /** @param {Ui} ui @param {() => void} changed called after each change that should be rendered */
  constructor(ui, changed) {
    this.known = initialState;
    this.ui = ui;
    this.listeners = new Set([changed]);
  }

  /** Applies an event. @param {PageEvent} event */
  apply(event) {
    const { known, ui } = reducePage(this, event);
    if (known === this.known && ui === this.ui) return;
    this.known = known;
    this.ui = ui;
    for (const changed of [...this.listeners]) changed();
  }

  /**
   * Applies a message of the server, or an event of the room.
   * @param {import('./page-state.js').Input} input
   * @param {number} [now]
   * @param {(known: RoomState) => import('./view.js').GameUi | null} [gameUiOf]
   */
  hear(input, now = 0, gameUiOf = () => null) {
    this.apply({ type: 'message', input, now, gameUiOf });
  }

  /**
   * Changes something purely local, such as a toast or a choice.
   * @param {Partial<import('./view.js').LocalUi>} change
   */
  show(change) {
    this.apply({ type: 'show', change });
  }

  /** Keeps what the renderer has measured. It renders again by itself. @param {Ui['rooms']} rooms */
  measured(rooms) {
    this.ui = { ...this.ui, rooms };
  }

  /** Calls this after each change, until the returned function is called. @param {() => void} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The room state that is on the screen. */
  get shown() {
    return shownState(this.known, this.ui);
  }

  /** The id of the game on the screen: that of the room, or the one chosen on the home page. */
  get game() {
    return this.shown.room?.game ?? this.ui.preview?.game ?? this.ui.game;
  }
}
