// A line chart for reviews and the book, in the style of the points chart.

import { h } from '../dom.js';
import { COLORS, DASHES, legend } from './chart.js';

const WIDTH = 320;
const HEIGHT = 150;

/**
 * @param {object} what
 * @param {string} what.title
 * @param {string[]} what.names names of the lines
 * @param {[number, number | undefined][][]} what.lines points of each line as position and value; no value makes a gap
 * @param {number} what.last the last position
 * @param {number} [what.here] the marked position
 * @param {string[]} [what.values] values of the lines at the marked position
 * @param {(event: import('../props.js').EventAt<'svg', MouseEvent>) => void} [what.tap]
 * @param {import('../dom.js').Child} [what.below]
 */
export function plot({ title, names, lines, last, here, values, tap, below }) {
  const all = lines.flat().flatMap(([, value]) => value ?? []);
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const x = (/** @type {number} */ place) => ((place / Math.max(1, last)) * WIDTH).toFixed(1);
  const y = (/** @type {number} */ value) => (HEIGHT - ((value - low) / (high - low)) * HEIGHT).toFixed(1);
  return h(
    'figure',
    { class: 'points', key: 'plot' },
    h(
      'svg',
      {
        viewBox: `-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`,
        role: 'img',
        'aria-label': values ? `${title}: ${names.map((name, at) => `${name} ${values[at]}`).join(', ')}` : title,
        onclick: tap,
        preserveAspectRatio: 'none',
      },
      h('path', { class: 'zero', d: `M0 ${y(0)}H${WIDTH}` }),
      lines.map((line, at) =>
        h('path', {
          key: at,
          class: 'line',
          stroke: COLORS[at % COLORS.length],
          'stroke-dasharray': DASHES[at % DASHES.length],
          'stroke-linecap': 'round',
          // A single value between two gaps is a dot.
          d: line
            .map(([place, value], i) =>
              value === undefined
                ? ''
                : `${line[i - 1]?.[1] === undefined ? `M${x(place)} ${y(value)}` : ''}L${x(place)} ${y(value)}`,
            )
            .join(''),
        }),
      ),
      here === undefined ? null : h('path', { class: 'here', d: `M${x(here)} -4V${HEIGHT + 4}` }),
    ),
    h('figcaption', null, legend(names.map((name, at) => ({ name, value: values?.[at] }))), below),
  );
}
