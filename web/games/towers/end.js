// The end: scores count up part by part under everybody's skyline.

import { h, classes } from '../../dom.js';
import { t, signed } from '../../i18n.js';
import { nameOf, seatOf } from '../../store.js';
import { skyline, skylineSaid } from './skyline.js';
import { wonHere } from './words.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('../../view.js').View} View */

/** When each part starts to count, and how long it takes. */
const PART_MS = 900;
const PARTS = /** @type {const} */ (['towers', 'tallest', 'demolition']);

/** Everything is counted by then. */
export const REVEAL_MS = PART_MS * PARTS.length + 300;

/** @param {number} value @param {number} part @param {number} reveal */
function counted(value, part, reveal) {
  const share = Math.min(1, Math.max(0, (reveal - part * PART_MS) / (PART_MS * 0.8)));
  return Math.round(value * (1 - (1 - share) ** 3));
}

/** @param {View} view */
export function ending(view) {
  /** @type {Table} */
  const table = view.table;
  const reveal = view.ui.reveal;
  const over = reveal >= REVEAL_MS;
  const winners = table.outcome?.winners ?? [];
  const players = [...table.players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat);
  return h('section', { class: classes('ending', over && 'over') },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? wonHere(view) : t('end.counting')),
    h('div', { class: 'panorama' }, table.players.map((player) => side(view, player, over && winners.includes(player.seat)))),
    h('div', { class: 'scroller' }, h('table', { class: 'scores' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
        PARTS.map((part) => h('th', { scope: 'col', key: part }, t(`towers.score.${part}`))), h('th', { scope: 'col' }, t('towers.score.total')))),
      h('tbody', null, (over ? players : table.players).map((player) => line(view, player, reveal, over && winners.includes(player.seat)))))));
}

/** @param {View} view @param {Player} player @param {boolean} won */
function side(view, player, won) {
  const name = `end${player.seat}`;
  return h('button', {
    class: classes('side', won && 'won'), key: player.seat, type: 'button', onclick: () => view.acts.open({ name: 'player', seat: player.seat }),
  }, h('span', { class: 'unseen' }, skylineSaid(player.towers)),
  // Five skylines side by side on a phone are silhouettes; tapping one shows its numbers.
  skyline(player.towers, { name, room: view.ui.rooms[name], size: view.wide || view.table.players.length === 2 ? 'mini' : 'bare' }),
  h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)));
}

/** @param {View} view @param {Player} player @param {number} reveal @param {boolean} won */
function line(view, player, reveal, won) {
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  const values = PARTS.map((part, i) => counted(player.score[part], i, reveal));
  return h('tr', { key: player.seat, class: classes(won && 'won') },
    h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && reveal >= REVEAL_MS ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`) : null),
    values.map((value, i) => h('td', { key: PARTS[i], class: classes(reveal < i * PART_MS && 'later') }, signed(value))),
    h('td', { class: 'total' }, signed(values.reduce((sum, value) => sum + value, 0))));
}
