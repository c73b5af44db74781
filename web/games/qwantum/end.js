// The end: everybody's sheet side by side, counted column by column, then the misses.

import { h, classes } from '../../dom.js';
import { t, signed } from '../../i18n.js';
import { nameOf, seatOf } from '../../store.js';
import { columnSum, slip, slipSaid } from './pieces.js';
import { wonHere } from './words.js';

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
        /** @type {const} */ (['columns', 'misses', 'total']).map((part) => h('th', { scope: 'col', key: part }, t(`qwantum.score.${part}`))))),
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
