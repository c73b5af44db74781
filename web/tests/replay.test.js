import test from 'node:test';
import assert from 'node:assert/strict';
import { Model, initialUi } from '../model.js';
import { eventRange, momentOf, readMoments } from '../replay/moments.js';
import { chosen } from '../games/qwantum/reveal.js';
import { demolished, upcomingRows } from '../games/towers/reveal.js';
import { chart, scale, totals } from '../replay/chart.js';
import { PRESENT, reducePage, shownUi } from '../page-state.js';
import { Replay, STEP_MS, parseLink, toRound, rounds, stepped } from '../replay/replay.js';
import { initialState } from '../session/room-state.js';

// The page's address, which the modules read when they are loaded.
globalThis.document = { querySelector: () => null };
globalThis.location = new URL('http://table.test/');
const { AfterGame } = await import('../replay/after-game.js');

const moment = (version, events) => ({
  version,
  at: version,
  seat: 0,
  by: 'player',
  action: {},
  events,
  table: { version },
});
const PAST = [moment(1, ['round']), moment(2, ['bid']), moment(3, []), moment(4, ['finish', 'discard', 'round'])];
const ROOM = { name: 'room', code: 'K7QF3M' };
const past = (moments = PAST, number = null) => ({ moments, number });
/** A page that shows this moment. */
const shows = (at, playing = false) => {
  const shown = { table: 'moment', of: 'present', past: past(), at, playing };
  return shownUi({ ...initialUi('towers', ROOM), shown }, shown);
};

test('each line is a moment, and each event belongs to one', () => {
  assert.deepEqual(readMoments(`${PAST.map((each) => JSON.stringify(each)).join('\n')}\n`), PAST);
  assert.deepEqual(
    [0, 1, 2, 4].map((event) => momentOf(PAST, event)),
    [0, 1, 3, 3],
  );
  assert.equal(momentOf(PAST, 5), null, 'not told yet');
  assert.deepEqual(
    [0, 2, 3, 9].map((at) => eventRange(PAST, at)),
    [
      [0, 1],
      [2, 2],
      [2, 5],
      [5, 5],
    ],
  );
});

test('manual steps stop playing and stay within the game', () => {
  assert.deepEqual([stepped(shows(1), 1), stepped(shows(3), 1), stepped(shows(0), -1)], [2, 3, 0]);
  const state = { known: initialState, ui: shows(1, true) };
  const to = (at, playing) => reducePage(state, { type: 'moment', at, playing }).ui.shown;
  assert.deepEqual([to(2), to(9), to(-1)], [shows(2).shown, shows(3).shown, shows(0).shown]);
  assert.deepEqual([to(2, true), to(3, true)], [shows(2, true).shown, shows(3).shown], 'at the end it has caught up');
  const present = { known: initialState, ui: initialUi('towers', ROOM) };
  assert.equal(reducePage(present, { type: 'moment', at: 1 }), present, 'nothing was loaded that could be shown');
});

/** A player at a table with these moments. */
function table(tells = PAST.length) {
  const model = new Model(initialUi('towers'), () => {});
  model.ui = { ...initialUi('towers', ROOM), sheet: { name: 'log' } };
  model.known = {
    ...initialState,
    room: { fair: { commitment: 'a' } },
    game: { version: 4 },
    history: PAST.flatMap(({ events }) => events),
  };
  const asked = [];
  const said = [];
  const told = { tells };
  const say = (words) => said.push(words);
  const ask = async (path, body, read) => {
    asked.push(path);
    if (told.refuses) throw Object.assign(new Error(), { code: told.refuses });
    told.meanwhile?.();
    return read({
      text: async () =>
        PAST.slice(0, told.tells)
          .map((each) => JSON.stringify(each))
          .join('\n'),
    });
  };
  const replay = new Replay({ model, leaveLine: () => {}, say, ask });
  const more = new AfterGame({
    model,
    look: () => ({ ui: model.ui }),
    replay,
    ask,
    say,
    open: (sheet) => model.show({ sheet }),
    go: () => {},
  });
  return { model, replay, more, asked, said, told };
}

