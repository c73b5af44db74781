// The rules of Five Towers: texts and pictures in order.

import { pictures as plain } from './pictures.js';
import { moments } from './round-pictures.js';

export const pictures = { ...plain, ...moments };

/** @type {import('../../view.js').Section[]} */
export const sections = [
  { title: 'rules.aim', body: [{ words: 'rules.aim.1' }, { picture: 'skyline' }] },
  {
    title: 'rules.round',
    body: [
      { words: 'rules.begins' },
      { step: 1, words: 'rules.auction' },
      { picture: 'auction' },
      { step: 2, words: 'rules.take' },
      { picture: 'take' },
      { step: 3, words: 'rules.build' },
      { picture: 'build' },
      { words: 'rules.undo' },
      { step: 4, words: 'rules.clean' },
      { picture: 'clean' },
      { words: 'rules.zero' },
    ],
  },
  {
    title: 'rules.fit',
    body: [
      { words: 'rules.lower' },
      { picture: 'lower' },
      { words: 'rules.eight' },
      { picture: 'eight' },
      { words: 'rules.nine' },
      { picture: 'nine' },
      { words: 'rules.roof' },
      { picture: 'roof' },
    ],
  },
  {
    title: 'rules.demolition',
    body: [{ words: 'rules.demolish' }, { picture: 'demolish' }, { words: 'rules.cost' }, { picture: 'cost' }],
  },
  {
    title: 'rules.score',
    body: [
      { list: ['rules.score.1', 'rules.score.2', 'rules.score.3'] },
      { picture: 'example' },
      { words: 'rules.example' },
      { words: 'rules.win' },
    ],
  },
  {
    title: 'rules.deals',
    body: [
      { words: 'towers.deal_first' },
      { words: 'towers.deal_second' },
      { words: 'rules.deals.1' },
      { picture: 'deals' },
      { words: 'rules.deck' },
    ],
  },
  { title: 'towers.mistakes', body: [{ words: 'rules.mistakes' }] },
  { title: 'rules.hidden', body: [{ words: 'rules.hidden.1' }] },
];
