// The messages of the wire contract. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type ClientMessage = { "type": "join",
/**
 * Requested name. Ignored when a token resumes a seat.
 */
name?: string | null,
/**
 * Token of the seat to resume.
 */
token?: string | null,
/**
 * Whether to watch instead of taking a seat.
 */
watch?: boolean,
/**
 * Salt for the seed of the next game, as 32 hex digits.
 */
salt?: string | null,
/**
 * Protocol version the client was written for.
 */
protocol?: number | null,
/**
 * Whether a program plays instead of a person. Omitted if false, because earlier servers refuse unknown
 * fields.
 */
bot?: boolean,
/**
 * What the client already has of the game on the table. Omitted if nothing, because earlier servers refuse
 * unknown fields.
 */
have?: Have | null, } | { "type": "act",
/**
 * The `next` of the state in which the act was chosen. It identifies the decision this act is for.
 */
n: number,
/**
 * The act, in the game's own form.
 */
action: unknown, } | { "type": "chat",
/**
 * The line, 1–500 characters.
 */
text: string, } | { "type": "start", } | { "type": "configure",
/**
 * Game to play instead.
 */
game?: string | null,
/**
 * Options of the game.
 */
rules?: Record<string, unknown>,
/**
 * Seconds for each decision, or null for no clock.
 */
clock?: number | null,
/**
 * Handling of a seat that has only one legal act.
 */
forced?: Forced | null,
/**
 * Pace of the bots.
 */
pace?: Pace | null,
/**
 * Seat that begins the next game, or null for a random one.
 */
starter?: Seat | null, } | { "type": "add_bot",
/**
 * Level of the bot.
 */
level: BotLevel, } | { "type": "remove",
/**
 * Seat to remove.
 */
seat: Seat,
/**
 * Name of the player in that seat. Seats are renumbered when a player leaves, so without the name a request
 * that is sent twice on a slow connection could remove the player who moved up.
 */
name?: string | null, } | { "type": "mute",
/**
 * The watcher's `id` in the room's `audience`.
 */
watcher: number,
/**
 * True to mute, false to unmute.
 */
muted: boolean, } | { "type": "remove_watcher",
/**
 * The watcher's `id` in the room's `audience`.
 */
watcher: number, } | { "type": "substitute",
/**
 * Seat of that player.
 */
seat: Seat,
/**
 * Level of the bot.
 */
level: BotLevel, } | { "type": "sit", } | { "type": "stand", } | { "type": "rematch", } | { "type": "same_deal", } | { "type": "new_deal", } | { "type": "take_chair",
/**
 * Seat number of that place in the earlier game.
 */
chair: Seat, } | { "type": "ready",
/**
 * Whether the player wants another game.
 */
ready: boolean, } | { "type": "react",
/**
 * The reaction.
 */
reaction: Reaction, } | { "type": "rename",
/**
 * New name, with the same rules as the name of a join.
 */
name: string, } | { "type": "hurry", } | { "type": "review", } | { "type": "hint", } | { "type": "handover", } | { "type": "leave", } | { "type": "ping",
/**
 * Number that the pong returns unchanged.
 */
t: number, };

