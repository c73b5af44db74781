// Shows the rules: sections of words and pictures. The order comes from `rules.js` of the page, the pictures from the game.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { features } from '../features.js';
import { moments } from '../games/towers/roundpictures.js';
import { pictures } from '../games/towers/pictures.js';
import { rulebook } from '../rules.js';
import { learn } from './learn.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../rules.js').Part} Part */

const drawings = { ...pictures, ...moments };

/** @param {View} view */
export function rulesBody(view) {
  return h('article', { class: 'rulebook' },
    // Inside a room the lesson would take the table's place, so it is offered on the front page only.
    features.guide && view.ui.code === null
      ? h('button', { class: 'second', key: 'learn', type: 'button', onclick: () => void learn(view) }, t('front.guide')) : null,
    rulebook.map((section) => h('section', { key: section.title }, h('h3', null, t(section.title)), section.body.map(part))),
    h('p', { class: 'note', key: 'credit' }, t('credit.towers')));
}

/** @param {Part} what @param {number} at */
function part(what, at) {
  if ('list' in what) return h('ul', { key: at }, what.list.map((words) => h('li', { key: words }, t(words))));
  // The words beside a picture say all that it shows.
  if ('picture' in what) return h('figure', { key: at, 'aria-hidden': 'true' }, drawings[what.picture]());
  return h('p', { key: at, class: what.step ? 'numbered' : '' }, what.step ? h('b', { class: 'badge' }, what.step) : null, t(what.words));
}
