// The table of the guided first round, computed from the events of its script. It plays no other game.

import { ROWS } from './pieces.js';
import { totalsOf } from './choice.js';

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Rows} Rows */
/** @typedef {import('./wire.js').Score} Score */
/** @typedef {import('./script.js').Laid} Laid */

/** @returns {Rows} */
const bare = () => ({ violet: [], blue: [], red: [], yellow: [] });

/** Before the first turn. @type {Table} */
const EMPTY = {
  phase: 'roll',
  turn: null,
  round: 1,
  rolls: 0,
  dice: null,
  totals: null,
  used: null,
  decided: [false, false],
  outcome: null,
  players: [0, 1].map((seat) => ({ seat, rows: bare(), misses: 0, score: score(bare(), 0) })),
};

/**
 * The table after these events.
 * @param {(Event | Laid)[]} history
 * @returns {Table}
 */
export function tableAfter(history) {
  const table = history.reduce(step, EMPTY);
  return {
    ...table,
    players: table.players.map((player) => ({ ...player, score: score(player.rows, player.misses) })),
  };
}

/** @param {Table} table @param {Event | Laid} event @returns {Table} */
function step(table, event) {
  switch (event.type) {
    case 'laid':
      return {
        ...table,
        round: event.round,
        players: table.players.map((player, at) => ({ ...player, rows: event.sheets[at] })),
      };
    case 'turn':
      return {
        ...table,
        phase: 'roll',
        turn: event.seat,
        rolls: 0,
        dice: null,
        totals: null,
        used: null,
        decided: [false, false],
      };
    case 'roll':
      return {
        ...table,
        phase: table.rolls ? 'choose' : 'roll',
        rolls: table.rolls + 1,
        dice: event.dice,
        totals: totalsOf(event.dice),
      };
    case 'keep':
      return { ...table, phase: 'choose' };
    case 'enter':
      return alone(
        {
          ...table,
          players: table.players.map((player) =>
            player.seat === event.seat
              ? { ...player, rows: { ...player.rows, [event.row]: [...player.rows[event.row], event.value] } }
              : player,
          ),
        },
        event.row,
      );
    case 'skip':
      return alone(table, null);
    case 'miss':
      return {
        ...table,
        players: table.players.map((player) =>
          player.seat === event.seat ? { ...player, misses: player.misses + 1 } : player,
        ),
      };
    default:
      return table;
  }
}

/**
 * The roller has entered a total or skipped. Then all choose, and Rook is quick.
 * @param {Table} table
 * @param {Table['used']} used
 * @returns {Table}
 */
const alone = (table, used) =>
  table.phase === 'choose' ? { ...table, phase: 'share', used, decided: [false, true] } : table;

/**
 * The score so far, as the server would compute it.
 * @param {Rows} rows
 * @param {number} misses
 * @returns {Score}
 */
export function score(rows, misses) {
  /** @param {number} at */
  const column = (at) => {
    const values = ROWS.map((row) => rows[row][at]);
    if (values.some((value) => value === undefined)) return null;
    const distinct = [...new Set(values)].sort((a, b) => a - b);
    return distinct[1] ?? distinct[0];
  };
  /** @type {Score['columns']} */
  const columns = [column(0), column(1), column(2), column(3), column(4), column(5)];
  const cost = -(misses * (misses + 1)) / 2 || 0;
  return {
    columns,
    misses: cost,
    total: columns.reduce((/** @type {number} */ all, each) => all + (each ?? 0), cost),
  };
}
