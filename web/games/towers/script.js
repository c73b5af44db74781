// The script of the guided first round: four short rounds with Rook, so that every rule comes up once. Only data;
// `lesson.js` plays it. A test checks every act against the rules.

import { ROOK, YOU } from '../../lesson/scripted-server.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('../../i18n.js').Key} Key */
/** @typedef {Key extends infer Each ? Each extends `lesson.towers.${infer Name}` ? Name : never : never} Spoken */
/** @typedef {Key extends infer Each ? Each extends `lesson.towers.${infer Name}.why` ? Name : never : never} Reason */
/**
 * One step. `lesson.towers.{say}` says what to do, and `lesson.towers.{why}.why` why.
 * @typedef {object} Step
 * @property {Spoken} say
 * @property {Reason} why
 * @property {Event[]} [first] events before the step
 * @property {boolean} [tells] whether there is nothing to do but to go on
 * @property {number | null} [bid] the bid to make; null is a pass
 * @property {number[]} [bids] the legal bids
 * @property {Card[]} [take]
 * @property {Card[]} [place] cards to place
 * @property {TowerType} [demolish]
 * @property {boolean} [finish]
 * @property {number} [most] from here on, the highest bid that could be built
 * @property {TowerType[]} [tops] from here on, the towers that could be demolished before the first card
 * @property {Record<string, string>} [after] from here on, which card must wait for which other
 */

/** "sand-12 scrap-8" @param {string} text @returns {Card[]} */
const cards = (text) =>
  text.split(' ').map((word) => {
    const [tower, value] = word.split('-');
    return { tower: /** @type {TowerType} */ (tower), value: Number(value) };
  });

/** @param {number} number @param {string} row @param {number} [starter] @returns {Event} */
const round = (number, row, starter = ROOK) => ({ type: 'round', round: number, starter, row: cards(row) });
/** @param {number} count @returns {Event} */
const rookBids = (count) => ({ type: 'bid', seat: ROOK, count });
/** @param {string} text @returns {Event} */
const discard = (text) => ({ type: 'discard', cards: cards(text) });
/** @param {string} text @returns {Event[]} */
const rookBuilds = (text) => [
  { type: 'take', seat: ROOK, cards: cards(text) },
  ...cards(text).map(/** @returns {Event} */ (card) => ({ type: 'build', seat: ROOK, card })),
  { type: 'finish', seat: ROOK },
];

/** The table when the lesson opens. @type {Event[]} */
export const opening = [round(1, 'sand-12 candy-3 scrap-14 sand-7 tree-5')];

/** @type {Step[]} */
export const steps = [
  { say: 'hello', why: 'hello', tells: true },

  { say: 'bid', why: 'bid1', first: [rookBids(2)], bid: 3, bids: [3, 4, 5], most: 5 },
  { say: 'take', why: 'take1', take: cards('sand-12 sand-7 scrap-14') },
  { say: 'build1', why: 'build1', place: cards('sand-12 sand-7 scrap-14'), tops: [], after: { 'sand-7': 'sand-12' } },
  { say: 'finish', why: 'finish1', finish: true },

  {
    say: 'bid',
    why: 'bid2',
    bid: 4,
    bids: [4, 5],
    first: [discard('candy-3 tree-5'), round(2, 'candy-10 scrap-15 spooky-4 sand-9 scrap-8'), rookBids(3)],
  },
  { say: 'take', why: 'take2', take: cards('scrap-8 scrap-15 sand-9 spooky-4') },
  {
    say: 'eight',
    why: 'eight',
    place: cards('scrap-8 scrap-15'),
    tops: ['scrap', 'sand'],
    after: { 'scrap-15': 'scrap-8' },
  },
  { say: 'nine', why: 'nine', place: cards('sand-9 spooky-4') },
  { say: 'finish', why: 'finish2', finish: true },

  {
    say: 'bid',
    why: 'bid3',
    bid: 4,
    bids: [4, 5],
    first: [discard('candy-10'), round(3, 'spooky-6 spooky-13 sand-0 candy-5 spooky-11'), rookBids(3)],
  },
  { say: 'take', why: 'take3', take: cards('spooky-13 spooky-11 spooky-6 sand-0') },
  {
    say: 'demolish',
    why: 'demolish',
    demolish: 'spooky',
    tops: ['spooky'],
    after: { 'spooky-11': 'spooky-13', 'spooky-6': 'spooky-11' },
  },
  { say: 'build3', why: 'build3', place: cards('spooky-13 spooky-11 spooky-6') },
  { say: 'roof', why: 'roof', place: cards('sand-0') },
  { say: 'finish', why: 'finish3', finish: true },

  {
    say: 'pass',
    why: 'pass',
    bid: null,
    bids: [],
    most: 2,
    first: [discard('candy-5'), round(4, 'sand-14 spooky-12 tree-2 sand-5 spooky-7'), rookBids(2)],
  },
  {
    say: 'end',
    why: 'end',
    tells: true,
    first: [
      ...rookBuilds('sand-14 sand-5'),
      discard('spooky-12 tree-2 spooky-7'),
      round(5, 'tree-13 candy-9 scrap-10 spooky-2 candy-15', YOU),
    ],
  },
];
