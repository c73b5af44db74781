// Which screen is shown, and what lies over it.

import { isGame } from './games/index.js';
import { front } from './screens/front.js';
import { game } from './screens/game.js';
import { join, waiting } from './screens/join.js';
import { toast } from './screens/sheet.js';
import { openSheet } from './screens/sheets.js';
import { reload, trouble } from './screens/trouble.js';

/** @typedef {import('./view.js').View} View */

/** @param {View} view @returns {import('./dom.js').Child} */
export function page(view) {
  try {
    return whole(view);
  } catch (problem) {
    // Error boundary: a game fetched after an update of the server need not fit the page around it. Loaded anew, they do.
    reportError(problem);
    return trouble(view, 'unknown', reload);
  }
}

/** @param {View} view */
function whole(view) {
  if (view.big) return screen(view);
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
  if (room && !isGame(room.game)) return trouble(view, '4011');
  if (view.big && known.room) return view.big(view);
  if (!known.room || (ui.busy && !known.game)) return join(view);
  const inLobby = known.room.phase === 'lobby' || !known.game;
  const shown = inLobby ? view.lobby : view.face && game;
  if (shown) return shown(view);
  return view.missing[inLobby ? 'lobby' : 'face'] ? trouble(view, 'unreachable', reload) : waiting(view);
}