export type ServerMessage = { "type": "welcome",
/**
 * Protocol version of the server, [`crate::PROTOCOL`].
 */
protocol: number,
/**
 * Version of the page that this server serves, as in the paths of its files.
 */
page?: string,
/**
 * Seat of this connection.
 */
you: You,
/**
 * The room.
 */
room: Room,
/**
 * The game, or null in the lobby.
 */
state: State | null,
/**
 * Number of the first events that are left out of `history`, because the client has them (`have` of its join).
 * Omitted if `history` is whole.
 */
since?: number,
/**
 * Every event of this game so far, without the first `since` ones.
 */
history: unknown[],
/**
 * The most recent chat lines.
 */
chat: Array<ChatLine>, } | { "type": "you",
/**
 * The new seat, or null for a watcher.
 */
seat: Seat | null,
/**
 * Token that resumes the seat, or null for a watcher.
 */
token: string | null,
/**
 * Name at the table.
 */
name: string, } | { "type": "room",
/**
 * The room.
 */
room: Room, } | { "type": "state",
/**
 * The game.
 */
state: State, } | { "type": "rejected",
/**
 * Number of the act, from its `n`.
 */
n: number,
/**
 * Reason, as a code that the client turns into a text.
 */
code: string,
/**
 * Reason in English, for developers.
 */
detail: string, } | { "type": "error",
/**
 * Reason, as a code that the client turns into a text.
 */
code: string,
/**
 * Reason in English, for developers.
 */
detail: string, } | { "type": "chat",
/**
 * Seat of the sender, or null for a watcher.
 */
seat: Seat | null,
/**
 * Name of the sender.
 */
name: string,
/**
 * Text of the line.
 */
text: string,
/**
 * Time in milliseconds since 1970.
 */
at: number, } | { "type": "reacted",
/**
 * Seat of the player.
 */
seat: Seat,
/**
 * The reaction.
 */
reaction: Reaction, } | { "type": "renamed",
/**
 * Seat of the player.
 */
seat: Seat,
/**
 * Previous name.
 */
was: string,
/**
 * New name.
 */
name: string, } | { "type": "handover",
/**
 * Code that the other device sends as its token.
 */
code: string,
/**
 * Validity of the code in milliseconds.
 */
expires_ms: number, } | { "type": "review",
/**
 * Number of decisions judged so far.
 */
done: number,
/**
 * Total number of decisions to judge, or 0 while the review is queued.
 */
of: number,
/**
 * Whether the review can be fetched.
 */
ready: boolean, } | { "type": "hint",
/**
 * Number of the act that the hint is for.
 */
n: number,
/**
 * The best acts, at most three.
 */
acts: Array<HintedAct>, } | { "type": "pong",
/**
 * Number of the ping, unchanged.
 */
t: number, };

export type Have = {
/**
 * Commitment of the game, from the room's `fair`.
 */
game: Commitment,
/**
 * Number of events.
 */
events: number,
/**
 * 32-bit FNV-1a of the bytes of the events as one JSON list without spaces, as the server sent them.
 */
checksum: number, };

export type You = {
/**
 * The seat, or null for a watcher.
 */
seat: Seat | null,
/**
 * Token that resumes the seat, or null for a watcher.
 */
token: string | null,
/**
 * Name at the table.
 */
name: string, };

export type Room = {
/**
 * Code that people enter to find the room.
 */
code: string,
/**
 * Id of the game.
 */
game: string,
/**
 * Phase of the room.
 */
phase: Phase,
/**
 * Options of the game.
 */
rules: Record<string, unknown>,
/**
 * Seconds for each decision, or null for no clock.
 */
clock: number | null,
/**
 * Handling of a seat that has only one legal act.
 */
forced: Forced,
/**
 * Pace of the bots. Earlier servers omit it.
 */
pace?: Pace,
/**
 * Seat that the host chose to begin the next game, or null for a random one. Earlier servers omit it.
 */
starter?: Seat | null,
/**
 * Minimum number of players.
 */
min: number,
/**
 * Maximum number of players.
 */
max: number,
/**
 * Seat of the host, who may start and configure, or null if no human is seated.
 */
host: Seat | null,
/**
 * Number of connections that watch without a seat.
 */
watchers: number,
/**
 * Taken seats, in order.
 */
seats: Array<SeatInfo>,
/**
 * Commitment and salts that make the deal verifiable.
 */
fair: Fair,
/**
 * Number of days that an unopened room is kept, or 0 for no limit.
 */
keep_days: number,
/**
 * Watchers, in the order they joined.
 */
audience: Array<Watcher>,
/**
 * Earlier game that the next game, or the one on the table, begins with. Omitted if there is none.
 */
origin?: Origin,
/**
 * Seats that must act before the game continues. Only in the response of `GET /api/rooms/{code}` during a game;
 * clients in the room have it in `state`.
 */
asked?: Array<Seat>,
/**
 * Time until the next game starts without the host, because everyone at the table has asked for it.
 */
starts_in_ms?: number, };

