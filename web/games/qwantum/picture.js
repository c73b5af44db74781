// The picture of the end: everybody's sheet, names and points.

import { pictureCanvas } from '../../replay/picture-canvas.js';
import { formatSigned } from '../../i18n.js';
import { winnerText } from '../winner-text.js';
import { nameOf } from '../../session/room-state.js';
import { ROWS } from './pieces.js';

/** @typedef {import('./types.js').View} View */

/** Colours as in the stylesheet: background and text. */
const PAINT = {
  violet: ['#6a35b8', '#fff'],
  blue: ['#62b8fa', '#1d1a2b'],
  red: ['#b8202f', '#fff'],
  yellow: ['#f7b500', '#1d1a2b'],
};
const SIDE = 330;
const CELL = 46;
const HEIGHT = 450;

/** @param {View} view @returns {Promise<Blob | null>} */
export function picture(view) {
  const table = view.table;
  const winners = table.outcome?.winners ?? [];
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  const paint = pictureCanvas(
    table.players.length * SIDE + 30,
    HEIGHT,
    winnerText(winners, name),
    view.ui.past,
    table.players.map(({ seat }) => name(seat)),
    view.game,
  );
  if (!paint) return Promise.resolve(null);
  const { fill, write } = paint;
  table.players.forEach((player, i) => {
    const left = 30 + i * SIDE;
    /** Cells from the fifth on are beyond the thick line. @param {number} at */
    const x = (at) => left + at * (CELL + 3) + (at > 3 ? 6 : 0);
    ROWS.forEach((row, down) => {
      const y = 124 + down * (CELL + 3);
      for (let at = 0; at < 6; at++) {
        const value = player.rows[row][at];
        fill(value === undefined ? '#2c3060' : PAINT[row][0], x(at), y, CELL, CELL);
        if (value !== undefined) write(value, PAINT[row][1], 22, x(at) + CELL / 2, y + 31, CELL);
      }
    });
    fill('#f1f2ff', x(4) - 6, 120, 3, CELL * 4 + 17);
    player.score.columns.forEach((value, at) => write(value ?? '–', '#f1f2ff', 20, x(at) + CELL / 2, 350, CELL));
    write(
      `${name(player.seat)} · ${formatSigned(player.score.total)}`,
      winners.includes(player.seat) ? '#ffcb5c' : '#f1f2ff',
      24,
      left + SIDE / 2 - 16,
      408,
      SIDE - 30,
    );
  });
  return paint.done();
}
