// CONTRIBUTING.md names every file to change for a new game or language: each file that lists all of them.

import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { GAMES } from '../games/index.js';
import { LANGUAGES } from '../i18n.js';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
/** The project's files, including uncommitted ones. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => {
    try {
      return path !== '' && read(path) !== '';
    } catch {
      // Deleted, but not committed yet.
      return false;
    }
  });

/** Generated, or about the past. */
const NOT_TOUCHED = new Set(['Cargo.lock', 'CHANGELOG.md', 'CONTRIBUTING.md']);

/** Expands `crates/{room,server}/x` to two paths, and `web/i18n/*.json` to all matching files. */
function expand(path) {
  const braces = /^(.*)\{([^}]+)\}(.*)$/.exec(path);
  if (braces) return braces[2].split(',').flatMap((part) => expand(braces[1] + part + braces[3]));
  const pattern = new RegExp(`^${path.replace(/[.+?^$()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')}$`);
  const found = files.filter((file) => pattern.test(file));
  return found.length ? found : [path];
}

/** The files and folders that a row names. */
function namedIn(row) {
  const line = read('CONTRIBUTING.md')
    .split('\n')
    .find((each) => each.startsWith(`| **${row}** |`));
  const places = [...line.split(' | ')[1].matchAll(/`([^`]+)`/g)]
    .map(([, name]) => name)
    .filter((name) => name.includes('/') || /\.(md|toml|js)$/.test(name));
  return places.flatMap(expand);
}

/** Checks that a row names every file that lists all games or languages. */
function holds(row, listsAll, ownFolders) {
  const named = namedIn(row);
  const own = (path) => ownFolders.some((folder) => path.startsWith(`${folder}/`));
  for (const path of named)
    assert.ok(
      files.some((file) => file === path || file.startsWith(`${path}/`)),
      `the row “${row}” names ${path}, which does not exist`,
    );
  // Tests and the chaos suite may mention all of them without being a list to maintain.
  const lists = files.filter(
    (path) =>
      !own(path) && !NOT_TOUCHED.has(path) && !/(^|\/)tests\/|^tools\/chaos\//.test(path) && listsAll(read(path)),
  );
  assert.deepEqual(
    lists.filter((path) => !named.includes(path)),
    [],
    `these name every one there is, and the row “${row}” does not name them`,
  );
  return { named, lists };
}

test('adding a game touches only what is named', () => {
  const ids = Object.keys(GAMES);
  const { named, lists } = holds(
    'add a game',
    (text) => ids.every((id) => new RegExp(`\\b${id}\\b`, 'i').test(text)),
    ids.flatMap((id) => [`crates/${id}`, `web/games/${id}`]),
  );
  // One list on each side.
  assert.deepEqual(
    lists.filter((path) => /\.(rs|js)$/.test(path)),
    ['crates/room/src/games.rs', 'web/games/index.js'],
  );
  assert.ok(
    named.includes('web/i18n/en.json') && lists.includes('README.md'),
    'the row and the files should have been read',
  );
});

test('adding a language touches only what is named', () => {
  const codes = Object.keys(LANGUAGES).filter((code) => code !== 'en');
  const english = new Intl.DisplayNames(['en'], { type: 'language' });
  const mentions = (text, code) =>
    text.includes(english.of(code)) || text.includes(LANGUAGES[code]) || new RegExp(`['"/{, ]${code}['":.]`).test(text);
  const { named, lists } = holds('add a language', (text) => codes.every((code) => mentions(text, code)), ['web/i18n']);
  assert.deepEqual(lists, ['README.md', 'web/i18n.js'], 'they are listed once for the page, and once for who reads');
  assert.ok(named.includes('web/tests/glossary.test.js'), 'the row should have been read');
});
