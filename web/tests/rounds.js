// Measures how long a round against bots takes, with and without hurrying: a real server with its default pauses, and a
// player who decides at once. It prints figures and asserts nothing; the results are in docs/bots.md.
//   cargo build --bin rookery && node web/tests/rounds.js [tables=4] [game=towers] [level=normal]
// [pace=normal]

import { openServer } from './browser/support/server.js';
import { Friend } from './browser/support/friend.js';

const asked = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=')));
const { tables = 4, game = 'towers', level = 'normal', pace = 'normal' } = asked;

/** A few, and as many as there are places for. @type {Record<string, number[]>} */
const BOTS = { towers: [2, 4], qwantum: [2, 3] };

/** A pseudo-random act other than an undo, the same in every run. */
function quickPerson(seed) {
  let state = seed;
  return (actions) => {
    const forward = actions.filter((action) => action.type !== 'undo' && action.type !== 'retract');
    state = (state * 1103515245 + 12345) % 2147483648;
    return forward[Math.floor((state / 2147483648) * forward.length)] ?? actions[0];
  };
}

/** Plays one game to its end and returns the duration of each round in seconds. */
async function oneGame(server, bots, hurried, seed) {
  const code = await server.newRoom(game);
  const person = await Friend.join(server, code, 'Ana', quickPerson(seed));
  person.setMaxListeners(50);
  if (pace !== 'normal') person.send({ type: 'configure', pace });
  for (let i = 0; i < bots; i++) person.send({ type: 'add_bot', level });
  await person.until((friend) => friend.room?.seats.length === bots + 1, 'bots');
  const rounds = [];
  let round = null;
  let since = 0;
  const over = new Promise((resolve) => {
    person.on('heard', (message) => {
      if (message?.type === 'state') {
        const { table } = message.state;
        if (round !== null && table.round !== round) rounds.push((performance.now() - since) / 1000);
        if (table.round !== round) [round, since] = [table.round, performance.now()];
        if (hurried && !message.state.asked.includes(person.seat)) person.send({ type: 'hurry' });
      }
      if (message?.type === 'room' && message.room.phase === 'finished') resolve();
    });
  });
  person.send({ type: 'start' });
  await over;
  person.leave();
  return rounds;
}

/** A quantile. */
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

const flags = asked.delay === undefined ? [] : ['--bot-delay-ms', asked.delay];
const server = await openServer({ botDelayMs: asked.delay ?? 700 });
console.log(
  `${game}, ${level} bots, pace ${pace}, a person who decides at once; seconds a round${flags.length ? `, ${flags.join(' ')}` : ''}`,
);
console.log('bots  hurried  rounds  median    p90  longest');
try {
  for (const hurried of [false, true]) {
    for (const bots of BOTS[game] ?? [2]) {
      const games = await Promise.all(
        Array.from({ length: Number(tables) }, (_, i) => oneGame(server, bots, hurried, i + 1)),
      );
      const all = games.flat().sort((a, b) => a - b);
      const cells = [quantile(all, 0.5), quantile(all, 0.9), all.at(-1)].map((value) => value.toFixed(2));
      console.log(
        `${String(bots).padStart(4)}  ${(hurried ? 'yes' : 'no').padStart(7)}  ${String(all.length).padStart(6)}  ${cells[0].padStart(6)}  ${cells[1].padStart(5)}  ${cells[2].padStart(7)}`,
      );
    }
  }
} finally {
  await server.close();
}
