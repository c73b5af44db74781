// Lazy loading of code and styles. It knows where files are, not what they contain.

import { backoff, delay } from './retry.js';
import { supportsReactions, shownState } from './session/room-state.js';

/** @typedef {import('./games/index.js').GameId} GameId */

/** After this time something that is loading is shown as missing. It may still arrive. */
const SLOW_MS = 15000;

/**
 * Loads parts of the page by name on first use, and keeps them. What the screen needs is loaded with `load`, which
 * retries; what a tap asks for with `attempt`, which does not: the player taps again.
 * @template {Record<string, any>} Parts what each part is, by its name
 */
export class Loader {
  /**
   * @param {(name: keyof Parts & string) => Promise<any>} fetch
   * @param {(name: keyof Parts & string) => void} changed called when a part was loaded or is missing
   * @param {{late?: number, wait?: typeof delay, failed?: () => unknown}} [how] `failed` is called after each failure
   */
  constructor(fetch, changed, { late = SLOW_MS, wait = delay, failed = () => {} } = {}) {
    this.fetch = fetch;
    this.changed = changed;
    this.late = late;
    this.wait = wait;
    this.failed = failed;
    /** Attempts under way or successful. @type {Map<string, Promise<any>>} */
    this.attempts = new Map();
    /** Loads that retry. @type {Map<string, Promise<any>>} */
    this.coming = new Map();
    /** @type {Map<string, any>} */
    this.loaded = new Map();
    /** @type {Set<string>} */
    this.overdue = new Set();
  }

  /**
   * @template {keyof Parts & string} Name
   * @param {Name} name
   * @returns {Parts[Name] | null}
   */
  get(name) {
    return this.loaded.get(name) ?? null;
  }

  /** Whether it should have been loaded by now. @param {string} name */
  missing(name) {
    return this.overdue.has(name);
  }

  /**
   * Loads a part, and retries until it is loaded.
   * @template {keyof Parts & string} Name
   * @param {Name} name
   * @returns {Promise<Parts[Name]>}
   */
  load(name) {
    const loading = this.coming.get(name) ?? this.loadWithRetries(name);
    this.coming.set(name, loading);
    return loading;
  }

  /**
   * Loads a part, and rejects if that fails.
   * @template {keyof Parts & string} Name
   * @param {Name} name
   * @returns {Promise<Parts[Name]>}
   */
  attempt(name) {
    const loading = this.attempts.get(name) ?? this.fetchOnce(name);
    this.attempts.set(name, loading);
    return loading;
  }

  /** @param {keyof Parts & string} name */
  async loadWithRetries(name) {
    for (let misses = 1; ; misses++) {
      try {
        return await this.attempt(name);
      } catch {
        await this.wait(backoff(misses));
      }
    }
  }

  /** @param {keyof Parts & string} name */
  async fetchOnce(name) {
    const late = setTimeout(() => this.setMissing(name), this.late);
    try {
      this.loaded.set(name, await this.fetch(name));
    } catch (problem) {
      this.attempts.delete(name);
      this.setMissing(name);
      this.failed();
      throw problem;
    } finally {
      clearTimeout(late);
    }
    this.overdue.delete(name);
    this.changed(name);
    return this.loaded.get(name);
  }

  /** @param {keyof Parts & string} name */
  setMissing(name) {
    if (this.overdue.has(name)) return;
    this.overdue.add(name);
    this.changed(name);
  }
}

/** What the next rendering needs. @param {import('./model.js').Model} model */
export const needed = ({ known, ui }) => ({
  game: known.room !== null || ui.preview !== null || ui.place.name === 'home',
  rules: ui.sheet?.name === 'rules',
  invite: ui.sheet?.name === 'share',
  ending: shownState(known, ui).room?.phase === 'finished',
  talk:
    known.game !== null &&
    supportsReactions(known.room) &&
    (known.room?.seats ?? []).some((info) => info.kind !== 'bot' && info.seat !== known.you?.seat),
  // After a game too, because a rematch may begin there. A player who waits for bots never sees it.
  lobby: known.room !== null && !ui.busy && (known.room.phase !== 'playing' || !known.game),
});

/** @param {GameId} id @param {string} file */
const fileOf = (id, file) => new URL(`./games/${id}/${file}`, import.meta.url).href;

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/**
 * Loads a stylesheet of a game.
 * @param {GameId} id
 * @param {string} file
 */
export const loadStyle = (id, file) => load(fileOf(id, file), id);

/** Loads a stylesheet of a part of the page that few people use. @param {string} path */
export const loadStylesheet = (path) => load(new URL(`./${path}`, import.meta.url).href);

/**
 * Loads a stylesheet once.
 * @param {string} href
 * @param {GameId} [id] the game it belongs to
 * @returns {Promise<void>}
 */
function load(href, id) {
  const coming =
    styles.get(href) ??
    new Promise((resolve, reject) => {
      const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
      if (id) link.dataset.game = id;
      link.onload = () => resolve();
      link.onerror = () => {
        link.remove();
        styles.delete(href);
        reject(new Error(href));
      };
      document.head.append(link);
    });
  styles.set(href, coming);
  return coming;
}

/**
 * Enables only the styles of the game on the screen, so that games need not avoid each other's class names.
 * @param {string} id
 */
export function enableGameStyles(id) {
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[data-game]'))) {
    if (link.sheet) link.sheet.disabled = link.dataset.game !== id;
  }
}