test('loads the moments for a log line once, and again after further events', async () => {
  const { model, replay, asked, told } = table(2);
  await replay.lookBack(1);
  assert.deepEqual([model.ui.shown.at, model.ui.sheet, asked], [1, null, ['rooms/K7QF3M/games/last/moments']]);
  await replay.lookBack(0);
  assert.deepEqual([model.ui.shown.at, asked.length], [0, 1]);
  told.tells = 4;
  await replay.lookBack(3);
  assert.deepEqual([model.ui.shown.at, asked.length], [3, 2]);
  await replay.begin();
  assert.deepEqual([model.ui.shown.at, model.ui.shown.playing, asked.length], [0, true, 2]);
  model.apply({ type: 'leave_moment' });
});

test('shows the result of the room’s last finished game, with the player’s seat found by name', async () => {
  const { model, replay, told, asked } = table();
  const played = (number, outcome, players) => ({ number, game: 'towers', players, start: 0, end: 1, outcome });
  const games = [
    played(1, { winners: [0] }, ['Ana', 'Rook']),
    played(2, { winners: [0] }, ['Rook', 'Ana']),
    played(3, null, ['Ana', 'Rook']),
  ];
  const { ask } = replay;
  replay.ask = (path, body, read) => (read ? ask(path, body, read) : Promise.resolve(games));
  model.known = { ...initialState, you: { seat: 0, token: 't', name: 'Ana' }, room: { phase: 'lobby' } };
  await replay.lastResult();
  assert.deepEqual(asked, ['rooms/K7QF3M/games/2/moments']);
  assert.deepEqual([model.ui.shown.table, model.ui.shown.past.number, model.ui.countedMs], ['result', 2, Infinity]);
  assert.deepEqual(
    [model.shown.you.seat, model.shown.room.seats.map(({ name }) => name), model.shown.history.length],
    [1, ['Rook', 'Ana'], 5],
  );
  assert.equal(model.known.room.phase, 'lobby', 'the room is what it is');
  // A player who has left meanwhile is not taken back.
  model.apply({ type: 'to_room' });
  told.meanwhile = () => {
    model.apply({ type: 'enter', place: { name: 'joining', code: 'ABCDEF' } });
  };
  await replay.lastResult();
  assert.equal(model.ui.shown, PRESENT);
});

test('reports moments that fail to load, and stays at the present', async () => {
  const { model, replay, said, told } = table();
  told.refuses = 'no_such_room';
  await replay.lookBack(1);
  await replay.begin();
  assert.deepEqual([model.ui.shown, said.length], [PRESENT, 2]);
});

test('ignores moments that arrive when another game is on the table', async () => {
  const { model, replay, told } = table();
  told.meanwhile = () => {
    model.known = { ...model.known, room: { fair: { commitment: 'b' } } };
  };
  await replay.lookBack(1);
  assert.equal(model.ui.shown, PRESENT);
});

test('plays at the chosen speed, and leaves no timer when it pauses or ends', async (context) => {
  const { timers } = context.mock;
  timers.enable({ apis: ['setTimeout'] });
  const { model, replay } = table();
  await replay.begin();
  const pass = (ms) => {
    timers.tick(ms);
    return model.ui.shown.at;
  };
  assert.deepEqual([pass(STEP_MS - 1), pass(1)], [0, 1]);
  model.show({ speed: 4 });
  assert.deepEqual([pass(STEP_MS / 4 - 1), pass(1)], [1, 2]);
  model.apply({ type: 'moment', at: 2 });
  assert.equal(pass(9000), 2);
  assert.equal(replay.playing, '', 'no step is due');
  model.apply({ type: 'moment', at: 0, playing: true });
  assert.notEqual(replay.playing, '');
  model.apply({ type: 'enter', place: { name: 'home', code: null } });
  pass(9000);
  assert.deepEqual([replay.playing, model.ui.shown], ['', PRESENT]);
});

