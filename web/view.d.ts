/** What every screen receives: the room state, the state of the page, and the commands. */
import type { Room } from './wire.js';
import type { RoomState } from './session/room-state.js';
import type { DealRandom } from './replay/deal-check.js';
import type { Child, Node_ } from './dom.js';
import type { ClientMessage, Game, GameId, Moment, PlayerOf, Review, ServerMessage, State } from './games/types.js';
import type { Key } from './i18n.js';
import type { GameRecord } from './replay/record.js';
import type { ScriptedServer } from './lesson/scripted-server.js';
import type { Sound } from './sounds.js';

/** A part of the rules: a paragraph (perhaps a numbered step), a list, or one of the game's pictures. */
export type Part = { words: Key; step?: number } | { list: Key[] } | { picture: string };
export interface Section {
  title: Key;
  body: Part[];
}

/** A game's rules, and the pictures they name. */
export interface Rules {
  sections: Section[];
  pictures: Record<string, () => Child>;
}

export interface Sheet {
  name:
    | 'menu'
    | 'rules'
    | 'settings'
    | 'log'
    | 'chat'
    | 'share'
    | 'keys'
    | 'player'
    | 'piles'
    | 'leave'
    | 'remove'
    | 'device'
    | 'copy'
    | 'audience'
    | 'outdated'
    | 'unwatch'
    | 'past'
    | 'doubt'
    | 'deal'
    | 'after'
    | 'book'
    | 'records'
    | 'review'
    | 'hint';
  seat?: number;
  /** Watcher to be removed. */
  watcher?: number;
  /** What is wrong with a record, and its players. */
  doubt?: import('./wire.js').RecordDoubt;
  players?: string[];
  /** Results of the deal check. */
  compared?: import('./replay/deal-check.js').Compared[];
  /** The book of a room, and its code. */
  book?: import('./wire.js').Book;
  code?: string;
  /** The records of a file, to choose from. */
  records?: GameRecord[];
  /** The review of a game by the strongest bot. */
  review?: Review;
  /** Whether the sheet waits for an answer of the server, and the code of its refusal. */
  asking?: boolean;
  why?: string;
  /** Text to copy by hand. */
  text?: string;
  /** Handover key for another device. */
  key?: string;
  /** QR code of its link, once it is loaded. */
  picture?: string;
}

/** A game that is replayed without a room. */
export interface Replayed {
  /** Its room; null if it came from a file. */
  code: string | null;
  game: string;
  players: string[];
  /** The earlier game it began with. */
  origin?: import('./wire.js').Origin;
  /** Its record, if it came from one. */
  record?: GameRecord;
}

/** Where one is, with the code of the room it belongs to. */
export type Place =
  | { name: 'home'; code: null }
  /** The join screen, or joining without one. */
  | { name: 'joining'; code: string }
  /** The lobby or the table, by the room's phase. */
  | { name: 'room'; code: string }
  /** A replay that is loading. */
  | { name: 'opening'; code: string | null }
  | ({ name: 'replay' } & Replayed)
  /** The guided first round. */
  | { name: 'lesson'; code: null; show(view: View): Child }
  /** The end of a visit, and why. */
  | { name: 'trouble'; code: string | null; what: string };

/** The loaded moments of a game, and its number in its room, if known. */
export interface Past {
  moments: Moment[];
  number: number | null;
}

/**
 * The table that is shown: the present one, the last result although the table is open for the next game, or a moment
 * of one of the two. In a replay the present is the end of the replayed game.
 */
export type Shown =
  | { table: 'present'; past: Past | null }
  | { table: 'result'; past: Past | null }
  | { table: 'moment'; of: 'present' | 'result'; past: Past; at: number; playing: boolean };

/** What is purely local, changed with `show`. */
export interface LocalUi {
  /** The game chosen on the home page. */
  game: GameId;
  /** What can be seen of a room before joining. */
  preview: Room | null;
  sheet: Sheet | null;
  toast: { text: string; id: number } | null;
  /** Speed of replays. */
  speed: number;
  /** What the player has chosen at the table but not yet sent; each game has its own type. */
  choice: unknown;
  /** Existing rooms with a seat on this device. */
  open: { code: string; name: string; room: Room }[];
  /** Who came and left during this game, for the log. */
  people: import('./session/presence.js').Note[];
  busy: boolean;
  /** Heights measured after layout, by name of the skyline. */
  rooms: Record<string, number>;
  /** How far the scores have been counted up at the end, in milliseconds. */
  countedMs: number;
  counting: boolean;
  /** Whether the row of reactions is open. */
  reacting: boolean;
  /** Whether this page has asked for the next game. */
  onward: boolean;
  /** Why the name in the field was refused, as a code. */
  why: string | null;
}

