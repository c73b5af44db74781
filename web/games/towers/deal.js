// Deals the cards of a game again from its seed, and compares them with the rows.

import { TYPES } from './cards.js';

/** @typedef {import('./wire.js').Card} Card */

/** With four or five players, these values are in the deck twice. */
const EXTRA = [0, 2, 5, 7, 10, 12];

/** @param {number} players @returns {Card[]} */
const deckFor = (players) => [
  ...TYPES.flatMap((tower) => Array.from({ length: 16 }, (_, value) => ({ tower, value }))),
  ...(players > 3 ? TYPES.flatMap((tower) => EXTRA.map((value) => ({ tower, value }))) : []),
];

/** @param {Card[]} one @param {Card[]} other */
const same = (one, other) =>
  one.length === other.length && one.every((card, i) => card.tower === other[i].tower && card.value === other[i].value);

/** @type {import('../../view.js').Dealer<import('./types.js').Towers>} */
export function dealer(chance, players, past, left) {
  // The starter is drawn in any case.
  const drawn = left ? null : chance.below(players);
  let deck = chance.shuffle(left ? [...left.deck] : deckFor(players));
  /** @type {Card[]} */
  let discarded = left ? [...left.discarded] : [];
  let count = 0;
  for (const [moment, { events }] of past.entries()) {
    for (const event of events) {
      if (event.type === 'discard') discarded.push(...event.cards);
      if (event.type === 'reshuffle') [deck, discarded] = [chance.shuffle(discarded), []];
      if (event.type !== 'round') continue;
      const row = deck.splice(0, 5);
      if (!same(row, event.row) || (drawn !== null && event.round === 1 && event.starter !== (chance.starter ?? drawn)))
        return { count, wrong: moment, left: { deck, discarded } };
      count += row.length;
    }
  }
  return { count, wrong: null, left: { deck, discarded } };
}
