// The chart of all players' points by moment. A tap goes to a moment. Lines differ in dash as well as in colour.

import { h } from '../dom.js';
import { formatSigned, t } from '../i18n.js';
import { nameOf } from '../session/room-state.js';

/** @typedef {import('../view.js').View} View */

const WIDTH = 320;
const HEIGHT = 150;
export const COLORS = ['#ffcb5c', '#7fd1ff', '#ff9ccb', '#8fe3a4', '#c9b6ff'];
export const DASHES = ['', '7 4', '2 4', '10 3 2 3', '4 2'];

/**
 * The totals of each player by moment.
 * @param {import('./moments.js').Moment[]} past
 * @returns {number[][]}
 */
export const totals = (past) =>
  (past[0]?.table.players ?? []).map((_, seat) => past.map(({ table }) => table.players[seat].score.total));

/** @param {View} view */
export function chart(view) {
  const { ui } = view;
  const past = ui.past ?? [];
  const lines = totals(past);
  const all = lines.flat();
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const last = Math.max(1, past.length - 1);
  const x = (/** @type {number} */ at) => (at / last) * WIDTH;
  const y = (/** @type {number} */ value) => HEIGHT - ((value - low) / (high - low)) * HEIGHT;
  const at = ui.moment ?? 0;
  const said = lines.map((line, seat) => `${nameOf(view.known, seat)} ${formatSigned(line[at] ?? 0)}`).join(', ');
  return h(
    'figure',
    { class: 'points', key: 'points' },
    h(
      'svg',
      {
        viewBox: `-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`,
        role: 'img',
        'aria-label': `${t('replay.chart')}: ${said}`,
        onclick: tapped(view),
        preserveAspectRatio: 'none',
      },
      h('path', { class: 'zero', d: `M0 ${y(0)}H${WIDTH}` }),
      lines.map((line, seat) =>
        h('path', {
          key: seat,
          class: 'line',
          d: line.map((value, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(''),
          stroke: COLORS[seat % COLORS.length],
          'stroke-dasharray': DASHES[seat % DASHES.length],
        }),
      ),
      h('path', { class: 'here', d: `M${x(at)} -4V${HEIGHT + 4}` }),
    ),
    h(
      'figcaption',
      null,
      legend(lines.map((line, seat) => ({ name: nameOf(view.known, seat), value: formatSigned(line[at] ?? 0) }))),
      h('small', null, t('replay.chart.hint')),
    ),
  );
}

/**
 * Goes to the tapped moment.
 * @param {View} view
 * @returns {(event: import('../props.js').EventAt<'svg', MouseEvent>) => void}
 */
export const tapped =
  ({ ui, commands }) =>
  (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    commands.goToMoment(
      Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * ((ui.past?.length ?? 1) - 1)),
    );
  };

/** The names of the lines. @param {{name: string, value?: string}[]} lines */
export const legend = (lines) =>
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
          h('path', {
            class: 'line',
            d: 'M0 4H28',
            stroke: COLORS[at % COLORS.length],
            'stroke-dasharray': DASHES[at % DASHES.length],
          }),
        ),
        h('span', { class: 'name', dir: 'auto' }, name),
        value === undefined ? null : h('b', null, value),
      ),
    ),
  );
