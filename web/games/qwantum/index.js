// Qwantum's `GameUi`; its parts are in this folder.

import { t } from '../../i18n.js';
import { reconcileChoice, noChoice } from './choice.js';
import { newsFrom, touched } from './news.js';
import { chart, emblem, playerSheet } from './pieces.js';
import { bar, board, key } from './table.js';
import { chapter, idle, sentence, standing, ownWords, whyRow, words } from './words.js';

/** Refusals that this game explains better than their code. */
const EXPLAINED = new Set(['must_be_higher', 'must_be_lower', 'not_your_turn']);

/** @type {Record<string, import('../../sounds.js').Sound>} */
const SOUNDS = { roll: 'dice', enter: 'card', miss: 'demolition' };

/** @type {import('../../view.js').GameUi<import('./types.js').Qwantum>} */
export const gameUi = {
  id: 'qwantum',
  emblem,
  sentence,
  standing,
  board,
  bar,
  idle,
  // There are no options.
  options: () => null,
  player: playerSheet,
  piles: chart,
  pilesTitle: 'qwantum.chart',
  words,
  touched,
  newsFrom,
  ownWords: ownWords,
  sound: ({ type }) => SOUNDS[type],
  chapter,
  noChoice: () => noChoice,
  reconcileChoice: reconcileChoice,
  key,
  keys: () => [
    ['R', t('qwantum.keys.roll')],
    ['1–7', t('qwantum.keys.die')],
    ['K', t('qwantum.keep')],
    ['1–4', t('qwantum.keys.row')],
    ['S', t('qwantum.skip')],
    ['← → ↑ ↓', t('qwantum.keys.walk')],
  ],
  whyRefused: (view, code, action) =>
    EXPLAINED.has(code) && action?.type === 'enter' ? whyRow(view, action.row) : null,
};