export interface Ui extends LocalUi {
  place: Place;
  shown: Shown;
}

/** What screens and games read. `past` and `moment` are derived from `shown`. */
export interface ShownUi<G extends Game = Game> extends Ui {
  choice: G['choice'];
  past: Moment<G>[] | null;
  /** Index of the moment that is shown instead of the present. */
  moment: number | null;
}

export interface Commands<G extends Game = Game> {
  /** Changes what this page has open and renders it. */
  show(change: Partial<LocalUi>): void;
  open(sheet: Sheet): void;
  close(): void;
  /** Shows a short message that disappears by itself. */
  say(text: string): void;
  /** Sends a message. Returns false if the press is ignored, or without a connection; then it says so. */
  send(message: ClientMessage): boolean;
  /** Opens the lobby for the next game. */
  rematch(how: 'rematch' | 'same_deal'): boolean;
  /** From the lobby to the last result. */
  lastResult(): void;
  /** From the last result to the room. */
  goToRoom(): void;
  /** Plays an act. */
  act(action: G['action']): void;
  /** Skips the bots' pauses. Returns whether there was anything to skip. */
  hurry(): boolean;
  choose(choice: G['choice']): void;
  /** Opens a room; with bots the game starts as soon as this player sits. */
  create(bots?: number): void;
  /** Chooses a game on the home page; this device remembers it. */
  chooseGame(game: GameId): void;
  /** Opens a room, with bots or immediately under the saved name. */
  go(code: string | null, bots?: number, atOnce?: boolean): void;
  join(name: string, watch: boolean): void;
  rejoin(): void;
  leave(): void;
  share(): void;
  /** Shows a moment of the game whose moments are loaded. */
  goToMoment(at: number, playing?: boolean): void;
  /** From a moment back to the table. */
  leaveMoment(): void;
  /** Shows the moment of the event at this index of the history. */
  lookBack(event: number): void;
  /** Replays the game from its start. */
  replay(): void;
  /** Checks the deal of the replayed game against what this device saw and computes. */
  checkDeal(): void;
  /** Runs a tool for past games, once it is loaded. */
  withAfterGame(how: (more: import('./replay/after-game.js').AfterGame) => unknown): void;
  /** Shows the game of a record, or asks for a file. */
  openRecord(file?: Blob): void;
  /** Opens the list of watchers. */
  openAudience(): void;
  /** Opens the guided first round of the chosen game. */
  openLesson(): void;
  /** Plays against a script instead of a server, for the guided first round. */
  playScripted(open: OpenScripted): void;
  copyLink(): void;
  copy(text: string): void;
  /** Takes the seat back from the bot that plays it. */
  takeOver(): void;
  setting(change: Partial<import('./device.js').Settings>): void;
}

/** Opens a scripted server, which answers messages through `hear`. */
export type OpenScripted = (hear: (message: ServerMessage) => void) => {
  server: { send(message: ClientMessage): boolean; close(): void };
  /** Renders the round. */
  show(view: View): Child;
};

/** What screens receive. A game on the table has a `TableView`. */
export type View<G extends Game = Game> = TableView<G> | EmptyView<G>;

/** The view of a page without a table, such as the home page or a lobby. */
export interface EmptyView<G extends Game = Game> extends PageView<G> {
  table: null;
}

export interface TableView<G extends Game = Game> extends PageView<G> {
  /** The shown table: the present one, or that of a moment of the replay. */
  table: G['table'];
}

