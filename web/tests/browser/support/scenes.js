// Scripted tables for screens that ordinary games rarely show, and a connection that sends them to a page. The messages
// are those of the wire contract; no rule is applied here.

export const TYPES = ['candy', 'spooky', 'tree', 'scrap', 'sand'];
const NAMES = ['Ana', 'Mira', 'Tomas', 'Jūratė', 'Zsófi'];

/** `sand-7 candy-12` */
export const cards = (text) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word) => ({ tower: word.split('-')[0], value: Number(word.split('-')[1]) }));

const towers = (given = {}) => Object.fromEntries(TYPES.map((type) => [type, given[type] ?? []]));

/** A score as the server would write it. */
function score(sky, demolished) {
  const all = Object.values(sky);
  const sum = all.reduce((points, values) => points + values.length * (values.at(-1) === 0 ? 2 : 1), 0);
  const tallest = Math.max(...all.map((values) => values.length));
  const demolition = -((demolished * (demolished + 1)) / 2) || 0;
  return { towers: sum, tallest, demolition, total: sum + tallest + demolition };
}

/** The towers of a game half played, different for each seat. */
const HALF = [
  { candy: [15, 12, 8, 14], spooky: [11, 4], tree: [13, 9, 6, 2, 0], sand: [10, 7, 3] },
  { candy: [13], tree: [14, 11, 9, 5], scrap: [15, 10, 6], sand: [12] },
  { spooky: [15, 13, 12, 9, 3, 1, 0], scrap: [8, 14] },
  { candy: [10, 9, 8, 11], spooky: [14], tree: [15], scrap: [12, 2], sand: [6] },
  { sand: [15, 14, 13, 9], candy: [7, 5] },
];

const TWELVE = [15, 14, 13, 12, 11, 10, 8, 12, 9, 7, 5, 3];
/** Nobody plays so well, and the table must still fit. */
const GREAT = [0, 1, 2, 3, 4].map((seat) =>
  Object.fromEntries(
    TYPES.map((type, i) => [
      type,
      (seat + i) % 4 === 3 ? [...TWELVE.slice(0, 11), 0] : TWELVE.slice(0, 12 - ((seat * 3 + i) % 3)),
    ]),
  ),
);
GREAT[0] = Object.fromEntries(TYPES.map((type, i) => [type, i === 2 ? [...TWELVE.slice(0, 11), 0] : TWELVE]));

export function room(players, more = {}) {
  const names = more.names ?? NAMES;
  const seats = Array.from({ length: players }, (_, seat) => ({
    seat,
    name: names[seat],
    kind: 'human',
    connected: true,
    away_ms: 0,
    wins: seat === 1 ? 2 : 0,
    bot: null,
    ...more.seats?.[seat],
  }));
  return {
    code: '',
    game: 'towers',
    phase: 'playing',
    rules: { mistakes: 'prevented' },
    clock: null,
    forced: 'auto',
    pace: 'normal',
    min: 2,
    max: 5,
    host: 0,
    watchers: 1,
    fair: { commitment: '0'.repeat(64) },
    keep_days: 30,
    ...more,
    seats,
    names: undefined,
  };
}

/** The table before the first bid: nobody has built anything. */
export const bare = (players) =>
  table(players, {
    round: 1,
    draw: 80,
    discard: [],
    demolished: 0,
    players: Array.from({ length: players }, (_, seat) => ({
      seat,
      towers: towers(),
      demolished: 0,
      score: score(towers(), 0),
    })),
  });

/** The table of a game half played, seat 0 to act unless said otherwise. */
export function table(players, more = {}) {
  const { great = false, demolished = 1, ...rest } = more;
  return {
    phase: 'auction',
    round: 7,
    deal: 1,
    starter: 0,
    turn: 0,
    row: cards('sand-2 candy-12 spooky-3 tree-15 scrap-8'),
    draw: 45,
    discard: cards('candy-1 candy-6 spooky-8 tree-3 scrap-0 scrap-11 sand-13'),
    calls: [],
    standing: null,
    hand: [],
    demolished_now: null,
    outcome: null,
    players: Array.from({ length: players }, (_, seat) => {
      const sky = towers(great ? GREAT[seat] : HALF[seat]);
      const fallen = seat === 0 ? demolished : 0;
      return { seat, towers: sky, demolished: fallen, score: score(sky, fallen) };
    }),
    ...rest,
  };
}

export function ended(players, more = {}) {
  const { shared = false, ...rest } = more;
  const last = table(players, {
    phase: 'finished',
    turn: null,
    row: [],
    draw: 0,
    deal: 2,
    round: 31,
    discard: [],
    ...rest,
  });
  // Two who built the same share the win.
  if (shared) last.players[1] = { ...last.players[3], seat: 1 };
  const scores = last.players.map((player) => player.score.total);
  const best = Math.max(...scores);
  last.outcome = { winners: scores.flatMap((total, seat) => (total === best ? [seat] : [])), scores };
  for (const player of last.players) player.demolished_cards = cards('spooky-4 sand-9').slice(0, player.demolished);
  return last;
}

