// Draws the dice, colours and sheets, and words them. It does not know the rules.

import { h, classes } from '../../dom.js';
import { t, formatSigned } from '../../i18n.js';

/** @typedef {import('./wire.js').Die} Die */
/** @typedef {import('./wire.js').Color} Color */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('../../dom.js').Child} Child */

/** From the top of the sheet down. @type {Row[]} */
export const ROWS = ['violet', 'blue', 'red', 'yellow'];

/** Each colour has a shape, which is also the shape of its pips: diamond, drop, square, star; white has dots. */
const SHAPES = {
  violet: 'M0-1.3 1.1 0 0 1.3-1.1 0z',
  blue: 'M0-1.3C.6-.5 1 0 1 .4A1 1 0 0 1-1 .4C-1 0-.6-.5 0-1.3z',
  red: 'M-.9-.9H.9V.9H-.9z',
  yellow: 'M0-1.3.4-.4 1.3-.4.6.2.8 1.1 0 .6-.8 1.1-.6.2-1.3-.4-.4-.4z',
  white: 'M1 0A1 1 0 0 1-1 0 1 1 0 0 1 1 0z',
};

/** Positions of the pips of each value, in three rows of three. */
const PIPS = ['', '4', '26', '246', '0268', '02468', '023568'];

/** @param {Color} color @param {number} x @param {number} y @param {number} size */
const shape = (color, x, y, size) => h('path', { d: SHAPES[color], transform: `translate(${x} ${y}) scale(${size})` });

/** The shape of a colour. @param {Color} color */
export const sign = (color) =>
  h('svg', { class: `sign ${color}`, viewBox: '-1.5 -1.5 3 3', 'aria-hidden': 'true' }, shape(color, 0, 0, 1));

/**
 * A die; blank before the first roll.
 * @param {Die | null} die
 * @param {{key?: string, turned?: string}} [how] `turned` rotates it, in degrees
 */