export type SeatInfo = {
/**
 * Number of the seat.
 */
seat: Seat,
/**
 * Name of the player.
 */
name: string,
/**
 * Kind of player: human or bot.
 */
kind: Kind,
/**
 * Whether the seat has a live connection. Always true for a bot.
 */
connected: boolean,
/**
 * Milliseconds since the seat's last connection ended, or 0 while it has one.
 */
away_ms: number,
/**
 * Games won in this room.
 */
wins: number,
/**
 * Level of the bot that plays this seat now, or null.
 */
bot: BotLevel | null,
/**
 * Whether the player declared itself a program when it joined. Omitted if false.
 */
program?: boolean,
/**
 * Whether the player wants another game. Omitted if false.
 */
ready?: boolean,
/**
 * Seat that this place had in the earlier game. Omitted if the game does not begin with an earlier one.
 */
chair?: Seat, };

export type Watcher = {
/**
 * Id of the connection in this room, for as long as it is open.
 */
id: number,
/**
 * Name of the watcher.
 */
name: string,
/**
 * Whether the host has muted the watcher.
 */
muted: boolean, };

export type State = {
/**
 * Number of changes of the room's games. Rises by one with each change and never falls in a room.
 */
version: number,
/**
 * Number of this seat's next act, or null for a watcher. It rises by one with every act of this seat, and by one
 * more when simultaneous choices are counted.
 */
next: number | null,
/**
 * Seats that must act before the game continues, the same for every viewer.
 */
asked: Array<Seat>,
/**
 * Public part of the game.
 */
table: unknown,
/**
 * Part of the game that only this seat sees, or null for a watcher.
 */
mine: unknown,
/**
 * Legal acts of this seat now.
 */
actions: unknown[],
/**
 * Events since the previous version.
 */
events: unknown[],
/**
 * Milliseconds left for the seats that must act, or null without a clock.
 */
deadline_ms: number | null, };

export type ChatLine = {
/**
 * Seat of the sender, or null for a watcher.
 */
seat: Seat | null,
/**
 * Name of the sender.
 */
name: string,
/**
 * Text of the line.
 */
text: string,
/**
 * Time in milliseconds since 1970.
 */
at: number, };

export type GamePlayed = {
/**
 * Number of the game in its room, counted from 1 in the order of starts.
 */
number: number,
/**
 * Id of the game.
 */
game: string,
/**
 * Names in seat order, including renames during the game.
 */
players: Array<string>,
/**
 * Start time in milliseconds since 1970.
 */
start: number,
/**
 * Time in milliseconds since 1970 when the game ended or everyone had left it, or null during the game.
 */
end: number | null,
/**
 * Outcome, or null if the game was not played to its end.
 */
outcome: Outcome | null,
/**
 * Earlier game that this game began with. Omitted if there is none.
 */
origin?: Origin, };

export type Moment = {
/**
 * Version of the state that showed it. Counted from 1 if the moments come from a record alone.
 */
version: number,
/**
 * Time in milliseconds since 1970, or null for the start if the moments come from a record alone.
 */
at: number | null,
/**
 * Seat that acted, or null for the start.
 */
seat: Seat | null,
/**
 * Source of the decision, or null for the start and if the moments come from a record alone.
 */
by: By | null,
/**
 * The act, or null for the start and for a choice that is still hidden.
 */
action: unknown,
/**
 * Events of the change.
 */
events: unknown[],
/**
 * Public table after the change.
 */
table: unknown, };

export type By = "player" | "bot" | "clock" | "force";

export type Origin = {
/**
 * Moment of the earlier game from which it continues, counted from 0, or null if only the deal is the same.
 */
moment: number | null,
/**
 * Players of the earlier game, in seat order.
 */
players: Array<string>,
/**
 * Outcome of the earlier game.
 */
outcome: Outcome, };

