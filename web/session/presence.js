// Who came and left: the difference between one `room` and the next, for the live region and the log. Presence is not
// history, so the protocol has no events for it. Only a new name has one, because it would look like one player leaving
// and another coming.

import { t } from '../i18n.js';

/** @typedef {import('./room-state.js').RoomState} RoomState */
/** @typedef {import('../wire.js').Room} Room */
/** @typedef {import('../wire.js').SeatInfo} SeatInfo */
/** @typedef {'came' | 'left' | 'gone' | 'away' | 'back' | 'played' | 'host' | 'ready' | 'named'} Change */
/** @typedef {{name: string, change: Change, was?: string}} PresenceChange `was` is the previous name */
/** @typedef {PresenceChange & {at: number, own: boolean}} Note `at` is the number of events of the game until then */

/** Maximum number of log lines, so that a bad connection cannot fill the log. */
const NOTES_KEPT = 200;

/** @param {SeatInfo} info */
function statusOf(info) {
  if (info.kind === 'bot') return 'bot';
  if (info.bot) return 'played';
  return info.connected ? 'here' : 'away';
}

/** The change that leads to each status. @type {Record<ReturnType<typeof statusOf>, Change>} */
const CHANGE_TO = { bot: 'gone', played: 'played', away: 'away', here: 'back' };

/**
 * Compares two rooms. In the lobby players are matched by name: names are unique at a table, and seats are renumbered
 * when somebody leaves. During a game they are matched by seat, so that a new name is a renaming.
 * @param {Room | null} before
 * @param {Room | null} after
 * @returns {PresenceChange[]}
 */
export function changesBetween(before, after) {
  if (!before || !after || before.code !== after.code) return [];
  const stays =
    before.phase !== 'lobby' && after.phase !== 'lobby' && before.fair?.commitment === after.fair?.commitment;
  /** @param {SeatInfo} info */
  const who = (info) => (stays ? info.seat : info.name);
  const were = new Map(before.seats.map((info) => [who(info), info]));
  const are = new Set(after.seats.map(who));
  /** @type {PresenceChange[]} */
  const left = before.seats.flatMap((info) => (are.has(who(info)) ? [] : [{ name: info.name, change: 'left' }]));
  const others = after.seats.flatMap((info) => {
    const { name } = info;
    const was = were.get(who(info));
    /** @type {PresenceChange[]} */
    const named = was && was.name !== name ? [{ name, was: was.name, change: 'named' }] : [];
    /** @type {PresenceChange[]} */
    const became = !was
      ? [{ name, change: 'came' }]
      : statusOf(was) === statusOf(info)
        ? []
        : [{ name, change: CHANGE_TO[statusOf(info)] }];
    return [...named, ...became];
  });
  /** @type {PresenceChange[]} */
  const ready = after.seats.flatMap((info) =>
    info.ready && !were.get(who(info))?.ready ? [{ name: info.name, change: 'ready' }] : [],
  );
  const [was, is] = [hostOf(before), hostOf(after)];
  return [
    ...left,
    ...others,
    ...ready,
    ...(is && (!was || who(is) !== who(was)) ? [{ name: is.name, change: /** @type {const} */ ('host') }] : []),
  ];
}

/** @param {Room} room */
const hostOf = (room) => room.seats.find((info) => info.seat === room.host);

/**
 * Words for a player's own changes. They know of the others.
 * @type {Partial<Record<Change, import('../i18n.js').Key>>}
 */
const OWN_CHANGES = { host: 'people.host_you', played: 'bot.for_you' };

/** @param {PresenceChange & {own: boolean}} coming @returns {string | null} */
export function changeWords({ name, change, own, was = '' }) {
  if (!own) return t(`people.${change}`, { name, was });
  const key = OWN_CHANGES[change];
  return key ? t(key) : null;
}

/**
 * The changes, each with whether it is this player's own.
 * @param {RoomState} before
 * @param {RoomState} known
 * @returns {(PresenceChange & {own: boolean})[]}
 */
export function changesFor(before, known) {
  const { named } = known;
  const all =
    before.room === known.room
      ? []
      : named && named !== before.named
        ? [{ ...named, change: /** @type {const} */ ('named') }]
        : changesBetween(before.room, known.room);
  return all.map((each) => ({ ...each, own: each.name === known.you?.name }));
}

/**
 * The log's lines about presence during this game.
 * @param {Note[]} notes
 * @param {RoomState} before
 * @param {RoomState} known
 * @returns {Note[]}
 */
export function withChanges(notes, before, known) {
  const sameGame =
    before.game &&
    known.game &&
    before.room?.code === known.room?.code &&
    known.history.length >= before.history.length;
  if (!sameGame) return notes.length ? [] : notes;
  const at = known.history.length;
  return changesFor(before, known).reduce((all, coming) => {
    const last = all.findLastIndex((note) => note.name === coming.name);
    // Away and back before anything happened at the table: nobody missed it, and phones do so all the time.
    if (coming.change === 'back' && all[last]?.change === 'away' && all[last].at === at)
      return all.filter((_, i) => i !== last);
    return [...all, { ...coming, at }].slice(-NOTES_KEPT);
  }, notes);
}
