// Which game: on the front page, and over the rules that are read there.

import { h, classes } from '../dom.js';
import { gameName, t } from '../i18n.js';
import { gameIds } from '../games/index.js';

/** @param {import('../view.js').View} view */
export const pick = (view) => h('div', { class: 'pick', key: 'pick', role: 'group', 'aria-label': t('pick') },
  gameIds.map((id) => h('button', {
    key: id, type: 'button', class: classes(id === view.ui.game && 'chosen'), 'aria-pressed': id === view.ui.game, onclick: () => view.acts.pick(id),
  }, gameName(id))));
