// The watchers of a room. The host can mute and remove them.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from './sheet.js';
import { audienceOf } from './sheets.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Watcher} Watcher */

/** @param {View} view */
const isHost = (view) => view.seat !== null && view.known.room?.host === view.seat;

/** @param {View} view */
export const audienceSheet = (view) =>
  sheet(
    view,
    { name: 'audience', title: t('audience') },
    audienceOf(view).length
      ? h(
          'ul',
          { class: 'audience' },
          audienceOf(view).map((watcher) =>
            h(
              'li',
              { key: watcher.id, class: classes(watcher.muted && 'muted') },
              h('span', { class: 'name', dir: 'auto' }, watcher.name),
              watcher.muted ? h('i', { class: 'bubble quiet' }, t('audience.muted')) : null,
              isHost(view) ? [mute(view, watcher), remove(view, watcher)] : null,
            ),
          ),
        )
      : h('p', { class: 'note', key: 'nobody' }, t('audience.nobody')),
  );

/** @param {View} view @param {Watcher} watcher */
const mute = (view, { id, name, muted }) =>
  h(
    'button',
    {
      class: 'second',
      key: 'mute',
      type: 'button',
      'aria-pressed': muted,
      'aria-label': t('audience.mute_name', { name }),
      onclick: () => view.commands.send({ type: 'mute', watcher: id, muted: !muted }),
    },
    t('audience.mute'),
  );

/** @param {View} view @param {Watcher} watcher */
const remove = (view, { id, name }) =>
  h(
    'button',
    {
      class: 'second',
      key: 'remove',
      type: 'button',
      'aria-label': t('lobby.remove', { name }),
      onclick: () => view.commands.open({ name: 'unwatch', watcher: id }),
    },
    icon('close'),
  );

/**
 * Asks before removing a watcher, who may be gone by then.
 * @param {View} view
 * @param {number | undefined} id
 */
export function unwatchSheet(view, id) {
  const watcher = audienceOf(view).find((each) => each.id === id);
  if (!watcher) return audienceSheet(view);
  const go = () => {
    if (view.commands.send({ type: 'remove_watcher', watcher: watcher.id })) view.commands.open({ name: 'audience' });
  };
  return sheet(
    view,
    { name: 'unwatch', title: t('unwatch.title', { name: watcher.name }) },
    h('p', null, t('unwatch.words')),
    h(
      'div',
      { class: 'steps' },
      h(
        'button',
        { class: 'step lit', type: 'button', onclick: () => view.commands.open({ name: 'audience' }) },
        t('unwatch.stay'),
      ),
      h('button', { class: 'step danger', type: 'button', onclick: go }, t('unwatch.go')),
    ),
  );
}
