// The end: scores count up part by part under everybody's skyline.

import { skyline, skylineSaid } from './skyline.js';

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

/** @param {View} view @returns {import('../../view.js').Ending} */
export function ending(view) {
  const { reveal, rooms } = view.ui;
  // Five skylines side by side on a phone are silhouettes; tapping one shows its numbers.
  const size = view.wide || view.table.players.length === 2 ? 'mini' : 'bare';
  return {
    said: (/** @type {Player} */ player) => skylineSaid(player.towers),
    picture: (/** @type {Player} */ player) => skyline(player.towers, { name: `end${player.seat}`, room: rooms[`end${player.seat}`], size }),
    parts: PARTS.map((part, i) => ({
      title: /** @type {const} */ (`towers.score.${part}`), counted: (/** @type {Player} */ player) => counted(player.score[part], i, reveal), later: reveal < i * PART_MS,
    })),
  };
}
