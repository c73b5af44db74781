// Chooses the screen and what lies over it.

import { isGame } from './games/index.js';
import { front } from './screens/front.js';
import { game } from './screens/game.js';
import { join, waiting } from './screens/join.js';
import { toast } from './screens/sheet.js';
import { openSheet } from './screens/sheets.js';
import { loadErrorScreen, reload, trouble } from './screens/trouble.js';

/** @typedef {import('./view.js').View} View */

/** @param {View} view @returns {import('./dom.js').Child} */
export function page(view) {
  try {
    return whole(view);
  } catch (problem) {
    // Error boundary: after an update of the server, a newly loaded game may not fit this page. Reloading helps.
    reportError(problem);
    return trouble(view, view.outdated ? '4011' : 'unknown', reload);
  }
}

/** @param {View} view */
function whole(view) {
  if (view.television) return screen(view);
  const sheet = openSheet(view);
  // A sheet contains its own toast, because a modal dialog makes everything around it inert.
  return [screen(view), sheet, sheet ? null : toast(view)];
}

/** @param {View} view */
function screen(view) {
  const { ui, known } = view;
  const { place } = ui;
  if (place.name === 'trouble') return trouble(view, place.what);
  if (place.name === 'lesson') return place.show(view);
  if (place.name === 'home') return front(view);
  const room = known.room ?? ui.preview;
  // The server was updated since this page was loaded, and plays a game that it does not know.
  if (room && !isGame(room.game)) return trouble(view, '4011');
  if (view.television && known.room) return view.television(view);
  if (!known.room || (ui.busy && !known.game)) return join(view);
  const inLobby = known.room.phase === 'lobby' || !known.game;
  const shown = inLobby ? view.lobby : view.gameUi && game;
  if (shown) return shown(view);
  return view.missing[inLobby ? 'lobby' : 'gameUi'] ? loadErrorScreen(view) : waiting(view);
}
