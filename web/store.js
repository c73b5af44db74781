// What this page knows of its room: a pure fold of what was heard and sent. No DOM, no sockets, no clock of its own.

/** @typedef {import('./wire.js').ServerMessage} ServerMessage */
/** @typedef {import('./wire.js').Room} Room */
/** @typedef {import('./wire.js').State} State */
/** @typedef {import('./wire.js').You} You */
/** @typedef {import('./wire.js').ChatLine} ChatLine */
/**
 * What the page itself reports to the store.
 * @typedef {{type: 'line', status: import('./socket.js').LineStatus, code: number | null, crowded?: boolean}
 *   | {type: 'acted', action: any}
 *   | {type: 'read'}
 *   | {type: 'heeded'}} OwnNews
 */
/**
 * @typedef {object} Known
 * @property {'idle' | import('./socket.js').LineStatus} line
 * @property {boolean} crowded whether the server had no place for us when we last came
 * @property {number | null} closed the code the line was closed with, once it is final
 * @property {You | null} you
 * @property {Room | null} room
 * @property {number} roomAt when `room` was heard: away times count on from there
 * @property {State | null} game
 * @property {number} gameAt
 * @property {any[]} history every event of this game
 * @property {any[]} fresh the events of the newest state, for announcing
 * @property {ChatLine[]} chat
 * @property {number} unread chat lines since the chat was last open
 * @property {{n: number, action: any} | null} pending sent, not yet acknowledged
 * @property {{code: string, action: any} | null} refused the last refusal, until somebody has seen it
 * @property {Extract<ServerMessage, {type: 'review'}> | null} review how far the review of this game has come
 * @property {{was: string, name: string} | null} named who was last given another name at this table
 * @property {{id: number, seat: number, name: string, at: number, reaction?: import('./wire.js').Reaction, text?: string}[]} talk what was last said or shown by whoever sits here, and when it was heard
 * @property {Pick<Known, 'you' | 'room' | 'game' | 'history'> | null} last the game that was over when the table was opened for the next one
 * @property {Extract<ServerMessage, {type: 'hint'}> | null} hint what the strongest bot would do
 */

/** @type {Known} */
export const nothing = {
  line: 'idle', crowded: false, closed: null, you: null, room: null, roomAt: 0, game: null, gameAt: 0, history: [], fresh: [],
  chat: [], unread: 0, pending: null, refused: null, review: null, hint: null, named: null, talk: [], last: null,
};

/** Chat lines kept; the server sends the last 50 on joining. */
const CHAT_KEPT = 200;

/**
 * @param {Known} known
 * @param {ServerMessage | OwnNews} news
 * @param {number} now
 * @returns {Known}
 */
export function fold(known, news, now) {
  switch (news.type) {
    case 'line':
      return { ...known, line: news.status, crowded: news.crowded ?? false, closed: news.code };
    case 'acted':
      return known.game && known.game.next !== null
        ? { ...known, pending: { n: known.game.next, action: news.action }, refused: null } : known;
    case 'read':
      return known.unread ? { ...known, unread: 0 } : known;
    case 'heeded':
      return known.refused ? { ...known, refused: null } : known;
    case 'welcome':
      return {
        ...known,
        you: news.you, room: news.room, roomAt: now, game: news.state, gameAt: now,
        history: news.history, fresh: [],
        chat: news.chat, unread: known.unread + newerThan(news.chat, known.chat),
        last: lastOf(known, news.room),
        // Acts are counted from 0 in every game, so the number alone does not say that it is the same one.
        pending: sameGame(known.room, news.room) ? stillPending(known.pending, news.state) : null,
        // A version falls only when the database failed over to a standby that lagged behind.
        refused: known.game && sameGame(known.room, news.room) && (news.state?.version ?? 0) < known.game.version ? { code: 'moves_lost', action: null } : known.refused,
      };
    case 'you':
      return { ...known, you: { seat: news.seat, token: news.token, name: news.name } };
    case 'room':
      // Back in the lobby means that the game is over and put away.
      return news.room.phase === 'lobby'
        ? { ...known, last: lastOf(known, news.room), room: news.room, roomAt: now, game: null, history: [], fresh: [], pending: null, review: null, hint: null }
        : { ...known, room: news.room, roomAt: now };
    case 'state': {
      if (known.game && news.state.version <= known.game.version) return known;
      const events = news.state.events;
      return {
        ...known, game: news.state, gameAt: now, fresh: events,
        history: events.length ? [...known.history, ...events] : known.history,
        pending: stillPending(known.pending, news.state),
      };
    }
    case 'rejected': {
      const pending = known.pending;
      if (!pending || pending.n !== news.n) return known;
      // It was played after all: the state that says so is on its way or here.
      if (news.code === 'already_played') return { ...known, pending: null };
      return { ...known, pending: null, refused: { code: news.code, action: pending.action } };
    }
    case 'error':
      // It does not say what it answers. It may be the act, and a table that waits for ever is worse than an act
      // that is sent twice, which its number forbids.
      return { ...known, pending: null, refused: { code: news.code, action: null } };
    case 'chat': {
      const line = { seat: news.seat, name: news.name, text: news.text, at: news.at };
      const own = known.you !== null && news.seat === known.you.seat && news.name === known.you.name;
      const talk = news.seat === null ? known.talk : talked(known, { seat: news.seat, name: news.name, text: news.text, at: now });
      return { ...known, talk, chat: [...known.chat, line].slice(-CHAT_KEPT), unread: known.unread + (own ? 0 : 1) };
    }
    case 'reacted':
      return { ...known, talk: talked(known, { seat: news.seat, name: nameOf(known, news.seat), reaction: news.reaction, at: now }) };
    case 'renamed': {
      const { was, name } = news;
      /** @param {Room | null} room */
      const called = (room) => room && { ...room, seats: room.seats.map((info) => (info.name === was ? { ...info, name } : info)) };
      const you = known.you?.seat === news.seat ? { ...known.you, name } : known.you;
      return { ...known, you, named: { was, name }, room: called(known.room), last: known.last && { ...known.last, room: called(known.last.room) } };
    }
    case 'review':
    case 'hint':
      return { ...known, [news.type]: news };
    default:
      // A pong only proves that the line lives; a message this page has no use for yet changes nothing it knows.
      return known;
  }
}

