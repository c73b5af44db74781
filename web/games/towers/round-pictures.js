// More pictures for the rules: the four parts of a round, the price of demolishing, the two deals and a score.

import { h, classes } from '../../dom.js';
import { t } from '../../i18n.js';
import { glyph, still } from './cards.js';
import { skyline } from './skyline.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('../../dom.js').Child} Child */
/** @typedef {import('../../dom.js').Node_} Node_ */

/** @type {Card[]} */
const ROW = [
  { tower: 'sand', value: 7 },
  { tower: 'candy', value: 12 },
  { tower: 'spooky', value: 3 },
  { tower: 'tree', value: 15 },
  { tower: 'scrap', value: 8 },
];
const TAKEN = [0, 1, 4];

const BARE = { candy: [], spooky: [], tree: [], scrap: [], sand: [] };

/** @param {string} path */
const line = (path) => h('svg', { class: 'icon', viewBox: '0 0 24 24' }, h('path', { d: path }));
const arrow = () => line('M4 12h15M13 6l6 6-6 6');
const person = () => line('M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 3.5-6.5 8-6.5s8 2.5 8 6.5');

/** @param {Card[]} cards @param {(at: number) => string | false} [kind] */
const row = (cards, kind = () => false) =>
  h(
    'span',
    { class: 'hand small' },
    cards.map((card, i) => h('span', { key: i, class: classes('slot', kind(i)) }, still(card, { small: true }))),
  );

/**
 * Face-down cards, one over the other.
 * @param {number} count
 * @param {Child} [mark]
 * @param {string} [kind]
 */
const stack = (count, mark, kind) =>
  h(
    'span',
    { class: classes('deck', kind) },
    Array.from({ length: count }, (_, i) => h('i', { key: i })),
    mark,
  );

/**
 * A summand with its label.
 * @param {string} sign
 * @param {number} value
 * @param {Child} of
 */
const summand = (sign, value, of) =>
  h('span', { class: 'summand', key: `${sign}${value}` }, h('b', null, `${sign}${value}`), h('small', null, of));

/** @type {Record<string, () => Node_>} */
export const moments = {
  /** Everyone calls once; the highest stands out. */
  auction: () =>
    h(
      'div',
      { class: 'picture tall' },
      row(ROW),
      h(
        'span',
        { class: 'callers' },
        ['2', '3', '–'].map((call, i) =>
          h(
            'span',
            { key: i },
            person(),
            h('i', { class: classes('bubble', call === '3' && 'standing', call === '–' && 'quiet') }, call),
          ),
        ),
      ),
    ),
  /** Three of the row are lifted. */
  take: () =>
    h(
      'div',
      { class: 'picture' },
      row(ROW, (at) => TAKEN.includes(at) && 'up'),
    ),
  /** Each goes to its own tower. */
  build: () =>
    h(
      'div',
      { class: 'picture tall' },
      row(ROW.filter((_, at) => TAKEN.includes(at))),
      line('M12 4v15M6 13l6 6 6-6'),
      skyline({ ...BARE, candy: [14, 12], scrap: [11, 8], sand: [7] }, { name: 'picture', room: 76, size: 'mini' }),
    ),
  /** The rest is discarded. */
  clean: () =>
    h(
      'div',
      { class: 'picture beside' },
      row(ROW.filter((_, at) => !TAKEN.includes(at))),
      arrow(),
      stack(3, null, 'open'),
    ),
  /** Each demolition costs more. */
  cost: () =>
    h(
      'div',
      { class: 'picture beside' },
      [1, 2, 3].map((cost) => stack(cost, h('b', { class: 'price' }, `−${cost}`))),
    ),
  /** A full pile, then what was discarded, then the end. */
  deals: () =>
    h(
      'div',
      { class: 'picture beside' },
      stack(5, h('b', { class: 'price nth' }, '1')),
      arrow(),
      stack(3, h('b', { class: 'price nth' }, '2')),
      arrow(),
      line('M5 21V4M5 4h13l-3 4 3 4H5'),
    ),
  /** The worked example, tower by tower. */
  example: () =>
    h(
      'div',
      { class: 'picture tall' },
      skyline(
        { ...BARE, candy: [14, 10, 9, 3], tree: [11, 5, 0], sand: [12, 8, 15, 9, 4, 0] },
        { name: 'picture', room: 170, size: 'own' },
      ),
      h(
        'div',
        { class: 'sum' },
        summand('', 4, glyph('candy')),
        summand('+ ', 6, glyph('tree')),
        summand('+ ', 12, glyph('sand')),
        summand('+ ', 6, t('towers.score.tallest')),
        summand('− ', 3, t('towers.score.demolition')),
        summand('= ', 25, t('end.total')),
      ),
    ),
};
