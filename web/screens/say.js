// What stands on top of every table: the sentence, and how the line to the server is.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/** From here on it is set smaller: on a phone it would need a third line. */
const LONG = 30;

/** @param {string} words */
export const sentenceOn = (words) => h('span', { class: classes(words.length > LONG && 'long') }, words);

/** In a few calm words; null while all is well. @param {View} view @returns {string | null} */
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
