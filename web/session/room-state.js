// What the page knows of its room: a pure function of the messages received and sent. No DOM, no sockets, no clock of
// its own.

/** @typedef {import('../games/types.js').ServerMessage} ServerMessage */
/** @typedef {import('../games/types.js').Game} Game */
/** @typedef {import('../games/types.js').Action} Action */
/** @typedef {import('../games/types.js').State} State */
/** @typedef {import('../wire.js').Room} Room */
/** @typedef {import('../wire.js').You} You */
/** @typedef {import('../wire.js').ChatLine} ChatLine */
/**
 * Events of the page itself.
 * @typedef {{type: 'connection', status: import('./socket.js').ConnectionStatus, code: number | null, crowded?:
 *   boolean} | {type: 'act_sent', action: Action} | {type: 'chat_read'} | {type: 'refusal_shown'} |
 *   {type: 'hint_asked'}} LocalEvent
 */
/**
 * @template {Game} [G=Game]
 * @typedef {object} RoomState
 * @property {'idle' | import('./socket.js').ConnectionStatus} connection
 * @property {boolean} crowded whether the server was at capacity at the last attempt
 * @property {number | null} closed the final close code of the connection
 * @property {string | null} page version of the page on the server, or null if the server does not say
 * @property {You | null} you
 * @property {import('../games/types.js').Room<G> | null} room
 * @property {number} roomAt when `room` was received; away times count from there
 * @property {import('../games/types.js').State<G> | null} game
 * @property {number} gameAt
 * @property {G['event'][]} history every event of this game
 * @property {G['event'][]} fresh the events of the newest state, for announcements
 * @property {ChatLine[]} chat
 * @property {number} unread chat lines since the chat was last open
 * @property {{n: number, action: G['action']} | null} pending sent, not yet acknowledged
 * @property {{code: string, action: G['action'] | null} | null} refused the last refusal, until it has been shown
 * @property {Extract<ServerMessage, {type: 'review'}> | null} review progress of the review of this game
 * @property {{was: string, name: string} | null} named the last renaming at this table
 * @property {{id: number, seat: number, name: string, at: number, reaction?: import('../wire.js').Reaction, text?:
 *   string}[]} talk recent chat lines and reactions of seated players, and when they were received
 * @property {Pick<RoomState, 'you' | 'room' | 'game' | 'history'> | null} last the finished game when the table was
 *   opened for the next one
 * @property {Extract<ServerMessage, {type: 'hint'}> | null} hint the strongest bot's hint
 */

/** @type {RoomState} */
export const initialState = {
  connection: 'idle',
  crowded: false,
  closed: null,
  page: null,
  you: null,
  room: null,
  roomAt: 0,
  game: null,
  gameAt: 0,
  history: [],
  fresh: [],
  chat: [],
  unread: 0,
  pending: null,
  refused: null,
  review: null,
  hint: null,
  named: null,
  talk: [],
  last: null,
};

/** Maximum number of chat lines; the server sends the last 50 on joining. */
const CHAT_KEPT = 200;

/**
 * @param {RoomState} known
 * @param {ServerMessage | LocalEvent} input
 * @param {number} now
 * @returns {RoomState}
 */
