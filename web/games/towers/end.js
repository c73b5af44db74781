// The end: everybody's towers grow floor by floor, roofs double them, the tallest is crowned, and demolished cards
// fall. Loaded when a game ends.

import { h } from '../../dom.js';
import { formatSigned, t } from '../../i18n.js';
import { decidedBy } from '../../screens/ending.js';
import { TYPES } from './cards.js';
import { skyline, skylineSaid } from './skyline.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('./types.js').View} View */

/** Duration of a floor, and of each later part. */
const FLOOR_MS = 150;
const PART_MS = 800;
/** Height above a tower for its crest. */
const CREST = 26;

/** @param {Player} player @param {TowerType} tower */
const height = (player, tower) => player.towers[tower].length;
/** @param {Player} player @param {TowerType} tower */
const roofed = (player, tower) => player.towers[tower].at(-1) === 0;
/** @param {Player} player */
const storeys = (player) => TYPES.reduce((all, tower) => all + height(player, tower), 0);
/** @param {Player} player */
const tallest = (player) =>
  TYPES.reduce((best, tower) => (height(player, tower) > height(player, best) ? tower : best));
/** @param {Pick<Table, 'players'>} table */
const floors = (table) => Math.max(1, ...table.players.map((player) => height(player, tallest(player))));

/** Start of each part. Parts that no player has take no time. @param {Table} table */
export function stages({ players }) {
  const roofs = floors({ players }) * FLOOR_MS + 250;
  const crown = roofs + (players.some((player) => TYPES.some((tower) => roofed(player, tower))) ? PART_MS : 0);
  const demolition = crown + PART_MS;
  return {
    roofs,
    crown,
    demolition,
    over: demolition + (players.some((player) => player.demolished) ? PART_MS : 0) + 300,
  };
}

/** @param {Table} table */
export const endingMs = (table) => stages(table).over;

/** @param {Table} table @param {number} from @param {number} to @returns {import('../../sounds.js').Sound | null} */
export function cue(table, from, to) {
  const { roofs, crown, demolition, over } = stages(table);
  const at = (/** @type {number} */ time) => from < time && to >= time;
  if (at(roofs) && crown > roofs) return 'roof';
  if (at(crown)) return 'turn';
  if (at(demolition) && over > demolition + PART_MS) return 'demolition';
  return to < roofs - 250 && Math.floor(from / FLOOR_MS) !== Math.floor(to / FLOOR_MS) ? 'card' : null;
}

/** @param {View} view @returns {import('../../view.js').Ending<import('./types.js').Towers>} */
export function ending(view) {
  const { countedMs, rooms } = view.ui;
  const table = view.table;
  const { roofs, crown, demolition, over } = stages(table);
  const up = Math.floor(countedMs / FLOOR_MS) + 1;
  const most = floors(table);
  return {
    kind: 'towers',
    said: (player) => skylineSaid(player.towers),
    picture: (player) =>
      h(
        'span',
        { class: 'growing', key: 'sky' },
        skyline(grown(player, up), {
          name: `end${player.seat}`,
          room: (rooms[`end${player.seat}`] ?? 160) - CREST,
          size: 'mini',
          tallest: most,
          crests: crests(player, countedMs >= roofs, countedMs >= crown),
        }),
        countedMs >= demolition && countedMs < over ? rubble(player) : null,
      ),
    parts: [
      {
        title: 'towers.score.towers',
        counted: (player) =>
          countedMs >= roofs ? player.score.towers : storeys({ ...player, towers: grown(player, up) }),
        later: false,
      },
      {
        title: 'towers.score.tallest',
        counted: (player) => (countedMs >= crown ? player.score.tallest : 0),
        later: countedMs < crown,
      },
      {
        title: 'towers.score.demolition',
        counted: (player) => (countedMs >= demolition ? player.score.demolition : 0),
        later: countedMs < demolition,
      },
    ],
  };
}

/**
 * The towers cut to this number of floors.
 * @param {Player} player
 * @param {number} up
 * @returns {Player['towers']}
 */
const grown = (player, up) =>
  /** @type {Player['towers']} */ (
    Object.fromEntries(TYPES.map((tower) => [tower, player.towers[tower].slice(0, up)]))
  );

/**
 * The crests: a doubling roof, and the crown of the tallest.
 * @param {Player} player
 * @param {boolean} doubled
 * @param {boolean} crowned
 */
function crests(player, doubled, crowned) {
  const king = tallest(player);
  return Object.fromEntries(
    TYPES.map((tower) => [
      tower,
      [
        doubled && roofed(player, tower) ? h('b', { key: 'twice' }, '×2') : null,
        crowned && tower === king && height(player, king)
          ? h(
              'svg',
              { class: 'crown', key: 'crown', viewBox: '0 0 24 16' },
              h('path', { d: 'M2 14 1 4l6 4 5-7 5 7 6-4-1 10z' }),
            )
          : null,
      ],
    ]),
  );
}

/** @param {Player} player */
const rubble = (player) =>
  h(
    'span',
    { class: 'falling', key: 'falling', 'aria-hidden': 'true' },
    Array.from({ length: player.demolished }, (_, i) =>
      h(
        'i',
        {
          key: i,
          class: player.demolished_cards?.[i]?.tower ?? '',
          style: { '--at': i },
        },
        formatSigned(-1 - i),
      ),
    ),
  );

/** @param {Table} table @param {(seat: number) => string} name @returns {string | null} */
export function decided(table, name) {
  /** What roofs add. @param {Player} player */
  const doubled = (player) => player.score.towers - storeys(player);
  return decidedBy(table, (best, second) => {
    const ours = name(best.seat);
    const roof = TYPES.filter((tower) => roofed(best, tower)).sort((a, b) => height(best, b) - height(best, a))[0];
    return [
      [
        roof ? Math.min(height(best, roof), doubled(best) - doubled(second)) : 0,
        (count) => t('decided.roof', { name: ours, tower: t(`towers.type.${roof}`), count }),
      ],
      [best.score.tallest - second.score.tallest, (count) => t('decided.tallest', { name: ours, count })],
      [
        best.score.demolition - second.score.demolition,
        (count) => t('decided.demolition', { name: name(second.seat), count }),
      ],
      [storeys(best) - storeys(second), (count) => t('decided.storeys', { name: ours, count })],
    ];
  });
}
