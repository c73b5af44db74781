// The messages of the wire contract. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type ClientMessage = { "type": "join",
/**
 * Ignored when a token resumes a seat.
 */
name?: string | null,
/**
 * Resumes the seat it belongs to.
 */
token?: string | null,
/**
 * Asks for no seat.
 */
watch?: boolean,
/**
 * 32 hex digits that go into the seed of the next game.
 */
salt?: string | null,
/**
 * The contract the client was written for.
 */
protocol?: number | null,
/**
 * Says that a program plays, and not a person. Left out where it is not so: servers of before it refuse what they do
 * not know.
 */
bot?: boolean, } | { "type": "act",
/**
 * The `next` of the state in which it was chosen: it names the decision this act is for.
 */
n: number,
/**
 * The act.
 */
action: unknown, } | { "type": "chat",
/**
 * 1–500 characters.
 */
text: string, } | { "type": "start", } | { "type": "configure",
/**
 * Another game.
 */
game?: string | null,
/**
 * The game's own options.
 */
rules?: Record<string, unknown>,
/**
 * Seconds for each decision; null for none.
 */
clock?: number | null,
/**
 * What happens when a seat has only one act.
 */
forced?: Forced | null,
/**
 * How fast bots play.
 */
pace?: Pace | null,
/**
 * The seat that begins the next game; null to leave it to chance.
 */
starter?: Seat | null, } | { "type": "add_bot",
/**
 * How well it plays.
 */
level: BotLevel, } | { "type": "remove",
/**
 * Whom.
 */
seat: Seat,
/**
 * What they are called. Seats are numbered anew when somebody goes: said twice on a slow line, the second would otherwise
 * be about whoever moved up.
 */
name?: string | null, } | { "type": "mute",
/**
 * Whom: their `id` in the room's `audience`.
 */
watcher: number,
/**
 * Whether they are muted from now on.
 */
muted: boolean, } | { "type": "remove_watcher",
/**
 * Whom: their `id` in the room's `audience`.
 */
watcher: number, } | { "type": "substitute",
/**
 * For whom.
 */
seat: Seat,
/**
 * How well it plays.
 */
level: BotLevel, } | { "type": "sit", } | { "type": "stand", } | { "type": "rematch", } | { "type": "same_deal", } | { "type": "new_deal", } | { "type": "take_chair",
/**
 * Its seat then.
 */
chair: Seat, } | { "type": "ready",
/**
 * Whether one does.
 */
ready: boolean, } | { "type": "react",
/**
 * Which.
 */
reaction: Reaction, } | { "type": "rename",
/**
 * As a name at joining.
 */
name: string, } | { "type": "hurry", } | { "type": "review", } | { "type": "hint", } | { "type": "handover", } | { "type": "leave", } | { "type": "ping",
/**
 * Comes back as it went.
 */
t: number, };

export type ServerMessage = { "type": "welcome",
/**
 * [`crate::PROTOCOL`].
 */
protocol: number,
/**
 * Where this connection sits.
 */
you: You,
/**
 * The room.
 */
room: Room,
/**
 * The game; none in the lobby.
 */
state: State | null,
/**
 * Every event of this game so far.
 */
history: unknown[],
/**
 * The last lines said.
 */
chat: Array<ChatLine>, } | { "type": "you",
/**
 * The new seat; none for a watcher.
 */
seat: Seat | null,
/**
 * What brings this player back to it.
 */
token: string | null,
/**
 * The name at the table.
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
 * The act's own number.
 */
n: number,
/**
 * Why, for the client to word.
 */
code: string,
/**
 * Why, for developers.
 */
detail: string, } | { "type": "error",
/**
 * Why, for the client to word.
 */
code: string,
/**
 * Why, for developers.
 */
detail: string, } | { "type": "chat",
/**
 * Their seat, if they had one.
 */
seat: Seat | null,
/**
 * Their name.
 */
name: string,
/**
 * What they said.
 */
text: string,
/**
 * When, in milliseconds since 1970.
 */
at: number, } | { "type": "reacted",
/**
 * Their seat.
 */
seat: Seat,
/**
 * Which.
 */
reaction: Reaction, } | { "type": "renamed",
/**
 * Their seat.
 */
seat: Seat,
/**
 * What they were called.
 */
was: string,
/**
 * What they are called.
 */
name: string, } | { "type": "handover",
/**
 * What the other device sends as its token.
 */
code: string,
/**
 * For how long it is good.
 */
expires_ms: number, } | { "type": "review",
/**
 * How many decisions are judged.
 */
done: number,
/**
 * Of how many; 0 while it waits for its turn.
 */
of: number,
/**
 * Whether it is there to be fetched.
 */
ready: boolean, } | { "type": "hint",
/**
 * The number of the act it is for.
 */
n: number,
/**
 * The best acts, three at most.
 */
acts: Array<HintedAct>, } | { "type": "pong",
/**
 * As it came.
 */
t: number, };

