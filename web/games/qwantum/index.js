// Qwantum as the shell sees it: one face, all its parts in this folder.

import { t } from '../../i18n.js';
import { loadStyle } from '../../loading.js';
import { keepChoice, noChoice } from './choice.js';
import { newsFrom, touched } from './news.js';
import { chart, emblem, playerSheet } from './pieces.js';
import { bar, board, key } from './table.js';
import { chapter, idle, sentence, standing, toYou, whyRow, words } from './words.js';

/** Refusals that the words here explain better than the bare code. */
const EXPLAINED = new Set(['must_be_higher', 'must_be_lower', 'not_your_turn']);

/** @type {Record<string, import('../../sounds.js').Sound>} */
const SOUNDS = { roll: 'dice', enter: 'card', miss: 'demolition' };

/** @type {import('../../view.js').Face} */
export const face = {
  id: 'qwantum',
  emblem,
  sentence,
  standing,
  board,
  bar,
  idle,
  end: async () => (await Promise.all([import('./end.js'), loadStyle('qwantum', 'end.css')]))[0],
  picture: async (view) => (await import('./picture.js')).picture(view),
  // There is one way to play it.
  options: () => null,
  player: playerSheet,
  piles: chart,
  pilesTitle: 'qwantum.chart',
  unveil: () => import('./open.js'),
  dealer: () => import('./deal.js'),
  eye: () => import('./eye.js'),
  rules: () => import('./rulebook.js'),
  guide: () => import('./coach.js'),
  words,
  touched,
  newsFrom,
  toYou,
  sound: ({ type }) => SOUNDS[type],
  chapter,
  noChoice: () => noChoice,
  keepChoice,
  key,
  keys: () => [
    ['R', t('qwantum.keys.roll')], ['1–7', t('qwantum.keys.die')], ['K', t('qwantum.keep')], ['1–4', t('qwantum.keys.row')],
    ['S', t('qwantum.skip')], ['← → ↑ ↓', t('qwantum.keys.walk')],
  ],
  whyRefused: (view, code, action) => (EXPLAINED.has(code) && action?.type === 'enter' ? whyRow(view, action.row) : null),
};
