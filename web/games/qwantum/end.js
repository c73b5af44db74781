// The end: everybody's sheet side by side, counted column by column, then the misses. And the same as a picture to keep.

import { h, classes } from '../../dom.js';
import { t, signed } from '../../i18n.js';
import { easel } from '../../picture.js';
import { nameOf, seatOf } from '../../store.js';
import { ROWS, columnSum, slip, slipSaid } from './pieces.js';
import { won, wonHere } from './words.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('../../view.js').View} View */

/** How long a column counts; the misses are the seventh to be counted. */
const PART_MS = 380;

/** Everything is counted by then. */
export const REVEAL_MS = PART_MS * 7 + 300;

/** @param {View} view */
export function ending(view) {
  /** @type {Table} */
  const table = view.table;
  const { reveal } = view.ui;
  const over = reveal >= REVEAL_MS;
  const winners = table.outcome?.winners ?? [];
  const ranked = over ? [...table.players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat) : table.players;
  return h('section', { class: classes('ending qw', over && 'over') },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? wonHere(view) : t('end.counting')),
    h('div', { class: `panorama of${table.players.length}` }, table.players.map((player) => h('button', {
      class: classes('side', over && winners.includes(player.seat) && 'won'), key: player.seat, type: 'button', onclick: () => view.acts.open({ name: 'player', seat: player.seat }),
    }, h('span', { class: 'unseen' }, slipSaid(player)), slip(player.rows, { columns: counted(player, reveal) }),
    h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat))))),
    h('div', { class: 'scroller' }, h('table', { class: 'scores' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
        ['columns', 'misses', 'total'].map((part) => h('th', { scope: 'col', key: part }, t(`qwantum.score.${part}`))))),
      h('tbody', null, ranked.map((player) => line(view, player, over && winners.includes(player.seat)))))));
}

/** The columns counted so far. @param {Player} player @param {number} reveal */
const counted = (player, reveal) => player.score.columns.map((each, at) => (reveal > at * PART_MS ? each : null));

/** @param {View} view @param {Player} player @param {boolean} ahead whether this player has won */
function line(view, player, ahead) {
  const { reveal } = view.ui;
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  const columns = columnSum(counted(player, reveal));
  const cost = reveal > 6 * PART_MS ? player.score.misses : 0;
  return h('tr', { key: player.seat, class: classes(ahead && 'won') },
    h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && reveal >= REVEAL_MS ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`) : null),
    h('td', { key: 'columns' }, columns), h('td', { key: 'misses', class: classes(reveal < 6 * PART_MS && 'later') }, signed(cost)),
    h('td', { key: 'total', class: 'total' }, signed(columns + cost)));
}

/** Paint and ink, as in the stylesheet. */
const PAINT = { violet: ['#6a35b8', '#fff'], blue: ['#62b8fa', '#1d1a2b'], red: ['#b8202f', '#fff'], yellow: ['#f7b500', '#1d1a2b'] };
const SIDE = 330;
const CELL = 46;
const HEIGHT = 430;

/** @param {View} view @returns {Promise<Blob | null>} */
export function picture(view) {
  /** @type {Table} */
  const table = view.table;
  const winners = table.outcome?.winners ?? [];
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  const paint = easel(table.players.length * SIDE + 30, HEIGHT, won(winners, name));
  if (!paint) return Promise.resolve(null);
  const { fill, write } = paint;
  table.players.forEach((player, i) => {
    const left = 30 + i * SIDE;
    /** Cells from the fifth on stand beyond the thick line. @param {number} at */
    const x = (at) => left + at * (CELL + 3) + (at > 3 ? 6 : 0);
    ROWS.forEach((row, down) => {
      const y = 104 + down * (CELL + 3);
      for (let at = 0; at < 6; at++) {
        const value = player.rows[row][at];
        fill(value === undefined ? '#2c3060' : PAINT[row][0], x(at), y, CELL, CELL);
        if (value !== undefined) write(value, PAINT[row][1], 22, x(at) + CELL / 2, y + 31, CELL);
      }
    });
    fill('#f1f2ff', x(4) - 6, 100, 3, CELL * 4 + 17);
    player.score.columns.forEach((value, at) => write(value ?? '–', '#f1f2ff', 20, x(at) + CELL / 2, 330, CELL));
    write(`${name(player.seat)} · ${signed(player.score.total)}`, winners.includes(player.seat) ? '#ffcb5c' : '#f1f2ff', 24, left + SIDE / 2 - 16, 388, SIDE - 30);
  });
  return paint.done();
}
