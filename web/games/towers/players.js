// The other players: one line each on a phone, towers where there is room, everything when opened.

import { h, classes } from '../../dom.js';
import { t, formatSigned, formatDuration } from '../../i18n.js';
import { botMark } from '../../icons.js';
import { isNew, newsOf } from '../../news.js';
import { awayFor, seatOf } from '../../session/room-state.js';
import { TYPES, glyph, keyOf, still } from './cards.js';
import { skyline, skylineSaid } from './skyline.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('./types.js').View} View */

/** Turn order, starting after this seat, so that the next to act is on top. @param {View} view @returns {Player[]} */
export function others(view) {
  const table = view.table;
  const own = view.seat;
  if (own === null) return table.players;
  return [...table.players.slice(own + 1), ...table.players.slice(0, own)];
}

/**
 * A player's call in this auction, while it still matters.
 * @param {Table} table
 * @param {number} seat
 */
export function callOf(table, seat) {
  if (table.phase === 'finished') return null;
  const call = table.calls.findLast((each) => each.seat === seat);
  if (!call) return null;
  return { count: call.count, standing: table.standing?.seat === seat };
}

/** @param {View} view @param {number} seat */
export function bubble(view, seat) {
  const table = view.table;
  const call = callOf(table, seat);
  if (!call)
    return table.phase === 'auction' && table.starter === seat
      ? h('i', { class: 'bubble quiet', key: 'call' }, t('towers.starts'))
      : null;
  return h(
    'i',
    {
      class: classes(
        'bubble',
        call.standing ? 'standing' : call.count === null && 'quiet',
        isNew(view, `call ${seat}`) && 'new',
      ),
      key: 'call',
    },
    call.count === null ? t('towers.passed') : t('towers.called', { count: call.count }),
  );
}

/**
 * Shows that a player is away and no bot plays for them.
 * @param {View} view
 * @param {number} seat
 */
export function presence(view, seat) {
  const away = awayFor(view.known, seat, view.now);
  if (away !== null && !seatOf(view.known, seat)?.bot)
    return h('i', { class: 'away', key: 'away' }, t('away', { time: formatDuration(away) }));
  return null;
}

/** @param {View} view @param {Player} player */
export function opponent(view, player) {
  const table = view.table;
  const info = seatOf(view.known, player.seat);
  const head = h(
    'span',
    { class: 'who' },
    h(
      'span',
      { class: classes('name', [...(info?.name ?? '')].length > 9 && !view.broad && 'long'), dir: 'auto' },
      info?.bot || info?.program ? botMark(t(`bot.${info.bot ?? 'program'}`)) : null,
      info?.name ?? '?',
    ),
    h('span', { class: 'signs' }, presence(view, player.seat) ?? bubble(view, player.seat)),
  );
  const score = player.score
    ? h(
        'span',
        { class: classes('score', isNew(view, `score ${player.seat}`) && 'new') },
        formatSigned(player.score.total),
        h('span', { class: 'unseen' }, ` ${t('points', { count: player.score.total })}`),
      )
    : null;
  const said = h('span', { class: 'unseen' }, newsOf(view, player.seat) + skylineSaid(player.towers));
  return h(
    'button',
    {
      class: classes('opponent', table.turn === player.seat && 'acting', view.broad && 'tall'),
      key: player.seat,
      type: 'button',
      'data-seat': player.seat,
      onclick: () => view.commands.open({ name: 'player', seat: player.seat }),
    },
    view.broad
      ? [
          h('span', { class: 'line', key: 'line' }, head, pile(player.demolished), score),
          said,
          skyline(player.towers, {
            name: `seat${player.seat}`,
            room: view.ui.rooms[`seat${player.seat}`],
            size: view.television ? 'own' : 'mini',
            fresh: freshOf(view, player.seat),
          }),
        ]
      : [head, said, cells(view, player), score],
  );
}

/** The number of demolished cards. @param {number} count */
export const pile = (count) =>
  count ? h('span', { class: 'rubble', title: t('towers.demolished', { count }) }, `▾${count}`) : null;

/**
 * Which storeys of a seat's towers are new.
 * @param {View} view
 * @param {number} seat
 * @returns {(tower: import('./wire.js').TowerType, part: number | '-') => boolean}
 */
export const freshOf = (view, seat) => (tower, part) => isNew(view, `${seat} ${tower} ${part}`);

/** @param {View} view @param {Player} player */
function cells(view, player) {
  const fresh = freshOf(view, player.seat);
  return h(
    'span',
    { class: 'cells', 'aria-hidden': 'true' },
    TYPES.map((tower) => {
      const values = player.towers[tower];
      const top = values.at(-1);
      const grown = values.filter((_, at) => fresh(tower, at)).length;
      const change = `${fresh(tower, '-') ? formatSigned(-1) : ''}${grown ? `+${grown}` : ''}`;
      return h(
        'span',
        {
          class: classes('cell', tower, top === undefined && 'hollow', top === 0 && 'roofed', change && 'new'),
          key: tower,
          'data-fly': top === undefined ? undefined : keyOf({ tower, value: top }),
        },
        glyph(tower),
        top === undefined
          ? null
          : [h('b', null, top), h('small', { class: classes(values.length > 9 && 'many') }, values.length)],
        change ? h('i', { class: 'change', key: 'change' }, change) : null,
      );
    }),
  );
}

/** Everything about one player. @param {View} view @param {number} seat */
export function playerSheet(view, seat) {
  const table = view.table;
  const player = table.players.find((each) => each.seat === seat);
  if (!player) return null;
  const name = `sheet${seat}`;
  const own = seat === view.seat;
  /** @type {import('./wire.js').Card[] | undefined} */
  const rubble = own ? (view.mine?.demolished ?? player.demolished_cards) : player.demolished_cards;
  return [
    h(
      'div',
      { class: 'fullsky', role: 'img', 'aria-label': skylineSaid(player.towers) },
      skyline(player.towers, { name, room: view.ui.rooms[name], size: 'own' }),
    ),
    player.score
      ? h(
          'dl',
          { class: 'sums' },
          sum('towers', player.score.towers),
          sum('tallest', player.score.tallest),
          sum('demolition', player.score.demolition),
          sum('total', player.score.total),
        )
      : null,
    player.demolished ? h('p', { class: 'note' }, t('towers.demolished', { count: player.demolished })) : null,
    rubble?.length
      ? h(
          'div',
          { class: 'hand small' },
          rubble.map((card, i) => still(card, { small: true, flight: `rubble${i}` })),
        )
      : null,
    own && rubble?.length && table.phase !== 'finished' ? h('p', { class: 'note' }, t('towers.only_you')) : null,
  ];
}

/** @param {'towers' | 'tallest' | 'demolition' | 'total'} part @param {number} value */
const sum = (part, value) =>
  h(
    'div',
    { class: part, key: part },
    h('dt', null, t(part === 'total' ? 'end.total' : `towers.score.${part}`)),
    h('dd', null, formatSigned(value)),
  );
