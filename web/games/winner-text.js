// Who won, in words. Shared by all games.

import { formatList, t } from '../i18n.js';
import { nameOf } from '../session/room-state.js';

/** @param {number[]} winners @param {(seat: number) => string} name */
export const winnerText = (winners, name) =>
  t(winners.length > 1 ? 'end.shared' : 'end.wins', { name: formatList(winners.map(name)) });

/** Names the winners to this seat. @param {import('../view.js').TableView} view */
export function winnerTextFor(view) {
  const winners = view.table.outcome?.winners ?? [];
  return winners.length === 1 && winners[0] === view.seat
    ? t('end.you_win')
    : winnerText(winners, (seat) => nameOf(view.known, seat));
}
