// The end: everybody's sheet side by side, counted column by column, then the misses. Loaded when a game ends.

import { h, classes } from '../../dom.js';
import { t } from '../../i18n.js';
import { decidedBy } from '../../screens/ending.js';
import { columnSum, slip, slipSaid } from './pieces.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('./types.js').View} View */

/** Duration of a column; the misses are counted seventh. */
const PART_MS = 450;
const MISSES_MS = 6 * PART_MS;

/** Duration of the whole count. @param {Table} table */
export const endingMs = (table) => MISSES_MS + (table.players.some((player) => player.misses) ? PART_MS : 0) + 300;

/** The columns counted so far. @param {Player} player @param {number} countedMs */
const counted = (player, countedMs) => player.score.columns.map((each, at) => (countedMs > at * PART_MS ? each : null));

/** @param {Table} table @param {number} from @param {number} to @returns {import('../../sounds.js').Sound | null} */
export function cue(table, from, to) {
  const [before, now] = [from, to].map((time) => Math.ceil(time / PART_MS));
  if (before === now || now > 7) return null;
  return now < 7 ? 'card' : endingMs(table) > MISSES_MS + PART_MS ? 'demolition' : null;
}

/** @param {View} view @returns {import('../../view.js').Ending<import('./types.js').Qwantum>} */
export function ending(view) {
  const { countedMs } = view.ui;
  const over = countedMs >= endingMs(view.table);
  const at = Math.min(7, Math.ceil(countedMs / PART_MS));
  return {
    kind: 'qw',
    said: slipSaid,
    // The counted column stands out; the following ones are dark.
    picture: (player) =>
      h(
        'span',
        { class: classes('counted', !over && `at${at}`), key: 'slip' },
        slip(player.rows, { columns: counted(player, countedMs) }),
      ),
    parts: [
      {
        title: 'qwantum.score.columns',
        counted: (player) => columnSum(counted(player, countedMs)),
        later: false,
      },
      {
        title: 'qwantum.score.misses',
        counted: (player) => (countedMs > MISSES_MS ? player.score.misses : 0),
        later: countedMs <= MISSES_MS,
      },
    ],
  };
}

/** @param {Table} table @param {(seat: number) => string} name @returns {string | null} */
export function decided(table, name) {
  return decidedBy(table, (best, second) => {
    const gains = best.score.columns.map((value, at) => (value ?? 0) - (second.score.columns[at] ?? 0));
    const most = Math.max(...gains);
    return [
      [most, (count) => t('decided.column', { name: name(best.seat), column: gains.indexOf(most) + 1, count })],
      [best.score.misses - second.score.misses, (count) => t('decided.misses', { name: name(second.seat), count })],
    ];
  });
}