export type You = {
/**
 * None for a watcher.
 */
seat: Seat | null,
/**
 * None for a watcher.
 */
token: string | null,
/**
 * The name at the table.
 */
name: string, };

export type Room = {
/**
 * What people type to find it.
 */
code: string,
/**
 * Which game is played.
 */
game: string,
/**
 * Where the room is between opening and the next game.
 */
phase: Phase,
/**
 * The game's own options.
 */
rules: Record<string, unknown>,
/**
 * Seconds for each decision, or none.
 */
clock: number | null,
/**
 * What happens when a seat has only one act.
 */
forced: Forced,
/**
 * How fast bots play. Earlier servers omit it.
 */
pace?: Pace,
/**
 * The seat that the host chose to begin the next game; null for chance. Earlier servers omit it.
 */
starter?: Seat | null,
/**
 * The fewest players.
 */
min: number,
/**
 * The most players.
 */
max: number,
/**
 * Who may start and configure; none while nobody sits.
 */
host: Seat | null,
/**
 * How many connections watch without a seat.
 */
watchers: number,
/**
 * Who sits, in seat order.
 */
seats: Array<SeatInfo>,
/**
 * What makes the deal one that can be checked.
 */
fair: Fair,
/**
 * For how many days a room that nobody opens is kept; 0 for ever.
 */
keep_days: number,
/**
 * Who watches, in the order they came.
 */
audience: Array<Watcher>,
/**
 * The earlier game that the next one, or the one on the table, begins with. It is there only if so.
 */
origin?: Origin,
/**
 * The seats that must act before the game goes on. Only whoever asks for the room from outside is told, while a game is on;
 * those inside know it from the game.
 */
asked?: Array<Seat>, };

export type SeatInfo = {
/**
 * Its number.
 */
seat: Seat,
/**
 * Who sits there.
 */
name: string,
/**
 * Human or bot.
 */
kind: Kind,
/**
 * Whether any of its connections is alive.
 */
connected: boolean,
/**
 * For how long none has been.
 */
away_ms: number,
/**
 * Games won in this room.
 */
wins: number,
/**
 * The level of the bot that plays this seat now.
 */
bot: BotLevel | null,
/**
 * Whoever sits here came with the word that they are a program. It is there only if so.
 */
program?: boolean,
/**
 * Whoever sits here has said that they want another game. It is there only if so.
 */
ready?: boolean,
/**
 * Whose place of the earlier game this is, where there is one: its seat then.
 */
chair?: Seat, };

export type Watcher = {
/**
 * Names their connection in this room, as long as it lasts.
 */
id: number,
/**
 * What they are called.
 */
name: string,
/**
 * Whether the host lets them not talk.
 */
muted: boolean, };

