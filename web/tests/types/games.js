// Read by the type checker, never run: a third game. `npm run types` fails if one of the mistakes below is not reported.

import { GAMES } from '../../games/index.js';
import { ScriptedServer } from '../../lesson/scripted-server.js';

/** @typedef {import('../../games/types.js').Games} Games */
/** @typedef {import('../../games/types.js').Table} Table */
/**
 * @template {import('../../games/types.js').Game} G
 * @typedef {import('../../games/index.js').Entry<G>} Entry
 */
/** @typedef {import('../../view.js').TableView<Coins>} View */
/** @typedef {import('../../view.js').TableView<import('../../games/towers/types.js').Towers>} TowersView */
/**
 * A game of heads or tails.
 * @typedef {object} Coins
 * @property {Table & {heads: number}} table
 * @property {null} mine
 * @property {{type: 'flip'} | {type: 'guess', side: 'heads' | 'tails'}} action
 * @property {{type: 'flipped', seat: number, side: 'heads' | 'tails'} | {type: 'end', scores: number[]}} event
 * @property {{side: 'heads' | 'tails' | null}} choice
 * @property {{coins: number}} rules
 * @property {import('../../games/types.js').Step} step
 * @property {null} hidden
 */

/** @type {import('../../view.js').GameUi<Coins>} */
export const gameUi = {
  id: 'coins',
  emblem: () => null,
  sentence: ({ table }) => `${table.heads} heads`,
  standing: ({ table }) => String(table.round),
  board: ({ actions }) => actions.map((action) => (action.type === 'guess' ? action.side : null)),
  bar: () => null,
  idle: () => '',
  options: ({ known }) => known.room?.rules.coins,
  player: () => null,
  piles: () => null,
  pilesTitle: 'rules',
  words: (event) => (event.type === 'flipped' ? event.side : null),
  touched: (events) => events.map(({ type }) => type),
  chapter: () => null,
  noChoice: () => ({ side: null }),
  reconcileChoice: (choice, before, after) => (before?.table.heads === after?.table.heads ? choice : { side: null }),
  key: ({ commands }, key) => {
    commands.choose({ side: key === 'h' ? 'heads' : 'tails' });
    commands.act({ type: 'guess', side: 'heads' });
    return true;
  },
  keys: () => [],
  whyRefused: () => null,
};

/** The page takes every game. @type {import('../../view.js').GameUi} */
export const anyUi = gameUi;

/** @extends {ScriptedServer<Coins>} */
class Lesson extends ScriptedServer {
  /** @param {string} name @param {(message: import('../../games/types.js').ServerMessage) => void} hear */
  constructor(name, hear) {
    super({ game: 'coins', rules: { coins: 1 }, steps: [], opening: [] }, name, hear);
  }
}

/** @type {Entry<Coins>['modules']} */
export const modules = {
  ui: async () => ({ gameUi }),
  rules: async () => ({ sections: [], pictures: {} }),
  end: async () => ({
    endingMs: ({ heads }) => heads,
    ending: () => ({ said: ({ seat }) => String(seat), picture: () => null, parts: [] }),
    decided: () => null,
    cue: () => null,
  }),
  reveal: async () => ({ revealed: () => [] }),
  dealer: async () => ({ dealer: () => ({ count: 0, wrong: null, left: null }) }),
  action_words: async () => ({ actionWords: ({ type }, _seat, { heads }) => `${type} ${heads}` }),
  picture: async () => ({ picture: async () => null }),
  guide: async () => ({
    Lesson,
    words: (_view, step) => [step.say],
    points: () => () => false,
  }),
};

/** @param {Entry<Coins>['modules']} _modules */
const provide = (_modules) => {};
/** @param {import('../../view.js').GameUi<Coins>} _gameUi */
const draw = (_gameUi) => {};
/** @param {{[Id in keyof Games | 'coins']: Entry<(Games & {coins: Coins})[Id]>}} _games */
const list = (_games) => {};
/** @template {import('../../games/types.js').Game} G @param {G} _types */
const declare = (_types) => {};

export const mistakes = (/** @type {View} */ view, /** @type {TowersView} */ towersView) => {
  const { guide: _guide, ...withoutGuide } = modules;
  const { board: _board, ...withoutBoard } = gameUi;
  const types = { table: view.table, mine: null, rules: {}, step: { say: '', why: '' }, hidden: null, choice: null };
  const action = { type: 'flip' };
  const event = { type: 'flipped' };
  return [
    // @ts-expect-error A game without one of its modules.
    provide(withoutGuide),
    // @ts-expect-error The module of another game.
    provide({ ...modules, reveal: () => import('../../games/towers/reveal.js') }),
    // @ts-expect-error Another game's end.
    provide({ ...modules, end: () => import('../../games/qwantum/end.js') }),
    // @ts-expect-error A `GameUi` without one of its functions.
    draw(withoutBoard),
    // @ts-expect-error Nothing of this name is on the table.
    draw({ ...gameUi, sentence: ({ table }) => table.tails }),
    // @ts-expect-error No event has this type.
    draw({ ...gameUi, words: (event) => (event.type === 'lost' ? '' : null) }),
    // @ts-expect-error Not a choice of this game.
    draw({ ...gameUi, noChoice: () => ({ picked: [] }) }),
    // @ts-expect-error Not a choice of this game.
    view.commands.choose({ picked: [] }),
    // @ts-expect-error Not an action of this game.
    view.commands.act({ type: 'bid', count: 2 }),
    // @ts-expect-error The view of another game.
    gameUi.board(towersView),
    // @ts-expect-error A game that is not listed.
    list(GAMES),
    // @ts-expect-error A table without a round.
    declare({ ...types, action, event, table: { players: [], outcome: null, phase: '', turn: null } }),
    // @ts-expect-error An event without a type.
    declare({ ...types, action, event: { seat: 0 } }),
    declare({ ...types, action, event }),
  ];
};
