// Shows the rules: sections of words and pictures. The words come from `rules.js` of the page, the pictures from the game.

import { h } from '../dom.js';
import { language, t } from '../i18n.js';
import { pictures } from '../games/towers/pictures.js';
import { loadRules } from '../rules.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../rules.js').Section} Section */

/** @type {Map<string, Section[] | null>} */
const loaded = new Map();

/** @param {View} view */
export function rulesBody(view) {
  const code = language();
  const sections = loaded.get(code);
  if (sections === undefined) {
    loaded.set(code, null);
    void loadRules(code).then((found) => {
      loaded.set(code, found);
      view.acts.show({});
    }, () => loaded.delete(code));
  }
  if (!sections) return h('p', { class: 'calm' }, t('line.connecting'));
  return h('article', { class: 'rulebook' }, sections.map((section, i) => h('section', { key: i },
    h('h3', null, section.heading),
    section.body.map((part, at) => {
      if ('p' in part) return h('p', { key: at }, part.p);
      if ('list' in part) return h('ul', { key: at }, part.list.map((item, n) => h('li', { key: n }, item)));
      const draw = pictures[part.picture];
      return draw ? h('figure', { key: at }, draw(), part.caption ? h('figcaption', null, part.caption) : null) : null;
    }))));
}
