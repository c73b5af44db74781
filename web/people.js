// Who comes and goes: the difference between one `room` and the next, for the live region and the log. Pure; it knows no game.
// The wire has no event for it, as presence is not history; only of another name it tells, which would look like one who left and one who came.

import { t } from './i18n.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./wire.js').Room} Room */
/** @typedef {import('./wire.js').SeatInfo} SeatInfo */
/** @typedef {'came' | 'left' | 'gone' | 'away' | 'back' | 'played' | 'host' | 'ready' | 'named'} Change */
/** @typedef {{name: string, change: Change, was?: string}} Coming `was` is what somebody was called before */
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
 * A name is whoever bears it: names differ at a table, and seats in the lobby are numbered anew when somebody leaves. In a game seats stay; who
 * is called otherwise there was renamed.
 * @param {Room | null} before
 * @param {Room | null} after
 * @returns {Coming[]}
 */
export function comings(before, after) {
  if (!before || !after || before.code !== after.code) return [];
  const stays = before.phase !== 'lobby' && after.phase !== 'lobby' && before.fair?.commitment === after.fair?.commitment;
  /** @param {SeatInfo} info */
  const who = (info) => (stays ? info.seat : info.name);
  const were = new Map(before.seats.map((info) => [who(info), info]));
  const are = new Set(after.seats.map(who));
  /** @type {Coming[]} */
  const left = before.seats.flatMap((info) => (are.has(who(info)) ? [] : [{ name: info.name, change: 'left' }]));
  const others = after.seats.flatMap((info) => {
    const { name } = info;
    const was = were.get(who(info));
    /** @type {Coming[]} */
    const named = was && was.name !== name ? [{ name, was: was.name, change: 'named' }] : [];
    /** @type {Coming[]} */
    const became = !was ? [{ name, change: 'came' }] : standing(was) === standing(info) ? [] : [{ name, change: BECAME[standing(info)] }];
    return [...named, ...became];
  });
  /** @type {Coming[]} */
  const ready = after.seats.flatMap((info) => (info.ready && !were.get(who(info))?.ready ? [{ name: info.name, change: 'ready' }] : []));
  const [was, is] = [hostOf(before), hostOf(after)];
  return [...left, ...others, ...ready, ...(is && (!was || who(is) !== who(was)) ? [{ name: is.name, change: /** @type {Change} */ ('host') }] : [])];
}

/** @param {Room} room */
const hostOf = (room) => room.seats.find((info) => info.seat === room.host);

/** What a person's own changes say to them; the others they know of. @type {Partial<Record<Change, import('./i18n.js').Key>>} */
const TO_YOU = { host: 'people.host_you', played: 'bot.for_you' };

/** @param {Coming & {own: boolean}} coming @returns {string | null} */
export function comingWords({ name, change, own, was = '' }) {
  if (!own) return t(`people.${change}`, { name, was });
  const key = TO_YOU[change];
  return key ? t(key) : null;
}

/**
 * The same with whose it is.
 * @param {Known} before @param {Known} known
 * @returns {(Coming & {own: boolean})[]}
 */
export function comingsTo(before, known) {
  const { named } = known;
  const all = before.room === known.room ? [] : named && named !== before.named ? [{ ...named, change: /** @type {Change} */ ('named') }] : comings(before.room, known.room);
  return all.map((each) => ({ ...each, own: each.name === known.you?.name }));
}

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
