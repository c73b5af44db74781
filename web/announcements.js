// The words for the live region, which screen readers read out. They are computed from the previous room state, the
// current one, and what has been announced already.

import { t } from './i18n.js';
import { changeWords, changesFor } from './session/presence.js';
import { isAsked, nameOf, showsResult, startsIn, wasPutAway } from './session/room-state.js';

/** @typedef {import('./session/room-state.js').RoomState} RoomState */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').GameUi} GameUi */
/**
 * What has been announced and is not announced again.
 * @typedef {object} Announced
 * @property {boolean} lost whether the loss of the connection was announced
 * @property {string} prompt the last announced decision, with its words
 */

/** @type {Announced} */
export const nothingAnnounced = { lost: false, prompt: '' };

/**
 * Returns what happened, and what this seat is asked to do.
 * @param {Announced} already
 * @param {RoomState} before
 * @param {View} view the current view
 * @param {boolean} spoken whether a chat line or reaction has just arrived
 * @returns {{already: Announced, said: string[]}}
 */
export function announcementsFor(already, before, view, spoken) {
  const { known, gameUi } = view;
  const line = connectionNews(already.lost, before, known);
  const asks = prompt(line.lost ? '' : already.prompt, before, view);
  return {
    already: { lost: line.lost, prompt: asks.prompt },
    said: [
      ...line.said,
      ...(gameUi ? eventNews(before, view, gameUi) : []),
      ...changesFor(before, known).flatMap((each) => changeWords(each) ?? []),
      ...nextGameNews(before, view),
      ...countdownNews(before, known),
      ...asks.said,
      ...(spoken ? talkNews(before, known) : []),
    ],
  };
}

/**
 * Announces the state of the connection. It is retried many times, but announced as lost only once.
 * @param {boolean} lost
 * @param {RoomState} before
 * @param {RoomState} known
 */
function connectionNews(lost, before, known) {
  if (known.connection === 'open') return { lost: false, said: lost ? [t('line.back')] : [] };
  const trying =
    known.connection === 'waiting' || (known.connection === 'connecting' && (lost || before.connection === 'open'));
  return { lost: trying, said: trying && !lost ? [t('line.reconnecting')] : [] };
}

/**
 * Returns what others did, what happened to this seat, and how the game ended.
 * @param {RoomState} before
 * @param {View} view
 * @param {GameUi} gameUi
 */
function eventNews(before, view, gameUi) {
  const { known } = view;
  const fresh = known.fresh === before.fresh ? [] : known.fresh;
  // An end that came while disconnected is not in the events of any state, but in the history.
  const last = known.history.at(-1);
  const missed =
    last?.type === 'end' && before.game && before.history.at(-1)?.type !== 'end' && !fresh.includes(last) ? [last] : [];
  return [...fresh, ...missed].flatMap((event) => {
    const own = event.seat !== undefined && event.seat === view.seat;
    const words = own
      ? gameUi.ownWords?.(event, view)
      : (gameUi.spokenWords ?? gameUi.words)(event, (seat) => nameOf(known, seat));
    return [...(words ? [words] : []), ...(event.scores ? scores(known, event.scores) : [])];
  });
}

/**
 * The final scores, best first.
 * @param {RoomState} known
 * @param {number[]} points by seat
 */
const scores = (known, points) =>
  points
    .map((count, seat) => ({ count, name: nameOf(known, seat) }))
    .sort((a, b) => b.count - a.count)
    .map(({ count, name }) => t('end.score', { name, count }));

/**
 * What this seat is asked to do. It is announced once per decision, even if the table changes meanwhile.
 * @param {string} prompt
 * @param {RoomState} before
 * @param {View} view
 */
function prompt(prompt, before, view) {
  const { known, gameUi } = view;
  const { game } = known;
  // In the guided first round the coach asks.
  if (!gameUi || !game || view.ui.place.name === 'lesson' || !isAsked(known)) return { prompt: '', said: [] };
  if (game === before.game || known.pending) return { prompt, said: [] };
  // Uses the present table without the current choice, even while an earlier moment is shown.
  const words = gameUi.sentence({
    ...view,
    table: game.table,
    actions: game.actions,
    mine: game.mine,
    ui: { ...view.ui, moment: null, choice: gameUi.noChoice() },
  });
  // The number of the next act distinguishes decisions with the same words.
  const decision = `${game.next} ${words}`;
  return { prompt: decision, said: decision === prompt ? [] : [words] };
}

/**
 * Describes the next game to a player who is still looking at the last result.
 * @param {RoomState} known
 * @returns {string}
 */
export function nextGameWords(known) {
  if (known.game) return t(isAsked(known) ? 'onward.turn' : 'onward.begun');
  const host = known.room?.host ?? null;
  return host === null ? t('onward.open') : t('onward.opened', { name: nameOf(known, host) });
}

/**
 * Announces the next game when it has just been opened or has begun, unless a prompt says so.
 * @param {RoomState} before
 * @param {View} view
 */
const nextGameNews = (before, { known, ui }) =>
  showsResult(ui) && (wasPutAway(before, known.room) || (known.game && !before.game)) && !isAsked(known)
    ? [nextGameWords(known)]
    : [];

/**
 * Announces that the next game will start without the host, or no longer.
 * @param {RoomState} before
 * @param {RoomState} known
 */
function countdownNews(before, known) {
  const [was, is] = [startsIn(before, 0), startsIn(known, 0)];
  if (is !== null) return was === null ? [t('end.starts', { count: Math.ceil(is / 1000) })] : [];
  return was !== null && known.room?.phase === 'finished' ? [t('end.stopped')] : [];
}

/**
 * The last chat line or reaction of somebody else.
 * @param {RoomState} before
 * @param {RoomState} known
 */
function talkNews(before, known) {
  const shown = known.talk.at(-1);
  if (known.chat === before.chat)
    return shown?.reaction && shown.seat !== known.you?.seat
      ? [t('react.said', { name: shown.name, reaction: t(`react.${shown.reaction}`) })]
      : [];
  const newest = known.chat.at(-1);
  return newest && (newest.seat === null || newest.seat !== known.you?.seat)
    ? [t('chat.said', { name: newest.name, text: newest.text })]
    : [];
}

/** Writes to the live region; to that of the sheet if one is open. @param {string[]} said */
export function writeToLiveRegion(said) {
  const region = document.querySelector('dialog[open] .heard') ?? document.getElementById('heard');
  const text = said.join('. ');
  // Screen readers announce only changes, so repeated words are made different.
  if (region && text) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
