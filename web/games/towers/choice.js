// What a player has picked but not yet played, compared with the legal actions. Pure functions.

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */
/**
 * @typedef {object} Choice
 * @property {number[]} picked positions in the row, in the order they were lifted
 * @property {Card | null} lifted card of the hand about to be placed
 * @property {boolean} wrecking whether tops are marked for demolition
 * @property {number | null} [tried] position in the row of a card that is tried on the towers during the auction
 */

/** @type {Choice} */
export const noChoice = { picked: [], lifted: null, wrecking: false };

/** @param {Card} card */
const keyOf = (card) => `${card.tower}-${card.value}`;

/**
 * Whether `part` is contained in `whole`, counting equal cards.
 * @param {Card[]} part
 * @param {Card[]} whole
 */
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

/**
 * The listed take with exactly these cards.
 * @param {Action[]} actions
 * @param {Card[]} cards
 * @returns {Action | null}
 */
export function takeOf(actions, cards) {
  return (
    actions.find(
      (action) => action.type === 'take' && action.cards.length === cards.length && within(cards, action.cards),
    ) ?? null
  );
}

/**
 * The only legal take, if there is just one. Its cards are lifted automatically.
 * @param {Action[]} actions
 * @returns {Action | null}
 */
export function onlyTake(actions) {
  const all = actions.filter((action) => action.type === 'take');
  return all.length === 1 ? all[0] : null;
}

/**
 * Whether these cards can still become a legal take.
 * @param {Action[]} actions
 * @param {Card[]} cards
 */
export const couldTake = (actions, cards) => takes(actions).some((choice) => within(cards, choice));

/** @param {Action[]} actions @param {Card} card @returns {Action | null} */
export const buildOf = (actions, card) =>
  actions.find((action) => action.type === 'build' && keyOf(action.card) === keyOf(card)) ?? null;

/** @param {Action[]} actions @param {TowerType} tower @returns {Action | null} */
export const demolishOf = (actions, tower) =>
  actions.find((action) => action.type === 'demolish' && action.tower === tower) ?? null;

/** @param {Action[]} actions @param {number} count @returns {Action | null} */
export const bidOf = (actions, count) =>
  actions.find((action) => action.type === 'bid' && action.count === count) ?? null;

/**
 * Positions of these cards in the row; equal cards have different positions.
 * @param {Card[]} cards
 * @param {Card[]} row
 * @returns {number[]}
 */
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
 * Keeps a choice while it still means the same in the new state.
 * @param {Choice} choice
 * @param {import('../types.js').State<import('./types.js').Towers> | null} before
 * @param {import('../types.js').State<import('./types.js').Towers> | null} after
 * @returns {Choice}
 */
export function reconcileChoice(choice, before, after) {
  if (!before || !after) return noChoice;
  const was = before.table;
  const is = after.table;
  if (was.round !== is.round || was.turn !== is.turn) return noChoice;
  // Undone to the choice of cards: the returned cards are lifted.
  if (was.phase === 'build' && is.phase === 'take') return { ...noChoice, picked: places(was.hand, is.row) };
  if (was.phase !== is.phase) return noChoice;
  const sameRow = JSON.stringify(was.row) === JSON.stringify(is.row);
  const lifted = choice.lifted;
  return {
    picked: sameRow ? choice.picked : [],
    lifted: lifted && is.hand.some((card) => keyOf(card) === keyOf(lifted)) ? lifted : null,
    tried: sameRow ? choice.tried : null,
    wrecking: choice.wrecking && after.actions.some((action) => action.type === 'demolish'),
  };
}
