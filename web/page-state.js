// The reducer of the page: where one is, which table is shown, and what lies over it. Pure functions of events. Only
// the model applies it; everything else sends events.

import { withChanges } from './session/presence.js';
import { gameShown, initialState, reduceRoom, showsResult, startsIn, wasPutAway } from './session/room-state.js';

/** @typedef {import('./session/room-state.js').RoomState} RoomState */
/** @typedef {Parameters<typeof reduceRoom>[1]} Input */
/** @typedef {import('./view.js').Ui} Ui */
/** @typedef {import('./view.js').LocalUi} LocalUi */
/** @typedef {import('./view.js').Place} Place */
/** @typedef {import('./view.js').Shown} Shown */
/** @typedef {import('./view.js').Past} Past */
/** @typedef {import('./view.js').GameUi} GameUi */
/** @typedef {{known: RoomState, ui: Ui}} PageState */
/**
 * What happens to the page.
 *
 * - `show` changes what is purely local, `open` opens a sheet.
 * - `enter` goes to a place, with what differs from the initial state. The welcome leads from joining into the room.
 * - `to_room` and `to_result` change which game is shown.
 * - `past` brings the moments of the shown game, `moment` shows one of them.
 *
 * @typedef {{type: 'show', change: Partial<LocalUi>}
 *   | {type: 'open', sheet: import('./view.js').Sheet}
 *   | {type: 'enter', place: Place, known?: RoomState, with?: Partial<Ui>}
 *   | {type: 'to_room'}
 *   | {type: 'to_result', last?: RoomState['last'], past?: Past}
 *   | {type: 'past', past: Past}
 *   | {type: 'moment', at: number, playing?: boolean}
 *   | {type: 'leave_moment'}
 *   | {type: 'message', input: Input, now: number, gameUiOf: (known: RoomState) => GameUi | null}} PageEvent
 */

/** The present table, of which no moments are loaded. @type {Shown} */
export const PRESENT = { table: 'present', past: null };

/**
 * The state of a page on arrival at a place. Nothing else creates one, so no place inherits from the previous one.
 * @param {import('./games/index.js').GameId} game the game chosen on the home page
 * @param {Place} [place]
 * @returns {Ui}
 */
export const initialUi = (game, place = { name: 'home', code: null }) => ({
  place,
  shown: PRESENT,
  game,
  preview: null,
  sheet: null,
  toast: null,
  speed: 1,
  choice: null,
  open: [],
  people: [],
  busy: false,
  rooms: {},
  countedMs: 0,
  counting: false,
  reacting: false,
  onward: false,
  why: null,
});

/**
 * What screens read of the page while this table is on the screen.
 * @param {Ui} ui
 * @param {Shown} shown
 * @returns {import('./view.js').ShownUi}
 */
export const shownUi = (ui, shown) => ({
  ...ui,
  past: shown.past?.moments ?? null,
  moment: shown.table === 'moment' ? shown.at : null,
});

/** @param {PageState} state @param {PageEvent} event @returns {PageState} */
export function reducePage(state, event) {
  const { known, ui } = state;
  const { shown } = ui;
  switch (event.type) {
    case 'show':
      return { known, ui: { ...ui, ...event.change } };
    case 'open': {
      const { sheet } = event;
      return {
        known: sheet.name === 'chat' ? reduceRoom(known, { type: 'chat_read' }, 0) : known,
        ui: { ...ui, sheet },
      };
    }
    case 'enter': {
      // These belong to the page rather than to a place.
      const { game, toast, speed, open, rooms } = ui;
      return {
        known: event.known ?? initialState,
        ui: { ...initialUi(game, event.place), toast, speed, open, rooms, ...event.with },
      };
    }
    case 'to_room':
      return { known, ui: { ...ui, shown: PRESENT, counting: false, countedMs: Infinity, sheet: null } };
    case 'to_result': {
      const { last, past = null } = event;
      // A result from the server was counted when its game ended.
      const countedMs = last ? Infinity : ui.countedMs;
      return {
        known: { ...known, last: last ?? known.last },
        ui: { ...ui, shown: { table: 'result', past }, countedMs },
      };
    }
    case 'past':
      return { known, ui: { ...ui, shown: { ...shown, past: event.past } } };
    case 'moment': {
      const { past } = shown;
      if (!past) return state;
      const end = past.moments.length - 1;
      const at = Math.min(end, Math.max(0, event.at));
      const playing = at < end && !!event.playing;
      return { known, ui: { ...ui, shown: { table: 'moment', of: gameShown(shown), past, at, playing } } };
    }
    case 'leave_moment':
      return { known, ui: { ...ui, shown: { table: gameShown(shown), past: shown.past } } };
    case 'message': {
      const { input, now, gameUiOf } = event;
      const next = reduceRoom(known, input, now);
      if (next === known) return state;
      return { known: next, ui: reduceUi(ui, { before: known, known: next, input, gameUi: gameUiOf(next) }) };
    }
  }
}

