// Line charts of past games: everybody's points by moment, the chances of a review, the points in a book. Lines differ
// in dash as well as in colour.

import { h } from '../dom.js';
import { formatSigned, t } from '../i18n.js';
import { nameOf } from '../session/room-state.js';

/** @typedef {import('../view.js').View} View */
/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} [value] the value at the shown moment
 * @property {[number, number | undefined][]} points positions and values; no value makes a gap
 */

const WIDTH = 320;
const HEIGHT = 150;
const COLORS = ['#ffcb5c', '#7fd1ff', '#ff9ccb', '#8fe3a4', '#c9b6ff'];
const DASHES = ['', '7 4', '2 4', '10 3 2 3', '4 2'];

/** The colour and the dashes of a line. @param {number} at */
export const lineStyle = (at) => ({
  stroke: COLORS[at % COLORS.length],
  'stroke-dasharray': DASHES[at % DASHES.length],
});

/**
 * Scales positions from 0 to `last` to a width, and values to a height. Zero is always within the height.
 * @param {number[]} values
 * @param {number} last
 * @param {number} width
 * @param {number} height
 */
export function scale(values, last, width, height) {
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  return {
    x: (/** @type {number} */ at) => (at / Math.max(1, last)) * width,
    y: (/** @type {number} */ value) => height - ((value - low) / (high - low)) * height,
  };
}

/**
 * The totals of each player by moment.
 * @param {import('./moments.js').Moment[]} past
 * @returns {number[][]}
 */
export const totals = (past) =>
  (past[0]?.table.players ?? []).map((_, seat) => past.map(({ table }) => table.players[seat].score.total));

/** The points of all players by moment. @param {View} view */
export const pointsChart = (view) =>
  chart(
    t('replay.chart'),
    totals(view.ui.past ?? []).map((line, seat) => ({
      name: nameOf(view.known, seat),
      value: formatSigned(line[view.ui.moment ?? 0] ?? 0),
      points: [...line.entries()],
    })),
    view,
  );

/**
 * A chart with a legend. In a replay the positions are moments: the shown one is marked, and a tap goes to a moment.
 * @param {string} title
 * @param {Line[]} lines
 * @param {View | null} view the replay
 * @param {'round'} [ends] makes a single value between two gaps a dot
 */
export function chart(title, lines, view, ends) {
  const last = (view ? (view.ui.past ?? []) : lines[0].points).length - 1;
  const values = lines.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  const { x, y } = scale(values, last, WIDTH, HEIGHT);
  return h(
    'figure',
    { class: 'points', key: 'points' },
    h(
      'svg',
      {
        viewBox: `-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`,
        role: 'img',
        'aria-label': view ? `${title}: ${lines.map(({ name, value }) => `${name} ${value}`).join(', ')}` : title,
        onclick: view
          ? (event) => {
              const box = event.currentTarget.getBoundingClientRect();
              view.commands.goToMoment(
                Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * last),
              );
            }
          : undefined,
        preserveAspectRatio: 'none',
      },
      h('path', { class: 'zero', d: `M0 ${y(0)}H${WIDTH}` }),
      lines.map(({ points }, at) =>
        h('path', {
          key: at,
          class: 'line',
          ...lineStyle(at),
          'stroke-linecap': ends,
          d: points
            .map(([place, value], i) => {
              if (value === undefined) return '';
              const point = `${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
              return `${points[i - 1]?.[1] === undefined ? `M${point}` : ''}L${point}`;
            })
            .join(''),
        }),
      ),
      view && h('path', { class: 'here', d: `M${x(view.ui.moment ?? 0)} -4V${HEIGHT + 4}` }),
    ),
    h(
      'figcaption',
      null,
      h(
        'ul',
        { class: 'legend' },
        lines.map(({ name, value }, at) =>
          h(
            'li',
            { key: at },
            h(
              'svg',
              { viewBox: '0 0 28 8', 'aria-hidden': 'true' },
              h('path', { class: 'line', d: 'M0 4H28', ...lineStyle(at) }),
            ),
            h('span', { class: 'name', dir: 'auto' }, name),
            value && h('b', null, value),
          ),
        ),
      ),
      view && h('small', null, t('replay.chart.hint')),
    ),
  );
}
