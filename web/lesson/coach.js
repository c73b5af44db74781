// Renders the guided first round: the ordinary table, a coach who says what to do and why, and highlights. Each game's
// own coach provides the words and the highlights.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { statusSentence } from '../screens/status-line.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('../dom.js').Node_} Node_ */
/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Guide} Guide */
/** @typedef {InstanceType<Guide['Lesson']>} Lesson */

/** Number of bots at the real table after the lesson. */
const BOTS = 2;

/** @param {View} view @param {Lesson} lesson @param {Guide} guide */
export function coach(view, lesson, guide) {
  const { gameUi } = view;
  if (!gameUi || !view.table) return null;
  const { step, at, steps } = lesson;
  const asked = view.actions.length > 0;
  // Rook's acts are shown before the next step.
  const watches = lesson.pending.length > 0;
  const tells = step.tells && !watches;
  const points = asked || tells ? guide.points(view, lesson) : () => false;
  const [what, why] = watches ? [t('lesson.watch'), ''] : guide.words(view, step);
  return h(
    'main',
    { class: classes('game', 'lesson', view.wide && 'wide', asked && 'asked'), key: 'lesson' },
    h(
      'header',
      { class: 'status' },
      h(
        'h1',
        { class: 'say' },
        h(
          'button',
          { type: 'button', onclick: () => view.commands.open({ name: 'piles' }) },
          statusSentence(tells ? t('front.guide') : gameUi.sentence(view)),
          h('small', null, gameUi.standing(view)),
        ),
      ),
      iconButton('close', t('lesson.leave'), () => view.commands.go(null)),
    ),
    h(
      'section',
      { class: 'coach', 'aria-label': t('front.guide') },
      h('div', { 'aria-live': 'polite' }, h('p', { class: 'do' }, what), h('p', null, why)),
      h('progress', {
        max: steps.length,
        value: at + 1,
        'aria-label': t('lesson.step', { at: at + 1, of: steps.length }),
      }),
    ),
    h('div', { class: 'board' }, glow(gameUi.board(view), points)),
    h(
      'footer',
      { class: 'bar' },
      tells
        ? onward(view, lesson)
        : (glow(gameUi.bar(view), points) ?? h('p', { class: 'note', key: 'idle' }, gameUi.idle(view))),
    ),
  );
}

/**
 * Button of a step without an act: to the next step, or to a real table.
 * @param {View} view
 * @param {Lesson} lesson
 */
function onward({ commands, ui }, lesson) {
  if (!lesson.isLast) {
    return h(
      'div',
      { class: 'steps', key: 'go' },
      h(
        'button',
        { class: 'main lit', type: 'button', onclick: () => lesson.proceed() },
        t(lesson.at ? 'lesson.next' : 'lesson.go'),
      ),
    );
  }
  return h(
    'div',
    { class: 'steps', key: 'end' },
    h('button', { class: 'step lit', key: 'home', type: 'button', onclick: () => commands.go(null) }, t('home')),
    h(
      'button',
      { class: 'main lit', key: 'real', type: 'button', disabled: ui.busy, onclick: () => commands.create(BOTS) },
      t('lesson.real'),
    ),
  );
}

/**
 * Whether a node has this class.
 * @param {Node_} node
 * @param {string} name
 */
export const hasClass = (node, name) =>
  String(node.props.class ?? '')
    .split(' ')
    .includes(name);

/**
 * Highlights some of these nodes. Nodes are created for each rendering, so they can be changed.
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
