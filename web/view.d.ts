/** What every screen is given: what is known, what this page has open, and what it may do. */
import type { ClientMessage, Room, State } from './wire.js';
import type { Known } from './store.js';
import type { Child, Node_ } from './dom.js';
import type { GameId } from './games/index.js';
import type { Key } from './i18n.js';

/** A part of the rules: words (perhaps a numbered step), a list, or one of the game's pictures. */
export type Part = { words: Key; step?: number } | { list: Key[] } | { picture: string };
export interface Section {
  title: Key;
  body: Part[];
}

/** A game's rules as a page, and the pictures they name. */
export interface Rules {
  sections: Section[];
  pictures: Record<string, () => Child>;
}

export interface Sheet {
  name: 'menu' | 'rules' | 'settings' | 'log' | 'chat' | 'share' | 'keys' | 'player' | 'piles' | 'leave' | 'remove' | 'device' | 'copy' | 'audience' | 'unwatch' | 'past' | 'doubt' | 'deal' | 'after' | 'book' | 'records' | 'review' | 'hint';
  seat?: number;
  /** Who is to be sent away. */
  watcher?: number;
  /** What does not hold in a record, and who played in it. */
  doubt?: import('./wire.js').RecordDoubt;
  players?: string[];
  /** What this device has compared of a deal. */
  compared?: import('./past/deal.js').Compared[];
  /** The book of a room, and its code. */
  book?: import('./wire.js').Book;
  code?: string;
  /** The records of a file, to choose from. */
  records?: any[];
  /** What the strongest bot made of a game. */
  review?: import('./wire.js').Review;
  /** Whether an answer of the server is waited for in it; and if that will not come, the code of why. */
  asking?: boolean;
  why?: string;
  /** What to copy by hand. */
  text?: string;
  /** What another device opens this seat with. */
  key?: string;
  /** The same as a picture for its camera, once it is there. */
  picture?: string;
}

/** A game that is over or elsewhere, as it is seen again. */
export interface Replayed {
  /** Its room and its number there; null if it came from a file. */
  code: string | null;
  number: number | null;
  game: string;
  players: string[];
  /** The earlier game it began with. */
  origin?: import('./wire.js').Origin;
  /** Its record, where it came from one. */
  record?: any;
}

export interface Ui {
  code: string | null;
  /** The game chosen on the front page. */
  game: GameId;
  preview: Room | null;
  trouble: string | null;
  sheet: Sheet | null;
  toast: { text: string; id: number } | null;
  /** The moments of this game, as far as they were asked for. */
  past: import('./past/moments.js').Moment[] | null;
  /** Which of them is shown instead of the present. */
  moment: number | null;
  /** Whether the past plays on by itself, and how many times its pace. */
  playing: boolean;
  speed: number;
  /** Which game of the room these moments are of, where somebody has asked. */
  number: number | null;
  /** The game of the past that is on the screen in place of a room. */
  replay: Replayed | null;
  /** What the person has chosen at the table but not yet sent; each game has its own kind. */
  choice: any;
  /** Rooms with a seat on this device that still exist. */
  open: { code: string; name: string; room: Room }[];
  /** Who came and went in this game, for the log. */
  people: import('./people.js').Note[];
  busy: boolean;
  /** Heights measured after layout, by skyline. */
  rooms: Record<string, number>;
  /** How far the scores have been counted up at the end, in milliseconds. */
  reveal: number;
  counting: boolean;
  /** Whether the row of reactions is open. */
  reacting: boolean;
  /** Whether the last result is looked at, though the table is open for the next game. */
  stay: boolean;
  /** Whether this page has asked for the next game itself. */
  onward: boolean;
  /** The code of what the server or this page has against the name in the field. */
  why: string | null;
  /** Draws the guided first round while it is on. */
  lesson: ((view: View) => Child) | null;
}