export function reduceRoom(known, input, now) {
  switch (input.type) {
    case 'connection':
      return { ...known, connection: input.status, crowded: input.crowded ?? false, closed: input.code };
    case 'act_sent':
      return known.game && known.game.next !== null
        ? { ...known, pending: { n: known.game.next, action: input.action }, refused: null }
        : known;
    case 'chat_read':
      return known.unread ? { ...known, unread: 0 } : known;
    case 'refusal_shown':
      return known.refused ? { ...known, refused: null } : known;
    case 'hint_asked':
      return { ...known, hint: null };
    case 'welcome':
      return {
        ...known,
        page: input.page ?? null,
        you: input.you,
        room: input.room,
        roomAt: now,
        game: input.state,
        gameAt: now,
        // With `since`, the server sends only the events after those that the page has.
        history: input.since ? [...known.history.slice(0, input.since), ...input.history] : input.history,
        fresh: [],
        chat: input.chat,
        unread: known.unread + countNewer(input.chat, known.chat),
        last: lastResultOf(known, input.room),
        // Acts are counted from 0 in every game, so the number alone does not identify one.
        pending: sameGame(known.room, input.room) ? keepPending(known.pending, input.state) : null,
        // The version only decreases if the database failed over to a standby that lagged behind.
        refused:
          known.game && sameGame(known.room, input.room) && (input.state?.version ?? 0) < known.game.version
            ? { code: 'moves_lost', action: null }
            : known.refused,
      };
    case 'you':
      return { ...known, you: { seat: input.seat, token: input.token, name: input.name } };
    case 'room':
      // Back in the lobby: the game is over and closed.
      return input.room.phase === 'lobby'
        ? {
            ...known,
            last: lastResultOf(known, input.room),
            room: input.room,
            roomAt: now,
            game: null,
            history: [],
            fresh: [],
            pending: null,
            review: null,
            hint: null,
          }
        : { ...known, room: input.room, roomAt: now };
    case 'state': {
      if (known.game && input.state.version <= known.game.version) return known;
      const events = input.state.events;
      return {
        ...known,
        game: input.state,
        gameAt: now,
        fresh: events,
        history: events.length ? [...known.history, ...events] : known.history,
        pending: keepPending(known.pending, input.state),
      };
    }
    case 'rejected': {
      const pending = known.pending;
      if (!pending || pending.n !== input.n) return known;
      // The act was already played: the state that says so has arrived or is on its way.
      if (input.code === 'already_played') return { ...known, pending: null };
      return { ...known, pending: null, refused: { code: input.code, action: pending.action } };
    }
    case 'error':
      // It does not say what it answers, perhaps the act. A table that waits forever is worse than an act sent twice,
      // which its number prevents.
      return { ...known, pending: null, refused: { code: input.code, action: null } };
    case 'chat': {
      const line = { seat: input.seat, name: input.name, text: input.text, at: input.at };
      const own = known.you !== null && input.seat === known.you.seat && input.name === known.you.name;
      const talk =
        input.seat === null
          ? known.talk
          : withBubble(known, { seat: input.seat, name: input.name, text: input.text, at: now });
      return { ...known, talk, chat: [...known.chat, line].slice(-CHAT_KEPT), unread: known.unread + (own ? 0 : 1) };
    }
    case 'reacted':
      return {
        ...known,
        talk: withBubble(known, {
          seat: input.seat,
          name: nameOf(known, input.seat),
          reaction: input.reaction,
          at: now,
        }),
      };
    case 'renamed': {
      const { was, name } = input;
      /** @param {Room | null} room */
      const called = (room) =>
        room && { ...room, seats: room.seats.map((info) => (info.name === was ? { ...info, name } : info)) };
      const you = known.you?.seat === input.seat ? { ...known.you, name } : known.you;
      return {
        ...known,
        you,
        named: { was, name },
        room: called(known.room),
        last: known.last && { ...known.last, room: called(known.last.room) },
      };
    }
    case 'review':
    case 'hint':
      return { ...known, [input.type]: input };
    default:
      // A pong only proves that the connection is alive. Unknown messages change nothing.
      return known;
  }
}

/**
 * An act stays pending, to be sent again, only while the server waits for its number.
 * @param {RoomState['pending']} pending
 * @param {State | null} state
 */
const keepPending = (pending, state) => (pending && state && state.next === pending.n ? pending : null);

/**
 * Whether both are of the same game: the server commits to another deal before each.
 * @param {Room | null} before
 * @param {Room} after
 */
const sameGame = (before, after) => before?.fair.commitment === after.fair.commitment;

/** Maximum number of bubbles. */
const TALK_KEPT = 8;

/** @param {RoomState} known @param {Omit<RoomState['talk'][number], 'id'>} said */
const withBubble = ({ talk }, said) => [...talk, { ...said, id: (talk.at(-1)?.id ?? 0) + 1 }].slice(-TALK_KEPT);

/**
 * Whether a finished game was closed for the next one.
 * @param {RoomState} before
 * @param {Room | null} after
 */
export const wasPutAway = ({ room, game }, after) =>
  room?.phase === 'finished' &&
  game !== null &&
  after !== null &&
  !(after.phase === 'finished' && sameGame(room, after));