/**
 * An act stays pending, to be sent again, only while the server still waits for that very number.
 * @param {Known['pending']} pending
 * @param {State | null} state
 */
const stillPending = (pending, state) => (pending && state && state.next === pending.n ? pending : null);

/** Whether both are of the same game: the server commits itself to another deal before each. @param {Room | null} before @param {Room} after */
const sameGame = (before, after) => before?.fair.commitment === after.fair.commitment;

/** Only the last few can be on the screen at once. */
const TALK_KEPT = 8;

/** @param {Known} known @param {Omit<Known['talk'][number], 'id'>} said */
const talked = ({ talk }, said) => [...talk, { ...said, id: (talk.at(-1)?.id ?? 0) + 1 }].slice(-TALK_KEPT);

/** Whether a game that was over has made way for the next one. @param {Known} before @param {Room | null} after */
export const putAway = ({ room, game }, after) => room?.phase === 'finished' && game !== null && after !== null && !(after.phase === 'finished' && sameGame(room, after));

/** The game whose result stays to be looked at. @param {Known} known @param {Room} after */
const lastOf = (known, after) => (putAway(known, after) ? { you: known.you, room: known.room, game: known.game, history: known.history } : known.last);

/** What is looked at: the room as it is, or for who stays there the game that was over. @param {Known} known @param {{stay: boolean}} ui @returns {Known} */
export const lookedAt = (known, { stay }) => (stay && known.last ? { ...known, ...known.last } : known);

/** Whether this server knows of hands, reactions and names that change: they came with the pace of bots, which it names in every room. @param {Room | null} room */
export const knowsHands = (room) => room !== null && 'pace' in room;

/** Whether something between these two was never heard. @param {State | null} before @param {State} after */
export const hasGap = (before, after) => before !== null && after.version > before.version + 1;

/** @param {ChatLine[]} lines @param {ChatLine[]} seen */
function newerThan(lines, seen) {
  const last = seen.at(-1);
  return last ? lines.filter((line) => line.at > last.at).length : 0;
}

/** @param {Known} known @param {number} seat */
export const seatOf = (known, seat) => known.room?.seats.find((each) => each.seat === seat) ?? null;

/** @param {Known} known @param {number} seat */
export const nameOf = (known, seat) => seatOf(known, seat)?.name ?? '?';

/** Whether bots alone are waited for, by somebody at the table of a server that lets one hurry them. @param {Known} known */
export const onlyBots = ({ you, room, game }) => room?.pace !== undefined && you?.seat != null && Boolean(game?.asked.length) && (game?.asked ?? []).every((seat) => room.seats.some((info) => info.seat === seat && info.bot));

/**
 * Whether this page's seat is asked for an act now. Where all choose at once, whoever has decided may change their
 * mind but is not waited for.
 * @param {Known} known
 */
export const asked = (known) => known.room?.phase === 'playing' && (known.game?.asked.includes(known.you?.seat ?? -1) ?? false);

/** The time left for whoever must act, or null without a clock. @param {Known} known @param {number} now */
export function timeLeft(known, now) {
  const left = known.game?.deadline_ms ?? null;
  return left === null || known.room?.phase !== 'playing' ? null : Math.max(0, left - Math.max(0, now - known.gameAt));
}

/**
 * How long a seat has been away, or null while it is there.
 * @param {Known} known @param {number} seat @param {number} now
 */
export function awayFor(known, seat, now) {
  const info = seatOf(known, seat);
  if (!info || info.connected || info.kind === 'bot') return null;
  return info.away_ms + Math.max(0, now - known.roomAt);
}
