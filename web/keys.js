// The keyboard, for the whole page: letters and numbers play, `?` shows them.

import { games } from './games/index.js';

/** @typedef {import('./view.js').View} View */

/** @param {() => View} look */
export function listenToKeys(look) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest('input:not([type=radio],[type=checkbox]), textarea, select')) return;
    const view = look();
    if (view.ui.sheet) return;
    if (event.key === '?') {
      event.preventDefault();
      return view.acts.open({ name: 'keys' });
    }
    if (view.ui.moment !== null) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) view.acts.show({ moment: Math.min(view.known.history.length - 1, Math.max(0, view.ui.moment + by)), playing: false });
      else if (event.key === 'Escape') view.acts.show({ moment: null, playing: false });
      return;
    }
    if (!view.table || view.known.room?.phase !== 'playing') return;
    if (games[view.known.room.game]?.key(view, event.key)) event.preventDefault();
  });
}
