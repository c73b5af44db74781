// What a person has marked but not yet played, and what the dice add up to. Pure.

import { ROWS } from './pieces.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Die} Die */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('../../wire.js').State} State */
/**
 * @typedef {object} Choice
 * @property {number[]} again the dice let go, to be rolled again
 * @property {number[]} rolled the dice this person has just rolled again, so that they tumble even onto the same face
 * @property {Row | null} row the row about to be entered
 */

/** @type {Choice} */
export const noChoice = { again: [], rolled: [], row: null };

/** @param {Action[]} actions @param {Row | null} row @returns {Action | null} */
export const enterOf = (actions, row) => actions.find((action) => action.type === 'enter' && action.row === row) ?? null;

/** @param {number[]} dice @param {number} die */
export const toggled = (dice, die) => (dice.includes(die) ? dice.filter((each) => each !== die) : [...dice, die].sort());

/**
 * A choice outlives a new state only while it still means the same.
 * @param {Choice} choice
 * @param {State | null} before
 * @param {State | null} after
 * @returns {Choice}
 */
export function keepChoice(choice, before, after) {
  if (!before || !after) return noChoice;
  const was = /** @type {Table} */ (before.table);
  const is = /** @type {Table} */ (after.table);
  if (was.round !== is.round || was.turn !== is.turn) return noChoice;
  if (was.rolls < is.rolls) return { ...noChoice, rolled: choice.again };
  // Once it is chosen, nothing is about to be.
  const decided = JSON.stringify(before.mine) !== JSON.stringify(after.mine);
  return was.phase !== is.phase || decided ? { ...noChoice, rolled: choice.rolled } : choice;
}

/** A colour's dice and the white one, added up. @param {Die[]} dice @returns {NonNullable<Table['totals']>} */
export function totalsOf(dice) {
  const sum = (/** @type {string} */ color) => dice.reduce((all, die) => all + (die.color === color || die.color === 'white' ? die.value : 0), 0);
  return /** @type {NonNullable<Table['totals']>} */ (Object.fromEntries(ROWS.map((row) => [row, sum(row)])));
}
