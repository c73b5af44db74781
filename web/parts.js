// The parts of the page that are loaded on demand: code with its styles and texts. Each has a name; those of a game are
// named `{game}/{part}`. Which of them share a file is in chunks.txt.

import { GAMES } from './games/index.js';
import { loadPartCatalogue } from './i18n.js';
import { loadStyle, loadStylesheet } from './loading.js';

/** @typedef {import('./games/index.js').GameId} GameId */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').GameParts} GameParts */

/**
 * Loads a module with its stylesheets and texts.
 * @template Module
 * @param {Promise<Module>} module
 * @param {...unknown} others
 */
const together = async (module, ...others) => (await Promise.all([module, ...others]))[0];

/**
 * Loads a module with the styles and texts of the lobby, table talk, the end and the replay.
 * @template Module
 * @param {Promise<Module>} module
 */
const inRoom = (module) => together(module, loadStylesheet('styles/room.chunk.css'), loadPartCatalogue('room'));

/** The parts for every game. */
const SHARED = {
  lobby: async () => (await inRoom(import('./screens/lobby.js'))).lobby,
  reactions: () => inRoom(import('./screens/reactions.js')),
  audience: () => inRoom(import('./screens/audience.js')),
  invite: async () => (await inRoom(import('./screens/share.js'))).invite,
  television: () => together(inRoom(import('./screens/television.js')), loadStylesheet('styles/big.css')),
  lesson: () => together(import('./lesson/start.js'), loadStylesheet('lesson/lesson.css')),
  replay: () => inRoom(import('./replay/index.js')),
  deal_check: () => import('./replay/deal-check.js'),
  origin_check: () => import('./replay/origin-check.js'),
  after_game: () =>
    together(import('./replay/after-game.js'), loadPartCatalogue('more'), loadStylesheet('replay/after-game.css')),
};

/**
 * Loads a module of a game with its stylesheet and texts, so that nobody sees an unstyled table.
 * @template {keyof import('./view.js').GameModules} Part
 * @param {GameId} id
 * @param {Part} part
 * @returns {Promise<import('./view.js').GameModules[Part]>}
 */
async function gameModule(id, part) {
  /** @type {import('./games/index.js').Entry} */
  const { modules, styles, words } = GAMES[id];
  const [style, catalogue] = [styles[part], words[part]];
  return together(modules[part](), style && loadStyle(id, style), catalogue && loadPartCatalogue(catalogue));
}

/**
 * The parts of each game that are more than a module.
 * @type {{[Part in keyof GameParts]?: (id: GameId) => Promise<GameParts[Part]>}}
 */
const OF_GAME = {
  ui: async (/** @type {GameId} */ id) => (await gameModule(id, 'ui')).gameUi,
  rules: async (/** @type {GameId} */ id) => {
    const [{ rulesBody }, book] = await Promise.all([
      import('./screens/rules.js'),
      gameModule(id, 'rules'),
      gameModule(id, 'ui'),
    ]);
    return (/** @type {View} */ view) => rulesBody(view, book);
  },
  end: async (/** @type {GameId} */ id) => {
    const [{ bar, ending, nextGameBanner }, end] = await Promise.all([
      inRoom(import('./screens/ending.js')),
      gameModule(id, 'end'),
      gameModule(id, 'ui'),
    ]);
    return {
      ...end,
      bar,
      nextGameBanner,
      show: (/** @type {import('./view.js').TableView} */ view) => ending(view, end),
    };
  },
};

/**
 * What each part is, by its name.
 * @typedef {{[Name in keyof typeof SHARED]: Awaited<ReturnType<typeof SHARED[Name]>>} & {[Name in
 *   `${GameId}/${keyof GameParts}`]: Name extends `${string}/${infer Part extends keyof GameParts}` ? GameParts[Part] :
 *   never}} Parts
 */

/** Loads a part. @type {(name: keyof Parts) => Promise<any>} */
export function fetchPart(name) {
  const [id, part] = name.split('/');
  if (!part) return SHARED[/** @type {keyof typeof SHARED} */ (id)]();
  const game = /** @type {GameId} */ (id);
  const of = /** @type {keyof GameParts} */ (part);
  return OF_GAME[of]?.(game) ?? gameModule(game, of);
}