export type RecordDoubt = { "type": "too_large", } | { "type": "unreadable", } | { "type": "version",
/**
 * Version of the record.
 */
version: number, } | { "type": "protocol",
/**
 * Protocol version that the record names.
 */
version: number, } | { "type": "game", } | { "type": "rules_version",
/**
 * Version of the rules.
 */
version: number, } | { "type": "rules", } | { "type": "players",
/**
 * Number of players.
 */
count: number, } | { "type": "commitment", } | { "type": "act",
/**
 * Number of the act, counted from 0.
 */
n: number,
/**
 * Seat that acted.
 */
seat: Seat,
/**
 * Refusal code of the game, or null if it is not an act of this game.
 */
code: string | null, } | { "type": "changed",
/**
 * Name of the changed field.
 */
part: string,
/**
 * For a change in the acts, number of the first changed act, counted from 0.
 */
n: number | null, } | { "type": "no_end", } | { "type": "outcome", } | { "type": "origin",
/**
 * Failed check of the earlier game.
 */
doubt: RecordDoubt, } | { "type": "origin_other", } | { "type": "origin_moment", } | { "type": "origin_deep", } | { "type": "moment", } | { "type": "names", };

export type Book = {
/**
 * Games that were played to their ends, in the order they were started.
 */
games: Array<BookGame>,
/**
 * Statistics by game, because points of different games are not comparable.
 */
chapters: Array<Chapter>, };

export type BookGame = {
/**
 * Whether each seat had a bot at the start, in seat order.
 */
bots: Array<boolean>,
/**
 * Feats of each seat at the end, under names that the game defines, such as the height of its tallest tower.
 */
feats: Array<{ [key in string]: number }>,
/**
 * Whether the game counts for the statistics. A game that began with an earlier one is listed but does not count.
 */
counts: boolean,
/**
 * Number of the game in its room, counted from 1 in the order of starts.
 */
number: number,
/**
 * Id of the game.
 */
game: string,
/**
 * Names in seat order, including renames during the game.
 */
players: Array<string>,
/**
 * Start time in milliseconds since 1970.
 */
start: number,
/**
 * Time in milliseconds since 1970 when the game ended or everyone had left it, or null during the game.
 */
end: number | null,
/**
 * Outcome, or null if the game was not played to its end.
 */
outcome: Outcome | null,
/**
 * Earlier game that this game began with. Omitted if there is none.
 */
origin?: Origin, };

export type Chapter = {
/**
 * Id of the game.
 */
game: string,
/**
 * Number of games that count.
 */
games: number,
/**
 * Players, most wins first.
 */
players: Array<BookPlayer>,
/**
 * Pairs of players at the same table, most games together first.
 */
pairs: Array<Pair>,
/**
 * Maximum of each feat, and of points.
 */
best: Array<Best>, };

export type BookPlayer = {
/**
 * Name of the player.
 */
name: string,
/**
 * Whether this name always belonged to a bot.
 */
bot: boolean,
/**
 * Number of games played.
 */
games: number,
/**
 * Number of games won, shared wins included.
 */
wins: number,
/**
 * Average points per game, rounded to two decimal places.
 */
average: number,
/**
 * Most points in a game.
 */
highest: number,
/**
 * Fewest points in a game.
 */
lowest: number, };

export type Pair = {
/**
 * Names of the two players.
 */
players: [string, string],
/**
 * Number of games they played together.
 */
games: number,
/**
 * Number of those games in which each had more points than the other.
 */
ahead: [number, number], };

export type Best = {
/**
 * Name of the value: `points`, or a feat of the game.
 */
feat: string,
/**
 * The value.
 */
count: number,
/**
 * Name of the first player who reached it.
 */
player: string,
/**
 * Number of the game in which it was reached first.
 */
number: number, };

export type Review = {
/**
 * Number of judged decisions: those with more than one option, except for what was taken back.
 */
decisions: number,
/**
 * Players, in seat order.
 */
players: Array<ReviewedPlayer>, };

