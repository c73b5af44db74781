// What events changed on the table of Five Towers, by name: `1 candy 3` a storey, `1 candy -` a tower that lost its top, `call 1`, `score 1`.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */

/** What `undo` takes back, one at a time, and `retract` altogether. */
const STEPS = ['take', 'demolish', 'build'];

/** What of it still counts. @param {Event[]} events @returns {Event[]} */
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
  /** How many storeys of each tower are named by now. @type {Record<string, number>} */
  const told = {};
  // From the newest down: the top is the last that was built.
  return lasting(events).reverse().flatMap((event) => {
    if (event.type === 'bid' || event.type === 'pass') return [`call ${event.seat}`];
    if (event.type === 'demolish') return [`${event.seat} ${event.tower} -`, `score ${event.seat}`];
    if (event.type !== 'build') return [];
    const tower = `${event.seat} ${event.card.tower}`;
    told[tower] = (told[tower] ?? 0) + 1;
    return [`${tower} ${(table.players[event.seat]?.towers[event.card.tower].length ?? 0) - told[tower]}`, `score ${event.seat}`];
  });
}
