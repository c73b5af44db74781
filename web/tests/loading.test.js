// Lazy loading: when parts are loaded, and what happens if that fails or takes long.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { GAMES } from '../games/index.js';
import { Loader, needed } from '../loading.js';
import { initialUi } from '../model.js';
import { initialState } from '../session/room-state.js';
import { modules } from './modules.js';

const page = (known, ui) => ({ known: { ...initialState, ...known }, ui: { ...initialUi('towers'), ...ui } });
const ROOM = { name: 'room', code: 'K7QF3M' };
const JOINING = { name: 'joining', code: 'K7QF3M' };
const wants = (known, ui) =>
  Object.entries(needed(page(known, ui)))
    .filter(([, wanted]) => wanted)
    .map(([name]) => name);

test('loads a game as soon as its id is known', () => {
  assert.deepEqual(wants({}), ['game'], 'on the front page the one chosen there');
  assert.deepEqual(wants({}, { place: JOINING }), [], 'a link does not say');
  assert.deepEqual(wants({}, { place: JOINING, preview: { game: 'qwantum' } }), ['game'], 'a look at the room does');
  assert.deepEqual(wants({ room: { game: 'qwantum', phase: 'playing' }, game: {} }, { place: ROOM }), ['game']);
});

test('loads the lobby and the rules when they are shown', () => {
  assert.deepEqual(wants({ room: { phase: 'lobby' } }, { place: ROOM }), ['game', 'lobby']);
  const table = { room: { phase: 'playing' }, game: {} };
  assert.deepEqual(wants(table, { place: ROOM, sheet: { name: 'share' } }), ['game', 'invite']);
  assert.deepEqual(
    wants({ room: { phase: 'lobby' } }, { place: ROOM, busy: true }),
    ['game'],
    'bots sit down, and the game begins',
  );
  assert.deepEqual(
    wants({ room: { phase: 'finished' } }, { place: ROOM }),
    ['game', 'ending', 'lobby'],
    'before a rematch',
  );
  assert.deepEqual(
    wants(
      { room: { phase: 'lobby' }, last: { room: { phase: 'finished' } } },
      { place: ROOM, shown: { table: 'result', past: null } },
    ),
    ['game', 'ending', 'lobby'],
    'for the last result',
  );
  assert.deepEqual(wants({}, { sheet: { name: 'rules' } }), ['game', 'rules']);
});

/** A loader whose fetches succeed or fail, and whose delays end, when the test says so. */
function shelf(how = {}) {
  const asked = [];
  const told = [];
  const waits = [];
  const fails = [];
  const things = new Loader(
    (name) =>
      new Promise((resolve, reject) => {
        asked.push({ name, resolve, reject });
      }),
    (name) => told.push(name),
    {
      failed: () => fails.push(true),
      wait: () =>
        new Promise((resolve) => {
          waits.push(resolve);
        }),
      ...how,
    },
  );
  return { asked, told, waits, fails, things, settle: () => new Promise(setImmediate) };
}

test('fetches a part once for several requests', async () => {
  const { asked, told, things, settle } = shelf();
  assert.equal(things.get('towers'), null);
  const both = Promise.all([things.load('towers'), things.load('towers')]);
  assert.equal(asked.length, 1);
  asked[0].resolve('face');
  assert.deepEqual(await both, ['face', 'face']);
  await settle();
  assert.deepEqual([things.get('towers'), things.missing('towers'), told], ['face', false, ['towers']]);
  assert.equal(await things.load('towers'), 'face');
  assert.equal(asked.length, 1);
});

test('reports a failed part as missing and retries it, and loads another meanwhile', async () => {
  const { asked, told, waits, things, settle } = shelf();
  void things.load('towers');
  void things.load('qwantum');
  asked[0].reject(new Error('no line'));
  asked[1].resolve('dice');
  await settle();
  assert.deepEqual(
    [things.missing('towers'), things.get('qwantum'), told.sort()],
    [true, 'dice', ['qwantum', 'towers']],
  );
  waits.shift()();
  await settle();
  asked[2].reject(new Error('still none'));
  await settle();
  assert.equal(told.length, 2, 'that it is missing is no news twice');
  waits.shift()();
  await settle();
  asked[3].resolve('face');
  await settle();
  assert.deepEqual([things.get('towers'), things.missing('towers'), told.length], ['face', false, 3]);
});

test('tries a part once for a tap, reports its failure, and keeps a loaded part', async () => {
  const { asked, things, settle, fails } = shelf();
  const tap = things.attempt('replay');
  asked[0].reject(new Error('no line'));
  await assert.rejects(tap, /no line/);
  await settle();
  assert.deepEqual([asked.length, things.missing('replay'), fails.length], [1, true, 1], 'nothing is tried again');
  const again = things.attempt('replay');
  const needed = things.load('replay');
  asked[1].resolve('film');
  assert.deepEqual([await again, await needed, asked.length], ['film', 'film', 2], 'both share one attempt');
  assert.deepEqual([things.get('replay'), things.missing('replay')], ['film', false]);
});

test('reports a slow part as missing until it arrives', async () => {
  const { asked, things, settle } = shelf({ late: 0 });
  const coming = things.load('towers');
  await new Promise((resolve) => {
    things.changed = resolve;
  });
  assert.equal(things.missing('towers'), true);
  asked[0].resolve('face');
  await coming;
  await settle();
  assert.deepEqual([things.get('towers'), things.missing('towers')], ['face', false]);
});

for (const [id, { styles }] of Object.entries(GAMES)) {
  test(`every stylesheet of ${id} is fetched, at once or later`, () => {
    const chunks = readFileSync(new URL('../chunks.txt', import.meta.url), 'utf8');
    const joined = (file) =>
      chunks
        .match(new RegExp(`^games/${id}/${file}: (.*)$`, 'm'))?.[1]
        .replaceAll(`games/${id}/`, '')
        .split(' ') ?? file;
    assert.deepEqual(
      [...new Set(Object.values(styles))].flatMap(joined).sort(),
      readdirSync(new URL(`../games/${id}/`, import.meta.url))
        .filter((file) => file.endsWith('.css'))
        .sort(),
    );
  });
}

test('a game imports nothing of another', () => {
  for (const id of Object.keys(GAMES)) {
    const strangers = [...modules(`games/${id}/index.js`)].filter(
      (path) => /^games\/\w+\//.test(path) && !path.startsWith(`games/${id}/`),
    );
    assert.deepEqual(strangers, []);
  }
});
