// The coach of Qwantum: its words and highlights at each step.

import { t } from '../../i18n.js';
import { hasClass } from '../../lesson/coach.js';
import { YOU } from '../../lesson/scripted-server.js';
import { Lesson } from './lesson.js';
import { faceName } from './pieces.js';

/** @typedef {import('../../dom.js').Node_} Node_ */
/** @typedef {import('./types.js').View} View */

/** What to do, and why. @param {View} view @param {import('./script.js').Step} step */
export function words(view, step) {
  const table = view.table;
  const { act } = step;
  const total = act?.type === 'enter' ? faceName({ color: act.row, value: table.totals?.[act.row] ?? 0 }) : '';
  return [
    t(`lesson.qwantum.${step.say}`, {
      total,
      roll: t('qwantum.roll'),
      keep: t('qwantum.keep'),
      skip: t('qwantum.skip'),
      again: t('qwantum.again', { count: 1 }),
    }),
    t(`lesson.qwantum.${step.why}.why`, { count: table.players[YOU].score.total }),
  ];
}

/**
 * Which parts of the table to highlight at this step.
 * @param {View} view
 * @param {Lesson} lesson
 * @returns {(node: Node_) => boolean}
 */
export function points(view, lesson) {
  const { act, shows } = lesson.step;
  const choice = view.ui.choice;
  if (shows) return (node) => hasClass(node, 'own') && hasClass(node, 'feet');
  if (act?.type === 'reroll') {
    // Dice that are marked wrongly.
    const wrong = [0, 1, 2, 3, 4, 5, 6].filter((die) => act.dice.includes(die) !== choice.again.includes(die));
    return wrong.length
      ? (node) => hasClass(node, 'slot') && wrong.includes(Number(node.key))
      : (node) => node.key === 'reroll';
  }
  if (act?.type === 'enter')
    return choice.row === act.row
      ? (node) => node.key === 'enter'
      : (node) => hasClass(node, 'lane') && hasClass(node, 'lit') && node.key === act.row;
  return (node) => node.tag === 'button' && node.key === act?.type;
}

export { Lesson };