test('does not send a file that is no record, and shows why the server refuses one', async () => {
  const { model, more, asked, told } = table();
  const open = async (text) => {
    model.show({ sheet: null });
    await more.openRecord(new Blob([text]));
    return model.ui.sheet?.doubt?.type;
  };
  assert.equal(await open('{"cut'), 'unreadable');
  assert.equal(await open('[]'), 'unreadable');
  assert.equal(await open('x'.repeat(3 << 20)), 'too_large');
  assert.deepEqual(asked, []);
  told.meanwhile = () => {
    throw Object.assign(new Error(), { code: 'bad_record', doubt: { type: 'outcome' } });
  };
  assert.equal(await open('{"game":"towers","players":["Ana"]}'), 'outcome');
  assert.deepEqual(asked, ['moments']);
});

test('jumps to the next and the previous round', () => {
  const starts = rounds(PAST, (event) => (event === 'round' ? 'a round' : null));
  assert.deepEqual(
    starts.map(({ at }) => at),
    [0, 3],
  );
  assert.deepEqual(
    [0, 3, 1].map((at) => toRound(shows(at), starts, 1)),
    [3, 3, 3],
  );
  assert.deepEqual(
    [0, 3, 1].map((at) => toRound(shows(at), starts, -1)),
    [0, 0, 0],
  );
});

test('lists the points of all players by moment', () => {
  const at = (...points) => ({ table: { players: points.map((total) => ({ score: { total } })) } });
  assert.deepEqual(totals([at(0, 0), at(1, -1), at(5, 2)]), [
    [0, 1, 5],
    [0, -1, 2],
  ]);
  assert.deepEqual(totals([]), []);
});

test('a chart scales its values to its height, and always shows zero', () => {
  const { x, y } = scale([10, 30], 4, 320, 150);
  assert.deepEqual([0, 2, 4].map(x), [0, 160, 320]);
  assert.deepEqual([0, 15, 30].map(y), [150, 75, 0]);
  const below = scale([-5, 5], 0, 100, 100);
  assert.deepEqual([below.y(-5), below.y(0), below.y(5), below.x(0)], [100, 50, 0, 0]);
});

test('a line has gaps where it has no value, and a value between two gaps is a dot', () => {
  const points = [2, 4, undefined, 1, undefined, 0].map((value, at) => [at, value]);
  const [svg] = chart('Points', [{ name: 'Ana', points }], null, 'round').children;
  const line = svg.children.find(({ props }) => props.class === 'line');
  assert.equal(line.props.d, 'M0.0 75.0L0.0 75.0L64.0 0.0M192.0 112.5L192.0 112.5M320.0 150.0L320.0 150.0');
});

test('finds the demolished cards, also after an undo', () => {
  const sky = (values, fallen, now = null) => ({
    events: [],
    table: { demolished_now: now, players: [{ demolished: fallen, towers: { sand: values, tree: [5] } }] },
  });
  const past = [
    sky([9, 4], 0),
    sky([9], 1, 'sand'),
    sky([9, 4], 0),
    { events: [], table: { demolished_now: 'tree', players: [{ demolished: 1, towers: { sand: [9, 4], tree: [] } }] } },
  ];
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => demolished(past, at)[0]),
    [[], [{ tower: 'sand', value: 4 }], [], [{ tower: 'tree', value: 5 }]],
  );
});

test('lists the coming rows up to the next shuffle', () => {
  const past = [['round 1'], ['round 2'], ['finish', 'reshuffle', 'round 3'], ['round 4']].map((events) => ({
    events: events.map((each) => ({ type: each.split(' ')[0], round: Number(each.split(' ')[1]) })),
  }));
  assert.deepEqual(
    [0, 1, 2].map((at) => upcomingRows(past, at).map(({ round }) => round)),
    [[2], [], [4]],
  );
});

test('finds the choices that were hidden while others decided', () => {
  const red = { type: 'enter', row: 'red' };
  const share = (seat, action, events = []) => ({ seat, action, events, table: { phase: 'share' } });
  const past = [
    { seat: 0, action: red, events: ['roll'], table: { phase: 'choose' } },
    share(0, { type: 'skip' }, ['skip']),
    share(1, red),
    share(0, red),
    share(1, { type: 'skip' }),
  ];
  assert.deepEqual([...chosen(past, 1)], []);
  assert.deepEqual(Object.fromEntries(chosen(past, 3)), { 0: red, 1: red });
  assert.deepEqual(chosen(past, 4).get(1), { type: 'skip' });
});