/** What each number would mean at the table half played, as the server would say it. */
export const MEANS = {
  fits: [0, 1, 4],
  after: [2],
  bids: [{ cards: [1] }, { cards: [1, 4] }, { cards: [0, 1, 4] }, { cards: [0, 1, 2, 4], demolish: 'spooky' }],
};

export const bids = (...counts) => [...counts.map((count) => ({ type: 'bid', count })), { type: 'pass' }];

/** Every choice of so many cards of the row. */
export function takes(row, count) {
  if (count === 0) return [[]];
  return row.flatMap((card, i) => takes(row.slice(i + 1), count - 1).map((rest) => [card, ...rest]));
}

/** Two rounds as the log tells them. */
export const HISTORY = [
  { type: 'round', round: 1, starter: 1, row: cards('sand-10 candy-15 spooky-11 tree-13 scrap-15') },
  { type: 'bid', seat: 1, count: 2 },
  { type: 'pass', seat: 2 },
  { type: 'bid', seat: 0, count: 4 },
  { type: 'take', seat: 0, cards: cards('sand-10 candy-15 spooky-11 tree-13') },
  { type: 'build', seat: 0, card: cards('sand-10')[0] },
  { type: 'build', seat: 0, card: cards('candy-15')[0] },
  { type: 'undo', seat: 0 },
  { type: 'build', seat: 0, card: cards('candy-15')[0] },
  { type: 'build', seat: 0, card: cards('spooky-11')[0] },
  { type: 'build', seat: 0, card: cards('tree-13')[0] },
  { type: 'finish', seat: 0 },
  { type: 'discard', cards: cards('scrap-15') },
  { type: 'round', round: 2, starter: 2, row: cards('tree-0 candy-12 spooky-4 tree-9 scrap-8') },
  { type: 'bid', seat: 2, count: 1 },
  { type: 'bid', seat: 0, count: 3 },
  { type: 'pass', seat: 1 },
  { type: 'take', seat: 0, cards: cards('tree-0 candy-12 spooky-4') },
  { type: 'demolish', seat: 0, tower: 'sand' },
  { type: 'build', seat: 0, card: cards('tree-0')[0] },
  { type: 'reshuffle', cards: 31 },
];

/**
 * What others did since seat 0 finished: two of them built, one after a demolition and an undo, and the next auction is
 * on.
 */
export const SINCE = [
  ...HISTORY,
  { type: 'finish', seat: 0 },
  { type: 'discard', cards: cards('tree-9 scrap-8') },
  { type: 'round', round: 3, starter: 2, row: cards('tree-5 scrap-10 scrap-6 candy-13 sand-1') },
  { type: 'bid', seat: 2, count: 1 },
  { type: 'bid', seat: 1, count: 3 },
  { type: 'pass', seat: 2 },
  { type: 'take', seat: 1, cards: cards('tree-5 scrap-10 scrap-6') },
  { type: 'demolish', seat: 1, tower: 'sand' },
  ...cards('tree-5 scrap-10').map((card) => ({ type: 'build', seat: 1, card })),
  { type: 'undo', seat: 1 },
  ...cards('scrap-10 scrap-6').map((card) => ({ type: 'build', seat: 1, card })),
  { type: 'finish', seat: 1 },
  { type: 'round', round: 4, starter: 2, row: cards('spooky-0 scrap-14 sand-4 candy-3 tree-7') },
  { type: 'bid', seat: 2, count: 2 },
  { type: 'take', seat: 2, cards: cards('scrap-14 spooky-0') },
  { type: 'build', seat: 2, card: cards('scrap-14')[0] },
  { type: 'build', seat: 2, card: cards('spooky-0')[0] },
  { type: 'finish', seat: 2 },
  { type: 'round', round: 7, starter: 1, row: cards('sand-2 candy-12 spooky-3 tree-15 scrap-8') },
  { type: 'bid', seat: 1, count: 2 },
  { type: 'pass', seat: 2 },
];

export const CHAT = [
  { seat: 1, name: 'Mira', text: 'Who taught you to build like that?', at: 1700000000000 },
  { seat: 0, name: 'Ana', text: 'The sand did. One moment, tea 🫖', at: 1700000060000 },
  {
    seat: null,
    name: 'Ona',
    text: 'Watching from the train; the tunnel is next, so do not wait for me and do not roof anything silly.',
    at: 1700000120000,
  },
];