export type State = {
/**
 * Rises by one with each change of the game and never falls in a room.
 */
version: number,
/**
 * The number of this seat's next act; none for a watcher. It rises with every act of this seat, and by one more
 * when choices made together are counted.
 */
next: number | null,
/**
 * The seats that must act before the game goes on, the same for everyone.
 */
asked: Array<Seat>,
/**
 * What everyone sees.
 */
table: unknown,
/**
 * What this seat alone sees.
 */
mine: unknown,
/**
 * What this seat may do now.
 */
actions: unknown[],
/**
 * What happened since the version before.
 */
events: unknown[],
/**
 * Time left for whoever must act.
 */
deadline_ms: number | null, };

export type ChatLine = {
/**
 * The speaker's seat, if they had one.
 */
seat: Seat | null,
/**
 * The speaker's name.
 */
name: string,
/**
 * What they said.
 */
text: string,
/**
 * When, in milliseconds since 1970.
 */
at: number, };

export type GamePlayed = {
/**
 * Counted from 1 in each room, in the order they were started.
 */
number: number,
/**
 * Which game.
 */
game: string,
/**
 * Names in seat order, as they were at the start.
 */
players: Array<string>,
/**
 * When it was started, in milliseconds since 1970.
 */
start: number,
/**
 * When it was over, or everyone had left it; none while it is on.
 */
end: number | null,
/**
 * How it ended; none if it did not come to its end.
 */
outcome: Outcome | null,
/**
 * What it had of an earlier game. It is there only if so.
 */
origin?: Origin, };

export type Moment = {
/**
 * The version of the state that showed it; counted from 1 where there is only a record.
 */
version: number,
/**
 * When, in milliseconds since 1970; none for the start where there is only a record.
 */
at: number | null,
/**
 * Whose act it was; nobody's for the start.
 */
seat: Seat | null,
/**
 * Who made that decision; none for the start, and where there is only a record.
 */
by: By | null,
/**
 * The act; none for the start, and for a choice that is still hidden.
 */
action: unknown,
/**
 * What happened.
 */
events: unknown[],
/**
 * What everyone saw then.
 */
table: unknown, };

export type By = "player" | "bot" | "clock" | "force";

export type Origin = {
/**
 * From which moment of the earlier game it goes on, counted from 0; none if it is dealt as that was.
 */
moment: number | null,
/**
 * Who played the earlier game, in seat order.
 */
players: Array<string>,
/**
 * How that ended.
 */
outcome: Outcome, };

export type RecordDoubt = { "type": "too_large", } | { "type": "unreadable", } | { "type": "version",
/**
 * Which.
 */
version: number, } | { "type": "protocol",
/**
 * Which.
 */
version: number, } | { "type": "game", } | { "type": "rules_version",
/**
 * Which.
 */
version: number, } | { "type": "rules", } | { "type": "players",
/**
 * How many.
 */
count: number, } | { "type": "commitment", } | { "type": "act",
/**
 * Which, counted from 0.
 */
n: number,
/**
 * Whose.
 */
seat: Seat,
/**
 * The game's own code; none if it is no act of the game at all.
 */
code: string | null, } | { "type": "changed",
/**
 * The name of the field.
 */
part: string,
/**
 * Of the acts the first that is another, counted from 0.
 */
n: number | null, } | { "type": "no_end", } | { "type": "outcome", } | { "type": "origin",
/**
 * What does not hold in that.
 */
doubt: RecordDoubt, } | { "type": "origin_other", } | { "type": "origin_moment", } | { "type": "origin_deep", } | { "type": "moment", } | { "type": "names", };

export type Book = {
/**
 * Every game that was played to its end, in the order they were started.
 */
games: Array<BookGame>,
/**
 * What they came to, for each game by itself: points of one are not points of the other.
 */
chapters: Array<Chapter>, };

