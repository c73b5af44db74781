// What was hidden at a moment of a finished game: demolished cards, and the cards still to come, found in the moments.

import { h } from '../../dom.js';
import { t } from '../../i18n.js';
import { nameOf } from '../../session/room-state.js';
import { still } from './cards.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('../types.js').Moment<import('./types.js').Towers>} Moment */

/** @param {Card[]} cards */
const row = (cards) =>
  h(
    'span',
    { class: 'hand small' },
    cards.map((card, i) => h('span', { class: 'slot', key: i }, still(card, { small: true }))),
  );

/**
 * The cards each player had demolished by this moment.
 * @param {Moment[]} past
 * @param {number} at
 * @returns {Card[][]}
 */
export function demolished(past, at) {
  /** @type {Card[][]} */
  const piles = past[0].table.players.map(() => []);
  for (let i = 1; i <= at; i++) {
    const [before, after] = [past[i - 1].table, past[i].table];
    after.players.forEach((player, seat) => {
      const tower = after.demolished_now;
      if (player.demolished > before.players[seat].demolished && tower)
        piles[seat].push({ tower, value: before.players[seat].towers[tower].at(-1) ?? 0 });
      // The demolition was undone.
      piles[seat].length = player.demolished;
    });
  }
  return piles;
}

/**
 * The rows still to come, until the cards are reshuffled.
 * @param {Moment[]} past
 * @param {number} at
 */
export function upcomingRows(past, at) {
  const events = past.slice(at + 1).flatMap(({ events: told }) => told);
  const shuffled = events.findIndex((event) => event.type === 'reshuffle');
  return events.slice(0, shuffled < 0 ? undefined : shuffled).filter((event) => event.type === 'round');
}

/** @param {import('../../view.js').View<import('./types.js').Towers>} view */
export function revealed(view) {
  const past = view.ui.past ?? [];
  const at = view.ui.moment ?? past.length - 1;
  const piles = demolished(past, at).flatMap((cards, seat) =>
    cards.length ? [{ title: t('replay.open.demolished', { name: nameOf(view.known, seat) }), body: row(cards) }] : [],
  );
  const rows = upcomingRows(past, at);
  const coming = rows.length
    ? [
        {
          title: t('replay.open.come'),
          body: h(
            'ol',
            { class: 'coming' },
            rows.map((event) =>
              h('li', { key: event.round }, h('small', null, t('round', { round: event.round })), row(event.row)),
            ),
          ),
        },
      ]
    : [];
  return [...piles, ...coming];
}
