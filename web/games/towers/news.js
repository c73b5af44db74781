// The parts of the table that events changed: `1 candy 3` is a storey, `1 candy -` a tower that lost its top; `call 1`
// and `score 1` belong to a player.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */

/** Events that `undo` takes back one by one, and `retract` all at once. */
const STEPS = ['take', 'demolish', 'build'];

/**
 * The events that were not taken back.
 * @param {Event[]} events
 * @returns {Event[]}
 */
function lasting(events) {
  /** @type {Event[]} */
  const kept = [];
  for (const event of events) {
    kept.push(event);
    for (let steps = event.type === 'undo' ? 1 : event.type === 'retract' ? Infinity : 0; steps > 0; steps -= 1) {
      const at = kept.findLastIndex(({ type }) => STEPS.includes(type));
      if (at < 0) break;
      kept.splice(at, 1);
    }
  }
  return kept;
}

/** @param {Event[]} events @param {Table} table @returns {string[]} */
export function touched(events, table) {
  /** Number of storeys of each tower named so far. @type {Record<string, number>} */
  const told = {};
  // From the newest event back: the top was built last.
  return lasting(events)
    .reverse()
    .flatMap((event) => {
      if (event.type === 'bid' || event.type === 'pass') return [`call ${event.seat}`];
      if (event.type === 'demolish') return [`${event.seat} ${event.tower} -`, `score ${event.seat}`];
      if (event.type !== 'build') return [];
      const tower = `${event.seat} ${event.card.tower}`;
      told[tower] = (told[tower] ?? 0) + 1;
      return [
        `${tower} ${(table.players[event.seat]?.towers[event.card.tower].length ?? 0) - told[tower]}`,
        `score ${event.seat}`,
      ];
    });
}