export interface Acts {
  /** Changes what this page has open and shows it. */
  show(change: Partial<Ui>): void;
  open(sheet: Sheet): void;
  close(): void;
  /** Says something short that goes away by itself. */
  say(text: string): void;
  /** Sends a message; false if the press does not count yet or there is no connection, which is then said. */
  send(message: ClientMessage): boolean;
  /** Opens the lobby for the next game, and goes there. */
  rematch(how: 'rematch' | 'same_deal'): boolean;
  /** From the lobby to the last result. */
  lastResult(): void;
  /** From the last result to the room as it is. */
  goOn(): void;
  /** Plays an act at the table. */
  act(action: unknown): void;
  /** Has seen enough of what bots do; whether there was anything to hurry. */
  hurry(): boolean;
  choose(choice: any): void;
  /** Opens a room; with bots the game starts as soon as this person sits. */
  create(bots?: number): void;
  /** Chooses a game on the front page; this device remembers it. */
  pick(game: GameId): void;
  /** Into a room; with bots, or at once, under the name this device knows. */
  go(code: string | null, bots?: number, atOnce?: boolean): void;
  join(name: string, watch: boolean): void;
  rejoin(): void;
  leave(): void;
  share(): void;
  /** Shows the moment in which the event at this place of the history happened. */
  lookBack(event: number): void;
  /** Shows the game again from its start. */
  replay(): void;
  /** Holds the deal of the game that is looked back at against what this device saw and computes. */
  checkDeal(): void;
  /** Does what few do with a game of the past, once it has come. */
  more(how: (more: import('./past/more.js').More) => unknown): void;
  /** Shows the game of a record: of this one, or of one that somebody chooses. */
  openRecord(file?: Blob): void;
  /** Opens the guided first round of the game chosen. */
  learn(): void;
  /** Plays against a script instead of a server, for the guided first round. */
  rehearse(open: Rehearsal): void;
  copyLink(): void;
  copy(text: string): void;
  /** Takes one's seat back from the bot that plays it. */
  takeOver(): void;
  setting(change: Partial<import('./device.js').Settings>): void;
}

/** Opens the other end of a line that is not there: what it is sent it answers through `hear`. */
export type Rehearsal = (hear: (message: import('./wire.js').ServerMessage) => void) => { send(message: ClientMessage): boolean; close(): void };

export interface View {
  known: Known;
  ui: Ui;
  acts: Acts;
  /** The id of the game on the screen. */
  game: string;
  /** Its face; null until its code and styles have come. */
  face: Face | null;
  /** Shows its rules, once they were wanted and have come. */
  rules: ((view: View) => Child) | null;
  /** Shows the lobby, once it was wanted and has come. */
  lobby: ((view: View) => Child) | null;
  /** Shows the end of a game, once one has ended and it has come. */
  ending: ShownEnd | null;
  /** Shows the room on a television, where the address asks for that and it has come. */
  big: ((view: View) => Child) | null;
  /** Looks back, once somebody wanted to and it has come. */
  past: typeof import('./past/index.js') | null;
  /** What few do with a game of the past, once somebody wanted to and it has come. */
  more: typeof import('./past/more.js') | null;
  /** The room as it is, also while the last result is looked at. */
  present: import('./store.js').Known;
  /** Reactions and bubbles, once somebody else is at the table and they have come. */
  talk: typeof import('./talk.js') | null;
  /** What of all this should have come by now. */
  missing: { face: boolean; rules: boolean; lobby: boolean; ending: boolean };
  /** Whether this person has left, and the server does not know yet. */
  leaving: boolean;
  /** A laptop, with log and chat beside the table. */
  wide: boolean;
  /** Whether there is room for everybody's whole towers or sheets: a tablet, a phone on its side, a laptop. */
  broad?: boolean;
  now: number;
  /** The game as it is shown: now, or at a moment of the past. Every table has `players` in seat order, `outcome`, `phase`, `round` and `turn`; the rest is the game's own. */
  table: any;
  actions: any[];
  mine: any;
  /** What happened since this person last decided, and the parts of the table it changed, as the game names them. */
  news?: any[];
  fresh?: Set<string>;
  /** This page's seat, null for a watcher. */
  seat: number | null;
}

/** A game's part of its guided first round: the other end of the line, what the coach says and what glows. */
export interface Guide {
  Lesson: new (name: string, hear: (message: import('./wire.js').ServerMessage) => void) => import('./lesson/line.js').Lesson<any>;
  /** What to do at this step, and why. */
  words(view: View, step: any): string[];
  /** Which parts of the board and the bar the step is about, as it stands now. */
  points(view: View, lesson: any): (node: Node_) => boolean;
}

/** What the end of a game shows; a player is one of `table.players`, with a `seat` and a `score.total`. */
export interface Ending {
  /** A class of the game's own. */
  kind?: string;
  /** A player's side of the table in words, and as a picture. */
  said(player: any): string;
  picture(player: any): Child;
  /** What the total is made of: how much of it is counted by now, and whether it is not its time yet. */
  parts: { title: Key; counted(player: any): number; later: boolean }[];
}