interface PageView<G extends Game> {
  known: RoomState<G>;
  ui: ShownUi<G>;
  commands: Commands<G>;
  /** The id of the game on the screen. */
  game: string;
  /** The code of the game; null while it is loading. */
  gameUi: GameUi<G> | null;
  /** Renders its rules, once loaded. */
  rules: GameParts['rules'] | null;
  /** Renders the invitation, once loaded. */
  invite: ((view: View) => Child) | null;
  /** Renders the lobby, once loaded. */
  lobby: ((view: View) => Child) | null;
  /** Renders the end of a game, once loaded. */
  ending: ShownEnd | null;
  /** Renders the room on a television, once loaded. */
  television: ((view: View) => Child) | null;
  /** The replay, once loaded. */
  past: typeof import('./replay/index.js') | null;
  /** The list of watchers, once loaded. */
  audience: typeof import('./screens/audience.js') | null;
  /** The tools for past games, once loaded. */
  afterGame: typeof import('./replay/after-game.js') | null;
  /** The present room state, also while the last result is shown. */
  present: RoomState;
  /** Reactions and bubbles, once another player is at the table and they are loaded. */
  reactions: typeof import('./screens/reactions.js') | null;
  /** A part of the game on the screen. Starts loading it; null until it is loaded. */
  gamePart<Part extends keyof GameParts>(part: Part): GameParts[Part] | null;
  /** What is taking too long to load. */
  missing: { gameUi: boolean; rules: boolean; invite: boolean; lobby: boolean; ending: boolean };
  /** Whether the server has been updated since this page was loaded. */
  outdated: boolean;
  /** Whether this player has left, and the server does not know yet. */
  leaving: boolean;
  /** Whether log and chat fit beside the table, as on a laptop. */
  wide: boolean;
  /** Whether all players' towers or sheets fit, as on a tablet or a phone in landscape. */
  broad?: boolean;
  now: number;
  actions: G['action'][];
  mine: G['mine'] | null;
  /** What happened since this player last decided, and the parts of the table it changed, as the game names them. */
  news?: G['event'][];
  fresh?: Set<string>;
  /** This page's seat, or null for a watcher. */
  seat: number | null;
}

// The page handles every game as a `Game`, though a game's own modules demand their own types. TypeScript accepts that
// for methods, but not for properties that are functions. So what a game provides is written as methods below.

/** A game's part of its guided first round: its scripted server, the coach's words and what is highlighted. */
export interface Guide<G extends Game = Game> {
  Lesson: new (name: string, hear: (message: ServerMessage) => void) => ScriptedServer<G>;
  /** What to do at this step, and why. */
  words(view: TableView<G>, step: G['step']): string[];
  /** Which parts of the board and the bar to highlight. */
  points(view: TableView<G>, lesson: ScriptedServer<G>): (node: Node_) => boolean;
}

/** What the end of a game shows. */
export interface Ending<G extends Game = Game> {
  /** A class of the game's own. */
  kind?: string;
  /** A player's side of the table in words, and as a picture. */
  said(player: PlayerOf<G>): string;
  picture(player: PlayerOf<G>): Child;
  /** The parts of the total: how much is counted so far, and whether counting it has not begun. */
  parts: { title: Key; counted(player: PlayerOf<G>): number; later: boolean }[];
}

/** How a game ends, loaded when one does. */
export interface End<G extends Game = Game> {
  /** Duration of the count for this table, in milliseconds. */
  endingMs(table: G['table']): number;
  ending(view: TableView<G>): Ending<G>;
  /** What decided the game, in one line. */
  decided(table: G['table'], name: (seat: number) => string): string | null;
  /** The sound of what is counted between two times, in milliseconds. */
  cue(table: G['table'], from: number, to: number): Sound | null;
}
export interface ShownEnd extends End {
  show(view: TableView): Child;
  /** The buttons at the end, and the notice that the table is open for the next game. */
  bar(view: TableView): Child;
  nextGameBanner(view: View): Child;
}

/**
 * Attributes of a game's drawing that the page reads. They are part of the contract, like the functions of `GameUi`. A
 * game may have more of its own.
 */
