// The end as a picture to keep: everybody's skyline, names and points, painted in the colours of the table.

import { listed, signed, t } from '../../i18n.js';
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
const FONT = 'system-ui, sans-serif';
const SIDE = 300;
const STOREY = 24;

/** @param {View} view @returns {Promise<Blob | null>} */
export function picture(view) {
  /** @type {Table} */
  const table = view.table;
  const tallest = Math.max(...table.players.flatMap((player) => TYPES.map((tower) => player.towers[tower].length)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(2, table.players.length) * SIDE + 40;
  canvas.height = 230 + Math.max(6, tallest) * STOREY;
  const brush = canvas.getContext('2d');
  if (!brush) return Promise.resolve(null);
  const sky = brush.createLinearGradient(0, 0, 0, canvas.height);
  sky.addColorStop(0, '#090d28');
  sky.addColorStop(1, '#33285f');
  brush.fillStyle = sky;
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.textAlign = 'center';
  const winners = table.outcome?.winners ?? [];
  const names = listed(winners.map((seat) => nameOf(view.known, seat)));
  brush.fillStyle = '#ffcb5c';
  brush.font = `800 40px ${FONT}`;
  brush.fillText(t(winners.length > 1 ? 'towers.say.shared' : 'towers.say.wins', { name: names }), canvas.width / 2, 64, canvas.width - 40);
  const left = (canvas.width - table.players.length * SIDE) / 2;
  table.players.forEach((player, i) => side(brush, player, nameOf(view.known, player.seat), winners.includes(player.seat), left + i * SIDE, canvas.height));
  return new Promise((done) => {
    canvas.toBlob(done, 'image/png');
  });
}

/**
 * @param {CanvasRenderingContext2D} brush
 * @param {Player} player
 * @param {string} name
 * @param {boolean} won
 * @param {number} left
 * @param {number} height
 */
function side(brush, player, name, won, left, height) {
  const ground = height - 84;
  TYPES.forEach((tower, i) => {
    const x = left + 15 + i * 55;
    const [wall, ink, ledge] = PAINT[tower];
    player.towers[tower].forEach((value, at) => {
      const y = ground - (at + 1) * STOREY;
      brush.fillStyle = wall;
      if (value === 0) {
        brush.beginPath();
        brush.moveTo(x - 2, y + STOREY);
        brush.lineTo(x + 25, y - 8);
        brush.lineTo(x + 52, y + STOREY);
        brush.fill();
        brush.strokeStyle = ledge;
        brush.stroke();
      } else {
        brush.fillRect(x, y, 50, STOREY);
        brush.fillStyle = ledge;
        brush.fillRect(x - 1, y, 52, 4);
      }
      brush.fillStyle = ink;
      brush.font = `800 16px ${FONT}`;
      brush.fillText(String(value), x + 25, y + STOREY - 3);
    });
    brush.fillStyle = ledge;
    brush.fillRect(x, ground, 50, 3);
  });
  brush.fillStyle = won ? '#ffcb5c' : '#f1f2ff';
  brush.font = `700 24px ${FONT}`;
  brush.fillText(`${name} · ${signed(player.score.total)}`, left + SIDE / 2, height - 36, SIDE - 20);
}
