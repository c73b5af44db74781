// Five Towers on the wire. Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.

export type Table = {
/**
 * The part of the round.
 */
phase: Phase,
/**
 * Counted from 1, on through the second deal.
 */
round: number,
/**
 * 1 or 2: which time through the cards.
 */
deal: number,
/**
 * Who opened, or opens, this round's auction; once the game is finished, that of the last round.
 */
starter: Seat,
/**
 * Who must act. Nobody once the game is finished.
 */
turn: Seat | null,
/**
 * What lies in the row now.
 */
row: List<Card>,
/**
 * How many cards are left to draw.
 */
draw: number,
/**
 * The discard pile, the oldest card first.
 */
discard: List<Card>,
/**
 * This auction's calls, in order.
 */
calls: Array<Call>,
/**
 * The highest bid; none before the first.
 */
standing: Standing | null,
/**
 * What the builder still has to place.
 */
hand: List<Card>,
/**
 * The type demolished in this build.
 */
demolished_now: TowerType | null,
/**
 * Everyone's towers and points, in seat order.
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
 * Their towers.
 */
towers: Skyline,
/**
 * How many cards they have demolished.
 */
demolished: number,
/**
 * Which ones: shown to all at the end, and not before.
 */
demolished_cards?: List<Card>,
/**
 * What they would have if the game ended now.
 */
score: Score, };

export type Skyline = { candy: List<number>, spooky: List<number>, tree: List<number>, scrap: List<number>, sand: List<number>, };

export type Call = {
/**
 * Whose.
 */
seat: Seat,
/**
 * The number named; none for a pass.
 */
count: number | null, };

export type Standing = {
/**
 * Whose.
 */
seat: Seat,
/**
 * How many cards.
 */
count: number, };

export type Score = {
/**
 * One for each card in a tower, two if it has a roof.
 */
towers: number,
/**
 * One for each card of the tallest tower.
 */
tallest: number,
/**
 * What demolished cards cost: the first 1, the second 2, and so on. Never above 0.
 */
demolition: number,
/**
 * All together.
 */
total: number, };

export type Mine = {
/**
 * Its demolition pile, the oldest card first.
 */
demolished: List<Card>,
/**
 * The most cards of this row it could build, all through the round; 0 once the game is finished.
 */
highest_bid: number,
/**
 * What each number would mean for it, in an auction.
 */
means?: Means, };

export type Means = {
/**
 * The cards it could build on its towers as they stand.
 */
fits: List<number>,
/**
 * Those it could build only once it has demolished the top of their tower.
 */
after: List<number>,
/**
 * For 1, 2 and so on, as far as it could build so many: a choice of cards that carries the bid.
 */
bids: List<Carried>, };

export type Carried = {
/**
 * Which cards.
 */
cards: List<number>,
/**
 * The tower whose top would have to go first.
 */
demolish?: TowerType, };

export type Action = { "type": "bid",
/**
 * How many.
 */
count: number, } | { "type": "pass", } | { "type": "take",
/**
 * Which.
 */
cards: List<Card>, } | { "type": "demolish",
/**
 * Which tower.
 */
tower: TowerType, } | { "type": "build",
/**
 * Which card.
 */
card: Card, } | { "type": "undo", } | { "type": "retract", } | { "type": "finish", };

export type Event = { "type": "round",
/**
 * Counted from 1, on through the second deal.
 */
round: number,
/**
 * Who opens the auction.
 */
starter: Seat,
/**
 * The cards.
 */
row: List<Card>, } | { "type": "bid",
/**
 * By whom.
 */
seat: Seat,
/**
 * How many cards.
 */
count: number, } | { "type": "pass",
/**
 * Who.
 */
seat: Seat, } | { "type": "take",
/**
 * Who.
 */
seat: Seat,
/**
 * Which, in row order.
 */
cards: List<Card>, } | { "type": "demolish",
/**
 * By whom.
 */
seat: Seat,
/**
 * Which tower.
 */
tower: TowerType, } | { "type": "build",
/**
 * By whom.
 */
seat: Seat,
/**
 * Which.
 */
card: Card, } | { "type": "undo",
/**
 * By whom.
 */
seat: Seat, } | { "type": "retract",
/**
 * By whom.
 */
seat: Seat, } | { "type": "finish",
/**
 * By whom.
 */
seat: Seat, } | { "type": "discard",
/**
 * The cards, in row order.
 */
cards: List<Card>, } | { "type": "reshuffle",
/**
 * How many cards were shuffled.
 */
cards: number, } | { "type": "end",
/**
 * All who share the highest score, in seat order.
 */
winners: List<Seat>,
/**
 * Everyone's points, in seat order.
 */
scores: List<number>, };

export type Card = { tower: TowerType, value: number };

export type TowerType = "candy" | "spooky" | "tree" | "scrap" | "sand";

export type Phase = "auction" | "take" | "build" | "finished";

export type Rules = {
/**
 * Whether a player can bid, take or build what then cannot be carried out.
 */
mistakes: Mistakes, };

export type Mistakes = "prevented" | "allowed";

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
