// The end of a game: who won, everybody's side of the table, and the scores, counted part by part. What a side looks like and what is
// counted, the game says.

import { h, classes } from '../dom.js';
import { listed, signed, t } from '../i18n.js';
import { nameOf, seatOf } from '../store.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Face} Face */
/** @typedef {import('../view.js').Ending} Ending */
/** @typedef {{seat: number, score: {total: number}}} Player */

/** @param {number[]} winners @param {(seat: number) => string} name */
export const won = (winners, name) => t(winners.length > 1 ? 'end.shared' : 'end.wins', { name: listed(winners.map(name)) });

/** What the end says to this seat. @param {View} view */
export function wonHere(view) {
  const winners = view.table.outcome?.winners ?? [];
  return winners.length === 1 && winners[0] === view.seat ? t('end.you_win') : won(winners, (seat) => nameOf(view.known, seat));
}

/** @param {View} view @param {Face} face */
export function ending(view, face) {
  /** @type {Player[]} */
  const players = view.table.players;
  const how = face.ending(view);
  const over = view.ui.reveal >= face.endingMs;
  /** @param {Player} player */
  const ahead = (player) => over && (view.table.outcome?.winners ?? []).includes(player.seat);
  const ranked = over ? [...players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat) : players;
  return h('section', { class: classes('ending', how.kind, over && 'over') },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? wonHere(view) : t('end.counting')),
    h('div', { class: `panorama of${players.length}` }, players.map((player) => h('button', {
      class: classes('side', ahead(player) && 'won'), key: player.seat, type: 'button', onclick: () => view.acts.open({ name: 'player', seat: player.seat }),
    }, h('span', { class: 'unseen' }, how.said(player)), how.picture(player), h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat))))),
    h('div', { class: 'scroller' }, h('table', { class: 'scores' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
        how.parts.map((part) => h('th', { scope: 'col', key: part.title }, t(part.title))), h('th', { scope: 'col' }, t('end.total')))),
      h('tbody', null, ranked.map((player) => line(view, how, player, over, ahead(player)))))),
    over ? view.more?.beside(view) : null);
}

/** @param {View} view @param {Ending} how @param {Player} player @param {boolean} over @param {boolean} ahead */
function line(view, how, player, over, ahead) {
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  const values = how.parts.map((part) => part.counted(player));
  return h('tr', { key: player.seat, class: classes(ahead && 'won') },
    h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && over ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`) : null),
    values.map((value, i) => h('td', { key: how.parts[i].title, class: classes(how.parts[i].later && 'later') }, signed(value))),
    h('td', { key: 'total', class: 'total' }, signed(values.reduce((sum, value) => sum + value, 0))));
}