/** What the server says to somebody who joins this scene. */
export function welcome(
  code,
  { players = 3, seat = 0, room: more = {}, state = null, history = HISTORY, chat = CHAT } = {},
) {
  const seated = room(players, { code, phase: state ? 'playing' : 'lobby', ...more });
  return {
    type: 'welcome',
    protocol: 1,
    room: seated,
    history: state ? history.filter((event) => !(event.seat >= players)) : [],
    chat,
    you:
      seat === null
        ? { seat: null, token: null, name: 'Ona' }
        : { seat, token: 'a-token-of-this-scene', name: seated.seats[seat].name },
    state: state && {
      version: 60,
      next: 12,
      asked: state.table.turn === null ? [] : [state.table.turn],
      actions: [],
      events: [],
      deadline_ms: null,
      mine: seat === null ? null : { demolished: cards('spooky-4'), highest_bid: 4 },
      ...state,
    },
  };
}

/** A result whose table the host opens for the next game while it is looked at, and may begin it. */
export const stays = (code, names, begun) => {
  const finished = welcome(code, { seat: 1, state: { table: ended(3) }, room: { phase: 'finished', names } });
  const next = { code, names, fair: { commitment: '1'.repeat(64) } };
  return {
    welcome: finished,
    answers: {
      ready: [
        { type: 'room', room: room(3, { ...next, phase: 'lobby', seats: { 0: { ready: true } } }) },
        ...(begun
          ? [
              { type: 'room', room: room(3, { ...next, phase: 'playing' }) },
              {
                type: 'state',
                state: {
                  ...finished.state,
                  version: 70,
                  next: 0,
                  actions: begun.actions,
                  asked: [1],
                  table: { ...begun.table, turn: 1 },
                },
              },
            ]
          : []),
      ],
    },
  };
};

/**
 * What the server tells of a game with these events, each showing this table: what nobody did happened together with
 * what was done before.
 */
export function pastOf(history, shown) {
  const moments = [];
  for (const event of history) {
    if (event.seat === undefined && moments.length) moments.at(-1).events.push(event);
    else
      moments.push({
        version: moments.length + 1,
        at: 1700000000000 + moments.length * 20000,
        seat: event.seat ?? null,
        by: event.seat === undefined ? null : 'player',
        action: null,
        events: [event],
        table: shown,
      });
  }
  return moments;
}

/** A game that is over, as its link shows it: towers rise from moment to moment, and with them the points. */
export function replayed(players, names = NAMES) {
  const last = ended(players, { great: true, demolished: 2 });
  const steps = [
    ...HISTORY.filter((event) => !(event.seat >= players) && event.type !== 'reshuffle'),
    { type: 'finish', seat: 0 },
    { type: 'round', round: 3, starter: 0, row: cards('sand-2 candy-12 spooky-3 tree-15 scrap-8') },
    { type: 'finish', seat: 1 },
    { type: 'end', ...last.outcome },
  ];
  const moments = pastOf(steps, null).map((moment, at, all) => {
    const grown = last.players.map(({ seat, towers: sky }) => {
      const now = Object.fromEntries(
        TYPES.map((type) => [type, sky[type].slice(0, Math.round((sky[type].length * at) / (all.length - 1)))]),
      );
      const fallen = seat === 0 && at > 15 ? 1 : 0;
      return { seat, towers: now, demolished: fallen, score: score(now, fallen) };
    });
    const over = at === all.length - 1;
    return {
      ...moment,
      table: over
        ? last
        : table(players, { players: grown, demolished_now: at === 16 ? 'sand' : null, round: at < 11 ? 1 : 2 }),
    };
  });
  return {
    moments,
    games: [{ number: 1, game: 'towers', players: names.slice(0, players), start: 0, end: 1, outcome: last.outcome }],
  };
}

/** The earlier game that a game begins with. */
export const originOf = (moment, players, scores) => ({
  moment,
  players,
  outcome: { winners: [scores.indexOf(Math.max(...scores))], scores },
});

/** What a dozen games of a room came to. */
export function bookOf(names = NAMES) {
  const games = Array.from({ length: 12 }, (_, at) => {
    const scores = names.map((_name, seat) => ((at * 7 + seat * 11) % 30) - 4);
    const best = Math.max(...scores);
    return {
      number: at + 1,
      game: at % 4 === 3 ? 'qwantum' : 'towers',
      players: names,
      start: 1700000000000 + at * 9e8,
      end: 1700000900000 + at * 9e8,
      outcome: { winners: [scores.indexOf(best)], scores },
      bots: names.map((_name, seat) => seat === 2),
      feats: names.map(() => ({})),
      counts: at !== 5 && at !== 9,
      ...(at === 5
        ? { origin: originOf(56, names, scores) }
        : at === 9
          ? { origin: originOf(null, names, scores) }
          : {}),
    };
  });
  const chapter = (game, feats) => ({
    game,
    games: 7,
    players: names.map((name, seat) => ({
      name,
      bot: seat === 2,
      games: 12 - seat,
      wins: 5 - seat,
      average: 18.75 - seat * 7.3,
      highest: 31 - seat,
      lowest: -3,
    })),
    pairs: names.slice(1).map((name, at) => ({ players: [names[0], name], games: 7, ahead: [4 - at, 3] })),
    best: feats.map((feat, at) => ({ feat, count: 12 + at, player: names[at % names.length], number: at + 1 })),
  });
  return {
    games,
    chapters: [
      chapter('towers', ['demolished', 'points', 'tallest']),
      chapter('qwantum', ['columns', 'misses', 'points']),
    ],
  };
}

