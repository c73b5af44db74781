// The games this page can show. A game is one folder, fetched when it is needed; only what stands here is known before. A third game is
// one folder and one entry below.

/** @typedef {keyof typeof GAMES} GameId */
/**
 * @typedef {object} Entry
 * @property {import('../wire.js').Forced} forced what a new room does with acts that are a seat's only one: some are better done by hand
 * @property {number} most how many can play
 * @property {boolean} guided whether there is a guided first round
 * @property {() => Promise<{face: import('../view.js').Face}>} open
 * @property {string} style its stylesheet, which comes beside its code
 */

/** @satisfies {Record<string, Entry>} */
export const GAMES = {
  towers: {
    forced: 'auto',
    most: 5,
    guided: true,
    open: () => import('./towers/index.js'),
    style: 'towers.css',
  },
  qwantum: {
    // A roll is often the only thing to do, and half the fun.
    forced: 'ask',
    most: 4,
    guided: true,
    open: () => import('./qwantum/index.js'),
    style: 'qwantum.css',
  },
};

export const gameIds = /** @type {GameId[]} */ (Object.keys(GAMES));

/** A server that was updated since may play what this page has never heard of. @param {string} id @returns {id is GameId} */
export const isGame = (id) => id in GAMES;
