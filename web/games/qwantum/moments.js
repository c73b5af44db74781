// What there is besides the present table: earlier moments of a game, folded from its events, and what a person has marked
// but not yet played. Pure; it repeats what happened and judges nothing, so scores of the past are not kept.

import { ROWS } from './pieces.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Die} Die */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('../../wire.js').State} State */
/** @typedef {Omit<Table, 'players'> & {players: (Omit<import('./wire.js').Player, 'score'> & {score: null})[]}} PastTable */
/**
 * @typedef {object} Choice
 * @property {number[]} again the dice let go, to be rolled again
 * @property {number[]} rolled the dice this person has just rolled again, so that they tumble even onto the same face
 * @property {Row | null} row the row about to be entered
 */

/** @type {Choice} */
export const noChoice = { again: [], rolled: [], row: null };

/** @param {Action[]} actions @param {Row | null} row @returns {Action | null} */
export const enterOf = (actions, row) => actions.find((action) => action.type === 'enter' && action.row === row) ?? null;

/** @param {number[]} dice @param {number} die */
export const toggled = (dice, die) => (dice.includes(die) ? dice.filter((each) => each !== die) : [...dice, die].sort());

/**
 * A choice outlives a new state only while it still means the same.
 * @param {Choice} choice
 * @param {State | null} before
 * @param {State | null} after
 * @returns {Choice}
 */
export function keepChoice(choice, before, after) {
  if (!before || !after) return noChoice;
  const was = /** @type {Table} */ (before.table);
  const is = /** @type {Table} */ (after.table);
  if (was.round !== is.round || was.turn !== is.turn) return noChoice;
  if (was.rolls < is.rolls) return { ...noChoice, rolled: choice.again };
  // Once it is chosen, nothing is about to be.
  const decided = JSON.stringify(before.mine) !== JSON.stringify(after.mine);
  return was.phase !== is.phase || decided ? { ...noChoice, rolled: choice.rolled } : choice;
}

/** A colour's dice and the white one, added up. @param {Die[]} dice @returns {NonNullable<Table['totals']>} */
export function totalsOf(dice) {
  const sum = (/** @type {string} */ color) => dice.reduce((all, die) => all + (die.color === color || die.color === 'white' ? die.value : 0), 0);
  return /** @type {NonNullable<Table['totals']>} */ (Object.fromEntries(ROWS.map((row) => [row, sum(row)])));
}

/**
 * The table right after `history[index]`.
 * @param {Event[]} history
 * @param {number} index
 * @param {number} seats
 * @returns {PastTable}
 */
export function tableAt(history, index, seats) {
  const nobody = Array.from({ length: seats }, () => false);
  /** @type {PastTable} */
  const start = {
    phase: 'roll', turn: null, round: 0, rolls: 0, dice: null, totals: null, used: null, decided: nobody, outcome: null,
    players: nobody.map((_, seat) => ({ seat, rows: { violet: [], blue: [], red: [], yellow: [] }, misses: 0, score: null })),
  };
  /** Whoever rolls first: with them a round begins. */
  const first = history.find((event) => event.type === 'turn')?.seat;
  return history.slice(0, index + 1).reduce((table, event) => {
    switch (event.type) {
      case 'turn':
        return { ...table, phase: 'roll', turn: event.seat, round: table.round + Number(event.seat === first), rolls: 0, dice: null, totals: null, used: null, decided: nobody };
      case 'roll':
        return { ...table, rolls: table.rolls + 1, dice: event.dice, totals: totalsOf(event.dice), phase: table.rolls ? 'choose' : 'roll' };
      case 'keep':
        return { ...table, phase: 'choose' };
      case 'enter':
      case 'skip':
        return decide(event.type === 'enter' ? write(table, event) : table, event);
      case 'miss':
        return { ...table, players: table.players.map((player) => (player.seat === event.seat ? { ...player, misses: player.misses + 1 } : player)) };
      case 'end':
        return { ...table, phase: 'finished', turn: null, decided: nobody, outcome: { winners: event.winners, scores: event.scores } };
      default:
        return table;
    }
  }, start);
}

/** @param {PastTable} table @param {Event & {type: 'enter'}} event @returns {PastTable} */
function write(table, event) {
  const players = table.players.map((player) => (player.seat === event.seat
    ? { ...player, rows: { ...player.rows, [event.row]: [...player.rows[event.row], event.value] } } : player));
  return { ...table, players };
}

/** The first decision of a turn is the active player's own; all after it are everyone's. @param {PastTable} table @param {Event & {type: 'enter' | 'skip'}} event @returns {PastTable} */
function decide(table, event) {
  if (table.phase === 'choose') return { ...table, phase: 'share', used: event.type === 'enter' ? event.row : null };
  return { ...table, decided: table.decided.map((done, seat) => done || seat === event.seat) };
}
