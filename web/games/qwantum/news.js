// The parts of the table that events changed: `1 blue 3` is a cell, `score 1` and `misses 1` belong to a player. And
// where the news begin, since all players choose at the same time.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */

/** @param {Event[]} events @param {Table} table @returns {string[]} */
export function touched(events, table) {
  /** Number of cells of each row named so far. @type {Record<string, number>} */
  const told = {};
  // From the newest event back: the last number of a row was entered last.
  return [...events].reverse().flatMap((event) => {
    if (event.type === 'miss') return [`misses ${event.seat}`, `score ${event.seat}`];
    if (event.type !== 'enter') return [];
    const { seat, row } = event;
    const player = table.players[seat];
    const key = `${seat} ${row}`;
    told[key] = (told[key] ?? 0) + 1;
    const at = player.rows[row].length - told[key];
    // The number may have completed a column.
    return [`${key} ${at}`, ...(typeof player.score?.columns[at] === 'number' ? [`score ${seat}`] : [])];
  });
}

/** @param {Event} event */
const isEntry = ({ type }) => type === 'enter' || type === 'skip';

/**
 * After this seat's last decision. Simultaneous choices are news together, so that the own one does not hide the
 * others.
 * @param {Event[]} history
 * @param {number | null} seat
 * @param {Table} table
 * @returns {number}
 */
export function newsFrom(history, seat, table) {
  if (seat !== null && table.decided[seat]) return history.length;
  const last = history.findLastIndex(
    (event) =>
      event.type !== 'turn' && event.type !== 'miss' && event.type !== 'end' && (seat === null || event.seat === seat),
  );
  const turn = history.findLastIndex(({ type }, at) => type === 'turn' && at <= last);
  // The roller enters or skips first. What follows in the same turn was chosen at the same time.
  const first = history.findIndex((event, at) => at > turn && isEntry(event));
  if (last > first && first >= 0) return first + 1;
  return seat === null ? turn + 1 : last + 1;
}

/** The last roll, until dice are rolled in this turn: the last entries come from it. @param {Event[]} history */
export function lastDice(history) {
  const roll = history.findLast(({ type }) => type === 'roll');
  return roll?.type === 'roll' ? roll.dice : null;
}
