// Which screen is shown, and what lies over it.

import { h } from './dom.js';
import { games } from './games/index.js';
import { front } from './screens/front.js';
import { game } from './screens/game.js';
import { join } from './screens/join.js';
import { lobby } from './screens/lobby.js';
import { openSheet } from './screens/sheets.js';
import { trouble } from './screens/trouble.js';

/** @typedef {import('./view.js').View} View */

/** @param {View} view */
export function page(view) {
  const { toast } = view.ui;
  return [
    screen(view),
    openSheet(view),
    // A popover, because a sheet would cover anything less.
    toast ? h('div', {
      class: 'toast', key: `toast${toast.id}`, role: 'alert', popover: 'manual', hook: (/** @type {HTMLElement} */ el) => el.showPopover?.(),
    }, toast.text) : null,
  ];
}

/** @param {View} view */
function screen(view) {
  const { ui, known } = view;
  if (ui.trouble) return trouble(view);
  if (ui.lesson) return ui.lesson(view);
  if (ui.code === null) return front(view);
  const room = known.room ?? ui.preview;
  // The server has been updated since this page was opened, and plays what the page has never heard of.
  if (room && !(room.game in games)) return trouble(view, '4011');
  if (!known.room || (ui.busy && !known.game)) return join(view);
  return known.room.phase === 'lobby' || !known.game ? lobby(view) : game(view);
}
