// The end as a picture to keep: everybody's skyline, names and points, painted in the colours of the table.

import { signed } from '../../i18n.js';
import { easel } from '../../easel.js';
import { won } from '../../won.js';
import { nameOf } from '../../store.js';
import { TYPES } from './cards.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('../../view.js').View} View */

/** Walls, ink and ledges, as in the stylesheet. */
const PAINT = {
  candy: ['#ff9ccb', '#1d1a2b', '#fff6fb'],
  spooky: ['#3d2476', '#fff', '#9c83e6'],
  tree: ['#23804f', '#fff', '#52b583'],
  scrap: ['#6b7280', '#fff', '#aab2bf'],
  sand: ['#ffd84d', '#1d1a2b', '#fff3bf'],
};
const SIDE = 300;
const STOREY = 24;

/** @param {View} view @returns {Promise<Blob | null>} */
export function picture(view) {
  /** @type {Table} */
  const table = view.table;
  const tallest = Math.max(...table.players.flatMap((player) => TYPES.map((tower) => player.towers[tower].length)));
  const width = Math.max(2, table.players.length) * SIDE + 40;
  const height = 230 + Math.max(6, tallest) * STOREY;
  const winners = table.outcome?.winners ?? [];
  const paint = easel(width, height, won(winners, (seat) => nameOf(view.known, seat)), view.ui.past, table.players.map(({ seat }) => nameOf(view.known, seat)));
  if (!paint) return Promise.resolve(null);
  const left = (width - table.players.length * SIDE) / 2;
  table.players.forEach((player, i) => side(paint, player, nameOf(view.known, player.seat), winners.includes(player.seat), left + i * SIDE, height));
  return paint.done();
}

/**
 * @param {NonNullable<ReturnType<typeof easel>>} paint
 * @param {Player} player
 * @param {string} name
 * @param {boolean} won
 * @param {number} left
 * @param {number} height
 */
function side({ brush, fill, write }, player, name, won, left, height) {
  const ground = height - 84;
  TYPES.forEach((tower, i) => {
    const x = left + 15 + i * 55;
    const [wall, ink, ledge] = PAINT[tower];
    player.towers[tower].forEach((value, at) => {
      const y = ground - (at + 1) * STOREY;
      if (value === 0) {
        brush.fillStyle = wall;
        brush.beginPath();
        brush.moveTo(x - 2, y + STOREY);
        brush.lineTo(x + 25, y - 8);
        brush.lineTo(x + 52, y + STOREY);
        brush.fill();
        brush.strokeStyle = ledge;
        brush.stroke();
      } else {
        fill(wall, x, y, 50, STOREY);
        fill(ledge, x - 1, y, 52, 4);
      }
      write(value, ink, 16, x + 25, y + STOREY - 3);
    });
    fill(ledge, x, ground, 50, 3);
  });
  write(`${name} · ${signed(player.score.total)}`, won ? '#ffcb5c' : '#f1f2ff', 24, left + SIDE / 2, height - 36, SIDE - 20, 700);
}
