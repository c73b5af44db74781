// The page's voice: keeps what was said and what is still to be said, and says it with the next drawing. What the words are, it does not know.

import { aloud, silent, toSay } from './announce.js';
import { hasWords, span, t } from './i18n.js';
import { asked, timeLeft } from './store.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').View} View */

/** A clock is announced when so little of it is left. */
const LAST_MS = 10000;

export class Voice {
  /** @param {(said: string[]) => void} [say] */
  constructor(say = aloud) {
    this.say = say;
    /** What was said and is not said again. */
    this.already = silent;
    /** By the next drawing the sheet it must be said in is open, and news that came together is heard together. @type {string[]} */
    this.unsaid = [];
    /** The version whose last seconds were announced. */
    this.warned = -1;
  }

  /** @param {Known} before @param {View} view as it is now @param {boolean} spoken whether somebody just said something */
  tell(before, view, spoken) {
    if (!hasWords()) return;
    const { already, said } = toSay(this.already, before, view, spoken);
    this.already = already;
    this.unsaid.push(...said);
  }

  /** What is asked now, when it could not be said as it came: words or the game were still on their way. @param {View} view */
  catchUp(view) {
    this.tell({ ...view.known, game: null }, view, false);
  }

  /** Once for each decision, when its last seconds run. @param {Known} known @param {number} now */
  warn(known, now) {
    const left = timeLeft(known, now);
    const version = known.game?.version ?? -1;
    if (left === null || left >= LAST_MS || !asked(known) || this.warned === version) return;
    this.warned = version;
    this.unsaid.push(t('clock.left', { time: span(left) }));
  }

  speak() {
    this.say(this.unsaid.splice(0));
  }
}
