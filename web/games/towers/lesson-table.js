// The table of the guided first round, computed from the events of its script. It plays no other game.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').Player['towers']} Towers */

/** @type {() => Towers} */
const bare = () => ({ candy: [], spooky: [], tree: [], scrap: [], sand: [] });

/** Before the first card. @type {Table} */
const EMPTY = {
  phase: 'auction',
  round: 0,
  deal: 1,
  starter: 0,
  turn: null,
  row: [],
  draw: 80,
  discard: [],
  calls: [],
  standing: null,
  hand: [],
  demolished_now: null,
  outcome: null,
  players: [0, 1].map((seat) => ({
    seat,
    towers: bare(),
    demolished: 0,
    score: { towers: 0, tallest: 0, demolition: 0, total: 0 },
  })),
};

/**
 * The table after these events.
 * @param {Event[]} history
 * @returns {Table}
 */
export function tableAfter(history) {
  const table = history.reduce(step, EMPTY);
  return {
    ...table,
    players: table.players.map((player) => ({ ...player, score: score(player.towers, player.demolished) })),
  };
}

/** @param {Card[]} cards @param {Card[]} gone */
const without = (cards, gone) =>
  cards.filter((card) => !gone.some((each) => each.tower === card.tower && each.value === card.value));

/** @param {Table} table @param {Event} event @returns {Table} */
function step(table, event) {
  switch (event.type) {
    case 'round':
      return {
        ...table,
        phase: 'auction',
        round: event.round,
        starter: event.starter,
        turn: event.starter,
        row: event.row,
        draw: table.draw - event.row.length,
        calls: [],
        standing: null,
        hand: [],
        demolished_now: null,
      };
    case 'bid':
    case 'pass': {
      const count = event.type === 'bid' ? event.count : null;
      const calls = [...table.calls, { seat: event.seat, count }];
      const standing = count === null ? table.standing : { seat: event.seat, count };
      // There are two players.
      const over = calls.length === 2;
      return {
        ...table,
        calls,
        standing,
        phase: over ? 'take' : 'auction',
        turn: over ? (standing?.seat ?? null) : 1 - event.seat,
      };
    }
    case 'take':
      return { ...table, phase: 'build', row: without(table.row, event.cards), hand: event.cards };
    case 'build':
      return {
        ...raise(table, event.seat, event.card.tower, (values) => [...values, event.card.value], 0),
        hand: without(table.hand, [event.card]),
      };
    case 'demolish':
      return {
        ...raise(table, event.seat, event.tower, (values) => values.slice(0, -1), 1),
        demolished_now: event.tower,
      };
    case 'discard':
      return { ...table, row: [], discard: [...table.discard, ...event.cards] };
    default:
      return table;
  }
}

/**
 * @param {Table} table
 * @param {number} seat
 * @param {import('./wire.js').TowerType} tower
 * @param {(values: number[]) => number[]} change
 * @param {number} demolished
 * @returns {Table}
 */
function raise(table, seat, tower, change, demolished) {
  const players = table.players.map((player) =>
    player.seat === seat
      ? {
          ...player,
          towers: { ...player.towers, [tower]: change(player.towers[tower]) },
          demolished: player.demolished + demolished,
        }
      : player,
  );
  return { ...table, players };
}

/**
 * The score so far, as the server would compute it.
 * @param {Towers} towers
 * @param {number} demolished
 */
export function score(towers, demolished) {
  const all = Object.values(towers);
  const cards = all.reduce((sum, values) => sum + values.length * (values.at(-1) === 0 ? 2 : 1), 0);
  const tallest = Math.max(...all.map((values) => values.length));
  const demolition = -(demolished * (demolished + 1)) / 2 || 0;
  return { towers: cards, tallest, demolition, total: cards + tallest + demolition };
}
