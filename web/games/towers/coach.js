// The lesson on the screen: the ordinary table, a coach who says what to do and why, and a glow on where to do it.

import { h, classes } from '../../dom.js';
import { t, listed } from '../../i18n.js';
import { iconButton } from '../../icons.js';
import { sentenceOn } from '../../screens/say.js';
import { cardName, keyOf } from './cards.js';
import { face } from './index.js';
import { YOU, steps, takeReady } from './lesson.js';

/** @typedef {import('./choice.js').Choice} Choice */
/** @typedef {import('./lesson.js').Lesson} Lesson */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('../../dom.js').Child} Child */
/** @typedef {import('../../dom.js').Node_} Node_ */
/** @typedef {import('../../view.js').View} View */

/** @param {View} view @param {Lesson} lesson */
export function coach(view, lesson) {
  const { step, at } = lesson;
  const asked = view.actions.length > 0;
  const points = asked ? pointer(view, lesson) : () => false;
  return h('main', { class: classes('game', 'lesson', view.wide && 'wide', asked && 'asked'), key: 'lesson' },
    h('header', { class: 'status' },
      h('h1', { class: 'say' }, h('button', { type: 'button', onclick: () => view.acts.open({ name: 'piles' }) },
        sentenceOn(step.tells ? t('front.guide') : face.sentence(view)), h('small', null, face.standing(view)))),
      iconButton('close', t('lesson.leave'), () => view.acts.go(null))),
    h('section', { class: 'coach', 'aria-label': t('front.guide') },
      h('div', { 'aria-live': 'polite' }, h('p', { class: 'do' }, whatToDo(step)), h('p', null, why(view, step))),
      h('progress', { max: steps.length, value: at + 1, 'aria-label': t('lesson.step', { at: at + 1, of: steps.length }) })),
    h('div', { class: 'board' }, glow(face.board(view), points)),
    h('footer', { class: 'bar' }, step.tells ? onward(view, lesson)
      : glow(face.bar(view), points) ?? h('p', { class: 'note', key: 'idle' }, face.idle(view))));
}

/** A card's number stays on the line of its name. @param {import('./wire.js').Card} card */
const unbroken = (card) => cardName(card).replaceAll(' ', '\u00a0');

/** @param {import('./script.js').Step} step */
function whatToDo(step) {
  return t(`lesson.${step.say}`, {
    count: step.bid ?? 0, cards: listed((step.take ?? []).map(unbroken)), finish: t('towers.finish'), demolish: t('towers.demolish'),
    tower: step.demolish ? t(`towers.type.${step.demolish}`) : '',
  });
}

/** @param {View} view @param {import('./script.js').Step} step */
function why(view, step) {
  /** @type {Table} */
  const table = view.table;
  return t(`lesson.${step.why}.why`, { count: table.players[YOU].score.total });
}

/** @param {View} view @param {Lesson} lesson */
function onward(view, lesson) {
  const last = lesson.at === steps.length - 1;
  if (!last) {
    return h('div', { class: 'steps', key: 'go' },
      h('button', { class: 'main lit', type: 'button', onclick: () => lesson.proceed() }, t('lesson.go')));
  }
  return h('div', { class: 'steps', key: 'end' },
    h('button', { class: 'step lit', key: 'home', type: 'button', onclick: () => view.acts.go(null) }, t('home')),
    h('button', {
      class: 'main lit', key: 'room', type: 'button', disabled: view.ui.busy, onclick: () => view.acts.create(),
    }, t('lesson.room')));
}

/**
 * Which parts of the table the step is about, as it stands now.
 * @param {View} view
 * @param {Lesson} lesson
 * @returns {(node: Node_) => boolean}
 */
function pointer(view, lesson) {
  const { step } = lesson;
  /** @type {Table} */
  const table = view.table;
  /** @type {Choice} */
  const { picked, lifted, wrecking } = view.ui.choice;
  /** @param {Node_} node @param {string} name */
  const is = (node, name) => String(node.props.class ?? '').split(' ').includes(name);
  /** @param {Node_} node @param {import('./wire.js').Card[]} cards */
  const isCard = (node, cards) => 'data-card' in node.props && cards.some((card) => keyOf(card) === node.props['data-fly']);
  if (step.bid === null) return (node) => is(node, 'pass');
  if (step.bid !== undefined) return (node) => is(node, 'number') && node.key === String(step.bid);
  if (step.take) {
    const { take } = step;
    if (takeReady(view.actions, picked.map((at) => table.row[at]), take)) return (node) => is(node, 'main');
    return (node) => isCard(node, take) && !is(node, 'lifted');
  }
  if (step.demolish) return wrecking ? (node) => node.props['data-tower'] === step.demolish : (node) => node.key === 'demolish';
  if (step.place) {
    const { place } = step;
    if (lifted) return (node) => isCard(node, [lifted]) || node.props['data-tower'] === lifted.tower || node.key === 'place';
    return (node) => isCard(node, place) && is(node, 'lit');
  }
  return (node) => is(node, 'main');
}

/**
 * The same nodes, those pointed at glowing. They are drawn afresh each time, so marking them is safe.
 * @template {Child} Kind
 * @param {Kind} child
 * @param {(node: Node_) => boolean} points
 * @returns {Kind}
 */
function glow(child, points) {
  if (Array.isArray(child)) for (const each of child) glow(each, points);
  else if (child && typeof child === 'object') {
    if (points(child)) child.props = { ...child.props, class: classes(child.props.class, 'glow') };
    for (const each of child.children) glow(each, points);
  }
  return child;
}
