// Rolls the dice of a game again from its seed, and compares them with those on the table.

import { dice, FACES } from './pieces.js';

/** The coloured dice, face by face. */
const SIDES = FACES.map(dice);

/** @type {import('../../view.js').Dealer<import('./types.js').Qwantum>} */
export function dealer(chance, players, past, left) {
  // The starter is drawn in any case.
  const drawn = left ? null : chance.below(players);
  /** @type {import('./wire.js').Die[]} */
  let lie = left?.lie ?? [];
  let count = 0;
  for (const [moment, { events, action }] of past.entries()) {
    for (const event of events) {
      if (drawn !== null && event.type === 'turn' && moment === 0 && event.seat !== (chance.starter ?? drawn))
        return { count, wrong: moment, left: { lie } };
      if (event.type !== 'roll') continue;
      const rolled = action?.type === 'reroll' ? [...action.dice].sort((a, b) => a - b) : [0, 1, 2, 3, 4, 5, 6];
      lie = [...lie];
      for (const die of rolled)
        lie[die] = die === 0 ? { color: 'white', value: chance.below(6) + 1 } : SIDES[die - 1][chance.below(6)];
      if (event.dice.some((die, i) => die.color !== lie[i]?.color || die.value !== lie[i]?.value))
        return { count, wrong: moment, left: { lie } };
      count += rolled.length;
    }
  }
  return { count, wrong: null, left: { lie } };
}
