// What is new on the table: everything since this player's last decision is highlighted until the next one. It is a
// pure function of the history. The game says what an event changes, and which events are decisions.

import { t } from './i18n.js';
import { nameOf } from './session/room-state.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').GameUi} GameUi */
/** @typedef {import('./games/types.js').Event} Event */

/**
 * Where the news begin for this seat: after its last act. For watchers, with the last act.
 * @param {Event[]} history
 * @param {number | null} seat
 * @returns {number}
 */
export function newsFrom(history, seat) {
  const actor = seat ?? history.findLast((event) => event.seat !== undefined)?.seat;
  return history.findLastIndex((event) => event.seat !== undefined && (event.seat === actor) === (seat !== null)) + 1;
}

/**
 * The events that are news, and the parts of the table that they changed. In a replay, the events of the moment.
 * @param {Pick<View, 'known' | 'ui' | 'past' | 'table' | 'seat'>} view
 * @param {GameUi | null} gameUi
 * @returns {{news: Event[], fresh: Set<string>}}
 */
export function newsOn({ known: { history }, ui, past, table, seat }, gameUi) {
  if (!gameUi || !table) return { news: [], fresh: new Set() };
  const [from, to] =
    ui.moment === null || !ui.past
      ? [(gameUi.newsFrom ?? newsFrom)(history, seat, table), history.length]
      : (past?.eventRange(ui.past, ui.moment) ?? [0, 0]);
  const news = history.slice(from, to);
  return { news, fresh: new Set(gameUi.touched(news, table)) };
}

/**
 * Whether this part of the table is new.
 * @param {View} view
 * @param {string} part as the game names it
 */
export const isNew = (view, part) => view.fresh?.has(part) ?? false;

/**
 * What is new of a player, for screen readers: "New: Mira bids 3, Mira builds Sand 7".
 * @param {View} view
 * @param {number} seat
 */
export function newsOf(view, seat) {
  const told = (view.news ?? []).flatMap((event) =>
    event.seat === seat ? (view.gameUi?.words(event, (who) => nameOf(view.known, who)) ?? []) : [],
  );
  return told.length ? `${t('new', { what: told.join(', ') })}. ` : '';
}

/**
 * The last line of the log. Visible changes, such as a dealt row, are left to the log.
 * @param {View} view
 * @returns {string}
 */
export function latest({ known, gameUi }) {
  const last = known.history.findLast(
    (event) => event.seat !== undefined && event.type !== 'finish' && gameUi?.words(event, () => ''),
  );
  return last ? (gameUi?.words(last, (seat) => nameOf(known, seat)) ?? '') : '';
}
