import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { LANGUAGES } from '../i18n.js';
import { modules } from './modules.js';
import { FOLDERS, catalogue, catalogueIn } from './texts.js';

const web = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, web), 'utf8');
const english = catalogue();
const others = Object.keys(LANGUAGES).filter((code) => code !== 'en');

const forms = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry));
const placeholders = (entry) =>
  [
    ...new Set(
      forms(entry)
        .join(' ')
        .match(/\{\w+\}/g) ?? [],
    ),
  ].sort();
const found = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);

test('every language has a catalogue, and every catalogue has a language', () => {
  const files = Object.keys(LANGUAGES)
    .map((code) => `${code}.json`)
    .sort();
  for (const folder of FOLDERS) {
    const found = readdirSync(new URL(`i18n/${folder}`, web)).filter((name) => name.endsWith('.json'));
    assert.deepEqual(found.sort(), files, folder);
  }
});

test('no text is in two catalogues', () => {
  for (const code of Object.keys(LANGUAGES)) {
    const keys = FOLDERS.flatMap((folder) => Object.keys(catalogueIn(folder, code)));
    assert.deepEqual(
      keys.filter((key, at) => keys.indexOf(key) !== at),
      [],
      code,
    );
  }
});

for (const code of others) {
  test(`${code} says everything English says, in the same order`, () => {
    assert.deepEqual(Object.keys(catalogue(code)), Object.keys(english));
  });

  test(`${code} fills in the same places`, () => {
    for (const [key, entry] of Object.entries(catalogue(code))) {
      assert.equal(typeof entry, typeof english[key], key);
      assert.deepEqual(placeholders(entry), placeholders(english[key]), key);
    }
  });
}

