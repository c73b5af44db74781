// How the line to the server is, in a few calm words; null while all is well.

import { t } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view @returns {string | null} */
export function lineWords(view) {
  switch (view.known.line) {
    case 'waiting':
    case 'connecting':
      if (view.leaving) return t('leave.waiting');
      return t(view.known.crowded ? 'line.crowded' : 'line.reconnecting');
    default:
      return null;
  }
}
