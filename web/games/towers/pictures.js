// Pictures for the rules, each a named function. They show what the words beside them say, with the game's own art.

import { h } from '../../dom.js';
import { t } from '../../i18n.js';
import { TYPES, glyph, still } from './cards.js';
import { skyline } from './skyline.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('../../dom.js').Node_} Node_ */

/** @param {string} text */
const cards = (text) =>
  text.split(' ').map((word, i) => {
    const [tower, value] = word.split('-');
    return still({ tower: /** @type {TowerType} */ (tower), value: Number(value) }, { flight: `picture${i}` });
  });

/** @param {Partial<Record<TowerType, number[]>>} towers @param {number} room */
const sky = (towers, room) =>
  skyline({ candy: [], spooky: [], tree: [], scrap: [], sand: [], ...towers }, { name: 'picture', room, size: 'own' });

/**
 * One tower beside a card and whether it may go there.
 * @param {TowerType} tower
 * @param {number[]} values
 * @param {[number, boolean][]} tries
 */
const fits = (tower, values, tries) =>
  h(
    'div',
    { class: 'fits' },
    h(
      'div',
      { class: 'solo' },
      h(
        'span',
        { class: 'stack' },
        [...values]
          .reverse()
          .map((value, i) =>
            h(
              'span',
              { key: i, class: `storey ${tower} ${i === 0 ? 'top' : ''} ${value === 0 ? 'roof' : ''}` },
              h('b', null, value),
            ),
          ),
      ),
      h('span', { class: 'plinth' }, glyph(tower)),
    ),
    h(
      'div',
      { class: 'tries' },
      tries.map(([value, yes], i) =>
        h(
          'span',
          { key: i, class: yes ? 'yes' : 'no' },
          still({ tower, value }, { small: true, flight: `try${i}` }),
          h('b', { role: 'img', 'aria-label': t(yes ? 'yes' : 'no') }, yes ? '✓' : '✗'),
        ),
      ),
    ),
  );

/** @type {Record<string, () => Node_>} */
export const pictures = {
  /** The five types side by side. */
  types: () =>
    h(
      'div',
      { class: 'hand picture' },
      TYPES.map((tower, i) => still({ tower, value: [12, 8, 5, 9, 0][i] }, { flight: `type${i}` })),
    ),
  /** A row of five as an auction starts. */
  row: () => h('div', { class: 'hand picture' }, cards('sand-7 candy-12 spooky-3 tree-15 scrap-8')),
  /** A skyline in the middle of a game. */
  skyline: () =>
    h(
      'div',
      { class: 'picture' },
      sky({ candy: [15, 12, 8, 14], spooky: [11, 4], tree: [13, 9, 6, 2, 0], sand: [10, 7, 3] }, 190),
    ),
  /** Lower goes on higher. */
  lower: () =>
    h(
      'div',
      { class: 'picture' },
      fits(
        'tree',
        [13, 11, 6],
        [
          [5, true],
          [2, true],
          [6, false],
          [7, false],
        ],
      ),
    ),
  /** Anything goes on an 8. */
  eight: () =>
    h(
      'div',
      { class: 'picture' },
      fits(
        'candy',
        [12, 8],
        [
          [15, true],
          [3, true],
          [0, true],
        ],
      ),
    ),
  /** A 9 goes on anything but a roof. */
  nine: () =>
    h(
      'div',
      { class: 'picture' },
      fits(
        'scrap',
        [10, 6, 3],
        [
          [9, true],
          [1, true],
          [8, false],
        ],
      ),
    ),
  /** A 0 is a roof. */
  roof: () =>
    h(
      'div',
      { class: 'picture' },
      fits(
        'spooky',
        [14, 9, 5, 0],
        [
          [9, false],
          [1, false],
        ],
      ),
    ),
  /** Demolishing: a top card marked with its price. */
  demolish: () =>
    h(
      'div',
      { class: 'picture' },
      skyline(
        { candy: [15, 12], spooky: [11, 4], tree: [9, 6, 0], scrap: [], sand: [10, 7, 3] },
        {
          name: 'picture',
          room: 150,
          size: 'own',
          wreck: { candy: { cost: 1 }, spooky: { cost: 1 }, sand: { cost: 1 } },
        },
      ),
    ),
};