/** What the strongest bot made of it: mistakes for some, none for others. */
export function reviewed(players) {
  const moments = replayed(players).moments.length;
  const better = [
    [
      { type: 'bid', count: 4 },
      { type: 'bid', count: 2 },
    ],
    [
      { type: 'take', cards: cards('sand-10 candy-15 spooky-11 tree-13') },
      { type: 'take', cards: cards('candy-15 spooky-11 tree-13 scrap-15') },
    ],
    [
      { type: 'build', card: cards('sand-10')[0] },
      { type: 'demolish', tower: 'candy' },
    ],
  ];
  return {
    decisions: 168,
    players: Array.from({ length: players }, (_, seat) => {
      const [fair, play, others, result] = [Math.round(1000 / players), seat * 41 + 12, 60 - seat * 7, seat ? 0 : 1000];
      return {
        seat,
        fair,
        play,
        others,
        result,
        luck: result - fair + play - others,
        curve: Array.from({ length: moments }, (_, moment) => ({
          moment,
          chance: moment === moments - 1 ? result : Math.round(500 + 380 * Math.sin(moment / 2 + seat * 2)),
        })),
        mistakes:
          seat === 1
            ? []
            : better.map(([action, instead], at) => ({
                moment: at * 2 + 3,
                by: 'player',
                action,
                better: instead,
                chance: 640 - at * 90,
                cost: 231 - at * 97,
              })),
      };
    }),
  };
}

const asLines = (moments) => moments.map((moment) => JSON.stringify(moment)).join('\n');

/** Stands between a page and its server: every line to a room gets this scene, whatever is in `feed.scene` by then. */
export async function feedScenes(page, code) {
  const feed = { scene: {}, sockets: 0 };
  await page.routeWebSocket(/\/ws\//, (socket) => {
    feed.sockets += 1;
    feed.tell = (...messages) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    };
    const { scene } = feed;
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'ping') socket.send(JSON.stringify({ type: 'pong', t: message.t }));
      for (const answer of [scene.answers?.[message.type] ?? []].flat()) socket.send(JSON.stringify(answer));
      if (message.type !== 'join' || (scene.closed && feed.sockets > 1)) return;
      if (scene.welcome) socket.send(JSON.stringify(scene.welcome));
      if (scene.closed) void socket.close({ code: scene.closed });
    });
  });
  // Asked in the page itself: a route of the browser's would have every file of the page pass through here, and forbid
  // it its cache.
  await page.exposeFunction('answerOfScene', (path) => answerOf(feed.scene, path));
  await page.addInitScript(askScene, `/api/rooms/${code}`);
  return feed;
}

/**
 * What a scene answers to a plain question about its room: a status and a text; `unreachable`; or nothing, and the
 * server is asked.
 */
function answerOf(scene, path) {
  const json = (thing, status = 200) => ({ status, body: JSON.stringify(thing) });
  if (/^\/games\/\w+\/moments$/.test(path))
    return { status: 200, body: asLines(scene.moments ?? pastOf(scene.welcome.history, scene.welcome.state.table)) };
  if (/^\/games\/\w+\/review$/.test(path))
    return scene.review ? json(scene.review) : json({ error: { code: 'no_review', detail: '' } }, 404);
  if (path === '/games/1/record') return json(scene.record);
  if (path === '/book') return json(scene.book);
  if (path === '/games') return json(scene.games ?? []);
  if (path === '') return scene.preview ? json(scene.preview) : scene.unreachable ? 'unreachable' : null;
  return null;
}

/** Runs in the page before its own scripts. */
function askScene(room) {
  const real = window.fetch;
  window.fetch = async (what, how) => {
    const { pathname } = new URL(what.url ?? what, location.href);
    const answer = pathname.startsWith(room) ? await window.answerOfScene(pathname.slice(room.length)) : null;
    if (answer === 'unreachable') throw new TypeError('Failed to fetch');
    return answer
      ? new Response(answer.body, { status: answer.status, headers: { 'content-type': 'application/json' } })
      : real(what, how);
  };
}
