// Games that begin with an earlier one: the seats of the earlier game in the lobby, what everyone should know of it,
// and its scores beside the new ones at the end.

import { h } from '../dom.js';
import { formatList, formatSigned, t } from '../i18n.js';
import { nameOf } from '../session/room-state.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Room} Room */
/** @typedef {import('../wire.js').Origin} Origin */
/** @typedef {import('../wire.js').SeatInfo} SeatInfo */

/** Names the earlier game in a sentence. @param {Origin} origin */
export const originWords = ({ moment, players }) =>
  t(moment === null ? 'origin.deal' : 'origin.moment', { names: formatList(players), at: (moment ?? 0) + 1 });

/**
 * The seats of the earlier game, in their order.
 * @param {View} view
 * @param {Room & {origin: Origin}} room
 * @param {boolean} host
 * @param {(info: SeatInfo, more: import('../dom.js').Child) => import('../dom.js').Node_} row renders a player at the
 *   table
 */
export function originSeats(view, room, host, row) {
  const { commands, seat } = view;
  const { players } = room.origin;
  /** @param {number} chair */
  const take = (chair) =>
    h(
      'button',
      {
        class: 'text',
        key: 'take',
        type: 'button',
        'aria-label': `${t('origin.take')}: ${t('origin.chair', { name: players[chair] })}`,
        onclick: () => commands.send({ type: 'take_chair', chair }),
      },
      t('origin.take'),
    );
  return [
    h('p', { class: 'note origin', key: 'origin' }, originWords(room.origin)),
    h(
      'ol',
      { class: 'seats', key: 'chairs' },
      players.map((name, chair) => {
        const info = room.seats.find((each) => each.chair === chair);
        // A player in their own seat need not be told whose it was.
        const was =
          info?.name === name ? null : h('i', { class: 'bubble quiet', key: 'was' }, t('origin.chair', { name }));
        if (!info)
          return h(
            'li',
            { key: `chair${chair}`, class: 'free' },
            h('span', { class: 'chair', 'aria-hidden': 'true' }),
            h('span', { class: 'name', dir: 'auto' }, t('origin.chair', { name })),
            seat === null ? null : take(chair),
          );
        return row(info, [was, info.kind === 'bot' && seat !== null ? take(chair) : null]);
      }),
    ),
    host
      ? h(
          'button',
          { class: 'text', key: 'anew', type: 'button', onclick: () => commands.send({ type: 'new_deal' }) },
          t('origin.anew'),
        )
      : null,
  ];
}

/** The scores of the earlier game beside those of this one, in seat order. @param {View} view */
export function originScores(view) {
  const origin = view.known.room?.origin;
  const players = view.table?.players;
  if (!origin || !players) return null;
  return h(
    'section',
    { class: 'besides', key: 'beside' },
    h('p', { class: 'note' }, originWords(origin)),
    h(
      'div',
      { class: 'scroller' },
      h(
        'table',
        { class: 'scores' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, t('origin.now')),
            h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('end.total'))),
            h('th', { scope: 'col' }, t('origin.then')),
            h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('end.total'))),
          ),
        ),
        h(
          'tbody',
          null,
          players.map((player, at) =>
            h(
              'tr',
              { key: at },
              h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat))),
              h('td', { class: 'total' }, formatSigned(player.score.total)),
              h('td', null, h('span', { class: 'name', dir: 'auto' }, origin.players[at])),
              h('td', { class: 'total' }, formatSigned(origin.outcome.scores[at])),
            ),
          ),
        ),
      ),
    ),
  );
}
