// The rules of Qwantum: texts and pictures in order, and the pictures.

import { h, classes } from '../../dom.js';
import { ROWS, cells, dice, face, misses, sign, slip } from './pieces.js';

/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('../../dom.js').Child} Child */

/** @type {import('../../view.js').Section[]} */
export const sections = [
  { title: 'rules.aim', body: [{ words: 'qwantum.rules.aim.1' }, { picture: 'sheet' }] },
  { title: 'qwantum.rules.totals', body: [{ words: 'qwantum.rules.totals.1' }, { picture: 'totals' }] },
  {
    title: 'qwantum.rules.turn',
    body: [
      { words: 'rules.begins' },
      { step: 1, words: 'qwantum.rules.roll' },
      { picture: 'again' },
      { step: 2, words: 'qwantum.rules.enter' },
      { step: 3, words: 'qwantum.rules.share' },
      { words: 'qwantum.rules.hidden' },
    ],
  },
  {
    title: 'qwantum.rules.rows',
    body: [{ words: 'qwantum.rules.rows.1' }, { picture: 'row' }, { words: 'qwantum.rules.tip' }],
  },
  { title: 'qwantum.score.misses', body: [{ words: 'qwantum.rules.misses' }, { picture: 'misses' }] },
  {
    title: 'rules.score',
    body: [{ words: 'qwantum.rules.score.1' }, { picture: 'columns' }, { words: 'qwantum.rules.score.2' }],
  },
  { title: 'qwantum.rules.end', body: [{ words: 'qwantum.rules.end.1' }] },
];

/** @param {string} text @param {number[]} [free] */
const row = (text, free = []) =>
  h(
    'span',
    { class: 'few' },
    dice(text).map((die, i) =>
      h(
        'span',
        { class: classes('slot', free.includes(i) && 'free'), key: i },
        face(die),
        free.includes(i) ? h('i', { class: 'again', key: 'again' }, '↻') : null,
      ),
    ),
  );

/** A colour and its total. @param {Row} color @param {number} value */
const total = (color, value) => h('span', { class: `tally ${color}`, key: color }, sign(color), h('b', null, value));

const SHEET = { violet: [3, 10, 12, 17, 8], blue: [4, 7, 13], red: [6, 9, 11, 18, 14, 5], yellow: [5, 8, 11, 20] };

/** A column of four numbers and what it scores. @param {number[]} values @param {number} score */
const column = (values, score) =>
  h(
    'span',
    { class: 'slip post', key: values.join() },
    values.map((value, i) => h('span', { class: `box full ${ROWS[i]}`, key: i }, value)),
    h('span', { class: 'foot full', key: 'foot' }, score),
  );

/** @type {Record<string, () => Child>} */
export const pictures = {
  /** A sheet in the middle of a game. */
  sheet: () => h('div', { class: 'picture qw' }, slip(SHEET, { columns: [4, 8, 12, null, null, null], large: true })),
  /** Seven dice and the four totals they make. */
  totals: () =>
    h(
      'div',
      { class: 'picture qw' },
      row('W3 Y5 B5 R3 V3 B2 B3'),
      h('span', { class: 'few' }, total('violet', 6), total('blue', 13), total('red', 6), total('yellow', 8)),
    ),
  /** Three dice are rolled again. */
  again: () => h('div', { class: 'picture qw' }, row('W3 Y5 B5 R3 V3 B2 B3', [1, 3, 4])),
  /** Up to the thick line, down after it. */
  row: () =>
    h(
      'div',
      { class: 'picture qw' },
      h(
        'span',
        { class: 'slip large' },
        h('span', { class: 'lane slopes' }, h('i', { class: 'up' }), h('i', { class: 'down' })),
        h('span', { class: 'lane blue' }, cells('blue', [4, 7, 13, 18, 17, 9])),
      ),
    ),
  misses: () => h('div', { class: 'picture qw' }, misses(2)),
  /** Four columns and the number that counts in each. */
  columns: () =>
    h(
      'div',
      { class: 'picture qw' },
      h(
        'span',
        { class: 'few' },
        column([4, 4, 7, 9], 7),
        column([9, 4, 4, 4], 9),
        column([7, 4, 9, 7], 7),
        column([6, 6, 6, 6], 6),
      ),
    ),
};