// What messages do to the page, one thing each.

/** @typedef {{before: RoomState, known: RoomState, input: Input, gameUi: GameUi | null}} Change */
/** @typedef {(ui: Ui, change: Change) => Ui} Reducer */

/** The welcome leads into the room. @type {Reducer} */
export const enterRoom = (ui, { input }) =>
  input.type === 'welcome' && ui.place.name === 'joining' ? { ...ui, place: { ...ui.place, name: 'room' } } : ui;

/** Keeps a choice at the table while it still means the same. @type {Reducer} */
export const updateChoice = (ui, { before, known, gameUi }) =>
  gameUi && known.game !== before.game
    ? { ...ui, choice: ui.choice ? gameUi.reconcileChoice(ui.choice, before.game, known.game) : gameUi.noChoice() }
    : ui;

/** Records presence changes for the log. @type {Reducer} */
export const recordPresence = (ui, { before, known }) => ({ ...ui, people: withChanges(ui.people, before, known) });

/** Shows a game that begins: closes what lay over the lobby. Reconnecting leaves everything open. @type {Reducer} */
export const closeSheetOnStart = (ui, { before, known, input }) =>
  known.game && !before.game && input.type !== 'welcome' && !showsResult(ui)
    ? { ...ui, sheet: null, shown: PRESENT }
    : ui;

/**
 * A player who looks at a result stays there when the table is opened for the next game, unless they opened it or
 * everyone wanted it.
 * @type {Reducer}
 */
export const stayOnResult = (ui, { before, known }) =>
  wasPutAway(before, known.room)
    ? { ...ui, shown: ui.onward || startsIn(before, 0) !== null ? PRESENT : asResult(ui.shown), onward: false }
    : ui;

/** The same table and moment, but of a game that is now the last one. @param {Shown} shown @returns {Shown} */
const asResult = (shown) =>
  shown.table === 'moment' ? { ...shown, of: 'result' } : { table: 'result', past: shown.past };

/**
 * A player with a raised hand who looks at a counted result, with nothing else open, follows to the table when the game
 * begins. Everyone else goes when they want to.
 * @type {Reducer}
 */
export const followToNextGame = (ui, { before, known }) =>
  ui.shown.table === 'result' &&
  before.room?.phase === 'lobby' &&
  known.room?.phase === 'playing' &&
  isReady(before) &&
  !ui.sheet &&
  !ui.counting
    ? { ...ui, shown: PRESENT }
    : ui;

/** Whether this player's hand is raised. @param {RoomState} known */
const isReady = ({ room, you }) => room?.seats.some((info) => info.seat === you?.seat && info.ready) ?? false;

/** Ends the replay when there is no game. @type {Reducer} */
export const leaveReplay = (ui, { known }) => (known.game || showsResult(ui) ? ui : { ...ui, shown: PRESENT });

/** Shows a refusal in the sheet that waits for the answer. @type {Reducer} */
export const failPendingSheet = (ui, { input }) =>
  input.type === 'error' && ui.sheet?.asking ? { ...ui, sheet: { ...ui.sheet, asking: false, why: input.code } } : ui;

/** The sheet for removing a player follows their new name. @type {Reducer} */
export const followRename = (ui, { input }) =>
  input.type === 'renamed' && ui.sheet?.name === 'remove' && ui.sheet.text === input.was
    ? { ...ui, sheet: { ...ui.sheet, text: input.name } }
    : ui;

/** Ends waiting: the game is here, or was refused. @type {Reducer} */
export const clearBusy = (ui, { known }) => (known.game || known.refused ? { ...ui, busy: false } : ui);

const REDUCERS = [
  enterRoom,
  updateChoice,
  recordPresence,
  stayOnResult,
  followToNextGame,
  closeSheetOnStart,
  leaveReplay,
  failPendingSheet,
  followRename,
  clearBusy,
];

/** The state of the page after a message. @type {Reducer} */
export const reduceUi = (ui, change) => REDUCERS.reduce((now, reducer) => reducer(now, change), ui);
