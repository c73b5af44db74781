// Who comes and goes: the difference between one `room` and the next, for the live region and the log. Pure; it knows no game.
// The wire has no event for it: presence is not history.

import { t } from './i18n.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./wire.js').Room} Room */
/** @typedef {import('./wire.js').SeatInfo} SeatInfo */
/** @typedef {'came' | 'left' | 'gone' | 'away' | 'back' | 'played' | 'host' | 'ready'} Change */
/** @typedef {{name: string, change: Change}} Coming */
/** @typedef {Coming & {at: number, own: boolean}} Note `at` is how many events of the game had happened by then */

/** Lines of the log at most: somebody with a bad line must not fill it. */
const NOTES_KEPT = 200;

/** @param {SeatInfo} info */
function standing(info) {
  if (info.kind === 'bot') return 'bot';
  if (info.bot) return 'played';
  return info.connected ? 'here' : 'away';
}

/** What became of somebody, by what they are now. @type {Record<ReturnType<typeof standing>, Change>} */
const BECAME = { bot: 'gone', played: 'played', away: 'away', here: 'back' };

/**
 * A name is whoever bears it: names differ at a table, and seats in the lobby are numbered anew when somebody leaves.
 * @param {Room | null} before
 * @param {Room | null} after
 * @returns {Coming[]}
 */
export function comings(before, after) {
  if (!before || !after || before.code !== after.code) return [];
  const were = new Map(before.seats.map((info) => [info.name, info]));
  const are = new Set(after.seats.map((info) => info.name));
  /** @type {Coming[]} */
  const left = before.seats.flatMap(({ name }) => (are.has(name) ? [] : [{ name, change: 'left' }]));
  const others = after.seats.flatMap((info) => {
    const was = were.get(info.name);
    if (!was) return [{ name: info.name, change: /** @type {Change} */ ('came') }];
    return standing(was) === standing(info) ? [] : [{ name: info.name, change: BECAME[standing(info)] }];
  });
  const ready = after.seats.flatMap(({ name, ready: up }) => (up && !were.get(name)?.ready ? [{ name, change: /** @type {Change} */ ('ready') }] : []));
  const [was, is] = [hostOf(before), hostOf(after)];
  return [...left, ...others, ...ready, ...(is !== null && is !== was ? [{ name: is, change: /** @type {Change} */ ('host') }] : [])];
}

/** @param {Room} room */
const hostOf = (room) => room.seats.find((info) => info.seat === room.host)?.name ?? null;

/** What a person's own changes say to them; the others they know of. @type {Partial<Record<Change, import('./i18n.js').Key>>} */
const TO_YOU = { host: 'people.host_you', played: 'bot.for_you' };

/** @param {Coming & {own: boolean}} coming @returns {string | null} */
export function comingWords({ name, change, own }) {
  if (!own) return t(`people.${change}`, { name });
  const key = TO_YOU[change];
  return key ? t(key) : null;
}

/** The same with whose it is. @param {Known} before @param {Known} known */
export const comingsTo = (before, known) => (before.room === known.room ? [] : comings(before.room, known.room).map((each) => ({ ...each, own: each.name === known.you?.name })));

/**
 * The log's lines about people, in this game.
 * @param {Note[]} notes
 * @param {Known} before
 * @param {Known} known
 * @returns {Note[]}
 */
export function noted(notes, before, known) {
  const sameGame = before.game && known.game && before.room?.code === known.room?.code && known.history.length >= before.history.length;
  if (!sameGame) return notes.length ? [] : notes;
  const at = known.history.length;
  return comingsTo(before, known).reduce((all, coming) => {
    const last = all.findLastIndex((note) => note.name === coming.name);
    // Away and back before anything happened at the table: nobody missed it, and a phone does so all the time.
    if (coming.change === 'back' && all[last]?.change === 'away' && all[last].at === at) return all.filter((_, i) => i !== last);
    return [...all, { ...coming, at }].slice(-NOTES_KEPT);
  }, notes);
}
