// What is new on the table: what happened since this person last decided, so that it can glow until they decide again. A pure
// function of the history; what an event changes on the table, and which events are decisions, the game says.

import { t } from './i18n.js';
import { nameOf } from './store.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Face} Face */

/**
 * Where the news begin for this seat: after what it did last. Who watches is told what the last to act did.
 * @param {any[]} history
 * @param {number | null} seat
 * @returns {number}
 */
export function newsFrom(history, seat) {
  const actor = seat ?? history.findLast((event) => event.seat !== undefined)?.seat;
  return history.findLastIndex((event) => event.seat !== undefined && (event.seat === actor) === (seat !== null)) + 1;
}

/**
 * The events that are news, and what they changed. At a moment of the past they are those of the moment.
 * @param {Pick<View, 'known' | 'ui' | 'past' | 'table' | 'seat'>} view
 * @param {Face | null} face
 * @returns {{news: any[], fresh: Set<string>}}
 */
export function newsOn({ known: { history }, ui, past, table, seat }, face) {
  if (!face || !table) return { news: [], fresh: new Set() };
  const [from, to] = ui.moment === null || !ui.past ? [(face.newsFrom ?? newsFrom)(history, seat, table), history.length] : past?.eventsOf(ui.past, ui.moment) ?? [0, 0];
  const news = history.slice(from, to);
  return { news, fresh: new Set(face.touched(news, table)) };
}

/** Whether this part of the table is new. @param {View} view @param {string} part as the game names it */
export const isNew = (view, part) => view.fresh?.has(part) ?? false;

/** What is new of somebody, for who hears the table: "New: Mira bids 3, Mira builds Sand 7". @param {View} view @param {number} seat */
export function newsOf(view, seat) {
  const told = (view.news ?? []).flatMap((event) => (event.seat === seat ? view.face?.words(event, (who) => nameOf(view.known, who)) ?? [] : []));
  return told.length ? `${t('new', { what: told.join(', ') })}. ` : '';
}

/** The last line of the log. What lies open anyway, such as a row that is dealt, is left to the log. @param {View} view @returns {string} */
export function latest({ known, face }) {
  const last = known.history.findLast((event) => event.seat !== undefined && event.type !== 'finish' && face?.words(event, () => ''));
  return last ? face?.words(last, (seat) => nameOf(known, seat)) ?? '' : '';
}
