// The end of a game, as the page draws it for every game.

import test from 'node:test';
import assert from 'node:assert/strict';
import { bar, ending } from '../screens/ending.js';
import * as towers from '../games/towers/end.js';
import * as qwantum from '../games/qwantum/end.js';
import { setCatalogues } from '../i18n.js';
import { PRESENT } from '../page-state.js';
import { initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const ENDS = { towers, qwantum };

const seats = ['Ana', 'Mira', 'Tomas'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: seat,
  bot: null,
}));
const PLAYERS = {
  towers: [
    [4, 2, -1],
    [9, 3, 0],
    [6, 2, -3],
  ].map(([towers, tallest, demolition], seat) => ({
    seat,
    towers: { candy: [9], spooky: [], tree: [], scrap: [], sand: [] },
    demolished: 0,
    score: { towers, tallest, demolition, total: towers + tallest + demolition },
  })),
  qwantum: [
    [[4, 2, null, null, null, null], -1],
    [[9, 3, null, null, null, null], 0],
    [[6, 2, null, null, null, null], -3],
  ].map(([columns, misses], seat) => ({
    seat,
    rows: { violet: [1], blue: [], red: [], yellow: [] },
    misses: 1,
    score: { columns, misses, total: columns[0] + columns[1] + misses },
  })),
};
/** The points counted at the start: a ground floor is there at once. */
const FIRST = { towers: '1', qwantum: '0' };
const view = (game, countedMs, more = {}) => ({
  table: { players: PLAYERS[game], outcome: { winners: [1], scores: [5, 12, 5] } },
  seat: 0,
  wide: false,
  commands: {},
  known: { ...initialState, room: { seats } },
  present: { ...initialState, room: { seats } },
  ui: { countedMs, rooms: {} },
  ...more,
});
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
const text = (node) => node.text ?? node.children.map(text).join('');
const drawnAs = (game, countedMs, more) => {
  const all = nodes(ending(view(game, countedMs, more), ENDS[game]));
  return {
    title: text(all.find((node) => node.tag === 'h1')),
    confetti: all.some((node) => node.props?.class === 'confetti'),
    section: all[0],
    rows: all
      .filter((node) => node.tag === 'tr')
      .slice(1)
      .map((row) => row.children.map(text)),
    won: all.filter((node) => node.tag === 'button' && node.props.class.includes('won')).length,
    sides: all.filter((node) => node.tag === 'button').length,
  };
};

for (const game of Object.keys(PLAYERS)) {
  test(`${game}: nothing is counted at first, and nobody has won yet`, () => {
    const { title, rows, won, sides } = drawnAs(game, 0);
    assert.deepEqual([title, won, sides], ['Scoring…', 0, 3]);
    assert.deepEqual(
      rows.map((row) => [row[0], row.at(-1)]),
      ['Ana', 'Mira', 'Tomas'].map((name) => [name, FIRST[game]]),
    );
  });

  test(`${game}: in the end the best stands first, with what the total is made of`, () => {
    const { title, rows, won } = drawnAs(game, Infinity);
    assert.deepEqual([title, won], ['Mira wins', 1]);
    assert.deepEqual(
      rows.map((row) => [row[0], row.at(-1)]),
      [
        ['Mira★1', '12'],
        ['Ana', '5'],
        ['Tomas★2', '5'],
      ],
    );
  });

  test(`${game}: tells the winner, and names all players of a shared win`, () => {
    assert.equal(drawnAs(game, Infinity, { seat: 1 }).title, 'You win!');
    const shared = { table: { players: PLAYERS[game], outcome: { winners: [0, 2], scores: [] } } };
    assert.equal(drawnAs(game, Infinity, shared).title, 'Ana and Tomas share the win');
  });
}

