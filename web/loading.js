// Lazy loading: fetches a game's code and styles when they are needed. It knows where files are, not what is in them.

import { GAMES } from './games/index.js';
import { backoff, pause } from './patience.js';
import { knowsHands, lookedAt } from './store.js';

/** @typedef {import('./games/index.js').GameId} GameId */

/** Whoever has waited this long is told, though what is late may still come. */
const LATE_MS = 15000;

/**
 * Things fetched by name when they are first wanted, and asked for until they are there.
 * @template {string} Name
 * @template Thing
 */
export class Shelf {
  /**
   * @param {(name: Name) => Promise<Thing>} fetch
   * @param {(name: Name) => void} changed told when something came, or is missing
   * @param {{late?: number, wait?: typeof pause}} [how]
   */
  constructor(fetch, changed, { late = LATE_MS, wait = pause } = {}) {
    this.fetch = fetch;
    this.changed = changed;
    this.late = late;
    this.wait = wait;
    /** @type {Map<string, Promise<Thing>>} */
    this.coming = new Map();
    /** @type {Map<string, Thing>} */
    this.here = new Map();
    /** @type {Set<string>} */
    this.missed = new Set();
  }

  /** @param {string} name */
  of(name) {
    return this.here.get(name) ?? null;
  }

  /** Whether it should have been here by now. @param {string} name */
  missing(name) {
    return this.missed.has(name);
  }

  /** @param {Name} name */
  want(name) {
    const coming = this.coming.get(name) ?? this.bring(name);
    this.coming.set(name, coming);
    return coming;
  }

  /** @param {Name} name */
  async bring(name) {
    const late = setTimeout(() => this.miss(name), this.late);
    const thing = await this.untilThere(name);
    clearTimeout(late);
    this.here.set(name, thing);
    this.missed.delete(name);
    this.changed(name);
    return thing;
  }

  /** @param {Name} name */
  async untilThere(name) {
    for (let misses = 1; ; misses++) {
      try {
        return await this.fetch(name);
      } catch {
        this.miss(name);
      }
      await this.wait(backoff(misses));
    }
  }

  /** @param {Name} name */
  miss(name) {
    if (this.missed.has(name)) return;
    this.missed.add(name);
    this.changed(name);
  }
}

/** What the next drawing cannot do without. @param {import('./model.js').Model} model */
export const needed = ({ known, ui }) => ({
  game: known.room !== null || ui.preview !== null || ui.code === null,
  rules: ui.sheet?.name === 'rules',
  ending: lookedAt(known, ui).room?.phase === 'finished',
  talk: known.game !== null && knowsHands(known.room) && (known.room?.seats ?? []).some((info) => info.kind !== 'bot' && info.seat !== known.you?.seat),
  // After a game too: a rematch may begin there. Whoever waits for bots never sees it.
  lobby: known.room !== null && !ui.busy && (known.room.phase !== 'playing' || !known.game),
});

/** @param {GameId} id @param {string} file */
const fileOf = (id, file) => new URL(`./games/${id}/${file}`, import.meta.url).href;

/** A game's face, once its styles are there too: nobody sees a bare table. @param {GameId} id */
export async function openGame(id) {
  const { style, open } = GAMES[id];
  const [{ face }] = await Promise.all([open(), loadStyle(id, style)]);
  return face;
}

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/** A stylesheet of a game. @param {GameId} id @param {string} file */
export const loadStyle = (id, file) => load(fileOf(id, file), id);

/** A stylesheet of a part of the page that few need. @param {string} path */
export const loadPart = (path) => load(new URL(`./${path}`, import.meta.url).href);

/** Fetched once. @param {string} href @param {GameId} [id] the game whose it is @returns {Promise<void>} */
function load(href, id) {
  const coming = styles.get(href) ?? new Promise((resolve, reject) => {
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

/** Of all games' styles only those of the game on the screen count, so that no game has to know the names another uses. @param {string} id */
export function wear(id) {
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[data-game]'))) {
    if (link.sheet) link.sheet.disabled = link.dataset.game !== id;
  }
}
