// The types of the games. The page knows every game only as a `Game`; a game's own modules know theirs.

import type * as wire from '../wire.js';
import type { Qwantum } from './qwantum/types.js';
import type { Towers } from './towers/types.js';

/** The types of each game, by its id. */
export interface Games {
  towers: Towers;
  qwantum: Qwantum;
}

export type GameId = keyof Games;

/** The types that a game brings along, as far as the page knows them. A game's own ones are more precise. */
export interface Game {
  table: Table;
  /** What only one seat sees. */
  mine: unknown;
  action: Action;
  event: Event;
  /** What a player has chosen at the table but not yet sent. */
  choice: unknown;
  /** The options of a room. */
  rules: Record<string, unknown>;
  /** One step of the guided first round. */
  step: Step;
  /** What is hidden after a deal, such as the rest of the deck. */
  hidden: unknown;
}

export interface Table {
  /** In seat order. */
  players: Player[];
  outcome: wire.Outcome | null;
  phase: string;
  round: number;
  turn: number | null;
}

export interface Player {
  seat: number;
  score: { total: number };
}

export type Action = { type: string; [field: string]: unknown };

export interface Event {
  type: string;
  /** The player who acted, or to whom it happened. */
  seat?: number;
  /** The points of all players, at the end of the game. */
  scores?: number[];
}

/** The coach words a step with the texts under these names. */
export interface Step {
  say: string;
  why: string;
  /** Events before the step. */
  first?: Event[];
  /** Whether there is nothing to do but to go on. */
  tells?: boolean;
}

export type PlayerOf<G extends Game> = G['table']['players'][number];

/** Fields of the wire contract that every game fills in its own way. */
interface Filled<G extends Game> {
  table: G['table'];
  mine: G['mine'] | null;
  action: G['action'];
  better: G['action'];
  actions: G['action'][];
  events: G['event'][];
  history: G['event'][];
  rules: Partial<G['rules']>;
}

/** A type of the wire contract, for one game. A number is only a count of events. */
type Of<G extends Game, Wire> = Wire extends object
  ? { [Field in keyof Wire]: Field extends keyof Filled<G> ? FillIn<G, Wire[Field], Field> : Of<G, Wire[Field]> }
  : Wire;
type FillIn<G extends Game, Wire, Field extends keyof Filled<G>> = Wire extends number ? Wire : Filled<G>[Field];

export type ClientMessage<G extends Game = Game> = Of<G, wire.ClientMessage>;
export type ServerMessage<G extends Game = Game> = Of<G, wire.ServerMessage>;
export type State<G extends Game = Game> = Of<G, wire.State>;
export type Room<G extends Game = Game> = Of<G, wire.Room>;
export type Review = Of<Game, wire.Review>;
/** A moment of a game. A choice that is still hidden has no action. */
export type Moment<G extends Game = Game> = Omit<Of<G, wire.Moment>, 'action'> & { action: G['action'] | null };