/** A player of Five Towers with these towers and this number of demolished cards. */
const built = (seat, sky, demolished = 0) => {
  const all = { candy: [], spooky: [], tree: [], scrap: [], sand: [], ...sky };
  const heights = Object.values(all).map((values) => values.length);
  const score = {
    towers: Object.values(all).reduce((sum, values) => sum + values.length * (values.at(-1) === 0 ? 2 : 1), 0),
    tallest: Math.max(...heights),
    demolition: -(demolished * (demolished + 1)) / 2 || 0,
  };
  return { seat, towers: all, demolished, score: { ...score, total: score.towers + score.tallest + score.demolition } };
};
const table = (...players) => {
  const most = Math.max(...players.map((player) => player.score.total));
  return {
    players,
    outcome: { winners: players.flatMap((player) => (player.score.total === most ? [player.seat] : [])), scores: [] },
  };
};
const ROOFED = table(built(0, { candy: [9, 5], sand: [12, 8, 3] }, 2), built(1, { spooky: [9, 5, 0] }));

test('Five Towers: floor by floor, then roofs double, the tallest is crowned, and what was demolished falls', () => {
  const { roofs, crown, demolition, over } = towers.stages(ROOFED);
  const points = (countedMs) =>
    towers
      .ending({ table: ROOFED, ui: { countedMs, rooms: {} } })
      .parts.map((part) => ROOFED.players.map((player) => part.counted(player)));
  assert.deepEqual(
    points(0),
    [
      [2, 1],
      [0, 0],
      [0, 0],
    ],
    'the ground floors',
  );
  assert.deepEqual(
    points(roofs - 1),
    [
      [5, 3],
      [0, 0],
      [0, 0],
    ],
    'every card counts one',
  );
  assert.deepEqual(
    points(crown - 1),
    [
      [5, 6],
      [0, 0],
      [0, 0],
    ],
    'roofs double',
  );
  assert.deepEqual(
    points(demolition - 1),
    [
      [5, 6],
      [3, 3],
      [0, 0],
    ],
    'the tallest counts again',
  );
  assert.deepEqual(points(over), [
    [5, 6],
    [3, 3],
    [-3, 0],
  ]);
  assert.equal(towers.endingMs(ROOFED), over);
  const drawn = (countedMs) => {
    const all = nodes(ending(view('towers', countedMs, { table: ROOFED }), towers));
    return ['crown', 'falling'].map((kind) => all.filter((node) => node.props?.class === kind).length);
  };
  assert.deepEqual(
    [drawn(0), drawn(crown), drawn(demolition), drawn(Infinity)],
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [2, 0],
    ],
  );
});

test('skips parts of the count that nobody has, such as roofs and demolition', () => {
  assert.ok(towers.endingMs(table(built(0, { candy: [9, 5, 1] }), built(1, { sand: [9] }))) < towers.endingMs(ROOFED));
});

test('says in one line what decided the game', () => {
  const name = (seat) => ['Ana', 'Mira'][seat];
  assert.equal(
    towers.decided({ ...ROOFED, outcome: null }, name),
    null,
    'nothing is decided before the last table has come',
  );
  assert.equal(towers.decided(ROOFED, name), 'Mira’s roof on Spooky made the difference: +3');
  assert.equal(
    towers.decided(table(built(0, { candy: [9, 5, 1] }), built(1, { candy: [9], sand: [8], tree: [7] })), name),
    'The taller tower made the difference: Ana +2',
  );
  assert.equal(
    towers.decided(table(built(0, { candy: [9, 5, 1] }, 2), built(1, { sand: [9, 5, 1] })), name),
    'Demolished cards made the difference: Ana −3',
  );
  assert.equal(
    towers.decided(table(built(0, { candy: [9, 5], sand: [3, 2] }), built(1, { sand: [9, 5] })), name),
    'More storeys made the difference: Ana +2',
  );
  assert.equal(towers.decided(table(built(0, { candy: [9] }), built(1, { sand: [9] })), name), 'A tie: 2 each');
  const sheets = (...all) => ({
    players: all.map(([columns, misses], seat) => ({
      seat,
      score: { columns, misses, total: columns.reduce((sum, each) => sum + (each ?? 0), 0) + misses },
    })),
    outcome: { winners: [0] },
  });
  assert.equal(
    qwantum.decided(sheets([[5, 9, null], 0], [[5, null, null], 0]), name),
    'Column 2 made the difference: Ana +9',
  );
  assert.equal(
    qwantum.decided(sheets([[5, 6, null], 0], [[5, 5, null], -10]), name),
    'Misses made the difference: Mira −10',
  );
});

