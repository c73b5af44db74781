// When a room cannot be shown: why, and the one thing that helps.

import { h } from '../dom.js';
import { t, tOr } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/** Where the words for a close code or a refusal are. @param {string} what */
const keyOf = (what) => (/^\d+$/.test(what) ? `close.${what}` : `code.${what}`);

export const reload = () => location.reload();

/** @param {string} what */
export const reason = (what) => tOr(keyOf(what), 'code.unknown');

/** In place of what has not come. The page is loaded anew: browsers may remember a module that failed. @param {boolean} is whether it is missing */
export const missing = (is) => (is ? h('div', { class: 'missing', key: 'missing', role: 'alert' },
  h('p', { class: 'note' }, t('code.unreachable')), h('button', { class: 'second', type: 'button', onclick: reload }, t('again'))) : null);

/** @param {View} view @param {() => void} [retry] */
export function trouble(view, what = view.ui.trouble ?? '', retry = undefined) {
  const { acts, ui } = view;
  const key = keyOf(what);
  const home = h('button', { class: 'second', key: 'home', type: 'button', onclick: () => acts.go(null) }, t('home'));
  /** @type {Record<string, () => void>} */
  const ways = {
    4001: () => acts.go(ui.code), 4002: acts.rejoin, 4003: () => acts.go(ui.code), 4000: () => acts.go(ui.code), 4011: reload,
    link_used: () => acts.go(ui.code), unreachable: () => acts.go(ui.code), server_full: () => acts.go(ui.code), too_many_misses: () => acts.go(ui.code),
  };
  const way = retry ?? ways[what];
  return h('main', { class: 'plain', key: 'trouble' },
    h('div', { class: 'leaf paper', role: 'alert' },
      h('h1', null, tOr(`${key}.title`, 'trouble')),
      h('p', null, reason(what)),
      way ? h('button', { class: 'main lit', key: 'way', type: 'button', onclick: way }, tOr(`${key}.way`, 'again')) : null, home));
}