/** How a game ends: fetched when one does. */
export interface End {
  /** How long this table counts, in milliseconds. */
  endingMs(table: any): number;
  ending(view: View): Ending;
  /** What decided the game, in one line, from what the totals are made of. */
  decided(table: any, name: (seat: number) => string): string | null;
  /** The sound of what is counted between two instants, in milliseconds. */
  cue(table: any, from: number, to: number): import('./sounds.js').Sound | null;
}
export interface ShownEnd extends End {
  show(view: View): Child;
  /** What can be done at the end; and in any moment of it, that the table is open for the next game. */
  bar(view: View): Child;
  onward(view: View): Child;
}

/**
 * What the shell reads from what a game draws: attributes that are part of the contract as much as the functions of a `Face`.
 * A game may have more for itself.
 */
export interface Marks {
  /** On what is drawn to fit its height, with a name of its own: the height measured after layout comes back in `ui.rooms[name]`. `picture` is never measured. */
  'data-room'?: string;
  /** On what moves when the game does: the same value before and after a change glides from the one place to the other. Among equals a `.card` goes first. */
  'data-fly'?: string;
  /** On what can be tapped to choose or play; `.lit` as well while the server lists it. Within a group it inherits the focus of a card that was played. */
  'data-card'?: '';
  /** On what stands for somebody at the table: what they say or show appears beside it. */
  'data-seat'?: number;
  /** On what holds such cards together: arrows walk within it, numbers count within it. */
  'data-group'?: string;
}

/** What the shell asks of a game. Its `index.js` exports it as `face`; what it draws carries `Marks`. */
export interface Face {
  id: string;
  /** A picture of the game; `room` is its measured height. */
  emblem(room: number | undefined): Child;
  /** One sentence: who must do what. */
  sentence(view: View): string;
  /** Where the game stands, in a few words. */
  standing(view: View): string;
  board(view: View): Child;
  /** What this seat can do now; null when it is not asked. */
  bar(view: View): Node_ | null;
  /** What is worth knowing while others are asked. */
  idle(view: View): string;
  /** Fetches what shows the end. */
  end(): Promise<End>;
  /** The end as a picture to keep. */
  picture(view: View): Promise<Blob | null>;
  options(view: View): Child;
  /** A person's towers, sheet or the like, opened by tapping them. */
  player(view: View, seat: number): Child;
  /** What lies open besides the board, opened from the status line, and its title's key. */
  piles(view: View): Child;
  pilesTitle: Key;
  /** Fetches what tells, of a moment of a game that is over, all that was hidden then. */
  unveil(): Promise<{ unveiled(view: View): { title: string; body: Child }[] }>;
  /** Fetches what deals a game again from its chance, and compares. */
  dealer(): Promise<{ dealer: import('./past/deal.js').Dealer }>;
  /** Fetches what words an act that was done, or could be: by whom, at this table. */
  eye(): Promise<{ acted(action: any, seat: number, table: any, name: (seat: number) => string): string }>;
  /** Fetches the rules. */
  rules(): Promise<Rules>;
  /** Fetches the guided first round, where there is one. */
  guide?(): Promise<Guide>;
  /** Words for the log; null says nothing. */
  words(event: any, name: (seat: number) => string): string | null;
  /** The parts of this table that these events changed, in names of the game's own: what is drawn under such a name glows while it is new. */
  touched(events: any[], table: any): string[];
  /** Where in the history the news begin for a seat; without it, after the last event of that seat. */
  newsFrom?(history: any[], seat: number | null, table: any): number;
  /** Words for who listens, where the log would be too much; without it they hear the log. */
  aloud?(event: any, name: (seat: number) => string): string | null;
  /** What an event of a seat's own says to its owner; null for what they did themselves. */
  toYou?(event: any, view: View): string | null;
  /** The sound an event makes, if any; the end's is made when everything is counted. */
  sound?(event: any): import('./sounds.js').Sound | null | undefined;
  /** Which events open a chapter of the log. */
  chapter(event: any, name: (seat: number) => string): string | null;
  noChoice(): unknown;
  /** Keeps of a choice what the new state still allows. */
  keepChoice(choice: any, before: State | null, after: State | null): unknown;
  /** Whether the key meant something. */
  key(view: View, key: string): boolean;
  keys(): [string, string][];
  /** The words for a refusal, when the game knows more than the code. */
  whyRefused(view: View, code: string, action: any): string | null;
}
