import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { LANGUAGES } from '../i18n.js';

const web = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, web), 'utf8');
/** Those of parts that few need are fetched with them. */
const PARTS = ['after', 'lesson', 'more'];
const catalogue = (code) =>
  Object.assign(
    {},
    ...[code, ...PARTS.map((part) => `${part}/${code}`)].map((path) => JSON.parse(read(`i18n/${path}.json`))),
  );
const english = catalogue('en');
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

test('every language on offer has a catalogue, and every catalogue is on offer', () => {
  const files = Object.keys(LANGUAGES)
    .map((code) => `${code}.json`)
    .sort();
  assert.deepEqual(readdirSync(new URL('i18n', web)).sort(), [...PARTS, ...files].sort());
  for (const part of PARTS) assert.deepEqual(readdirSync(new URL(`i18n/${part}`, web)).sort(), files);
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
  // Only whole numbers are counted here, so a form that only fractions take is not needed.
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
 * Codes that no page shows: answers to other clients, for a picture, to a record whose doubt says more, and to a
 * refused upgrade, which browsers keep to themselves.
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
  // Of acts that the page never sends: it sends what is listed.
  'not_in_row',
  'not_in_hand',
  'wrong_number_of_cards',
  'take_unbuildable',
  'no_retraction',
  'die_twice',
  'no_such_die',
]);

/** Codes that a game explains by what lies on the table, in `whyRefused`. */
const EXPLAINED = new Set(['bid_too_low', 'bid_too_high', 'bid_unbuildable', 'too_high_for_top', 'hand_not_empty']);

/**
 * The members of a type of the wire, which is written from the server's own lists.
 * @param {string} path
 * @param {string} type
 */
function oneOf(path, type) {
  const declared = read(path).split(`export type ${type} =`)[1]?.split(';')[0] ?? '';
  const members = found(declared, /\| '?(\w+)/g);
  assert.ok(members.length, `no ${type} in ${path}`);
  return members;
}

test('every code of a refusal has words', () => {
  const games = readdirSync(new URL('games/', web), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const code of [
    ...oneOf('wire.d.ts', 'Code'),
    ...games.flatMap(({ name }) => oneOf(`games/${name}/wire.d.ts`, 'RefusalCode')),
  ]) {
    if (!UNSEEN.has(code) && !EXPLAINED.has(code)) assert.ok(english[`code.${code}`], `no words: code.${code}`);
  }
});

test('what a game explains itself has no words of its own', async () => {
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

test('every close code is either final and has words, or the page comes back by itself', () => {
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

test('no sentence is left in the code', () => {
  for (const path of sources()) {
    const code = read(path)
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/(^|\s)\/\/.*$/gm, '');
    const said = found(code, /['"`]((?:\p{Lu}[\p{L}’]*|[\p{L}’]+\.)(?: [\p{L}\d’,–]+)+[.!?…]?)['"`]/gu);
    assert.deepEqual(said, [], path);
  }
});
