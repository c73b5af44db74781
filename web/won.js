// Who won, in words. It knows no game.

import { listed, t } from './i18n.js';
import { nameOf } from './store.js';

/** @param {number[]} winners @param {(seat: number) => string} name */
export const won = (winners, name) => t(winners.length > 1 ? 'end.shared' : 'end.wins', { name: listed(winners.map(name)) });

/** What the end says to this seat. @param {import('./view.js').View} view */
export function wonHere(view) {
  const winners = view.table.outcome?.winners ?? [];
  return winners.length === 1 && winners[0] === view.seat ? t('end.you_win') : won(winners, (seat) => nameOf(view.known, seat));
}
