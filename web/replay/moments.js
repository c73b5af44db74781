// The moments of a game as the server sends them: every table that was shown. Pure functions; the game words the
// events.

import { nameOf, initialState } from '../session/room-state.js';

/** @typedef {import('../games/types.js').Moment} Moment */

/**
 * Each line is one moment.
 * @param {string} text
 * @returns {Moment[]}
 */
export const readMoments = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/**
 * The moment of the event at this index of the history, or null.
 * @param {Moment[]} moments
 * @param {number} event
 */
export function momentOf(moments, event) {
  let told = 0;
  const at = moments.findIndex(({ events }) => (told += events.length) > event);
  return at < 0 ? null : at;
}

/** The room of the shown game, and its number there, as far as known. @param {import('../view.js').Ui} ui */
export const gameOf = ({ place, shown }) => ({ code: place.code, number: shown.past?.number ?? null });

/**
 * The range of a moment's events in the history: start, and end (exclusive).
 * @param {Moment[]} moments
 * @param {number} at
 * @returns {[number, number]}
 */
export function eventRange(moments, at) {
  const from = moments.slice(0, at).reduce((sum, { events }) => sum + events.length, 0);
  return [from, from + (moments[at]?.events.length ?? 0)];
}

/**
 * What happened in the shown moment; first of all to the player who acted.
 * @param {import('../view.js').TableView} view
 * @returns {string}
 */
export function momentWords(view) {
  const { ui, known, gameUi } = view;
  const { events = [], seat = null } = ui.past?.[ui.moment ?? 0] ?? {};
  const name = (/** @type {number} */ who) => nameOf(known, who);
  // A dealt row is visible on the table, so only the round is named.
  const told = [
    ...events.filter((event) => event.seat === seat).map((event) => gameUi?.words(event, name)),
    ...events.map((event) => gameUi?.chapter(event, name) ?? gameUi?.words(event, name)),
  ];
  return told.find(Boolean) ?? gameUi?.sentence(view) ?? '';
}

/**
 * A watched game without a room, so that the same board draws it.
 * @param {Moment[]} past
 * @param {import('../view.js').Replayed} replay
 * @returns {import('../session/room-state.js').RoomState}
 */
export function asWatchedGame(past, { code, game, players, origin }) {
  const last = past[past.length - 1];
  const over = last.table.outcome !== null;
  return {
    ...initialState,
    connection: 'open',
    you: { seat: null, token: null, name: '' },
    history: past.flatMap(({ events }) => events),
    room: {
      code: code ?? '',
      game,
      phase: over ? 'finished' : 'playing',
      rules: {},
      clock: null,
      forced: 'ask',
      min: players.length,
      max: players.length,
      host: null,
      watchers: 0,
      seats: players.map((name, seat) => ({
        seat,
        name,
        kind: 'human',
        connected: true,
        away_ms: 0,
        wins: 0,
        bot: null,
      })),
      fair: { commitment: '' },
      keep_days: 0,
      audience: [],
      origin,
    },
    game: {
      version: last.version,
      next: null,
      asked: [],
      table: last.table,
      mine: null,
      actions: [],
      events: [],
      deadline_ms: null,
    },
  };
}
