// Explains why a record was refused.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { sheet } from '../screens/sheet.js';
import { tamperedPartWords } from './tamper-check.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').RecordDoubt} RecordDoubt */

/** @param {View} view @param {RecordDoubt} doubt */
export const recordErrorSheet = (view, doubt) =>
  sheet(view, { name: 'doubt', title: t('doubt.title') }, h('p', { role: 'alert' }, recordErrorWords(view, doubt)));

/** @param {View} view @param {RecordDoubt} doubt @returns {string} */
function recordErrorWords(view, doubt) {
  // The error may be in the record of the earlier game.
  if (doubt.type === 'origin') return t('doubt.origin', { why: recordErrorWords(view, doubt.doubt) });
  const name = doubt.type === 'act' ? (view.ui.sheet?.players?.[doubt.seat] ?? String(doubt.seat + 1)) : '';
  const n = doubt.type === 'act' ? doubt.n + 1 : 0;
  const part = doubt.type === 'changed' ? tamperedPartWords(doubt.part, doubt.n) : '';
  return t(`doubt.${doubt.type}`, { n, name, part });
}
