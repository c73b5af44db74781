// Lazy loading: when something is fetched, and what happens while it does not come.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { GAMES } from '../games/index.js';
import { Shelf, needed } from '../loading.js';
import { opened } from '../model.js';
import { nothing } from '../store.js';
import { modules } from './modules.js';

const page = (known, ui) => ({ known: { ...nothing, ...known }, ui: { ...opened('towers'), ...ui } });
const wants = (known, ui) => Object.entries(needed(page(known, ui))).filter(([, wanted]) => wanted).map(([name]) => name);

test('a game is fetched as soon as it is known which', () => {
  assert.deepEqual(wants({}, { code: null }), ['game'], 'on the front page the one chosen there');
  assert.deepEqual(wants({}, { code: 'K7QF3M' }), [], 'a link does not say');
  assert.deepEqual(wants({}, { code: 'K7QF3M', preview: { game: 'qwantum' } }), ['game'], 'a look at the room does');
  assert.deepEqual(wants({ room: { game: 'qwantum', phase: 'playing' }, game: {} }, { code: 'K7QF3M' }), ['game']);
});

test('the lobby and the rules come when they are seen', () => {
  assert.deepEqual(wants({ room: { phase: 'lobby' } }, { code: 'K7QF3M' }), ['game', 'lobby']);
  assert.deepEqual(wants({ room: { phase: 'lobby' } }, { code: 'K7QF3M', busy: true }), ['game'], 'bots sit down, and the game begins');
  assert.deepEqual(wants({ room: { phase: 'finished' } }, { code: 'K7QF3M' }), ['game', 'ending', 'lobby'], 'before a rematch');
  assert.deepEqual(wants({ room: { phase: 'lobby' }, last: { room: { phase: 'finished' } } }, { code: 'K7QF3M', stay: true }), ['game', 'ending', 'lobby'], 'for the last result');
  assert.deepEqual(wants({}, { code: null, sheet: { name: 'rules' } }), ['game', 'rules']);
});

/** A shelf whose things come, or do not, when the test says so; it waits only as long as the test lets it. */
function shelf(how = {}) {
  const asked = [];
  const told = [];
  const waits = [];
  const things = new Shelf((name) => new Promise((resolve, reject) => { asked.push({ name, resolve, reject }); }), (name) => told.push(name), { wait: () => new Promise((resolve) => { waits.push(resolve); }), ...how });
  return { asked, told, waits, things, settle: () => new Promise(setImmediate) };
}

test('what is wanted twice is fetched once', async () => {
  const { asked, told, things, settle } = shelf();
  assert.equal(things.of('towers'), null);
  const both = Promise.all([things.want('towers'), things.want('towers')]);
  assert.equal(asked.length, 1);
  asked[0].resolve('face');
  assert.deepEqual(await both, ['face', 'face']);
  await settle();
  assert.deepEqual([things.of('towers'), things.missing('towers'), told], ['face', false, ['towers']]);
  assert.equal(await things.want('towers'), 'face');
  assert.equal(asked.length, 1);
});

test('what does not come is missed and asked for again, and another thing comes meanwhile', async () => {
  const { asked, told, waits, things, settle } = shelf();
  void things.want('towers');
  void things.want('qwantum');
  asked[0].reject(new Error('no line'));
  asked[1].resolve('dice');
  await settle();
  assert.deepEqual([things.missing('towers'), things.of('qwantum'), told.sort()], [true, 'dice', ['qwantum', 'towers']]);
  waits.shift()();
  await settle();
  asked[2].reject(new Error('still none'));
  await settle();
  assert.equal(told.length, 2, 'that it is missing is no news twice');
  waits.shift()();
  await settle();
  asked[3].resolve('face');
  await settle();
  assert.deepEqual([things.of('towers'), things.missing('towers'), told.length], ['face', false, 3]);
});

test('what takes too long is missed, and still welcome when it comes', async () => {
  const { asked, things, settle } = shelf({ late: 0 });
  const coming = things.want('towers');
  await new Promise((resolve) => { things.changed = resolve; });
  assert.equal(things.missing('towers'), true);
  asked[0].resolve('face');
  await coming;
  await settle();
  assert.deepEqual([things.of('towers'), things.missing('towers')], ['face', false]);
});

for (const [id, { style }] of Object.entries(GAMES)) {
  test(`every stylesheet of ${id} is fetched, at once or later`, () => {
    const folder = new URL(`../games/${id}/`, import.meta.url);
    const later = [...readFileSync(new URL('index.js', folder), 'utf8').matchAll(/loadStyle\('\w+', '([^']+)'\)/g)].map((match) => match[1]);
    assert.deepEqual([style, ...later].sort(), readdirSync(folder).filter((file) => file.endsWith('.css')).sort());
  });
}

test('a game imports nothing of another', () => {
  for (const id of Object.keys(GAMES)) {
    const strangers = [...modules(`games/${id}/index.js`)].filter((path) => /^games\/\w+\//.test(path) && !path.startsWith(`games/${id}/`));
    assert.deepEqual(strangers, []);
  }
});
