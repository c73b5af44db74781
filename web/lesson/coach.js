// The guided first round on the screen: the ordinary table, a coach who says what to do and why, and a glow on where to do it. What is said and
// what glows, each game's own coach knows.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { sentenceOn } from '../screens/say.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('../dom.js').Node_} Node_ */
/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Guide} Guide */
/** @typedef {InstanceType<Guide['Lesson']>} Lesson */

/** Bots at the table where somebody plays on who has learnt to. */
const BOTS = 2;

/** @param {View} view @param {Lesson} lesson @param {Guide} guide */
export function coach(view, lesson, guide) {
  const { face } = view;
  if (!face || !view.table) return null;
  const { step, at, steps } = lesson;
  const asked = view.actions.length > 0;
  // What Rook does comes first, to the eye and to the ear.
  const watches = lesson.coming.length > 0;
  const tells = step.tells && !watches;
  const points = asked || tells ? guide.points(view, lesson) : () => false;
  const [what, why] = watches ? [t('lesson.watch'), ''] : guide.words(view, step);
  return h('main', { class: classes('game', 'lesson', view.wide && 'wide', asked && 'asked'), key: 'lesson' },
    h('header', { class: 'status' },
      h('h1', { class: 'say' }, h('button', { type: 'button', onclick: () => view.acts.open({ name: 'piles' }) },
        sentenceOn(tells ? t('front.guide') : face.sentence(view)), h('small', null, face.standing(view)))),
      iconButton('close', t('lesson.leave'), () => view.acts.go(null))),
    h('section', { class: 'coach', 'aria-label': t('front.guide') },
      h('div', { 'aria-live': 'polite' }, h('p', { class: 'do' }, what), h('p', null, why)),
      h('progress', { max: steps.length, value: at + 1, 'aria-label': t('lesson.step', { at: at + 1, of: steps.length }) })),
    h('div', { class: 'board' }, glow(face.board(view), points)),
    h('footer', { class: 'bar' }, tells ? onward(view, lesson)
      : glow(face.bar(view), points) ?? h('p', { class: 'note', key: 'idle' }, face.idle(view))));
}

/** On from a step that only tells: to the next, or to a real table. @param {View} view @param {Lesson} lesson */
function onward({ acts, ui }, lesson) {
  if (!lesson.isLast) {
    return h('div', { class: 'steps', key: 'go' },
      h('button', { class: 'main lit', type: 'button', onclick: () => lesson.proceed() }, t(lesson.at ? 'lesson.next' : 'lesson.go')));
  }
  return h('div', { class: 'steps', key: 'end' },
    h('button', { class: 'step lit', key: 'home', type: 'button', onclick: () => acts.go(null) }, t('home')),
    h('button', { class: 'main lit', key: 'real', type: 'button', disabled: ui.busy, onclick: () => acts.create(BOTS) }, t('lesson.real')));
}

/** Whether a node has this class. @param {Node_} node @param {string} name */
export const is = (node, name) => String(node.props.class ?? '').split(' ').includes(name);

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
