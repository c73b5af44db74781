// The moments of a game as the server tells them: every table that was shown. Pure; what happened in them, the game words.

import { nameOf, nothing } from '../store.js';

/** @typedef {Omit<import('../wire.js').Moment, 'events' | 'table' | 'action'> & {events: any[], table: any, action: any}} Moment */

/** One line is one moment. @param {string} text @returns {Moment[]} */
export const readMoments = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** The moment in which the event at this place of the history happened; null if it is not among them. @param {Moment[]} moments @param {number} event */
export function momentOf(moments, event) {
  let told = 0;
  const at = moments.findIndex(({ events }) => (told += events.length) > event);
  return at < 0 ? null : at;
}

/** The places in the history of what happened in this moment: from, and up to. @param {Moment[]} moments @param {number} at @returns {[number, number]} */
export function eventsOf(moments, at) {
  const from = moments.slice(0, at).reduce((sum, { events }) => sum + events.length, 0);
  return [from, from + (moments[at]?.events.length ?? 0)];
}

/** What happened in the moment shown: first of all to whoever acted. @param {import('../view.js').View} view @returns {string} */
export function momentWords(view) {
  const { ui, known, face } = view;
  const { events = [], seat = null } = ui.past?.[ui.moment ?? 0] ?? {};
  const name = (/** @type {number} */ who) => nameOf(known, who);
  // A row that is dealt lies on the table; that it is another round is enough to say.
  const told = [...events.filter((event) => event.seat === seat).map((event) => face?.words(event, name)), ...events.map((event) => face?.chapter(event, name) ?? face?.words(event, name))];
  return told.find(Boolean) ?? face?.sentence(view) ?? '';
}

/** The game in the form of one that is watched, so that the same board draws it: there is no room behind it. @param {Moment[]} past @param {import('../view.js').Replayed} replay @returns {import('../store.js').Known} */
export function staged(past, { code, game, players, origin }) {
  const last = past[past.length - 1];
  const over = last.table.outcome !== null;
  return {
    ...nothing, line: 'open', you: { seat: null, token: null, name: '' }, history: past.flatMap(({ events }) => events),
    room: {
      code: code ?? '', game, phase: over ? 'finished' : 'playing', rules: {}, clock: null, forced: 'ask', min: players.length, max: players.length, host: null, watchers: 0,
      seats: players.map((name, seat) => ({ seat, name, kind: 'human', connected: true, away_ms: 0, wins: 0, bot: null })),
      fair: { commitment: '' }, keep_days: 0, audience: [], origin,
    },
    game: { version: last.version, next: null, asked: [], table: last.table, mine: null, actions: [], events: [], deadline_ms: null },
  };
}
