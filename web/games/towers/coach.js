// The coach of Five Towers: its words and highlights at each step.

import { t, formatList } from '../../i18n.js';
import { hasClass } from '../../lesson/coach.js';
import { YOU } from '../../lesson/scripted-server.js';
import { cardName, keyOf } from './cards.js';
import { Lesson, takeReady } from './lesson.js';

/** @typedef {import('../../dom.js').Node_} Node_ */
/** @typedef {import('./types.js').View} View */

/** Keeps a card's number on the line of its name. @param {import('./wire.js').Card} card */
const unbroken = (card) => cardName(card).replaceAll(' ', '\u00a0');

/** What to do, and why. @param {View} view @param {import('./script.js').Step} step */
export function words(view, step) {
  const table = view.table;
  return [
    t(`lesson.towers.${step.say}`, {
      count: step.bid ?? 0,
      cards: formatList((step.take ?? []).map(unbroken)),
      finish: t('towers.finish'),
      demolish: t('towers.demolish'),
      tower: step.demolish ? t(`towers.type.${step.demolish}`) : '',
    }),
    t(`lesson.towers.${step.why}.why`, { count: table.players[YOU].score.total }),
  ];
}

/**
 * Which parts of the table to highlight at this step.
 * @param {View} view
 * @param {Lesson} lesson
 * @returns {(node: Node_) => boolean}
 */
export function points(view, lesson) {
  const { step } = lesson;
  if (step.tells) return () => false;
  const table = view.table;
  const { picked, lifted, wrecking } = view.ui.choice;
  /** @param {Node_} node @param {import('./wire.js').Card[]} cards */
  const isCard = (node, cards) =>
    'data-card' in node.props && cards.some((card) => keyOf(card) === node.props['data-fly']);
  if (step.bid === null) return (node) => hasClass(node, 'pass');
  if (step.bid !== undefined) return (node) => hasClass(node, 'number') && node.key === String(step.bid);
  if (step.take) {
    const { take } = step;
    if (
      takeReady(
        view.actions,
        picked.map((at) => table.row[at]),
        take,
      )
    )
      return (node) => hasClass(node, 'main');
    return (node) => isCard(node, take) && !hasClass(node, 'lifted');
  }
  if (step.demolish)
    return wrecking ? (node) => node.props['data-tower'] === step.demolish : (node) => node.key === 'demolish';
  if (step.place) {
    const { place } = step;
    if (lifted)
      return (node) => isCard(node, [lifted]) || node.props['data-tower'] === lifted.tower || node.key === 'place';
    return (node) => isCard(node, place) && hasClass(node, 'lit');
  }
  return (node) => hasClass(node, 'main');
}

export { Lesson };
