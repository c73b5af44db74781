// What a game is dealt from that begins with an earlier one: whether the table, or the deal, follows from that game's seed and salts, and from
// those of the games before it. Fetched when the deal of such a game is checked.

import { chanceOf, isBound } from './deal.js';

/** @typedef {import('./deal.js').Dealer} Dealer */
/** @typedef {import('./deal.js').Beginning} Beginning */
/** @typedef {import('./moments.js').Moment} Moment */

/**
 * @param {any} record
 * @param {Dealer} dealer
 * @param {(record: any) => Promise<Moment[]>} momentsOf
 * @returns {Promise<Beginning>}
 */
export async function beginning(record, dealer, momentsOf) {
  const { moment } = record.origin;
  const { chance, left, holds } = begun(record, dealer, await Promise.all(origins(record).map(momentsOf)));
  return { chance, left, says: [{ says: moment === null ? 'known' : 'origin', holds, moment }] };
}

/**
 * The chance a game begins with and what lies hidden then, and whether that follows from the games before it.
 * @param {any} record
 * @param {Dealer} dealer
 * @param {Moment[][]} earlier the moments of the game it begins with, of the one that begins with, and so on
 * @returns {Beginning & {holds: boolean}}
 */
function begun(record, dealer, [past = [], ...earlier]) {
  const own = chanceOf(record);
  const { origin } = record;
  if (!origin) return { chance: own, holds: true };
  const { chance, left: before, holds } = begun(origin.record, dealer, earlier);
  const bound = holds && isBound(origin.record);
  if (origin.moment === null) return { chance, left: before, holds: bound };
  const { left, wrong } = dealer(chance, record.players.length, past.slice(0, origin.moment + 1), before);
  return { chance: own, left, holds: bound && wrong === null && past.length > origin.moment };
}

/** The records of the games this one begins with, the latest first. @param {any} record @returns {any[]} */
const origins = ({ origin }) => (origin ? [origin.record, ...origins(origin.record)] : []);
