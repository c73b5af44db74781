// The status line above the table: the sentence, and the state of the connection.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/** Longer sentences are set smaller: on a phone they would need a third line. */
const LONG = 30;

/** @param {string} words */
export const statusSentence = (words) => h('span', { class: classes(words.length > LONG && 'long') }, words);

/**
 * The state of the connection in a few words, or null if all is well.
 * @param {View} view
 * @returns {string | null}
 */
export function connectionText(view) {
  switch (view.known.connection) {
    case 'waiting':
    case 'connecting':
      if (view.leaving) return t('leave.waiting');
      return t(view.known.crowded ? 'line.crowded' : 'line.reconnecting');
    default:
      return null;
  }
}
