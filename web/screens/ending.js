// The end of a game, fetched when one ends: who won and what decided it, everybody's side of the table, and the scores, counted part by part.
// What a side looks like and what is counted, the game says.

import { h, classes } from '../dom.js';
import { signed, t } from '../i18n.js';
import { nameOf, seatOf } from '../store.js';
import { wonHere } from '../won.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').End} End */
/** @typedef {import('../view.js').Ending} Ending */
/** @typedef {{seat: number, score: {total: number}}} Player */

/** Pieces of confetti. */
const CONFETTI = 36;

/** @param {View} view @param {End} end */
export function ending(view, end) {
  /** @type {Player[]} */
  const players = view.table.players;
  const how = end.ending(view);
  const all = end.endingMs(view.table);
  const over = view.ui.reveal >= all;
  /** @param {Player} player */
  const ahead = (player) => over && (view.table.outcome?.winners ?? []).includes(player.seat);
  const ranked = over ? [...players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat) : players;
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  // While it is counted, what is counted now stands where what decided will.
  const now = how.parts.findLast((part) => !part.later)?.title;
  return h('section', { class: classes('ending', how.kind, over && 'over'), onclick: over ? undefined : () => view.acts.show({ reveal: all }) },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? wonHere(view) : t('end.counting')),
    h('p', { class: 'decided' }, over ? end.decided(view.table, name) : now && t(now)),
    h('div', { class: `panorama of${players.length}` }, players.map((player) => h('button', {
      class: classes('side', ahead(player) && 'won'), key: player.seat, type: 'button', onclick: over ? () => view.acts.open({ name: 'player', seat: player.seat }) : undefined,
    }, h('span', { class: 'unseen' }, how.said(player)), how.picture(player),
    h('span', { class: 'owner' }, h('span', { class: 'name', dir: 'auto' }, name(player.seat)), h('b', { 'aria-hidden': 'true' }, signed(sum(how, player))))))),
    h('div', { class: 'scroller' }, h('table', { class: 'scores' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
        how.parts.map((part) => h('th', { scope: 'col', key: part.title }, t(part.title))), h('th', { scope: 'col' }, t('end.total')))),
      h('tbody', null, ranked.map((player) => line(view, how, player, over, ahead(player)))))),
    over ? view.more?.beside(view) : null,
    // Whoever came later, or wants things to stand still, has nothing thrown at them.
    over && view.ui.reveal < Infinity ? confetti() : null);
}

/** What is counted of somebody's points by now. @param {Ending} how @param {Player} player */
const sum = (how, player) => how.parts.reduce((all, part) => all + part.counted(player), 0);

/** @param {View} view @param {Ending} how @param {Player} player @param {boolean} over @param {boolean} ahead */
function line(view, how, player, over, ahead) {
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  return h('tr', { key: player.seat, class: classes(ahead && 'won') },
    h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && over ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`) : null),
    how.parts.map((part) => h('td', { key: part.title, class: classes(part.later && 'later') }, signed(part.counted(player)))),
    h('td', { key: 'total', class: 'total' }, signed(sum(how, player))));
}

/** Falls once. Where each piece begins and how it turns follows from its number, so that drawing it again changes nothing. */
const confetti = () => h('div', { class: 'confetti', key: 'confetti', 'aria-hidden': 'true' }, Array.from({ length: CONFETTI }, (_, i) => h('i', {
  key: i, style: { '--x': `${(i * 61) % 100}%`, '--late': `${(i * 137) % 900}ms`, '--turn': `${(i * 97) % 720}deg`, '--hue': (i * 47) % 360 },
})));

/** For what decided a game: the words of what alone is worth the lead, else of what made most of it. @param {number} lead @param {[number, (count: number) => string][]} reasons */
export function mostOf(lead, reasons) {
  const [count, words] = reasons.find(([worth]) => worth >= lead) ?? reasons.reduce((most, each) => (each[0] > most[0] ? each : most));
  return words(count);
}