export type ReviewedPlayer = {
/**
 * Seat of the player.
 */
seat: Seat,
/**
 * Chance of winning before the game, the same for every player: one divided by the number of players.
 */
fair: number,
/**
 * Loss through the player's own decisions, compared with those of `hard`.
 */
play: number,
/**
 * Gain through the other players' decisions: an equal part of what each of them lost.
 */
others: number,
/**
 * The rest: gain or loss through cards and dice.
 */
luck: number,
/**
 * Result: 1000 for a win, 0 for a loss, or a share for a shared win.
 */
result: number,
/**
 * Chance of winning as this seat could see it, at its own decisions and at the end.
 */
curve: Array<CurvePoint>,
/**
 * The decisions that cost most, worst first, at most three. Decisions that are as good as the best, as far as the
 * judgement can tell, are left out.
 */
mistakes: Array<Mistake>, };

export type CurvePoint = {
/**
 * Line of the game's moments, counted from 0.
 */
moment: number,
/**
 * Chance of winning.
 */
chance: number, };

export type Mistake = {
/**
 * Line of the game's moments in which it was made, counted from 0. The line before shows the table at that
 * decision.
 */
moment: number,
/**
 * Source of the decision.
 */
by: By,
/**
 * Act that was played.
 */
action: unknown,
/**
 * Act that `hard` would have played.
 */
better: unknown,
/**
 * Chance of winning with the better act.
 */
chance: number,
/**
 * How much lower the chance was with the played act.
 */
cost: number, };

export type HintedAct = {
/**
 * The act.
 */
action: unknown,
/**
 * Chance of winning with this act.
 */
chance: number, };

export type Fair = {
/**
 * SHA-256 of the server's seed.
 */
commitment: Commitment,
/**
 * Salts in seat order, null for a bot. They are public, and present, once the game has started.
 */
salts?: Array<Salt | null>, };

export type Phase = "lobby" | "playing" | "finished";

export type Forced = "auto" | "ask";

export type Pace = "calm" | "normal" | "brisk";

export type Reaction = "clap" | "laugh" | "wow" | "think" | "ouch" | "heart";

export type Kind = "human" | "bot";

export type BotLevel = "easy" | "casual" | "normal" | "hard";

export type Outcome = {
/**
 * Seats with the highest score, in order.
 */
winners: Array<Seat>,
/**
 * Points of all players, in seat order.
 */
scores: Array<number>, };

export type Seat = number;

export type Salt = string;

export type Commitment = string;

export type Code =
  | 'bad_message'
  | 'too_fast'
  | 'cannot_write'
  | 'not_host'
  | 'not_in_lobby'
  | 'not_finished'
  | 'too_few_players'
  | 'too_many_players'
  | 'table_full'
  | 'chair_taken'
  | 'no_origin'
  | 'too_long_ago'
  | 'no_such_seat'
  | 'no_game'
  | 'not_seated'
  | 'already_seated'
  | 'bad_name'
  | 'bad_chat'
  | 'bad_options'
  | 'not_away'
  | 'too_many_acts'
  | 'room_full'
  | 'room_busy'
  | 'too_much_written'
  | 'too_many_watchers'
  | 'muted'
  | 'no_such_watcher'
  | 'no_hint'
  | 'is_bot'
  | 'already_played'
  | 'out_of_step'
  | 'foreign_origin'
  | 'no_such_room'
  | 'not_found'
  | 'no_record'
  | 'game_on'
  | 'no_such_game'
  | 'no_such_moment'
  | 'no_review'
  | 'bad_record'
  | 'bad_method'
  | 'link_too_long'
  | 'not_websocket'
  | 'bad_host'
  | 'too_many_requests'
  | 'too_many_rooms'
  | 'too_many_misses'
  | 'too_many_sockets'
  | 'server_full'
  | 'busy'
  | 'stopping'
  | 'room_unreadable'
  | 'internal'
  | 'not_ready';

export type CloseCode =
  | 1000
  | 1002
  | 1003
  | 1007
  | 1009
  | 1011
  | 1012
  | 1013
  | 4000
  | 4001
  | 4002
  | 4003
  | 4008
  | 4009
  | 4010
  | 4011;
