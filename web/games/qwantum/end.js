// The end: everybody's sheet side by side, counted column by column, then the misses.

import { columnSum, slip, slipSaid } from './pieces.js';

/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('../../view.js').View} View */

/** How long a column counts; the misses are the seventh to be counted. */
const PART_MS = 380;

/** Everything is counted by then. */
export const REVEAL_MS = PART_MS * 7 + 300;

/** The columns counted so far. @param {Player} player @param {number} reveal */
const counted = (player, reveal) => player.score.columns.map((each, at) => (reveal > at * PART_MS ? each : null));

/** @param {View} view @returns {import('../../view.js').Ending} */
export function ending(view) {
  const { reveal } = view.ui;
  return {
    kind: 'qw',
    said: slipSaid,
    picture: (/** @type {Player} */ player) => slip(player.rows, { columns: counted(player, reveal) }),
    parts: [
      { title: 'qwantum.score.columns', counted: (/** @type {Player} */ player) => columnSum(counted(player, reveal)), later: false },
      { title: 'qwantum.score.misses', counted: (/** @type {Player} */ player) => (reveal > 6 * PART_MS ? player.score.misses : 0), later: reveal < 6 * PART_MS },
    ],
  };
}
