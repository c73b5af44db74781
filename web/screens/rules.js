// The rules of a game: sections of text and pictures, in the order of its rulebook.

import { h } from '../dom.js';
import { GAMES, isGame } from '../games/index.js';
import { t } from '../i18n.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Rules} Rules */
/** @typedef {import('../view.js').Part} Part */

/** @param {View} view @param {Rules} rules */
export function rulesBody(view, rules) {
  return h(
    'article',
    { class: 'rulebook' },
    // Inside a room the lesson would replace the table, so it is offered on the home page only.
    view.ui.place.name === 'home' && GAMES[view.ui.game].guided
      ? h(
          'button',
          { class: 'second', key: 'learn', type: 'button', onclick: view.commands.openLesson },
          t('front.guide'),
        )
      : null,
    rules.sections.map((section) =>
      h(
        'section',
        { key: section.title },
        h('h3', null, t(section.title)),
        section.body.map((what, at) => part(rules, what, at)),
      ),
    ),
    h('p', { class: 'note', key: 'credit' }, isGame(view.game) ? t(`credit.${view.game}`) : null),
  );
}

/** @param {Rules} rules @param {Part} what @param {number} at */
function part(rules, what, at) {
  if ('list' in what)
    return h(
      'ul',
      { key: at },
      what.list.map((words) => h('li', { key: words }, t(words))),
    );
  // The text beside a picture says everything that it shows.
  if ('picture' in what) return h('figure', { key: at, 'aria-hidden': 'true' }, rules.pictures[what.picture]());
  return h(
    'p',
    { key: at, class: what.step ? 'numbered' : '' },
    what.step ? h('b', { class: 'badge' }, what.step) : null,
    t(what.words),
  );
}