export interface Marks {
  /**
   * On a drawing that adapts to its height, with a unique name: the height measured after layout is in
   * `ui.rooms[name]`. `picture` is never measured.
   */
  'data-room'?: string;
  /**
   * On elements that move with the game: equal values before and after a change glide from one place to the other.
   * Among equals, a `.card` is preferred.
   */
  'data-fly'?: string;
  /**
   * On elements that can be tapped to choose or play, with `.lit` while the server lists them. Within a group, one
   * inherits the focus of a played card.
   */
  'data-card'?: '';
  /** On the element of a player at the table: bubbles appear beside it. */
  'data-seat'?: number;
  /** On a container of such cards: arrow keys move within it, numbers count within it. */
  'data-group'?: string;
}

/** The modules of a game. Each is loaded when it is needed. */
export interface GameModules<G extends Game = Game> {
  ui: { gameUi: GameUi<G> };
  rules: Rules;
  end: End<G>;
  /** Lists everything that was hidden at a moment of a finished game. */
  reveal: { revealed(view: View<G>): { title: string; body: Child }[] };
  /** Deals a game again from its seed and compares. */
  dealer: { dealer: Dealer<G> };
  /** Words for an act of a player at this table, played or possible. */
  action_words: {
    actionWords(action: G['action'], seat: number, table: G['table'], name: (seat: number) => string): string;
  };
  /** Paints a picture of the end, to save. */
  picture: { picture(view: TableView<G>): Promise<Blob | null> };
  /** The guided first round. */
  guide: Guide<G>;
}
/** What the page makes of these modules. */
export interface GameParts extends Omit<GameModules, 'ui' | 'rules' | 'end'> {
  ui: GameUi;
  rules(view: View): Child;
  end: ShownEnd;
}

interface Deals<G extends Game> {
  deal(
    chance: DealRandom,
    players: number,
    past: Moment<G>[],
    left?: G['hidden'],
  ): { count: number; wrong: number | null; left: G['hidden'] };
}
/**
 * Deals a game again and compares: the number of cards or dice, the first wrong moment, and what is hidden after the
 * last one. A game that continues an earlier one receives that, and random numbers of its own.
 */
export type Dealer<G extends Game = Game> = Deals<G>['deal'];

/** What the page needs from a game. Its `index.js` exports it as `gameUi`; its drawing carries `Marks`. */
export interface GameUi<G extends Game = Game> {
  id: string;
  /** A picture of the game; `room` is its measured height. */
  emblem(room: number | undefined): Child;
  /** One sentence: who must do what. */
  sentence(view: TableView<G>): string;
  /** Where the game stands, in a few words. */
  standing(view: TableView<G>): string;
  board(view: TableView<G>): Child;
  /** What this seat can do now; null if it is not asked. */
  bar(view: TableView<G>): Node_ | null;
  /** What is worth knowing while others are asked. */
  idle(view: TableView<G>): string;
  options(view: View<G>): Child;
  /** Everything about a player, opened by tapping their towers, sheet or the like. */
  player(view: TableView<G>, seat: number): Child;
  /** Open information besides the board, opened from the status line, and the key of its title. */
  piles(view: TableView<G>): Child;
  pilesTitle: Key;
  /** Words for the log; null for none. */
  words(event: G['event'], name: (seat: number) => string): string | null;
  /**
   * The parts of this table that these events changed, as the game names them. They are highlighted while they are new.
   */
  touched(events: G['event'][], table: G['table']): string[];
  /** Index in the history where the news begin for a seat. The default is after the seat's last event. */
  newsFrom?(history: G['event'][], seat: number | null, table: G['table']): number;
  /** Words for screen readers, if the log would be too long. */
  spokenWords?(event: G['event'], name: (seat: number) => string): string | null;
  /** Words for an event that happened to a seat itself; null for its own acts. */
  ownWords?(event: G['event'], view: View<G>): string | null;
  /** The sound of an event; that of the end is played when everything is counted. */
  sound?(event: G['event']): Sound | null | undefined;
  /** Which events open a chapter of the log. */
  chapter(event: G['event'], name: (seat: number) => string): string | null;
  noChoice(): G['choice'];
  /** Keeps of a choice what the new state still allows. */
  reconcileChoice(choice: G['choice'], before: State<G> | null, after: State<G> | null): G['choice'];
  /** Whether the key was handled. */
  key(view: TableView<G>, key: string): boolean;
  keys(): [string, string][];
  /** Words for a refusal, if the game can explain more than the code. */
  whyRefused(view: TableView<G>, code: string, action: G['action'] | null): string | null;
}