test('skips to the result on a tap, and shows no confetti to latecomers or with reduced motion', () => {
  const shown = [];
  const commands = { show: (change) => shown.push(change), open: (sheet) => shown.push(sheet) };
  const counting = drawnAs('towers', 0, { commands });
  counting.section.props.onclick();
  assert.deepEqual(shown, [{ countedMs: towers.endingMs({ players: PLAYERS.towers }) }]);
  assert.equal(counting.confetti, false);
  assert.equal(drawnAs('towers', shown[0].countedMs, { commands }).confetti, true);
  assert.equal(
    drawnAs('towers', shown[0].countedMs, { commands }).section.props.onclick,
    undefined,
    'then a tap does what it says',
  );
  assert.equal(drawnAs('towers', Infinity).confetti, false);
});

test('plays a sound for each floor, the roofs, the crown and the demolition, and none twice', () => {
  const heard = [];
  for (let at = 0; at < towers.endingMs(ROOFED); at += 40) heard.push(towers.cue(ROOFED, at, at + 40));
  assert.deepEqual(heard.filter(Boolean), ['card', 'card', 'roof', 'turn', 'demolition']);
  const rows = { players: [{ misses: 1 }] };
  const columns = [];
  for (let at = 0; at < qwantum.endingMs(rows); at += 40) columns.push(qwantum.cue(rows, at, at + 40));
  assert.deepEqual(columns.filter(Boolean), ['card', 'card', 'card', 'card', 'card', 'card', 'demolition']);
});

/** The buttons at the end, by name; the present room may be another one. */
function offered(seat, room, ui = {}) {
  const present = {
    ...initialState,
    you: { seat, name: seats[seat]?.name },
    room: { seats, phase: 'finished', host: 0, ...room },
  };
  const sent = [];
  const commands = {
    send: (message) => sent.push(message),
    rematch: (how) => sent.push(how),
    goToRoom: () => sent.push('goes on'),
  };
  const all = nodes(
    bar(
      view('towers', Infinity, {
        seat,
        present,
        commands,
        ending: towers,
        ui: { countedMs: Infinity, rooms: {}, shown: PRESENT, ...ui },
      }),
    ),
  );
  return {
    sent,
    buttons: all
      .filter((node) => node.tag === 'button')
      .map((node) => ({ says: text(node), pressed: node.props['aria-pressed'], press: node.props.onclick })),
    all,
  };
}
const says = ({ buttons }) => buttons.map((button) => button.says);

test('lets every player raise a hand, and the host open the table', () => {
  const hands = { pace: 'normal', seats: [seats[0], { ...seats[1], ready: true }, seats[2]] };
  assert.deepEqual(says(offered(0, hands)), ['Again!1/3 1 of 3 for another game', 'Rematch', 'Replay', 'More']);
  const guest = offered(1, hands);
  assert.deepEqual(says(guest), ['Again!1/3 1 of 3 for another game', 'Replay', 'More']);
  guest.buttons[0].press();
  assert.deepEqual([guest.buttons[0].pressed, guest.sent], [true, [{ type: 'ready', ready: false }]]);
  assert.deepEqual(says(offered(null, hands)), ['Replay', 'More'], 'who watches has no hand');
  assert.deepEqual(
    says(offered(0, { pace: 'normal', seats: [seats[0], { ...seats[1], kind: 'bot' }] })),
    ['Rematch', 'Replay', 'More'],
    'bots always want to',
  );
});

test('lets any player open the table on a server without raised hands', () =>
  assert.deepEqual(says(offered(1, {})), ['Rematch', 'Replay', 'More']));

test('tells a player at the result that the table is open', () => {
  const page = offered(1, { pace: 'normal', phase: 'lobby' }, { shown: { table: 'result', past: null } });
  assert.deepEqual(says(page), ['Go to table', 'Again!0/3 0 of 3 for another game', 'Replay', 'More']);
  page.buttons[0].press();
  assert.deepEqual(page.sent, ['goes on']);
});
