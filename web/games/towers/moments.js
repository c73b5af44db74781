// Earlier moments of a game, folded from its events. It repeats what happened and judges nothing: scores are not kept.

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Card} Card */

/** @typedef {Omit<Table, 'players'> & {players: (Omit<import('./wire.js').Player, 'score'> & {score: null})[], past: true}} PastTable */

/** @param {number} seats @returns {PastTable} */
const opening = (seats) => ({
  past: true, phase: 'auction', round: 0, deal: 1, starter: 0, turn: null, row: [], draw: 0, discard: [], calls: [], standing: null,
  hand: [], demolished_now: null, outcome: null,
  players: Array.from({ length: seats }, (_, seat) => ({
    seat, towers: { candy: [], spooky: [], tree: [], scrap: [], sand: [] }, demolished: 0, score: null,
  })),
});

/** @param {Card[]} cards @param {Card[]} gone */
function without(cards, gone) {
  const left = [...cards];
  for (const card of gone) {
    const at = left.findIndex((each) => each.tower === card.tower && each.value === card.value);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/**
 * The table right after `history[index]`.
 * @param {Event[]} history
 * @param {number} index
 * @param {number} seats
 * @returns {PastTable}
 */
export function tableAt(history, index, seats) {
  let table = opening(seats);
  // The draw pile is what is in no other place: all cards less those dealt since the last shuffle.
  table.draw = seats > 3 ? 110 : 80;
  /** The builder's steps, newest last, for undoing. @type {PastTable[]} */
  let steps = [];
  /** The table before each call, for striking calls. @type {{seat: number, before: PastTable}[]} */
  let called = [];
  for (const event of history.slice(0, index + 1)) {
    if (event.type === 'undo') {
      table = steps.pop() ?? table;
      continue;
    }
    if (event.type === 'retract') {
      const at = called.findLastIndex((call) => call.seat === event.seat);
      if (at >= 0) table = called[at].before;
      called = called.slice(0, Math.max(0, at));
      steps = [];
      continue;
    }
    if (event.type === 'round') [steps, called] = [[], []];
    if (event.type === 'bid' || event.type === 'pass') called.push({ seat: event.seat, before: table });
    if (event.type === 'take' || event.type === 'build' || event.type === 'demolish') steps.push(table);
    table = step(table, event);
  }
  return table;
}

/** @param {PastTable} table @param {Event} event @returns {PastTable} */
function step(table, event) {
  const seats = table.players.length;
  switch (event.type) {
    case 'round':
      return {
        ...table, phase: 'auction', round: event.round, starter: event.starter, turn: event.starter, row: event.row,
        draw: table.draw - event.row.length, calls: [], standing: null, hand: [], demolished_now: null,
      };
    case 'bid':
    case 'pass': {
      const count = event.type === 'bid' ? event.count : null;
      const calls = [...table.calls, { seat: event.seat, count }];
      const standing = count === null ? table.standing : { seat: event.seat, count };
      const over = calls.length >= seats || count === table.row.length;
      return { ...table, calls, standing, phase: over ? 'take' : 'auction', turn: over ? standing?.seat ?? null : (event.seat + 1) % seats };
    }
    case 'take':
      return { ...table, phase: 'build', turn: event.seat, row: without(table.row, event.cards), hand: event.cards };
    case 'build':
      return { ...raise(table, event.seat, (towers) => ({ ...towers, [event.card.tower]: [...towers[event.card.tower], event.card.value] }), 0), hand: without(table.hand, [event.card]) };
    case 'demolish':
      return { ...raise(table, event.seat, (towers) => ({ ...towers, [event.tower]: towers[event.tower].slice(0, -1) }), 1), demolished_now: event.tower };
    case 'discard':
      return { ...table, row: [], discard: [...table.discard, ...event.cards] };
    case 'reshuffle':
      return { ...table, deal: 2, draw: table.discard.length, discard: [] };
    case 'end':
      return { ...table, phase: 'finished', turn: null, row: [], outcome: { winners: event.winners, scores: event.scores } };
    default:
      return table;
  }
}

/**
 * @param {PastTable} table
 * @param {number} seat
 * @param {(towers: Record<import('./wire.js').TowerType, number[]>) => Record<import('./wire.js').TowerType, number[]>} change
 * @param {number} demolished
 * @returns {PastTable}
 */
function raise(table, seat, change, demolished) {
  const players = table.players.map((player) => player.seat === seat
    ? { ...player, towers: change(player.towers), demolished: player.demolished + demolished } : player);
  return { ...table, players };
}

