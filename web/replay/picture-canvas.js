// A canvas for the picture of the end of a game. It knows no game.

import { gameName, language } from '../i18n.js';
import { lineStyle, scale, totals } from './chart.js';

const FONT = 'system-ui, sans-serif';

/** Height of the chart. */
const CHART = 200;

/**
 * Creates a canvas with the winner at the top, the game and the date below, and a chart of the points at the bottom if
 * the moments are known.
 * @param {number} width
 * @param {number} height height of the game's own part
 * @param {string} line
 * @param {import('./moments.js').Moment[] | null} past
 * @param {string[]} names names of the players, in seat order
 * @param {string} game id of the game
 */
export function pictureCanvas(width, height, line, past, names, game) {
  const canvas = document.createElement('canvas');
  const whole = past ? height + CHART : height;
  canvas.width = width;
  canvas.height = whole;
  const brush = canvas.getContext('2d');
  if (!brush) return null;
  const sky = brush.createLinearGradient(0, 0, 0, whole);
  sky.addColorStop(0, '#090d28');
  sky.addColorStop(1, '#33285f');
  /**
   * @param {string | CanvasGradient | CanvasPattern} style
   * @param {number} x
   * @param {number} y
   * @param {number} wide
   * @param {number} tall
   */
  const fill = (style, x, y, wide, tall) => {
    brush.fillStyle = style;
    brush.fillRect(x, y, wide, tall);
  };
  /**
   * @param {string | number} text
   * @param {string} ink
   * @param {number} size
   * @param {number} x
   * @param {number} y
   * @param {number} [most]
   * @param {number} [weight]
   */
  const write = (text, ink, size, x, y, most, weight = 800) => {
    brush.fillStyle = ink;
    brush.font = `${weight} ${size}px ${FONT}`;
    brush.fillText(String(text), x, y, most);
  };
  fill(sky, 0, 0, width, whole);
  brush.textAlign = 'center';
  write(line, '#ffcb5c', 40, width / 2, 60, width - 40);
  const day = new Date(past?.at(-1)?.at ?? Date.now()).toLocaleDateString(language(), { dateStyle: 'long' });
  write(`${gameName(game)} · ${day}`, '#b3b9de', 20, width / 2, 94, width - 40, 600);
  if (past) {
    plot(brush, totals(past), 30, height, width - 60, CHART - 60);
    const wide = (width - 60) / names.length;
    names.forEach((name, seat) =>
      write(name, lineStyle(seat).stroke, 18, 30 + wide * (seat + 0.5), whole - 22, wide - 10, 700),
    );
  }
  /** @returns {Promise<Blob | null>} */
  const done = () =>
    new Promise((resolve) => {
      canvas.toBlob(resolve, 'image/png');
    });
  return { brush, fill, write, done };
}

/**
 * Draws everybody's points over time, each line with a dot at its end.
 * @param {CanvasRenderingContext2D} brush
 * @param {number[][]} lines
 * @param {number} left
 * @param {number} top
 * @param {number} wide
 * @param {number} tall
 */
function plot(brush, lines, left, top, wide, tall) {
  const last = lines[0].length - 1;
  const { x, y } = scale(lines.flat(), last, wide, tall);
  brush.strokeStyle = '#5a5f96';
  brush.lineWidth = 1;
  brush.strokeRect(left, top + y(0), wide, 0);
  lines.forEach((line, seat) => {
    const { stroke, 'stroke-dasharray': dashes } = lineStyle(seat);
    brush.strokeStyle = brush.fillStyle = stroke;
    brush.lineWidth = 3;
    brush.setLineDash(dashes.split(' ').filter(Boolean).map(Number));
    brush.beginPath();
    line.forEach((value, at) => brush.lineTo(left + x(at), top + y(value)));
    brush.stroke();
    brush.setLineDash([]);
    brush.beginPath();
    brush.arc(left + x(last), top + y(line[last]), 6, 0, 7);
    brush.fill();
  });
}
