// The attributes that the page reads from a game's drawing are those of the contract (`Marks`).

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

const web = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, web), 'utf8');
const scripts = (folder) =>
  readdirSync(new URL(folder, web))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${folder}${name}`);
const code = (path) =>
  read(path)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Every `data-*` attribute in these files, also by `dataset`. */
const named = (paths) =>
  new Set(
    paths.flatMap((path) => [
      ...[...code(path).matchAll(/\bdata-[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name),
      ...[...code(path).matchAll(/\.dataset\.(\w+)/g)].map(([, name]) => `data-${dashed(name)}`),
    ]),
  );

/** Attributes that the page sets itself: on settling or refusing controls, and on the stylesheets of a game. */
const OWN = ['data-settling', 'data-refused', 'data-game'];
const contract = [
  ...read('view.d.ts')
    .match(/interface Marks \{[\s\S]*?\n\}/)[0]
    .matchAll(/'(data-[a-z-]+)'/g),
].map(([, name]) => name);

test('the contract has exactly the marks that the page reads', () => {
  const shell = named(['./', 'screens/', 'session/', 'games/'].flatMap(scripts));
  assert.deepEqual([...shell].filter((name) => !OWN.includes(name)).sort(), contract.sort());
});

test('every game has the marks for keys and focus', () => {
  const games = readdirSync(new URL('games/', web), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.ok(games.length > 1);
  for (const game of games) {
    const marks = named(scripts(`games/${game}/`));
    for (const mark of ['data-card', 'data-group']) assert.ok(marks.has(mark), `${game} has no ${mark}`);
  }
});
