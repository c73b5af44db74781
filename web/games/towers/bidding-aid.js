// The bidding aid: what the server says each bid would mean, shown at the row, the towers and the bids. It knows no
// rules, and can be turned off.

import { settings } from '../../device.js';
import { t, formatList } from '../../i18n.js';
import { cardName, cardSaid } from './cards.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').Means} Means */
/** @typedef {import('./types.js').View} View */

/**
 * What the bids mean now; null outside of an auction, if it is turned off, or if the server does not say.
 * @param {View} view
 * @returns {Means | null}
 */
export const aidOf = (view) =>
  view.table.phase === 'auction' && view.ui.moment === null && settings().aid ? (view.mine?.means ?? null) : null;

/**
 * Whether a card of the row fits this seat's towers: it fits, fits after a demolition, or never.
 * @param {Means} means
 * @param {number} at
 */
export const fitOf = (means, at) => (means.fits.includes(at) ? 'fits' : means.after.includes(at) ? 'after' : 'never');

/**
 * Whether the highest bid needs this card.
 * @param {Means} means
 * @param {number} at
 */
export const rests = (means, at) => means.bids.at(-1)?.cards.includes(at) ?? false;

/**
 * A card of the row for screen readers.
 * @param {Means} means
 * @param {Card} card
 * @param {number} at
 */
export const rowSaid = (means, card, at) =>
  `${cardSaid(card)}. ${t(`towers.aid.${fitOf(means, at)}`)}${rests(means, at) ? ` ${t('towers.aid.rests')}` : ''}`;

/**
 * What a bid would mean: which cards it takes or leaves, whichever are fewer, and which tower would lose its top.
 * @param {Means} means
 * @param {Card[]} row
 * @param {number} count
 * @param {(card: Card) => string} name
 */
export function meaning(means, row, count, name) {
  const bid = means.bids[count - 1];
  if (!bid) return null;
  const [taken, left] = [true, false].map((of) => row.filter((_, at) => bid.cards.includes(at) === of).map(name));
  const words = !left.length
    ? t('towers.aid.all')
    : left.length < taken.length
      ? t('towers.aid.without', { cards: formatList(left) })
      : t('towers.aid.only', { cards: formatList(taken) });
  return { words, falls: bid.demolish ?? null };
}

/**
 * The same as a sentence: "without Candy 12, after demolishing the top of Sand".
 * @param {Means} means
 * @param {Card[]} row
 * @param {number} count
 */
export function meaningSaid(means, row, count) {
  const said = meaning(means, row, count, cardName);
  return (
    said &&
    [said.words, ...(said.falls ? [t('towers.aid.falls', { tower: t(`towers.type.${said.falls}`) })] : [])].join(', ')
  );
}