/**
 * The finished game whose result can still be looked at.
 * @param {RoomState} known
 * @param {Room} after
 */
const lastResultOf = (known, after) =>
  wasPutAway(known, after)
    ? { you: known.you, room: known.room, game: known.game, history: known.history }
    : known.last;

/** Which game is shown: the present one or the last result. @param {import('../view.js').Shown} shown */
export const gameShown = (shown) => (shown.table === 'moment' ? shown.of : shown.table);

/**
 * Whether the last finished game is shown, or a moment of it.
 * @param {{shown: import('../view.js').Shown}} ui
 */
export const showsResult = ({ shown }) => gameShown(shown) === 'result';

/**
 * The state to show: the present, or the last result while the player stays there.
 * @param {RoomState} known
 * @param {{shown: import('../view.js').Shown}} ui
 * @returns {RoomState}
 */
export const shownState = (known, ui) => (known.last && showsResult(ui) ? { ...known, ...known.last } : known);

/**
 * The table to show: the present one, or that of a moment of the replay, in which nothing can be played.
 * @param {Pick<RoomState, 'game' | 'pending'>} known
 * @param {Pick<import('../view.js').ShownUi, 'past' | 'moment'>} ui
 */
export function tableShown({ game, pending }, ui) {
  const past = ui.moment === null ? undefined : ui.past?.[ui.moment];
  if (past) return { table: past.table, actions: [], mine: null };
  return { table: game?.table ?? null, actions: pending ? [] : (game?.actions ?? []), mine: game?.mine ?? null };
}

/**
 * Whether this server knows reactions, raised hands and renaming. They came with the pace of bots, which is part of
 * every room.
 * @param {Room | null} room
 */
export const supportsReactions = (room) => room !== null && 'pace' in room;

/**
 * Whether a state between these two was missed.
 * @param {State | null} before
 * @param {State} after
 */
export const hasGap = (before, after) => before !== null && after.version > before.version + 1;

/** @param {ChatLine[]} lines @param {ChatLine[]} seen */
function countNewer(lines, seen) {
  const last = seen.at(-1);
  return last ? lines.filter((line) => line.at > last.at).length : 0;
}

/** @param {RoomState} known @param {number} seat */
export const seatOf = (known, seat) => known.room?.seats.find((each) => each.seat === seat) ?? null;

/** @param {RoomState} known @param {number} seat */
export const nameOf = (known, seat) => seatOf(known, seat)?.name ?? '?';

/** Whether the game waits only for bots, and this player may hurry them. @param {RoomState} known */
export const awaitsOnlyBots = ({ you, room, game }) =>
  room?.pace !== undefined &&
  you?.seat != null &&
  Boolean(game?.asked.length) &&
  (game?.asked ?? []).every((seat) => room.seats.some((info) => info.seat === seat && info.bot));

/**
 * Whether this seat is asked for an act. Where all choose at once, a player who has decided may still change it, but is
 * not waited for.
 * @param {RoomState} known
 */
export const isAsked = (known) =>
  known.room?.phase === 'playing' && (known.game?.asked.includes(known.you?.seat ?? -1) ?? false);

/**
 * The time left for a decision, or null without a clock.
 * @param {RoomState} known
 * @param {number} now
 */
export function timeLeft(known, now) {
  const left = known.game?.deadline_ms ?? null;
  return left === null || known.room?.phase !== 'playing' ? null : Math.max(0, left - Math.max(0, now - known.gameAt));
}

/**
 * The time until the next game starts without the host, because everyone wants it, or null.
 * @param {RoomState} known
 * @param {number} now
 */
export const startsIn = ({ room, roomAt }, now) =>
  room?.starts_in_ms === undefined ? null : Math.max(0, room.starts_in_ms - Math.max(0, now - roomAt));

/**
 * How long a seat has been away, or null if it is connected.
 * @param {RoomState} known
 * @param {number} seat
 * @param {number} now
 */
export function awayFor(known, seat, now) {
  const info = seatOf(known, seat);
  if (!info || info.connected || info.kind === 'bot') return null;
  return info.away_ms + Math.max(0, now - known.roomAt);
}
