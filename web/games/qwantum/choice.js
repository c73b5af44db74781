// What a player has marked but not yet played, and the totals of the dice. Pure functions.

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Die} Die */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('../types.js').State<import('./types.js').Qwantum>} State */
/**
 * @typedef {object} Choice
 * @property {number[]} again dice to roll again
 * @property {number[]} rolled dice that were just rolled again, so that they tumble even if they show the same face
 * @property {Row | null} row row about to be entered
 */

/** @type {Choice} */
export const noChoice = { again: [], rolled: [], row: null };

/** @param {Action[]} actions @param {Row | null} row @returns {Action | null} */
export const enterOf = (actions, row) =>
  actions.find((action) => action.type === 'enter' && action.row === row) ?? null;

/** @param {number[]} dice @param {number} die */
export const toggled = (dice, die) =>
  dice.includes(die) ? dice.filter((each) => each !== die) : [...dice, die].sort();

/**
 * Keeps a choice while it still means the same in the new state.
 * @param {Choice} choice
 * @param {State | null} before
 * @param {State | null} after
 * @returns {Choice}
 */
export function reconcileChoice(choice, before, after) {
  if (!before || !after) return noChoice;
  const was = before.table;
  const is = after.table;
  if (was.round !== is.round || was.turn !== is.turn) return noChoice;
  if (was.rolls < is.rolls) return { ...noChoice, rolled: choice.again };
  // After the decision nothing is marked.
  const decided = JSON.stringify(before.mine) !== JSON.stringify(after.mine);
  return was.phase !== is.phase || decided ? { ...noChoice, rolled: choice.rolled } : choice;
}

/**
 * The total of each colour with the white die.
 * @param {Die[]} dice
 * @returns {import('./wire.js').Totals}
 */
export function totalsOf(dice) {
  const sum = (/** @type {string} */ color) =>
    dice.reduce((all, die) => all + (die.color === color || die.color === 'white' ? die.value : 0), 0);
  return { violet: sum('violet'), blue: sum('blue'), red: sum('red'), yellow: sum('yellow') };
}
