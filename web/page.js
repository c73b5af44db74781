// Which screen is shown, and what lies over it.

import { games } from './games/index.js';
import { front } from './screens/front.js';
import { game } from './screens/game.js';
import { join } from './screens/join.js';
import { lobby } from './screens/lobby.js';
import { openSheet } from './screens/sheets.js';
import { toast } from './screens/toast.js';
import { trouble } from './screens/trouble.js';

/** @typedef {import('./view.js').View} View */

/** @param {View} view */
export function page(view) {
  const sheet = openSheet(view);
  // An open sheet has it inside: a modal dialog makes all around it inert, for assistive technology too.
  return [screen(view), sheet, sheet ? null : toast(view)];
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
