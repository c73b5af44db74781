// The model: what the page knows of its room and what it has open, in one place. It knows neither how it is drawn nor who changes it.

import { lookedAt, nothing } from './store.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').Ui} Ui */

/** A page just opened. @param {import('./games/index.js').GameId} game the one chosen on the front page @returns {Ui} */
export const opened = (game) => ({
  code: null, game, preview: null, trouble: null, sheet: null, toast: null, past: null, moment: null, playing: false, speed: 1, replay: null, number: null, choice: null, open: [], people: [],
  busy: false, rooms: {}, reveal: 0, counting: false, reacting: false, stay: false, onward: false, lesson: null, why: null,
});

export class Model {
  /** @param {Ui} ui @param {() => void} changed told after each change that should be seen */
  constructor(ui, changed) {
    this.known = /** @type {Known} */ (nothing);
    this.ui = ui;
    this.changed = changed;
  }

  /** Changes what the page has open, and shows it. @param {Partial<Ui>} change */
  show(change) {
    this.ui = { ...this.ui, ...change };
    this.changed();
  }

  /** What is known of what is on the screen. */
  get shown() {
    return lookedAt(this.known, this.ui);
  }

  /** The id of the game that is on the screen: the room's, and on the front page the one chosen there. */
  get game() {
    return this.shown.room?.game ?? this.ui.preview?.game ?? this.ui.game;
  }
}
