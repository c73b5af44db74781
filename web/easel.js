// Pictures to keep: a canvas with the evening sky to paint the end of a game on. It knows no game.

const FONT = 'system-ui, sans-serif';

/**
 * A sky to paint on, with the winner's line above.
 * @param {number} width
 * @param {number} height
 * @param {string} line
 */
export function easel(width, height, line) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const brush = canvas.getContext('2d');
  if (!brush) return null;
  const sky = brush.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, '#090d28');
  sky.addColorStop(1, '#33285f');
  /** @param {string | CanvasGradient} style @param {number} x @param {number} y @param {number} wide @param {number} tall */
  const fill = (style, x, y, wide, tall) => {
    brush.fillStyle = style;
    brush.fillRect(x, y, wide, tall);
  };
  /** @param {string | number} text @param {string} ink @param {number} size @param {number} x @param {number} y @param {number} [most] @param {number} [weight] */
  const write = (text, ink, size, x, y, most, weight = 800) => {
    brush.fillStyle = ink;
    brush.font = `${weight} ${size}px ${FONT}`;
    brush.fillText(String(text), x, y, most);
  };
  fill(sky, 0, 0, width, height);
  brush.textAlign = 'center';
  write(line, '#ffcb5c', 40, width / 2, 64, width - 40);
  /** @returns {Promise<Blob | null>} */
  const done = () => new Promise((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  return { brush, fill, write, done };
}
