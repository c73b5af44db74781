// Five Towers on the wire. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type Table = {
/**
 * Phase of the round.
 */
phase: Phase,
/**
 * Number of the round, counted from 1 through both deals.
 */
round: number,
/**
 * Number of the deal: 1, or 2 after the reshuffle.
 */
deal: number,
/**
 * Seat that opens or opened this round's auction; after the end, that of the last round.
 */
starter: Seat,
/**
 * Seat that must act, or null after the end.
 */
turn: Seat | null,
/**
 * Cards in the row now.
 */
row: List<Card>,
/**
 * Number of cards in the draw pile.
 */
draw: number,
/**
 * Discard pile, oldest card first.
 */
discard: List<Card>,
/**
 * Calls of this auction, in order.
 */
calls: Array<Call>,
/**
 * Standing bid, or null before the first.
 */
standing: Standing | null,
/**
 * Cards that the builder still has to place.
 */
hand: List<Card>,
/**
 * Type of the tower demolished in this build, or null.
 */
demolished_now: TowerType | null,
/**
 * Towers and points of all players, in seat order.
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
 * Towers of the player.
 */
towers: Skyline,
/**
 * Number of demolished cards.
 */
demolished: number,
/**
 * The demolished cards, present only after the end.
 */
demolished_cards?: List<Card>,
/**
 * Score if the game ended now.
 */
score: Score, };

export type Skyline = { candy: List<number>, spooky: List<number>, tree: List<number>, scrap: List<number>, sand: List<number>, };

export type Call = {
/**
 * Seat that called.
 */
seat: Seat,
/**
 * Number of cards bid, or null for a pass.
 */
count: number | null, };

export type Standing = {
/**
 * Seat that bid.
 */
seat: Seat,
/**
 * Number of cards.
 */
count: number, };

export type Score = {
/**
 * Points for towers: one for each card, two if its tower has a roof.
 */
towers: number,
/**
 * Points for the tallest tower: one for each card.
 */
tallest: number,
/**
 * Cost of demolished cards: 1 for the first, 2 for the second, and so on. Never above 0.
 */
demolition: number,
/**
 * Sum of all points.
 */
total: number, };

export type Mine = {
/**
 * Demolition pile of this seat, oldest card first.
 */
demolished: List<Card>,
/**
 * Most cards of this round's row that this seat could build, the same through the whole round; 0 after the end.
 */
highest_bid: number,
/**
 * What each bid would mean for this seat. Present only in an auction.
 */
means?: Means, };

export type Means = {
/**
 * Cards that the seat could build on its towers as they stand.
 */
fits: List<number>,
/**
 * Cards that the seat could build only after demolishing the top of their tower.
 */
after: List<number>,
/**
 * A choice of cards that fulfils each bid: for 1, 2 and so on, up to the most cards that the seat could build.
 */
bids: List<Carried>, };

export type Carried = {
/**
 * The cards.
 */
cards: List<number>,
/**
 * Tower whose top must be demolished first. Omitted if there is none.
 */
demolish?: TowerType, };

export type Action = { "type": "bid",
/**
 * Number of cards.
 */
count: number, } | { "type": "pass", } | { "type": "take",
/**
 * The cards, in any order.
 */
cards: List<Card>, } | { "type": "demolish",
/**
 * Type of the tower.
 */
tower: TowerType, } | { "type": "build",
/**
 * The card.
 */
card: Card, } | { "type": "undo", } | { "type": "retract", } | { "type": "finish", };

export type Event = { "type": "round",
/**
 * Number of the round, counted from 1 through both deals.
 */
round: number,
/**
 * Seat that opens the auction.
 */
starter: Seat,
/**
 * Cards of the row.
 */
row: List<Card>, } | { "type": "bid",
/**
 * Seat that bid.
 */
seat: Seat,
/**
 * Number of cards.
 */
count: number, } | { "type": "pass",
/**
 * Seat that passed.
 */
seat: Seat, } | { "type": "take",
/**
 * Seat of the builder.
 */
seat: Seat,
/**
 * The cards, in row order.
 */
cards: List<Card>, } | { "type": "demolish",
/**
 * Seat of the builder.
 */
seat: Seat,
/**
 * Type of the tower.
 */
tower: TowerType, } | { "type": "build",
/**
 * Seat of the builder.
 */
seat: Seat,
/**
 * The card.
 */
card: Card, } | { "type": "undo",
/**
 * Seat of the builder.
 */
seat: Seat, } | { "type": "retract",
/**
 * Seat of the builder.
 */
seat: Seat, } | { "type": "finish",
/**
 * Seat of the builder.
 */
seat: Seat, } | { "type": "discard",
/**
 * The cards, in row order.
 */
cards: List<Card>, } | { "type": "reshuffle",
/**
 * Number of shuffled cards.
 */
cards: number, } | { "type": "end",
/**
 * Seats with the highest score, in order.
 */
winners: List<Seat>,
/**
 * Points of all players, in seat order.
 */
scores: List<number>, };

export type Card = { tower: TowerType, value: number };

export type TowerType = "candy" | "spooky" | "tree" | "scrap" | "sand";

export type Phase = "auction" | "take" | "build" | "finished";

export type Rules = {
/**
 * Whether players can bid, take or build in a way that cannot be completed.
 */
mistakes: Mistakes, };

export type Mistakes = "prevented" | "allowed";

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

export type List<T> = Array<T>;

export type RefusalCode =
  | 'game_over'
  | 'not_your_turn'
  | 'wrong_phase'
  | 'bid_too_low'
  | 'bid_too_high'
  | 'bid_unbuildable'
  | 'starter_must_bid'
  | 'wrong_number_of_cards'
  | 'not_in_row'
  | 'take_unbuildable'
  | 'not_in_hand'
  | 'too_high_for_top'
  | 'roofed'
  | 'would_strand'
  | 'demolish_first'
  | 'already_demolished'
  | 'roof_stays'
  | 'nothing_to_demolish'
  | 'demolish_unbuildable'
  | 'hand_not_empty'
  | 'nothing_to_undo'
  | 'too_many_undos'
  | 'no_retraction';
