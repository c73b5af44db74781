// What a person has picked but not yet played, held against the acts the server lists. Pure.

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */
/**
 * @typedef {object} Choice
 * @property {number[]} picked places in the row, in the order they were lifted
 * @property {Card | null} lifted the card of the hand about to be placed
 * @property {boolean} wrecking whether tops are marked for demolition
 * @property {number | null} [tried] the place in the row of a card that is held to the towers while others or this seat bid
 */

/** @type {Choice} */
export const noChoice = { picked: [], lifted: null, wrecking: false };

/** @param {Card} card */
const keyOf = (card) => `${card.tower}-${card.value}`;

/** Whether `part` is contained in `whole`, equal cards counted. @param {Card[]} part @param {Card[]} whole */
export function within(part, whole) {
  const left = whole.map(keyOf);
  return part.every((card) => {
    const at = left.indexOf(keyOf(card));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** @param {Action[]} actions @returns {Card[][]} */
export const takes = (actions) => actions.flatMap((action) => (action.type === 'take' ? [action.cards] : []));

/** The listed take with exactly these cards. @param {Action[]} actions @param {Card[]} cards @returns {Action | null} */
export function takeOf(actions, cards) {
  return actions.find((action) => action.type === 'take' && action.cards.length === cards.length && within(cards, action.cards)) ?? null;
}

/** The one take there is: nothing to choose, so everything it takes is lifted already. @param {Action[]} actions @returns {Action | null} */
export function onlyTake(actions) {
  const all = actions.filter((action) => action.type === 'take');
  return all.length === 1 ? all[0] : null;
}

/** Whether these cards could still become a listed take. @param {Action[]} actions @param {Card[]} cards */
export const couldTake = (actions, cards) => takes(actions).some((choice) => within(cards, choice));

/** @param {Action[]} actions @param {Card} card @returns {Action | null} */
export const buildOf = (actions, card) => actions.find((action) => action.type === 'build' && keyOf(action.card) === keyOf(card)) ?? null;

/** @param {Action[]} actions @param {TowerType} tower @returns {Action | null} */
export const demolishOf = (actions, tower) => actions.find((action) => action.type === 'demolish' && action.tower === tower) ?? null;

/** @param {Action[]} actions @param {number} count @returns {Action | null} */
export const bidOf = (actions, count) => actions.find((action) => action.type === 'bid' && action.count === count) ?? null;

/** Where these cards lie in the row, equal cards in different places. @param {Card[]} cards @param {Card[]} row @returns {number[]} */
function places(cards, row) {
  /** @type {number[]} */
  const found = [];
  for (const card of cards) {
    const at = row.findIndex((each, i) => keyOf(each) === keyOf(card) && !found.includes(i));
    if (at >= 0) found.push(at);
  }
  return found;
}

/**
 * A choice outlives a new state only while it still means the same.
 * @param {Choice} choice
 * @param {import('../../wire.js').State | null} before
 * @param {import('../../wire.js').State | null} after
 * @returns {Choice}
 */
export function keepChoice(choice, before, after) {
  if (!before || !after) return noChoice;
  const was = /** @type {import('./wire.js').Table} */ (before.table);
  const is = /** @type {import('./wire.js').Table} */ (after.table);
  if (was.round !== is.round || was.turn !== is.turn) return noChoice;
  // Undone back to the choice of cards: the cards just given back are still lifted.
  if (was.phase === 'build' && is.phase === 'take') return { ...noChoice, picked: places(was.hand, is.row) };
  if (was.phase !== is.phase) return noChoice;
  const sameRow = JSON.stringify(was.row) === JSON.stringify(is.row);
  const lifted = choice.lifted;
  return {
    picked: sameRow ? choice.picked : [],
    lifted: lifted && is.hand.some((card) => keyOf(card) === keyOf(lifted)) ? lifted : null,
    tried: sameRow ? choice.tried : null,
    wrecking: choice.wrecking && after.actions.some((action) => /** @type {Action} */ (action).type === 'demolish'),
  };
}
