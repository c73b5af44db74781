// The games of this page. A game is one folder, loaded when it is needed; only what is in this file is known before. A
// third game is one folder and one entry below.

/** @typedef {import('./types.js').Games} Games */
/** @typedef {import('./types.js').GameId} GameId */
/**
 * @template {import('./types.js').Game} G
 * @typedef {import('../view.js').GameModules<G>} GameModules
 */
/**
 * @template {import('./types.js').Game} [G=import('./types.js').Game]
 * @typedef {object} Entry
 * @property {import('../wire.js').Forced} forced default of a new room for acts that are a seat's only one
 * @property {number} most maximum number of players
 * @property {boolean} guided whether there is a guided first round
 * @property {{[Part in keyof GameModules<G>]: () => Promise<GameModules<G>[Part]>}} modules its parts
 * @property {{[Part in keyof GameModules<G>]?: string}} styles the stylesheets of these parts
 * @property {{[Part in keyof GameModules<G>]?: string}} words the catalogues of these parts
 */

/**
 * Keys of the games' English catalogues.
 * @typedef {keyof typeof import('../i18n/towers/en.json') | keyof typeof import('../i18n/towers/lesson/en.json') | keyof
 *   typeof import('../i18n/qwantum/en.json') | keyof typeof import('../i18n/qwantum/lesson/en.json')} Key
 */

/** @satisfies {{[Id in GameId]: Entry<Games[Id]>}} */
export const GAMES = {
  towers: {
    forced: 'auto',
    most: 5,
    guided: true,
    modules: {
      ui: () => import('./towers/index.js'),
      rules: () => import('./towers/rulebook.js'),
      end: () => import('./towers/end.js'),
      reveal: () => import('./towers/reveal.js'),
      dealer: () => import('./towers/deal.js'),
      action_words: () => import('./towers/action-words.js'),
      picture: () => import('./towers/picture.js'),
      guide: () => import('./towers/coach.js'),
    },
    styles: { ui: 'towers.chunk.css', rules: 'more.chunk.css', end: 'more.chunk.css' },
    words: { ui: 'towers', guide: 'towers/lesson' },
  },
  qwantum: {
    // A roll is often the only possible act, and half the fun.
    forced: 'ask',
    most: 4,
    guided: true,
    modules: {
      ui: () => import('./qwantum/index.js'),
      rules: () => import('./qwantum/rulebook.js'),
      end: () => import('./qwantum/end.js'),
      reveal: () => import('./qwantum/reveal.js'),
      dealer: () => import('./qwantum/deal.js'),
      action_words: () => import('./qwantum/action-words.js'),
      picture: () => import('./qwantum/picture.js'),
      guide: () => import('./qwantum/coach.js'),
    },
    styles: { ui: 'qwantum.chunk.css' },
    words: { ui: 'qwantum', guide: 'qwantum/lesson' },
  },
};

export const gameIds = /** @type {GameId[]} */ (Object.keys(GAMES));

/**
 * An updated server may play games that this page does not know.
 * @param {string} id
 * @returns {id is GameId}
 */
export const isGame = (id) => id in GAMES;
