// The words of reviews and hints: acts that were played or possible, and chances.

import test from 'node:test';
import assert from 'node:assert/strict';
import { actionWords as towers } from '../games/towers/action-words.js';
import { actionWords as qwantum } from '../games/qwantum/action-words.js';
import { setCatalogues } from '../i18n.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

// The page's address, which the modules read when they are loaded.
globalThis.document = { querySelector: () => null };
globalThis.location = new URL('http://table.test/');
const { percent } = await import('../replay/review.js');

const name = (seat) => ['Ana', 'Mira'][seat];

test('every act of both games has words for every player', () => {
  setCatalogues('en', catalogue('en'), catalogue('en'));
  const card = { tower: 'sand', value: 7 };
  for (const action of [
    { type: 'bid', count: 3 },
    { type: 'pass' },
    { type: 'take', cards: [card] },
    { type: 'build', card },
    { type: 'demolish', tower: 'sand' },
    { type: 'finish' },
    { type: 'undo' },
    { type: 'retract' },
  ]) {
    assert.match(towers(action, 1, null, name), /Mira/, action.type);
  }
  const table = {
    dice: [
      { color: 'white', value: 3 },
      { color: 'yellow', value: 5 },
    ],
    totals: { violet: 6, blue: 13, red: 6, yellow: 8 },
  };
  for (const action of [
    { type: 'reroll', dice: [1] },
    { type: 'keep' },
    { type: 'enter', row: 'blue' },
    { type: 'skip' },
  ])
    assert.match(qwantum(action, 0, table, name), /Ana/, action.type);
  assert.match(qwantum({ type: 'enter', row: 'blue' }, 0, table, name), /13/);
  assert.match(qwantum({ type: 'reroll', dice: [1] }, 0, table, name), /5/);
});

test('formats chances for the language, with a true minus sign', () => {
  setCatalogues('en', catalogue('en'), catalogue('en'));
  assert.equal(percent(431), '43%');
  assert.equal(percent(-93), '−9%');
  setCatalogues('de', catalogue('en'), catalogue('de'));
  assert.match(percent(431), /^43\s%$/);
});

test('keeps a review’s progress and a hint until the next game', () => {
  const review = { type: 'review', done: 3, of: 9, ready: false };
  const hint = { type: 'hint', n: 4, acts: [] };
  const known = reduceRoom(reduceRoom(initialState, review, 0), hint, 0);
  assert.deepEqual([known.review, known.hint], [review, hint]);
  const lobby = reduceRoom(known, { type: 'room', room: { phase: 'lobby' } }, 0);
  assert.deepEqual([lobby.review, lobby.hint], [null, null]);
});
