// The end, as the shell draws it for every game.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ending } from '../screens/ending.js';
import { teach } from '../i18n.js';
import { nothing } from '../store.js';
import { faces } from './faces.js';

teach('en', JSON.parse(readFileSync(new URL('../i18n/en.json', import.meta.url), 'utf8')), {});

const seats = ['Ana', 'Mira', 'Tomas'].map((name, seat) => ({ seat, name, kind: 'human', connected: true, away_ms: 0, wins: seat, bot: null }));
const PLAYERS = {
  towers: [[4, 2, -1], [9, 3, 0], [6, 2, -3]].map(([towers, tallest, demolition], seat) => ({
    seat, towers: { candy: [9], spooky: [], tree: [], scrap: [], sand: [] }, demolished: 0, score: { towers, tallest, demolition, total: towers + tallest + demolition },
  })),
  qwantum: [[[4, 2, null, null, null, null], -1], [[9, 3, null, null, null, null], 0], [[6, 2, null, null, null, null], -3]].map(([columns, misses], seat) => ({
    seat, rows: { violet: [1], blue: [], red: [], yellow: [] }, misses: 1, score: { columns, misses, total: columns[0] + columns[1] + misses },
  })),
};
const view = (game, reveal, more = {}) => ({
  table: { players: PLAYERS[game], outcome: { winners: [1], scores: [5, 12, 5] } }, seat: 0, wide: false, acts: {},
  known: { ...nothing, room: { seats } }, ui: { reveal, rooms: {} }, ...more,
});
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
const text = (node) => node.text ?? node.children.map(text).join('');
const drawnAs = (game, reveal, more) => {
  const all = nodes(ending(view(game, reveal, more), faces[game]));
  return {
    title: text(all.find((node) => node.tag === 'h1')),
    rows: all.filter((node) => node.tag === 'tr').slice(1).map((row) => row.children.map(text)),
    won: all.filter((node) => node.tag === 'button' && node.props.class.includes('won')).length,
    sides: all.filter((node) => node.tag === 'button').length,
  };
};

for (const game of Object.keys(PLAYERS)) {
  test(`${game}: nothing is counted at first, and nobody has won yet`, () => {
    const { title, rows, won, sides } = drawnAs(game, 0);
    assert.deepEqual([title, won, sides], ['Counting…', 0, 3]);
    assert.deepEqual(rows.map((row) => [row[0], row.at(-1)]), [['Ana', '0'], ['Mira', '0'], ['Tomas', '0']]);
  });

  test(`${game}: in the end the best stands first, with what the total is made of`, () => {
    const { title, rows, won } = drawnAs(game, Infinity);
    assert.deepEqual([title, won], ['Mira wins', 1]);
    assert.deepEqual(rows.map((row) => [row[0], row.at(-1)]), [['Mira★1', '12'], ['Ana', '5'], ['Tomas★2', '5']]);
  });

  test(`${game}: it says so to whoever won, and names all who share`, () => {
    assert.equal(drawnAs(game, Infinity, { seat: 1 }).title, 'You win!');
    const shared = { table: { players: PLAYERS[game], outcome: { winners: [0, 2], scores: [] } } };
    assert.equal(drawnAs(game, Infinity, shared).title, 'Ana and Tomas share the win');
  });
}
