// The `GameUi` of Five Towers; its parts are in this folder.

import { h } from '../../dom.js';
import { t } from '../../i18n.js';
import { bar, key } from './bar.js';
import { reconcileChoice, noChoice } from './choice.js';
import { touched } from './news.js';
import { playerSheet } from './players.js';
import { skyline } from './skyline.js';
import { board, piles } from './table.js';
import { spokenWords, chapter, idle, sentence, standing, words } from './words.js';
import { whyNot } from './refusals.js';

/** Refusals that this game explains better than their code. */
const EXPLAINED = new Set([
  'bid_too_low',
  'bid_too_high',
  'bid_unbuildable',
  'too_high_for_top',
  'hand_not_empty',
  'not_your_turn',
]);

/** @type {Record<string, import('../../sounds.js').Sound>} */
const SOUNDS = { bid: 'bid', take: 'card', build: 'card', demolish: 'demolition' };

/** @type {import('../../view.js').GameUi<import('./types.js').Towers>} */
export const gameUi = {
  id: 'towers',
  emblem: (room) =>
    skyline(
      {
        candy: [15, 12, 8, 14, 9],
        spooky: [13, 10, 6, 3, 1, 0],
        tree: [11, 9, 7],
        scrap: [14, 8, 15, 11],
        sand: [12, 5],
      },
      { name: 'emblem', room, size: 'own' },
    ),
  sentence,
  standing,
  board,
  bar,
  idle,
  options: (view) => {
    const host = view.seat !== null && view.known.room?.host === view.seat;
    const mistakes = view.known.room?.rules.mistakes ?? 'prevented';
    return h(
      'fieldset',
      { class: 'options', disabled: !host },
      h('legend', null, t('towers.mistakes')),
      /** @type {const} */ (['prevented', 'allowed']).map((kind) =>
        h(
          'label',
          { key: kind, class: mistakes === kind ? 'chosen' : '' },
          h('input', {
            type: 'radio',
            name: 'mistakes',
            value: kind,
            checked: mistakes === kind,
            onchange: () => view.commands.send({ type: 'configure', rules: { mistakes: kind } }),
          }),
          h(
            'span',
            null,
            h('b', null, t(`towers.mistakes.${kind}`)),
            h('small', null, t(`towers.mistakes.${kind}.hint`)),
          ),
        ),
      ),
    );
  },
  player: playerSheet,
  piles,
  pilesTitle: 'towers.piles',
  words,
  spokenWords: spokenWords,
  sound: (event) => ('card' in event && !event.card.value ? 'roof' : SOUNDS[event.type]),
  touched,
  chapter,
  noChoice: () => noChoice,
  reconcileChoice: reconcileChoice,
  key,
  keys: () => [
    ['0–5', t('keys.bid')],
    ['P', t('keys.pass')],
    ['← →', t('keys.arrows')],
    ['Enter', t('keys.enter')],
    ['1–5', t('keys.card')],
    ['D', t('keys.demolish')],
    ['U', t('keys.undo')],
    ['F', t('keys.finish')],
  ],
  whyRefused: (view, code, action) => (EXPLAINED.has(code) && action ? whyNot(view, action) : null),
};
