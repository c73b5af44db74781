// Queues announcements for screen readers, and writes them to the live region with the next rendering. `announcements`
// chooses the words.

import { writeToLiveRegion, nothingAnnounced, announcementsFor } from './announcements.js';
import { hasCatalogue, formatDuration, t } from './i18n.js';
import { isAsked, timeLeft } from './session/room-state.js';

/** @typedef {import('./session/room-state.js').RoomState} RoomState */
/** @typedef {import('./view.js').View} View */

/** A clock is announced when less than this is left. */
const LAST_SECONDS_MS = 10000;

export class LiveRegion {
  /** @param {(said: string[]) => void} [say] */
  constructor(say = writeToLiveRegion) {
    this.say = say;
    /** What has been announced and is not announced again. */
    this.announced = nothingAnnounced;
    /**
     * Announcements for the next rendering: by then the sheet they belong to is open, and those that came together are
     * read together.
     * @type {string[]}
     */
    this.queue = [];
    /** The version whose last seconds were announced. */
    this.warned = -1;
  }

  /**
   * @param {RoomState} before
   * @param {View} view the current view
   * @param {boolean} spoken whether a chat line or reaction has just arrived
   */
  announce(before, view, spoken) {
    if (!hasCatalogue()) return;
    const { already, said } = announcementsFor(this.announced, before, view, spoken);
    this.announced = already;
    this.queue.push(...said);
  }

  /**
   * Announces the current prompt if it could not be announced before, because texts or the game were still loading.
   * @param {View} view
   */
  catchUp(view) {
    this.announce({ ...view.known, game: null }, view, false);
  }

  /**
   * Announces the last seconds of a decision, once.
   * @param {RoomState} known
   * @param {number} now
   */
  announceClock(known, now) {
    const left = timeLeft(known, now);
    const version = known.game?.version ?? -1;
    if (left === null || left >= LAST_SECONDS_MS || !isAsked(known) || this.warned === version) return;
    this.warned = version;
    this.queue.push(t('clock.left', { time: formatDuration(left) }));
  }

  flush() {
    this.say(this.queue.splice(0));
  }
}
