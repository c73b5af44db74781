// Five Towers in words: the sentence, the standing, and the log.

import { t, formatList, formatDuration } from '../../i18n.js';
import { listedAction } from '../legal-actions.js';
import { winnerText, winnerTextFor } from '../winner-text.js';
import { awayFor, nameOf, seatOf } from '../../session/room-state.js';
import { cardName } from './cards.js';

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./types.js').View} View */

/** Acts that end a player's part. Others can be undone, and the next one is asked for at once. */
const CALLS = new Set(['bid', 'pass', 'finish', 'retract']);

/** The legal bids. @param {View} view */
function bidWords({ actions, table }) {
  /** @type {number[]} */
  const bids = actions.filter((act) => act.type === 'bid').map((act) => act.count);
  const [least, most] = [bids[0], bids.at(-1)];
  if (most === undefined) return t('towers.say.only_pass');
  return table.standing
    ? t('towers.say.your_bid_over', { range: least < most ? `${least}–${most}` : most })
    : t('towers.say.your_bid', { most });
}

/** @param {View} view @returns {string} */
export function sentence(view) {
  const table = view.table;
  const { known } = view;
  if (table.phase === 'finished' || table.turn === null) return winnerTextFor(view);
  const count = table.standing?.count ?? 0;
  const name = nameOf(known, table.turn);
  if (table.turn === view.seat && view.ui.moment === null) {
    // An act that is being sent is worded as everybody will read it.
    const sent = known.pending?.action;
    if (sent?.type === 'take') return t('towers.say.takes', { name, count, of: table.row.length });
    if (sent && CALLS.has(sent.type)) return words({ ...sent, seat: view.seat }, () => name) ?? '';
    switch (table.phase) {
      case 'auction':
        return bidWords(view);
      case 'take':
        return t('towers.say.you_take', { count, of: table.row.length });
      case 'build':
        if (view.ui.choice.wrecking) return t('towers.say.you_demolish');
        if (view.ui.choice.lifted) return t('towers.say.tap_again');
        if (table.hand.length && !view.known.pending && !listedAction(view.actions, 'build')) {
          const ways = /** @type {const} */ (['undo', 'retract']).filter((way) => listedAction(view.actions, way));
          // A bid that can be retracted cannot be kept, so no demolition helps.
          if (!ways.includes('retract') && listedAction(view.actions, 'demolish')) return t('towers.say.must_demolish');
          return t('towers.say.stuck', { how: ways.map((way) => t(`towers.${way}`)).join(' / ') });
        }
        return table.hand.length ? t('towers.say.you_build', { count: table.hand.length }) : t('towers.say.you_finish');
    }
  }
  const away = view.ui.moment === null ? awayFor(known, table.turn, view.now) : null;
  if (away !== null && !seatOf(known, table.turn)?.bot) return t('waiting_away', { name, time: formatDuration(away) });
  switch (table.phase) {
    case 'auction':
      return table.standing ? t('towers.say.bids_over', { name, count }) : t('towers.say.bids', { name });
    case 'take':
      return t('towers.say.takes', { name, count, of: table.row.length });
    default:
      return t('towers.say.builds', { name });
  }
}

/** @param {View} view */
export function standing(view) {
  const table = view.table;
  const round = t('round', { round: table.round });
  if (table.phase === 'finished' || view.ui.moment !== null) return round;
  return `${round} · ${t('towers.deal', { deal: table.deal })} · ${t('towers.left', { count: table.draw })}`;
}

/** While others are asked: what this seat could build, or who won the auction. @param {View} view */
export function idle(view) {
  const table = view.table;
  const mine = view.mine;
  if (table.phase === 'auction')
    return !mine
      ? ''
      : mine.highest_bid
        ? t('towers.could_build', { count: mine.highest_bid })
        : t('towers.could_build.none');
  return table.standing
    ? t('towers.won_auction', { name: nameOf(view.known, table.standing.seat), count: table.standing.count })
    : '';
}

/** @param {Event} event @param {(seat: number) => string} name @returns {string | null} */
export function words(event, name) {
  switch (event.type) {
    case 'round':
      return t('towers.log.row', { cards: formatList(event.row.map(cardName)) });
    case 'bid':
      return t('towers.log.bid', { name: name(event.seat), count: event.count });
    case 'pass':
    case 'undo':
    case 'retract':
    case 'finish':
      return t(`towers.log.${event.type}`, { name: name(event.seat) });
    case 'take':
      return event.cards.length
        ? t('towers.log.take', { name: name(event.seat), cards: formatList(event.cards.map(cardName)) })
        : null;
    case 'demolish':
      return t('towers.log.demolish', { name: name(event.seat), tower: t(`towers.type.${event.tower}`) });
    case 'build':
      return t(event.card.value === 0 ? 'towers.log.roof' : 'towers.log.build', {
        name: name(event.seat),
        card: cardName(event.card),
        tower: t(`towers.type.${event.card.tower}`),
      });
    case 'discard':
      return event.cards.length ? t('towers.log.discard', { cards: formatList(event.cards.map(cardName)) }) : null;
    case 'reshuffle':
      return t('towers.log.reshuffle', { count: event.cards });
    case 'end':
      return winnerText(event.winners, name);
  }
}

/**
 * For screen readers. The taken cards are named, and all of them must be built, so only roofs and demolitions are news.
 * @param {Event} event
 * @param {(seat: number) => string} name
 */
export const spokenWords = (event, name) =>
  event.type === 'finish' || (event.type === 'build' && event.card.value) ? null : words(event, name);

/** @param {Event} event */
export const chapter = (event) => (event.type === 'round' ? t('round', { round: event.round }) : null);
