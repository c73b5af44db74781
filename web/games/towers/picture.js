// The picture of the end: everybody's skyline, names and points.

import { formatSigned } from '../../i18n.js';
import { pictureCanvas } from '../../replay/picture-canvas.js';
import { winnerText } from '../winner-text.js';
import { nameOf } from '../../session/room-state.js';
import { TYPES } from './cards.js';

/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('./types.js').View} View */

/** Colours as in the stylesheet: wall, text and ledge. */
const PAINT = {
  candy: ['#ff9ccb', '#1d1a2b', '#fff6fb'],
  spooky: ['#3d2476', '#fff', '#9c83e6'],
  tree: ['#23804f', '#fff', '#52b583'],
  scrap: ['#6b7280', '#fff', '#aab2bf'],
  sand: ['#ffd84d', '#1d1a2b', '#fff3bf'],
};
const SIDE = 300;
const WIDE = 50;
const STOREY = 28;

/**
 * @typedef {{window: HTMLImageElement, roof: HTMLImageElement, ledge: HTMLImageElement, wall: HTMLImageElement | null}}
 *   Look
 */

/** The drawings of the stylesheet. @returns {Promise<Record<import('./wire.js').TowerType, Look>>} */
async function looks() {
  const pairs = await Promise.all(
    TYPES.map(async (tower) => {
      const model = Object.assign(document.createElement('i'), { className: tower, hidden: true });
      document.body.append(model);
      const style = getComputedStyle(model);
      const drawn = (/** @type {string} */ part) =>
        loaded(/url\("data:image\/svg\+xml,([^"]+)"\)/.exec(style.getPropertyValue(`--${part}`))?.[1]);
      const coming = ['window', 'roof', 'ledge', 'wall'].map(drawn);
      model.remove();
      const [window, roof, ledge, wall] = await Promise.all(coming);
      return [tower, { window, roof, ledge, wall }];
    }),
  );
  return Object.fromEntries(pairs);
}

/** Loads an SVG. Some browsers need an explicit size. @param {string | undefined} text content of a data URL */
async function loaded(text) {
  if (!text) return null;
  const svg = decodeURIComponent(text);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(/^<svg[^>]* width=/.test(svg) ? svg : svg.replace('<svg ', "<svg width='140' height='140' "))}`;
  await image.decode();
  return image;
}

/** @param {View} view @returns {Promise<Blob | null>} */
export async function picture(view) {
  const table = view.table;
  const tallest = Math.max(...table.players.flatMap((player) => TYPES.map((tower) => player.towers[tower].length)));
  const width = Math.max(2, table.players.length) * SIDE + 40;
  const height = 260 + Math.max(6, tallest) * STOREY;
  const winners = table.outcome?.winners ?? [];
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  const paint = pictureCanvas(
    width,
    height,
    winnerText(winners, name),
    view.ui.past,
    table.players.map(({ seat }) => name(seat)),
    view.game,
  );
  if (!paint) return null;
  const drawn = await looks();
  const left = (width - table.players.length * SIDE) / 2;
  table.players.forEach((player, i) =>
    side(paint, drawn, player, name(player.seat), winners.includes(player.seat), left + i * SIDE, height),
  );
  return paint.done();
}

/**
 * @param {NonNullable<ReturnType<typeof pictureCanvas>>} paint
 * @param {Awaited<ReturnType<typeof looks>>} drawn
 * @param {Player} player
 * @param {string} name
 * @param {boolean} won
 * @param {number} left
 * @param {number} height
 */
function side(paint, drawn, player, name, won, left, height) {
  const ground = height - 84;
  TYPES.forEach((tower, i) => {
    const x = left + 15 + i * 55;
    const [wall, ink, ledge] = PAINT[tower];
    const look = drawn[tower];
    player.towers[tower].forEach((value, at) => {
      const y = ground - (at + 1) * STOREY;
      if (value === 0) {
        paint.brush.drawImage(look.roof, x - 2, y - 10, WIDE + 4, STOREY + 10);
        paint.brush.lineWidth = 4;
        paint.brush.strokeStyle = wall;
        paint.brush.strokeText('0', x + WIDE / 2, y + STOREY - 4);
      } else {
        storey(paint, look, tower, wall, x, y);
        paint.fill(wall, x + 14, y + 7, 22, 19);
      }
      paint.write(value, ink, 16, x + WIDE / 2, y + STOREY - 5);
    });
    paint.fill(ledge, x, ground, WIDE, 3);
  });
  paint.write(
    `${name} · ${formatSigned(player.score.total)}`,
    won ? '#ffcb5c' : '#f1f2ff',
    24,
    left + SIDE / 2,
    height - 36,
    SIDE - 20,
    700,
  );
}

/**
 * A wall, two windows and the ledge over them.
 * @param {NonNullable<ReturnType<typeof pictureCanvas>>} paint
 * @param {Look} look
 * @param {string} tower
 * @param {string} wall
 * @param {number} x
 * @param {number} y
 */
function storey({ brush, fill }, look, tower, wall, x, y) {
  fill(wall, x, y, WIDE, STOREY);
  brush.save();
  brush.translate(x, y);
  /** @param {HTMLImageElement | null} image @param {number} tall */
  const tile = (image, tall) => {
    const pattern = image && brush.createPattern(image, 'repeat');
    if (pattern) fill(pattern, 0, 0, WIDE, tall);
  };
  tile(look.wall, STOREY);
  if (tower === 'candy') for (let at = 0; at < WIDE; at += 17) fill('#ffffff61', at, 0, 7, STOREY);
  if (tower === 'tree') for (const at of [0, WIDE - 6]) fill('#6b431f', at, 0, 6, STOREY);
  if (tower === 'scrap') for (let at = 0; at < WIDE; at += 8) fill('#ffffff38', at, 0, 1.5, STOREY);
  for (const at of tower === 'tree' ? [6, WIDE - 14] : [2, WIDE - 11]) brush.drawImage(look.window, at, 10, 9, 14);
  tile(look.ledge, 6);
  brush.restore();
}
