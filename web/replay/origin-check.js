// Checks the start of a game that begins with an earlier one: whether its table or deal follows from the seeds and
// salts of the games before it. Loaded when such a deal is checked.

import { randomOf, matchesCommitment } from './deal-check.js';

/** @typedef {import('./deal-check.js').Dealer} Dealer */
/** @typedef {import('./deal-check.js').DealStart} Beginning */
/** @typedef {import('./moments.js').Moment} Moment */
/** @typedef {import('./record.js').GameRecord} GameRecord */

/**
 * @param {GameRecord} record
 * @param {Dealer} dealer
 * @param {(record: GameRecord) => Promise<Moment[]>} momentsOf
 * @returns {Promise<Beginning>}
 */
export async function checkOrigin(record, dealer, momentsOf) {
  const moment = record.origin?.moment ?? null;
  const { chance, left, holds } = dealStart(record, dealer, await Promise.all(origins(record).map(momentsOf)));
  return { chance, left, says: [{ says: moment === null ? 'known' : 'origin', holds, moment }] };
}

/**
 * Returns the random numbers and what is hidden at the start of a game, and whether they follow from the games before
 * it.
 * @param {GameRecord} record
 * @param {Dealer} dealer
 * @param {Moment[][]} earlier moments of the game it begins with, of the game that one begins with, and so on
 * @returns {Beginning & {holds: boolean}}
 */
function dealStart(record, dealer, [past = [], ...earlier]) {
  const own = randomOf(record);
  const { origin } = record;
  if (!origin) return { chance: own, holds: true };
  const { chance, left: before, holds } = dealStart(origin.record, dealer, earlier);
  const bound = holds && matchesCommitment(origin.record);
  if (origin.moment === null) return { chance, left: before, holds: bound };
  const { left, wrong } = dealer(chance, record.players.length, past.slice(0, origin.moment + 1), before);
  return { chance: own, left, holds: bound && wrong === null && past.length > origin.moment };
}

/**
 * The records of the games that this one begins with, latest first.
 * @param {GameRecord} record
 * @returns {GameRecord[]}
 */
const origins = ({ origin }) => (origin ? [origin.record, ...origins(origin.record)] : []);
