// Shows the rules of a game: sections of words and pictures, as its rulebook orders them.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { learn } from './learn.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Face} Face */
/** @typedef {import('../view.js').Part} Part */

/** @param {View} view @param {Face} face */
export function rulesBody(view, face) {
  return h('article', { class: 'rulebook' },
    // Inside a room the lesson would take the table's place, so it is offered on the front page only.
    face.guide && view.ui.code === null
      ? h('button', { class: 'second', key: 'learn', type: 'button', onclick: () => void learn(view) }, t('front.guide')) : null,
    face.rulebook.map((section) => h('section', { key: section.title }, h('h3', null, t(section.title)), section.body.map((what, at) => part(face, what, at)))),
    h('p', { class: 'note', key: 'credit' }, t(`credit.${face.id}`)));
}

/** @param {Face} face @param {Part} what @param {number} at */
function part(face, what, at) {
  if ('list' in what) return h('ul', { key: at }, what.list.map((words) => h('li', { key: words }, t(words))));
  // The words beside a picture say all that it shows.
  if ('picture' in what) return h('figure', { key: at, 'aria-hidden': 'true' }, face.pictures[what.picture]());
  return h('p', { key: at, class: what.step ? 'numbered' : '' }, what.step ? h('b', { class: 'badge' }, what.step) : null, t(what.words));
}