for (const code of Object.keys(LANGUAGES)) {
  // Only whole numbers are counted, so plural forms of fractions are not needed.
  test(`${code} has each plural form its counts need, and no other`, () => {
    const rules = new Intl.PluralRules(code);
    const needed = [...new Set(Array.from({ length: 201 }, (_, count) => rules.select(count)))].sort();
    for (const [key, entry] of Object.entries(catalogue(code))) {
      if (typeof entry !== 'string') assert.deepEqual(Object.keys(entry).sort(), needed, key);
    }
  });

  test(`${code} is set as people set it`, () => {
    for (const [key, entry] of Object.entries(catalogue(code))) {
      for (const text of forms(entry)) {
        assert.ok(text.trim() === text && text !== '', `${key}: space at an end, or nothing`);
        assert.doesNotMatch(text, /["']|\.\.\.| {2}| - |--/, `${key}: typewriter signs`);
      }
    }
  });
}

/**
 * Codes that the page never shows: for other clients, for a picture, for a record with a more precise doubt, and for a
 * refused upgrade, which browsers hide.
 */
const UNSEEN = new Set([
  'not_found',
  'bad_method',
  'not_websocket',
  'not_ready',
  'too_many_sockets',
  'bad_host',
  'foreign_origin',
  'link_too_long',
  'no_record',
  'bad_record',
  // For acts that the page never sends, because they are not listed.
  'not_in_row',
  'not_in_hand',
  'wrong_number_of_cards',
  'take_unbuildable',
  'no_retraction',
  'die_twice',
  'no_such_die',
]);

/** Codes that a game explains from its table, in `whyRefused`. */
const EXPLAINED = new Set(['bid_too_low', 'bid_too_high', 'bid_unbuildable', 'too_high_for_top', 'hand_not_empty']);

/**
 * The members of a type of the wire contract, which is generated from the server's types.
 * @param {string} path
 * @param {string} type
 */
function oneOf(path, type) {
  const declared = read(path).split(`export type ${type} =`)[1]?.split(';')[0] ?? '';
  const members = found(declared, /\| '?(\w+)/g);
  assert.ok(members.length, `no ${type} in ${path}`);
  return members;
}

const GAMES = readdirSync(new URL('games/', web), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** @param {string} game */
const refusalsOf = (game) => oneOf(`games/${game}/wire.d.ts`, 'RefusalCode');

test('every refusal code has a text', () => {
  for (const code of [...oneOf('wire.d.ts', 'Code'), ...GAMES.flatMap(refusalsOf)]) {
    if (!UNSEEN.has(code) && !EXPLAINED.has(code)) assert.ok(english[`code.${code}`], `no words: code.${code}`);
  }
});

test('refusals that a game explains itself have no text', async () => {
  const { gameUi } = await import('../games/towers/index.js');
  const view = {
    known: { room: { rules: {}, seats: [] } },
    seat: 0,
    actions: [],
    ui: { moment: null },
    table: { phase: 'auction', turn: 0, row: [], hand: [], players: [], standing: { seat: 1, count: 3 } },
  };
  for (const code of EXPLAINED) assert.ok(gameUi.whyRefused(view, code, { type: 'bid', count: 2 }), code);
});

test('every close code is final and has a text, or leads to a reconnect', () => {
  const closes = oneOf('wire.d.ts', 'CloseCode').filter((code) => code.startsWith('4'));
  const final =
    read('session/socket.js')
      .match(/FINAL = new Set\(\[([^\]]+)\]/)?.[1]
      .split(', ') ?? [];
  const silent = ['4008', '4009'];
  assert.deepEqual([...final, ...silent].sort(), closes.sort());
  for (const code of final)
    assert.ok(english[`close.${code}`] && english[`close.${code}.title`], `no words: close.${code}`);
});

function sources(folder = web, path = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return ['tests', 'i18n', 'icons', 'node_modules'].includes(entry.name)
        ? []
        : sources(new URL(`${entry.name}/`, folder), `${path}${entry.name}/`);
    return entry.name.endsWith('.js') ? [`${path}${entry.name}`] : [];
  });
}

test('no text is hard-coded', () => {
  for (const path of sources()) {
    const code = read(path)
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/(^|\s)\/\/.*$/gm, '');
    const said = found(code, /['"`]((?:\p{Lu}[\p{L}’]*|[\p{L}’]+\.)(?: [\p{L}\d’,–]+)+[.!?…]?)['"`]/gu);
    assert.deepEqual(said, [], path);
  }
});

/** What each module names: keys, and patterns of keys that it puts together. */
const named = sources().map((path) => {
  const code = read(path)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
  const patterns = found(code, /`([a-z]+\.[^`]*\$\{[^`]*)`/g).map((template) =>
    template.replaceAll('.', '\\.').replace(/\$\{.*?\}/g, '\\w+'),
  );
  return { path, keys: new Set(found(code, /'([\w.]+)'/g)), pattern: new RegExp(`^(${patterns.join('|')})$`) };
});

/** The modules that use a text. Texts of codes are used by the page, or by the games that refuse with them. */
function usersOf(key) {
  const users = named.filter(({ keys, pattern }) => keys.has(key) || pattern.test(key)).map(({ path }) => path);
  const code = /^code\.(\w+)/.exec(key)?.[1];
  const games = GAMES.filter((game) => code && refusalsOf(game).includes(code)).map(
    (game) => `games/${game}/wire.d.ts`,
  );
  return games.length ? games : users;
}
/** The game of a module, or null for a module of all games. */
const gameOf = (path) => /^games\/(\w+)\//.exec(path)?.[1] ?? null;

test('what only one game says is in its own catalogues, and nothing else is there', () => {
  for (const folder of FOLDERS) {
    const owner = folder.split('/').find((part) => GAMES.includes(part)) ?? null;
    for (const key of Object.keys(catalogueIn(folder))) {
      const games = [...new Set(usersOf(key).map(gameOf))];
      assert.equal(games.length === 1 ? games[0] : null, owner, `${key} in ${folder} is used by ${games}`);
      if (owner) assert.equal(folder.endsWith('/lesson/'), key.startsWith('lesson.'), `${key} in ${folder}`);
    }
  }
});

test('what only the lobby, the end or the replay says is not loaded with the page', () => {
  const first = modules('main.js', new Set(['games/legal-actions.js', 'games/winner-text.js']));
  for (const key of Object.keys(catalogueIn(''))) {
    // The server fills this in.
    if (/^(code|close)\./.test(key) || key === 'noscript') continue;
    const users = usersOf(key);
    assert.ok(
      users.some((path) => first.has(path) || gameOf(path) || path.startsWith('lesson/')),
      `${key} is used by ${users}`,
    );
  }
});