test('a link names a game and a moment, under any path', () => {
  assert.deepEqual(parseLink({ pathname: '/games/r/k7qf3m/replay/3', hash: '#m=57' }), {
    code: 'K7QF3M',
    number: 3,
    moment: 57,
  });
  assert.deepEqual(parseLink({ pathname: '/r/K7QF3M/replay/3/', hash: '#x' }), {
    code: 'K7QF3M',
    number: 3,
    moment: null,
  });
});

/** A finished game of a room, and a server that answers by path. */
function finished(answers) {
  const model = new Model(initialUi('towers'), () => {});
  model.ui = { ...initialUi('towers', ROOM), shown: { table: 'present', past: past(PAST, 2) } };
  const [asked, went, said] = [[], [], []];
  const ask = async (path, body) => {
    asked.push([path, body]);
    if (!(path in answers)) throw Object.assign(new Error(), { code: 'no_such_moment' });
    return answers[path];
  };
  const say = (words) => said.push(words);
  const open = (sheet) => model.show({ sheet });
  const replay = new Replay({ model, leaveLine: () => {}, say, open, ask });
  const sent = [];
  const more = new AfterGame({
    model,
    look: () => ({ ui: model.ui }),
    replay,
    ask,
    say,
    open,
    go: (code) => went.push(code),
    send: (message) => sent.push(message.type),
  });
  return { model, replay, more, asked, went, said, sent };
}

test('continues a game from its record, from a file or the server', async () => {
  const record = { game: 'qwantum', players: ['Ana', 'Rook'] };
  const { model, more, asked, went, said } = finished({
    'rooms/K7QF3M/games/2/record': record,
    'rooms/from': { code: 'ABCDEF' },
  });
  await more.playOn(57);
  assert.deepEqual(asked, [
    ['rooms/K7QF3M/games/2/record', undefined],
    ['rooms/from', { record, moment: 57, forced: 'ask' }],
  ]);
  assert.deepEqual([went, said], [['ABCDEF'], []]);
  // A record from a file is not requested.
  model.apply({ type: 'enter', place: { name: 'replay', code: null, game: 'qwantum', players: [], record } });
  await more.playOn(null);
  assert.deepEqual(asked.at(-1), ['rooms/from', { record, moment: null, forced: 'ask' }]);
  assert.equal(asked.length, 3);
});

test('reports a game that cannot be continued, and stops waiting', async () => {
  const { model, more, went, said } = finished({ 'rooms/K7QF3M/games/2/record': { game: 'towers' } });
  await more.playOn(57);
  assert.deepEqual([went, said.length, model.ui.busy], [[], 1, false]);
});

test('asks which record of a file to open', async () => {
  const { model, more } = finished({});
  const records = [
    { game: 'towers', players: ['Ana'] },
    { game: 'qwantum', players: ['Bea'] },
  ];
  await more.openRecord(new Blob([`${records.map((record) => JSON.stringify(record)).join('\n')}\n`]));
  assert.deepEqual(model.ui.sheet, { name: 'records', records });
  for (const text of ['{"a":1}\n[]', '{"a":1}\nnonsense', '\n\n', '7\n8']) {
    model.show({ sheet: null });
    await more.openRecord(new Blob([text]));
    assert.equal(model.ui.sheet?.doubt?.type, 'unreadable', text);
  }
});

test('opens the book of the shown room', async () => {
  const book = { games: [], chapters: [] };
  const { model, more, asked, said } = finished({ 'rooms/K7QF3M/book': book, 'rooms/ABCDEF/book': book });
  await more.book();
  assert.deepEqual(model.ui.sheet, { name: 'book', code: 'K7QF3M', book });
  model.apply({ type: 'enter', place: { name: 'replay', code: 'ABCDEF', game: 'towers', players: [] } });
  await more.book();
  assert.equal(asked.at(-1)[0], 'rooms/ABCDEF/book');
  model.apply({ type: 'enter', place: { name: 'replay', code: 'GONE', game: 'towers', players: [] } });
  await more.book();
  assert.equal(said.length, 1, 'a book that cannot be had is said');
});

