// Qwantum on the wire. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type Table = {
/**
 * Step of the turn.
 */
phase: Phase,
/**
 * Seat of the active player, or null after the end.
 */
turn: Seat | null,
/**
 * Number of the round, counted from 1. It rises when the player who rolled first is active again.
 */
round: number,
/**
 * Number of rolls in this turn: 0, 1 or 2.
 */
rolls: number,
/**
 * The dice, or null before the first roll of a turn.
 */
dice: [Die, Die, Die, Die, Die, Die, Die] | null,
/**
 * Totals of the colours, or null before the first roll of a turn.
 */
totals: Totals | null,
/**
 * Row in which the active player entered a total in step B, or null. No player may choose this row in step C.
 */
used: Row | null,
/**
 * Whether each seat has chosen in the shared step, in seat order. All false in any other step.
 */
decided: Array<boolean>,
/**
 * Sheets and points of all players, in seat order.
 */
players: Array<Player>,
/**
 * Outcome, or null before the end.
 */
outcome: Outcome | null, };

export type Player = {
/**
 * Seat of the player.
 */
seat: Seat,
/**
 * Numbers on the sheet.
 */
rows: Rows,
/**
 * Number of misses.
 */
misses: number,
/**
 * Score if the game ended now.
 */
score: Score, };

export type Rows = { violet: Array<number>, blue: Array<number>, red: Array<number>, yellow: Array<number>, };

export type Totals = { violet: number, blue: number, red: number, yellow: number, };

export type Die = {
/**
 * Colour of the face.
 */
color: Color,
/**
 * Number on the face.
 */
value: number, };

export type Score = {
/**
 * Points of each column, or null while it is not full.
 */
columns: [number | null, number | null, number | null, number | null, number | null, number | null],
/**
 * Cost of misses: 1 for the first, 2 for the second, and so on. Never above 0.
 */
misses: number,
/**
 * Sum of all points.
 */
total: number, };

export type Mine = {
/**
 * This seat's choice in the shared step, or null before it has chosen and after all choices are counted.
 */
choice: Choice | null, };

export type Choice = { "type": "enter",
/**
 * The row.
 */
row: Row, } | { "type": "skip", };

export type Action = { "type": "roll", } | { "type": "reroll",
/**
 * Indices of the dice, in any order. Any numbers are parsed, so that the rules can refuse invalid ones with a
 * precise code.
 */
dice: Array<number>, } | { "type": "keep", } | { "type": "enter",
/**
 * The row.
 */
row: Row, } | { "type": "skip", };

export type Event = { "type": "turn",
/**
 * Seat of the active player.
 */
seat: Seat, } | { "type": "roll",
/**
 * Seat of the active player.
 */
seat: Seat,
/**
 * All seven dice after the roll.
 */
dice: [Die, Die, Die, Die, Die, Die, Die], } | { "type": "keep",
/**
 * Seat of the active player.
 */
seat: Seat, } | { "type": "enter",
/**
 * Seat of the player.
 */
seat: Seat,
/**
 * The row.
 */
row: Row,
/**
 * The entered total.
 */
value: number, } | { "type": "skip",
/**
 * Seat of the player.
 */
seat: Seat, } | { "type": "miss",
/**
 * Seat of the active player.
 */
seat: Seat, } | { "type": "end",
/**
 * Seats with the highest score, in order.
 */
winners: Array<Seat>,
/**
 * Points of all players, in seat order.
 */
scores: Array<number>, };

export type Color = "white" | "violet" | "blue" | "red" | "yellow";

export type Row = "violet" | "blue" | "red" | "yellow";

export type Phase = "roll" | "choose" | "share" | "finished";

export type Rules = Record<symbol, never>;

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
