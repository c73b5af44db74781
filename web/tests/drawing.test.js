import test from 'node:test';
import assert from 'node:assert/strict';
import { focusFallback, measure, title } from '../drawing.js';
import { setCatalogues } from '../i18n.js';
import { initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const rooms = (...found) => ({
  querySelectorAll: () => found.map(([name, clientHeight]) => ({ clientHeight, getAttribute: () => name })),
});

test('measures rooms by name, and returns the same object if nothing changed', () => {
  const before = { own: 200 };
  assert.equal(measure(rooms(['own', 200]), before), before);
  assert.deepEqual(measure(rooms(['own', 180], ['seat1', 40]), before), { own: 180, seat1: 40 });
  assert.equal(
    measure(rooms(['own', 0], ['picture', 90]), before),
    before,
    'what is not laid out, and what has a height of its own',
  );
});

test('moves the focus to the next playable card, then the bar, then the status line', () => {
  const page = (...there) => ({ querySelector: (selector) => there.find((each) => selector.includes(each)) ?? null });
  assert.equal(focusFallback(page('.status', '.bar', '[data-card]')), '[data-card]');
  assert.equal(focusFallback(page('.status', '.bar')), '.bar');
  assert.equal(focusFallback(page('.status')), '.status');
  assert.equal(focusFallback(page()), undefined);
});

test('shows in the title whose turn it is, the game, or the place', () => {
  const gameUi = { sentence: () => 'Your turn' };
  const known = { ...initialState, you: { seat: 0 }, room: { game: 'towers', phase: 'playing' }, game: { asked: [0] } };
  assert.deepEqual(title({ known, gameUi, table: {} }), ['Your turn · Rookery', true]);
  assert.deepEqual(title({ known: { ...known, game: { asked: [1] } }, gameUi, table: {} }), [
    'Five Towers · Rookery',
    false,
  ]);
  assert.equal(title({ known: initialState, gameUi: null, table: null })[1], false);
});
