// Qwantum on the wire. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type Table = {
/**
 * The step of the turn.
 */
phase: Phase,
/**
 * The active player. Nobody once the game is finished.
 */
turn: Seat | null,
/**
 * How often whoever rolled first has been active, counted from 1.
 */
round: number,
/**
 * How often dice were rolled in this turn: 0, 1 or 2.
 */
rolls: number,
/**
 * What the dice show; none before the first roll of a turn.
 */
dice: [Die, Die, Die, Die, Die, Die, Die] | null,
/**
 * The colours' totals; none before the first roll of a turn.
 */
totals: Totals | null,
/**
 * The row in which the active player entered a total before all choose, which nobody may choose then.
 */
used: Row | null,
/**
 * Who has chosen in the shared step, in seat order; in any other step nobody.
 */
decided: Array<boolean>,
/**
 * Everyone's sheet and points, in seat order.
 */
players: Array<Player>,
/**
 * Who won, once the game is finished.
 */
outcome: Outcome | null, };

export type Player = {
/**
 * Where they sit.
 */
seat: Seat,
/**
 * Their numbers.
 */
rows: Rows,
/**
 * How many misses they have marked.
 */
misses: number,
/**
 * What they would have if the game ended now.
 */
score: Score, };

export type Rows = { violet: Array<number>, blue: Array<number>, red: Array<number>, yellow: Array<number>, };

export type Totals = { violet: number, blue: number, red: number, yellow: number, };

export type Die = {
/**
 * Its colour as it lies.
 */
color: Color,
/**
 * Its number.
 */
value: number, };

export type Score = {
/**
 * What each column scores; none while it is not full.
 */
columns: [number | null, number | null, number | null, number | null, number | null, number | null],
/**
 * What misses cost: the first 1, the second 2, and so on. Never above 0.
 */
misses: number,
/**
 * All together.
 */
total: number, };

export type Mine = {
/**
 * What this seat has chosen in the shared step. None before it has, and again once all are counted.
 */
choice: Choice | null, };

export type Choice = { "type": "enter",
/**
 * Which row.
 */
row: Row, } | { "type": "skip", };

export type Action = { "type": "roll", } | { "type": "reroll",
/**
 * Which, in any order. Whatever the number and however many, it is read, and refused by the rules:
 * a slip of the hand has a code of its own.
 */
dice: Array<number>, } | { "type": "keep", } | { "type": "enter",
/**
 * Which row.
 */
row: Row, } | { "type": "skip", };

export type Event = { "type": "turn",
/**
 * Who.
 */
seat: Seat, } | { "type": "roll",
/**
 * By whom.
 */
seat: Seat,
/**
 * What all seven show now.
 */
dice: [Die, Die, Die, Die, Die, Die, Die], } | { "type": "keep",
/**
 * Who said so.
 */
seat: Seat, } | { "type": "enter",
/**
 * By whom.
 */
seat: Seat,
/**
 * In which row.
 */
row: Row,
/**
 * The number.
 */
value: number, } | { "type": "skip",
/**
 * Who.
 */
seat: Seat, } | { "type": "miss",
/**
 * Who.
 */
seat: Seat, } | { "type": "end",
/**
 * All who share the highest score, in seat order.
 */
winners: Array<Seat>,
/**
 * Everyone's points, in seat order.
 */
scores: Array<number>, };

export type Color = "white" | "violet" | "blue" | "red" | "yellow";

export type Row = "violet" | "blue" | "red" | "yellow";

export type Phase = "roll" | "choose" | "share" | "finished";

export type Rules = Record<symbol, never>;

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

export type RefusalCode =
  | 'game_over'
  | 'not_your_turn'
  | 'wrong_phase'
  | 'no_dice'
  | 'die_twice'
  | 'no_such_die'
  | 'no_reroll_left'
  | 'must_be_higher'
  | 'must_be_lower'
  | 'row_full'
  | 'color_used'
  | 'already_counted';
