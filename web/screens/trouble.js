// The screen for a room that cannot be shown: why, and the one thing that helps.

import { h } from '../dom.js';
import { t, tOr } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/** The key of the text for a close code or a refusal. @param {string} what */
const keyOf = (what) => (/^\d+$/.test(what) ? `close.${what}` : `code.${what}`);

export const reload = () => location.reload();

/** @param {string} what */
export const troubleText = (what) => tOr(keyOf(what), 'code.unknown');

/** Why a part of the page failed to load: the server was updated, or cannot be reached. @param {View} view */
const loadTrouble = (view) => (view.outdated ? '4011' : 'unreachable');

/** The text for a part of the page that failed to load, in one line. @param {View} view */
export const loadErrorText = (view) => t(view.outdated ? 'close.4011.title' : 'code.unreachable');

/**
 * Shown instead of something that failed to load. The button reloads the page, because browsers may remember a failed
 * module.
 * @param {View} view
 * @param {boolean} is whether it failed to load
 */
export const loadError = (view, is) =>
  is
    ? h(
        'div',
        { class: 'missing', key: 'missing', role: 'alert' },
        h('p', { class: 'note' }, loadErrorText(view)),
        h(
          'button',
          { class: 'second', type: 'button', onclick: reload },
          t(view.outdated ? 'close.4011.way' : 'again'),
        ),
      )
    : null;

/** The screen instead of one that failed to load. @param {View} view */
export const loadErrorScreen = (view) => trouble(view, loadTrouble(view), reload);

/** @param {View} view @param {string} what @param {() => void} [retry] */
export function trouble(view, what, retry) {
  const { commands, ui } = view;
  const again = () => commands.go(ui.place.code);
  const key = keyOf(what);
  const home = h(
    'button',
    { class: 'second', key: 'home', type: 'button', onclick: () => commands.go(null) },
    t('home'),
  );
  /** @type {Record<string, () => void>} */
  const ways = {
    4001: again,
    4002: commands.rejoin,
    4003: again,
    4000: again,
    4011: reload,
    link_used: again,
    unreachable: again,
    server_full: again,
    too_many_misses: again,
  };
  const way = retry ?? ways[what];
  return h(
    'main',
    { class: 'plain', key: 'trouble' },
    h(
      'div',
      { class: 'leaf paper', role: 'alert' },
      h('h1', null, tOr(`${key}.title`, 'trouble')),
      h('p', null, troubleText(what)),
      way
        ? h('button', { class: 'main lit', key: 'way', type: 'button', onclick: way }, tOr(`${key}.way`, 'again'))
        : null,
      home,
    ),
  );
}