export const face = (die, how = {}) =>
  h(
    'span',
    { class: classes('die', die?.color ?? 'blank'), key: how.key, style: how.turned ? { '--turn': how.turned } : {} },
    die
      ? h(
          'svg',
          { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
          [...PIPS[die.value]].map((at) =>
            shape(die.color, 6 + (Number(at) % 3) * 6, 6 + Math.floor(Number(at) / 3) * 6, die.value === 1 ? 4 : 2.5),
          ),
        )
      : null,
  );

/** "V6 B1": dice in short, the first letter for the colour. @param {string} text @returns {Die[]} */
export const dice = (text) =>
  text.split(' ').map((word) => ({
    color: ROWS.find((color) => color[0] === word[0].toLowerCase()) ?? 'white',
    value: Number(word[1]),
  }));

/** The faces of the six coloured dice. They are our own: the rulebook does not list them. */
export const FACES = [
  'R1 R4 Y5 B1 B5 V6',
  'R2 R6 Y1 Y3 B5 V4',
  'R1 R3 Y2 Y4 B4 V3',
  'R5 Y6 B2 B4 V1 V3',
  'R3 Y4 B2 B6 V2 V5',
  'R6 Y1 Y5 B3 V2 V6',
];

/** "blue 5". @param {Die} die */
export const faceName = (die) => t('qwantum.total', { row: t(`qwantum.color.${die.color}`), value: die.value });

/** The faces of each die. The rules allow a look before rolling again. */
export const chart = () =>
  h(
    'div',
    { class: 'qw' },
    h('p', { class: 'note' }, t('qwantum.chart.words')),
    h(
      'ol',
      { class: 'chart' },
      ['W1 W2 W3 W4 W5 W6', ...FACES].map((faces, i) =>
        h(
          'li',
          { key: i },
          h('b', null, i + 1),
          dice(faces).map((die, at) => h('span', { key: at, role: 'img', 'aria-label': faceName(die) }, face(die))),
        ),
      ),
    ),
  );

/** The game in one picture: a handful of dice, just thrown. */
export const emblem = () =>
  h(
    'div',
    { class: 'qw spill' },
    dice('V6 B4 W3 R5 Y2').map((die, i) => face(die, { turned: ['-14', '9', '-5', '16', '-9'][i] })),
  );

const CELLS = [0, 1, 2, 3, 4, 5];
/** The fifth miss ends the game. */
const MISSES = [1, 2, 3, 4, 5];

/** Six cells with the thick line before the fifth. @param {(at: number) => Child} cell */
const across = (cell) => CELLS.map((at) => [at === 4 ? h('i', { class: 'thick', key: 'thick' }) : null, cell(at)]);

/**
 * One row: its sign, its numbers, and the total that would come next.
 * @param {Row} row
 * @param {number[]} values
 * @param {{next?: Child, kind?: string | false, fresh?: (row: Row, at: number) => boolean}} [how] `next` is shown in
 *   the next free cell; `fresh` cells are highlighted
 */
export const cells = (row, values, how = {}) => [
  sign(row),
  across((at) =>
    at === values.length && how.next !== undefined
      ? h('span', { class: classes('box next', how.kind), key: at, 'aria-hidden': 'true' }, how.next)
      : h(
          'span',
          {
            class: classes('box', at < values.length && 'full', at < values.length && how.fresh?.(row, at) && 'new'),
            key: at < values.length ? `full${at}` : at,
            'aria-hidden': 'true',
          },
          values[at],
        ),
  ),
];

/** @param {(number | null)[]} columns */
const sums = (columns) => [
  h('i', { class: 'sign', key: 'sum', 'aria-hidden': 'true' }, 'Σ'),
  across((at) =>
    h('span', { class: classes('foot', columns[at] !== null && 'full'), key: at, 'aria-hidden': 'true' }, columns[at]),
  ),
];

/** What each full column scores. @param {(number | null)[]} columns */
export const feet = (columns) =>
  h(
    'span',
    { class: 'lane feet', key: 'feet', title: t('qwantum.score.second'), 'aria-hidden': 'true' },
    sums(columns),
  );

/**
 * The same on the own sheet, where a tap explains the score.
 * @param {(number | null)[]} columns
 * @param {(words: string) => void} say
 */
export const ownFeet = (columns, say) =>
  h(
    'button',
    {
      class: 'lane feet own',
      key: 'feet',
      type: 'button',
      title: t('qwantum.score.second'),
      onclick: () => say(t('qwantum.score.second')),
    },
    h('span', { class: 'unseen' }, `${columnsSaid(columns)}. ${t('qwantum.score.second')}`),
    sums(columns),
  );

/** @param {(number | null)[]} columns */
const columnsSaid = (columns) =>
  t('qwantum.row', { row: t('qwantum.score.columns'), numbers: columns.map((each) => each ?? '–').join(', ') });

/** @param {number} count @param {boolean} [fresh] whether the last of them is new */
export const misses = (count, fresh = false) =>
  h(
    'span',
    { class: 'misses', role: 'img', 'aria-label': t('qwantum.misses', { count }), key: 'misses' },
    MISSES.map((at) =>
      h('i', { key: at, class: classes(at <= count && 'marked', fresh && at === count && 'new') }, formatSigned(-at)),
    ),
  );

/**
 * A sheet to look at.
 * @param {Player['rows']} rows
 * @param {{columns?: (number | null)[], large?: boolean, fresh?: (row: Row, at: number) => boolean}} [how]
 */
export const slip = (rows, how = {}) =>
  h(
    'span',
    { class: classes('slip', how.large ? 'large' : 'small'), key: 'slip', 'aria-hidden': 'true' },
    ROWS.map((row) => h('span', { class: `lane ${row}`, key: row }, cells(row, rows[row], { fresh: how.fresh }))),
    how.columns ? feet(how.columns) : null,
  );

/** @param {Row} row @param {number[]} values */
export const rowSaid = (row, values) =>
  t('qwantum.row', { row: t(`qwantum.color.${row}`), numbers: values.join(', ') || t('qwantum.empty') });

/** The whole sheet in words. @param {Player} player */
export const slipSaid = (player) =>
  [...ROWS.map((row) => rowSaid(row, player.rows[row])), t('qwantum.misses', { count: player.misses })].join('. ');

/** @param {'columns' | 'misses' | 'total'} part @param {number} value */
const sum = (part, value) =>
  h(
    'div',
    { class: part === 'total' ? part : '', key: part },
    h('dt', null, t(part === 'total' ? 'end.total' : `qwantum.score.${part}`)),
    h('dd', null, formatSigned(value)),
  );

/** What the full columns score together. @param {(number | null)[]} columns */
export const columnSum = (columns) => columns.reduce((/** @type {number} */ all, each) => all + (each ?? 0), 0);

/** Everything about one player. @param {import('./types.js').View} view @param {number} seat */
export function playerSheet(view, seat) {
  const player = view.table.players.find((each) => each.seat === seat);
  if (!player) return null;
  return h(
    'div',
    { class: 'qw whole' },
    h('p', { class: 'unseen' }, slipSaid(player)),
    slip(player.rows, { columns: player.score?.columns, large: true }),
    h('p', { class: 'note' }, `Σ: ${t('qwantum.score.second')}`),
    misses(player.misses),
    player.score
      ? h(
          'dl',
          { class: 'sums' },
          sum('columns', columnSum(player.score.columns)),
          sum('misses', player.score.misses),
          sum('total', player.score.total),
        )
      : null,
  );
}