export type BookGame = {
/**
 * Which seats bots had.
 */
bots: Array<boolean>,
/**
 * What each seat had at the end, under names of the game's own: the height of its tallest tower, say.
 */
feats: Array<{ [key in string]: number }>,
/**
 * Whether it counts: one that began with an earlier game is in the list only.
 */
counts: boolean,
/**
 * Counted from 1 in each room, in the order they were started.
 */
number: number,
/**
 * Which game.
 */
game: string,
/**
 * Names in seat order, as they were at the start.
 */
players: Array<string>,
/**
 * When it was started, in milliseconds since 1970.
 */
start: number,
/**
 * When it was over, or everyone had left it; none while it is on.
 */
end: number | null,
/**
 * How it ended; none if it did not come to its end.
 */
outcome: Outcome | null,
/**
 * What it had of an earlier game. It is there only if so.
 */
origin?: Origin, };

export type Chapter = {
/**
 * Which game.
 */
game: string,
/**
 * How many were played.
 */
games: number,
/**
 * Who played them, whoever won most first.
 */
players: Array<BookPlayer>,
/**
 * Two at the same table, those who met most often first.
 */
pairs: Array<Pair>,
/**
 * The most of each feat that anybody had, and the most points.
 */
best: Array<Best>, };

export type BookPlayer = {
/**
 * What they were called.
 */
name: string,
/**
 * Whether a bot was called so whenever somebody was.
 */
bot: boolean,
/**
 * How many games they played.
 */
games: number,
/**
 * How many of them they won, or shared.
 */
wins: number,
/**
 * Points in a game, to two places.
 */
average: number,
/**
 * Their most points.
 */
highest: number,
/**
 * Their fewest.
 */
lowest: number, };

export type Pair = {
/**
 * Who.
 */
players: [string, string],
/**
 * How many games.
 */
games: number,
/**
 * In how many of them each had more points than the other.
 */
ahead: [number, number], };

export type Best = {
/**
 * Of what: `points`, or a feat of the game.
 */
feat: string,
/**
 * How many.
 */
count: number,
/**
 * Who had them first.
 */
player: string,
/**
 * In which game.
 */
number: number, };

export type Review = {
/**
 * How many decisions were judged: those in which there was something to choose, but for what was taken back.
 */
decisions: number,
/**
 * Each player, in seat order.
 */
players: Array<ReviewedPlayer>, };

export type ReviewedPlayer = {
/**
 * Where.
 */
seat: Seat,
/**
 * The chance of winning of anyone before the first card: one in so many players.
 */
fair: number,
/**
 * What their own decisions lost against those `hard` would have made.
 */
play: number,
/**
 * What the others' decisions left to them, an equal part of what each of the others lost.
 */
others: number,
/**
 * The rest: what cards and dice gave and took.
 */
luck: number,
/**
 * All or nothing; of a shared win a part.
 */
result: number,
/**
 * The chance of winning as this seat could see it, at its own decisions and at the end.
 */
curve: Array<CurvePoint>,
/**
 * The decisions that lost most, the worst first, three at most. One that is as good as another as far as can be told is not among
 * them.
 */
mistakes: Array<Mistake>, };

export type CurvePoint = {
/**
 * Which line of the game's moments, counted from 0.
 */
moment: number,
/**
 * The chance.
 */
chance: number, };

export type Mistake = {
/**
 * The line of the game's moments in which it was made, counted from 0; the one before is what lay on the table.
 */
moment: number,
/**
 * Who made it.
 */
by: By,
/**
 * What was done.
 */
action: unknown,
/**
 * What `hard` would have done.
 */
better: unknown,
/**
 * The chance of winning with that.
 */
chance: number,
/**
 * How much less it was with what was done.
 */
cost: number, };

export type HintedAct = {
/**
 * What can be done.
 */
action: unknown,
/**
 * The chance of winning with it.
 */
chance: number, };

export type Fair = {
/**
 * SHA-256 of the server's seed.
 */
commitment: Commitment,
/**
 * The seated humans' salts in seat order, once the game has started and they are public.
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
 * All who share the highest score, in seat order.
 */
winners: Array<Seat>,
/**
 * Everyone's points, in seat order.
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
