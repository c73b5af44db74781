// What events changed on the table of Qwantum, by name: `1 blue 3` a cell, `score 1`, `misses 1`; and where the news begin in a game in which all choose at once.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */

/** @param {Event[]} events @param {Table} table @returns {string[]} */
export function touched(events, table) {
  /** How many cells of each row are named by now. @type {Record<string, number>} */
  const told = {};
  // From the newest back: the last number of a row was entered last.
  return [...events].reverse().flatMap((event) => {
    if (event.type === 'miss') return [`misses ${event.seat}`, `score ${event.seat}`];
    if (event.type !== 'enter') return [];
    const { seat, row } = event;
    const player = table.players[seat];
    const key = `${seat} ${row}`;
    told[key] = (told[key] ?? 0) + 1;
    const at = player.rows[row].length - told[key];
    // A number is worth something with the column it fills.
    return [`${key} ${at}`, ...(typeof player.score?.columns[at] === 'number' ? [`score ${seat}`] : [])];
  });
}

/** @param {Event} event */
const isEntry = ({ type }) => type === 'enter' || type === 'skip';

/**
 * After what this seat decided last. What all chose together is told together, so that its own part of it does not hide what others chose.
 * @param {Event[]} history
 * @param {number | null} seat
 * @param {Table} table
 * @returns {number}
 */
export function newsFrom(history, seat, table) {
  if (seat !== null && table.decided[seat]) return history.length;
  const last = history.findLastIndex((event) => event.type !== 'turn' && event.type !== 'miss' && event.type !== 'end' && (seat === null || event.seat === seat));
  const turn = history.findLastIndex(({ type }, at) => type === 'turn' && at <= last);
  // Whoever rolled enters or skips first; what follows in the same turn, all chose together.
  const first = history.findIndex((event, at) => at > turn && isEntry(event));
  if (last > first && first >= 0) return first + 1;
  return seat === null ? turn + 1 : last + 1;
}

/** What was rolled last, when nothing has been rolled in this turn yet: what all have just entered comes from it. @param {Event[]} history */
export function lastDice(history) {
  const roll = history.findLast(({ type }) => type === 'roll');
  return roll?.type === 'roll' ? roll.dice : null;
}
