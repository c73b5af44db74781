// Draws the five tower types and their cards. It does not know the rules.

import { h, classes } from '../../dom.js';
import { t } from '../../i18n.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */

/** One order everywhere, so that columns can be compared. @type {TowerType[]} */
export const TYPES = ['candy', 'spooky', 'tree', 'scrap', 'sand'];

/** @param {Card} card */
export const keyOf = (card) => `${card.tower}-${card.value}`;

/** @param {Card} a @param {Card} b */
export const same = (a, b) => a.tower === b.tower && a.value === b.value;

/** @param {Card} card */
export const cardName = (card) => t('towers.card', { tower: t(`towers.type.${card.tower}`), value: card.value });

/**
 * Unique `data-fly` names for equal cards: `sand-7`, `sand-7+1`.
 * @param {Card[]} cards
 * @returns {string[]}
 */
export function flights(cards) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return cards.map((card) => {
    const key = keyOf(card);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return nth ? `${key}+${nth}` : key;
  });
}

/** Silhouettes that differ in outline, not only in colour: sweet, ghost, fir, nut, castle. */
const SHAPES = {
  candy: 'M12 5.6a6.4 6.4 0 1 1 0 12.8a6.4 6.4 0 0 1 0-12.8zM5.3 12 1 7.6v8.8zM18.7 12 23 7.6v8.8z',
  spooky:
    'M12 2C7.2 2 4 5.4 4 10v12l2.7-2.3L9.3 22l2.7-2.3 2.7 2.3 2.6-2.3L20 22V10c0-4.6-3.2-8-8-8zM9 8.6a1.7 1.9 0 1 1 0 3.8 1.7 1.9 0 0 1 0-3.8zm6 0a1.7 1.9 0 1 1 0 3.8 1.7 1.9 0 0 1 0-3.8z',
  tree: 'M12 1l6.5 8H16l4.5 7.5H14V23h-4v-6.5H3.5L8 9H5.5z',
  scrap: 'M6.8 2.8h10.4L22.5 12l-5.3 9.2H6.8L1.5 12zM12 7.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4z',
  sand: 'M3 22V3h4v3.5h3V3h4v3.5h3V3h4v19h-5.8v-4.5a3.2 3.2 0 0 0-6.4 0V22z',
};

/** @param {TowerType} tower */
export const glyph = (tower) =>
  h(
    'svg',
    { class: `glyph ${tower}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    h('path', { d: SHAPES[tower], 'fill-rule': 'evenodd' }),
  );

/** @type {Record<number, string>} */
const MARKS = { 0: 'M1 11 8 3l7 8z', 8: 'M3 7l5-5 5 5M3 12l5-5 5 5', 9: 'M8 1v6M4.5 4 8 7.5 11.5 4M2 11.5h12' };

/**
 * The mark of a card with a special rule: open above an 8, a 9 that fits on anything, a roof for a 0.
 * @param {number} value
 */
function mark(value) {
  const line = MARKS[value];
  if (!line) return null;
  return h('svg', { class: 'mark', viewBox: '0 0 16 13', 'aria-hidden': 'true' }, h('path', { d: line }));
}

/** The name of a card, with its special rule. @param {Card} card */
export function cardSaid(card) {
  const name = cardName(card);
  return card.value === 0 || card.value === 8 || card.value === 9 ? `${name}, ${t(`towers.mark.${card.value}`)}` : name;
}

/** Long type names of some languages are set smaller instead of cut. @param {TowerType} tower */
export function longWord(tower) {
  const { length } = t(`towers.type.${tower}`);
  return classes(length > 6 && 'long', length > 10 && 'longest');
}

/** @param {Card} card */
export const face = (card) => [
  h(
    'span',
    { class: 'paper', 'aria-hidden': 'true' },
    h('b', { class: 'num' }, card.value),
    glyph(card.tower),
    mark(card.value),
  ),
  h('span', { class: classes('facade', 'storey', card.tower, card.value === 0 && 'roof') }),
  h(
    'span',
    { class: `word ${card.tower} ${longWord(card.tower)}`, 'aria-hidden': 'true' },
    t(`towers.type.${card.tower}`),
  ),
];

/**
 * A paper card that cannot be tapped.
 * @param {Card} card
 * @param {{flight?: string, small?: boolean, dim?: boolean}} [how]
 */
export const still = (card, how = {}) =>
  h(
    'span',
    {
      class: classes('card', card.tower, how.small && 'small', how.dim && 'dim'),
      key: how.flight,
      'data-fly': how.flight,
      role: 'img',
      'aria-label': cardSaid(card),
    },
    face(card),
  );

/**
 * A card to tap.
 * @param {Card} card
 * @param {{flight: string, lit: boolean, lifted: boolean, said?: string, kind?: string, tap: () => void}} how `kind`
 *   replaces the class for legal cards
 */
export const tappable = (card, how) =>
  h(
    'button',
    {
      class: classes('card', card.tower, how.kind ?? (how.lit ? 'lit' : 'dull'), how.lifted && 'lifted'),
      key: how.flight,
      'data-fly': how.flight,
      type: 'button',
      'aria-pressed': how.lifted,
      'aria-disabled': !how.lit,
      onclick: how.tap,
      'data-card': '',
    },
    h('span', { class: 'unseen' }, how.said ?? cardSaid(card)),
    face(card),
  );
