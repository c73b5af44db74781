// What the coach of Qwantum says, and what glows at each step.

import { t } from '../../i18n.js';
import { is } from '../../lesson/coach.js';
import { YOU } from '../../lesson/line.js';
import { Lesson } from './lesson.js';
import { faceName } from './pieces.js';

/** @typedef {import('./choice.js').Choice} Choice */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('../../dom.js').Node_} Node_ */
/** @typedef {import('../../view.js').View} View */

/** What to do, and why. @param {View} view @param {import('./script.js').Step} step */
export function words(view, step) {
  /** @type {Table} */
  const table = view.table;
  const total = step.row ? faceName({ color: step.row, value: table.totals?.[step.row] ?? 0 }) : '';
  return [
    t(`lesson.qwantum.${step.say}`, { total, roll: t('qwantum.roll'), keep: t('qwantum.keep'), skip: t('qwantum.skip'), again: t('qwantum.again', { count: 1 }) }),
    t(`lesson.qwantum.${step.why}.why`, { count: table.players[YOU].score.total }),
  ];
}

/**
 * Which parts of the table the step is about, as it stands now.
 * @param {View} view
 * @param {Lesson} lesson
 * @returns {(node: Node_) => boolean}
 */
export function points(view, lesson) {
  const { act, again = [], row, shows } = lesson.step;
  /** @type {Choice} */
  const choice = view.ui.choice;
  if (shows) return (node) => is(node, 'own') && is(node, 'feet');
  if (act === 'reroll') {
    // Dice that are to be let go and are not, or the other way round.
    const wrong = [0, 1, 2, 3, 4, 5, 6].filter((die) => again.includes(die) !== choice.again.includes(die));
    return wrong.length ? (node) => is(node, 'slot') && wrong.includes(Number(node.key)) : (node) => node.key === 'reroll';
  }
  if (act === 'enter') return choice.row === row ? (node) => node.key === 'enter' : (node) => is(node, 'lane') && is(node, 'lit') && node.key === row;
  return (node) => node.tag === 'button' && node.key === act;
}

export { Lesson };
