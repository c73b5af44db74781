// The points of everyone, moment by moment, as lines that can be tapped. Lines differ in dash as well as in colour.

import { h } from '../dom.js';
import { language, signed, t } from '../i18n.js';
import { nameOf } from '../store.js';

/** @typedef {import('../view.js').View} View */

const WIDTH = 320;
const HEIGHT = 150;
export const COLORS = ['#ffcb5c', '#7fd1ff', '#ff9ccb', '#8fe3a4', '#c9b6ff'];
export const DASHES = ['', '7 4', '2 4', '10 3 2 3', '4 2'];

/** The totals of each player by moment. @param {import('./moments.js').Moment[]} past @returns {number[][]} */
export const totals = (past) => (past[0]?.table.players ?? []).map((/** @type {any} */ _, /** @type {number} */ seat) => past.map(({ table }) => table.players[seat].score.total));

/** A chance, from thousandths. @param {number} thousandths @param {Intl.NumberFormatOptions} [how] */
export const percent = (thousandths, how = {}) => new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 0, ...how }).format(thousandths / 1000).replace('-', '−');

/** @param {View} view */
export const chart = (view) => plot(view, { title: t('replay.chart'), lines: totals(view.ui.past ?? []).map((line) => line.map((value, at) => [at, value])), says: signed });

/**
 * A line of points for each player, in seat order.
 * @param {View} view
 * @param {{title: string, lines: [number, number][][], says: (value: number) => string}} what at which moment, how much; and how that is said
 */
export function plot(view, { title, lines, says }) {
  const { ui, acts } = view;
  const past = ui.past ?? [];
  const all = lines.flat().map(([, value]) => value);
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const last = Math.max(1, past.length - 1);
  const x = (/** @type {number} */ at) => (at / last) * WIDTH;
  const y = (/** @type {number} */ value) => HEIGHT - ((value - low) / (high - low)) * HEIGHT;
  const at = ui.moment ?? 0;
  // What was last known at that moment.
  const now = (/** @type {[number, number][]} */ line) => says((line.findLast(([moment]) => moment <= at) ?? line[0])?.[1] ?? 0);
  /** @param {MouseEvent} event */
  const tap = (event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    acts.show({ moment: Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (past.length - 1)), playing: false });
  };
  const said = lines.map((line, seat) => `${nameOf(view.known, seat)} ${now(line)}`).join(', ');
  return h('figure', { class: 'points', key: 'points' },
    h('svg', { viewBox: `-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`, role: 'img', 'aria-label': `${title}: ${said}`, onclick: tap, preserveAspectRatio: 'none' },
      h('path', { class: 'zero', d: `M0 ${y(0)}H${WIDTH}` }),
      lines.map((line, seat) => h('path', {
        key: seat, class: 'line', d: line.map(([moment, value], i) => `${i ? 'L' : 'M'}${x(moment).toFixed(1)} ${y(value).toFixed(1)}`).join(''), stroke: COLORS[seat % COLORS.length], 'stroke-dasharray': DASHES[seat % DASHES.length],
      })),
      h('path', { class: 'here', d: `M${x(at)} -4V${HEIGHT + 4}` })),
    h('figcaption', null, legend(lines.map((line, seat) => ({ name: nameOf(view.known, seat), value: now(line) }))), h('small', null, t('replay.chart.hint'))));
}

/** Whose line is which. @param {{name: string, value?: string}[]} lines */
export const legend = (lines) => h('ul', { class: 'legend' }, lines.map(({ name, value }, at) => h('li', { key: at },
  h('svg', { viewBox: '0 0 28 8', 'aria-hidden': 'true' }, h('path', { class: 'line', d: 'M0 4H28', stroke: COLORS[at % COLORS.length], 'stroke-dasharray': DASHES[at % DASHES.length] })),
  h('span', { class: 'name', dir: 'auto' }, name), value === undefined ? null : h('b', null, value))));