/** A finished table, where a review can be requested. */
function atTheEnd(answers) {
  const table = finished(answers);
  const { model } = table;
  model.apply({ type: 'past', past: past([{ ...moment(1, []), table: { outcome: {} } }]) });
  model.known = { ...initialState, connection: 'open', you: { seat: 0 }, game: { version: 1 } };
  return table;
}
const NO_REVIEW = () => {
  throw Object.assign(new Error(), { code: 'no_review' });
};

/** Runs a test with a manual clock. */
const timed = (story) => (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return story(context.mock.timers);
};
/** By then all requests are answered. */
const settled = () => new Promise(setImmediate);
const progress = (done, of = 60) => ({ type: 'review', done, of, ready: done >= of });

test(
  'requests a review once, waits for it, and shows it',
  timed(async (timers) => {
    const review = { decisions: 3, players: [] };
    let done = 0;
    const page = atTheEnd({
      get 'rooms/K7QF3M/games/last/review'() {
        return done < 60 ? NO_REVIEW() : review;
      },
    });
    const shown = page.more.review();
    await settled();
    // It makes progress for longer than the timeout for silence.
    while (done < 60) {
      timers.tick(9000);
      assert.ok(page.model.ui.sheet.asking);
      page.model.hear(progress((done += 20)));
    }
    await shown;
    assert.deepEqual([page.sent, page.model.ui.sheet], [['review'], { name: 'review', review }]);
    timers.tick(60000);
    assert.deepEqual(page.model.ui.sheet, { name: 'review', review }, 'nothing is given up afterwards');
  }),
);

test(
  'stops waiting for a review without progress, and says so',
  timed(async (timers) => {
    for (const [connection, why] of [
      ['open', 'busy'],
      ['connecting', 'unreachable'],
    ]) {
      const { model, more } = atTheEnd({
        get 'rooms/K7QF3M/games/last/review'() {
          return NO_REVIEW();
        },
      });
      model.known = { ...model.known, connection };
      const shown = more.review();
      await settled();
      timers.tick(9999);
      assert.ok(model.ui.sheet.asking);
      timers.tick(1);
      await shown;
      assert.deepEqual(model.ui.sheet, { name: 'review', why });
    }
  }),
);

test(
  'stops waiting for a review that is refused or whose sheet is closed',
  timed(async () => {
    const { model, more, sent } = atTheEnd({
      get 'rooms/K7QF3M/games/last/review'() {
        return NO_REVIEW();
      },
    });
    const refused = more.review();
    await settled();
    model.show({ sheet: { name: 'review', asking: false, why: 'too_many_requests' } });
    await refused;
    assert.equal(model.ui.sheet.why, 'too_many_requests');
    const closed = more.review();
    await settled();
    model.show({ sheet: null });
    await closed;
    assert.deepEqual([model.ui.sheet, sent.length], [null, 2]);
    // A spectator sees that there is no review.
    model.known = { ...model.known, you: { seat: null } };
    await more.review();
    assert.deepEqual([model.ui.sheet, sent.length], [{ name: 'review', why: 'no_review' }, 2]);
  }),
);

test(
  'stops waiting for a hint that does not come',
  timed(async (timers) => {
    const { model, more, sent } = atTheEnd({});
    const missed = more.hint();
    timers.tick(10000);
    await missed;
    assert.deepEqual([model.ui.sheet, sent], [{ name: 'hint', why: 'busy' }, ['hint']]);
    const hinted = more.hint();
    model.hear({ type: 'hint', n: 4, acts: [] });
    await hinted;
    timers.tick(60000);
    assert.deepEqual([model.ui.sheet, model.known.hint.n], [{ name: 'hint', asking: true }, 4]);
  }),
);
