import test from 'node:test';
import assert from 'node:assert/strict';
import { isValidName, normalizeName } from '../player-name.js';

test('a name has one to twenty visible characters', () => {
  for (const name of ['A', 'x'.repeat(20), 'ė́'.repeat(20), '🇱🇹'.repeat(20), '🦊 Zoë 🎲', '李小龙', 'مريم'])
    assert.ok(isValidName(name), name);
  for (const name of ['', 'x'.repeat(21), 'x'.repeat(25), '🇱🇹'.repeat(21), '👩‍👩‍👧‍👦'.repeat(9)])
    assert.ok(!isValidName(name), name);
});

test('spaces are normalised before they are counted', () => {
  assert.equal(normalizeName('  Ana   Maria '), 'Ana Maria');
  assert.equal(normalizeName(' \t '), '');
});
