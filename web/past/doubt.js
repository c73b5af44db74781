// Why the record of a game is doubted, in words.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { sheet } from '../screens/sheet.js';
import { partWords } from './changed.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').RecordDoubt} RecordDoubt */

/** @param {View} view @param {RecordDoubt} doubt */
export const doubtSheet = (view, doubt) => sheet(view, { name: 'doubt', title: t('doubt.title') }, h('p', { role: 'alert' }, doubtWords(view, doubt)));

/** @param {View} view @param {RecordDoubt} doubt @returns {string} */
function doubtWords(view, doubt) {
  // What does not hold may be in the game before this one.
  if (doubt.type === 'origin') return t('doubt.origin', { why: doubtWords(view, doubt.doubt) });
  const name = doubt.type === 'act' ? view.ui.sheet?.players?.[doubt.seat] ?? String(doubt.seat + 1) : '';
  const n = doubt.type === 'act' ? doubt.n + 1 : 0;
  const part = doubt.type === 'changed' ? partWords(doubt.part, doubt.n) : '';
  return t(`doubt.${doubt.type}`, { n, name, part });
}
