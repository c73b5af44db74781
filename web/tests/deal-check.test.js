// The random numbers of the deal check, with the test vectors of the server (crates/game/src/chance.rs), and the check
// of deals.

import test from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { dealer as dice } from '../games/qwantum/deal.js';
import { dealer as cards } from '../games/towers/deal.js';
import { createReadStream, readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  DealRandom,
  bytesOf,
  chacha20,
  compareDeal,
  hexOf,
  savedDealFor,
  seedOf,
  sha256,
} from '../replay/deal-check.js';
import { setCatalogues } from '../i18n.js';
import { tamperedPart, tamperedPartWords } from '../replay/tamper-check.js';
import { checkOrigin } from '../replay/origin-check.js';
import { catalogueIn } from './texts.js';

/** Copies a value, so that no two cards are the same object. */
const copy = (past) => JSON.parse(JSON.stringify(past));

const COUNTING = Uint8Array.from({ length: 32 }, (_, i) => i);

test('computes SHA-256 for every length up to three blocks', () => {
  assert.equal(
    hexOf(sha256(new TextEncoder().encode('abc'))),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  for (let length = 0; length < 200; length++) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
    assert.equal(hexOf(sha256(message)), createHash('sha256').update(message).digest('hex'), `${length} bytes`);
  }
});

test('computes the words of ChaCha20', () => {
  const words = chacha20(new Uint8Array(32), 0);
  assert.deepEqual([...words.slice(0, 2)], [0xade0b876, 0x903df1a0]);
  // The second block of the published keystream begins 9f 07 e7 be.
  assert.equal(chacha20(new Uint8Array(32), 1)[0], 0xbee7079f);
});

test('draws numbers and shuffles like the server', () => {
  const chance = new DealRandom(COUNTING);
  assert.deepEqual(
    Array.from({ length: 20 }, () => chance.below(6)),
    [1, 5, 5, 2, 2, 0, 4, 2, 3, 2, 1, 2, 1, 5, 2, 0, 2, 1, 5, 5],
  );
  const mixed = new DealRandom(COUNTING);
  assert.deepEqual(
    [2, 3, 5, 80, 1000, 3000000000, 7].map((n) => mixed.below(n)),
    [1, 2, 2, 56, 458, 1283312818, 5],
  );
  assert.deepEqual(
    new DealRandom(COUNTING).shuffle(Array.from({ length: 20 }, (_, i) => i)),
    [6, 16, 9, 19, 14, 8, 15, 5, 12, 1, 17, 3, 2, 4, 0, 10, 18, 11, 7, 13],
  );
});

/** The findings, without the hidden rest. */
const found = ({ count, wrong }) => ({ count, wrong });

/** Two rounds and a reshuffle of a game with these random numbers. */
function towersGame(players) {
  const chance = new DealRandom(COUNTING);
  const starter = chance.below(players);
  const TYPES = ['candy', 'spooky', 'tree', 'scrap', 'sand'];
  const deck = TYPES.flatMap((tower) => Array.from({ length: 16 }, (_, value) => ({ tower, value })));
  if (players > 3) deck.push(...TYPES.flatMap((tower) => [0, 2, 5, 7, 10, 12].map((value) => ({ tower, value }))));
  chance.shuffle(deck);
  const [one, two] = [deck.slice(0, 5), deck.slice(5, 10)];
  const again = chance.shuffle([...one.slice(2), ...two]);
  return [
    { events: [{ type: 'round', round: 1, starter, row: one }] },
    {
      events: [
        { type: 'finish', seat: 0 },
        { type: 'discard', cards: one.slice(2) },
        { type: 'round', round: 2, starter: 0, row: two },
      ],
    },
    {
      events: [
        { type: 'discard', cards: two },
        { type: 'reshuffle', cards: 8 },
        { type: 'round', round: 3, starter: 0, row: again.slice(0, 5) },
      ],
    },
  ];
}

test('accepts cards that follow from the seed, and finds one that does not', () => {
  for (const players of [2, 5]) {
    const past = towersGame(players);
    assert.deepEqual(found(cards(new DealRandom(COUNTING), players, past)), { count: 15, wrong: null });
    const forged = copy(past);
    forged[2].events[2].row[4].value ^= 1;
    assert.deepEqual(found(cards(new DealRandom(COUNTING), players, forged)), { count: 10, wrong: 2 });
    const started = copy(past);
    started[0].events[0].starter += 1;
    assert.equal(cards(new DealRandom(COUNTING), players, started).wrong, 0);
  }
});

test('accepts the starter that the host chose, and finds any other', () => {
  const chance = (starter) => new DealRandom(COUNTING, starter);
  const past = copy(towersGame(3));
  const drawn = past[0].events[0].starter;
  const chosen = (drawn + 1) % 3;
  past[0].events[0].starter = chosen;
  assert.equal(cards(chance(chosen), 3, copy(past)).wrong, null, 'the cards are those of the same seed');
  assert.equal(cards(chance(drawn), 3, copy(past)).wrong, 0);
  assert.equal(cards(chance(undefined), 3, copy(past)).wrong, 0);
  const turn = (seat) => [{ events: [{ type: 'turn', seat }] }];
  assert.equal(dice(chance(chosen), 3, turn(chosen)).wrong, null);
  assert.equal(dice(chance(undefined), 3, turn(chosen)).wrong, 0);
});

test('accepts dice that follow from the seed, also rerolled ones', () => {
  const chance = new DealRandom(COUNTING);
  const first = chance.below(3);
  const FACES = [
    'R1 R4 Y5 B1 B5 V6',
    'R2 R6 Y1 Y3 B5 V4',
    'R1 R3 Y2 Y4 B4 V3',
    'R5 Y6 B2 B4 V1 V3',
    'R3 Y4 B2 B6 V2 V5',
    'R6 Y1 Y5 B3 V2 V6',
  ].map((line) =>
    line.split(' ').map((gameUi) => ({
      color: { R: 'red', Y: 'yellow', B: 'blue', V: 'violet' }[gameUi[0]],
      value: Number(gameUi[1]),
    })),
  );
  const die = (at) => (at ? FACES[at - 1][chance.below(6)] : { color: 'white', value: chance.below(6) + 1 });
  const lie = [0, 1, 2, 3, 4, 5, 6].map(die);
  const then = [...lie];
  for (const at of [0, 3, 5]) then[at] = die(at);
  const past = [
    { events: [{ type: 'turn', seat: first }], action: null },
    { events: [{ type: 'roll', seat: first, dice: lie }], action: { type: 'roll' } },
    { events: [{ type: 'roll', seat: first, dice: then }], action: { type: 'reroll', dice: [5, 0, 3] } },
  ];
  assert.deepEqual(found(dice(new DealRandom(COUNTING), 3, past)), { count: 10, wrong: null });
  const forged = copy(past);
  forged[2].events[0].dice[6].value += 1;
  assert.deepEqual(found(dice(new DealRandom(COUNTING), 3, forged)), { count: 7, wrong: 2 });
});

test('reports each comparison, and what cannot be compared as open', () => {
  const server = hexOf(COUNTING);
  const salts = ['00'.repeat(16), null];
  const record = { server_seed: server, salts, commitment: hexOf(sha256(COUNTING)), players: ['Ana', 'Rook'] };
  const seeds = [];
  const dealer = (chance) => {
    seeds.push(hexOf(chance.seed));
    return { count: 3, wrong: null };
  };
  const told = (changed, kept) => compareDeal({ ...record, ...changed }, [], dealer, kept).map(({ holds }) => holds);
  const kept = { code: 'K7QF3M', version: 4, commitment: record.commitment, salt: salts[0] };
  assert.deepEqual(told({}, kept), [null, true, true, true, true], 'a record without a digest');
  assert.equal(
    seeds[0],
    createHash('sha256')
      .update(Buffer.concat([COUNTING, bytesOf(salts[0])]))
      .digest('hex'),
  );
  assert.equal(hexOf(seedOf(server, salts)), seeds[0]);
  assert.deepEqual(told({}, null), [null, true, null, null, true]);
  assert.deepEqual(told({ server_seed: '11'.repeat(32) }, kept), [null, false, true, true, true]);
  assert.deepEqual(told({ salts: ['11'.repeat(16), null] }, kept), [null, true, true, false, true]);
  assert.deepEqual(told({}, { ...kept, commitment: 'another' }), [null, true, false, true, true]);
  assert.deepEqual(savedDealFor([kept], 'K7QF3M', 4, ''), kept);
  assert.equal(savedDealFor([kept], 'K7QF3M', 5, record.commitment), null, 'another game of the room');
  assert.deepEqual(
    savedDealFor([kept], null, 1, record.commitment),
    kept,
    'a record from a file is known by what the server was bound to',
  );
});

test('deals a continued game from the remaining cards with its own random numbers', async () => {
  const earlier = towersGame(2);
  const { left } = cards(new DealRandom(COUNTING), 2, earlier.slice(0, 2));
  assert.equal(left.deck.length, 70);
  const own = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
  const pile = new DealRandom(own).shuffle([...left.deck]);
  const past = [
    { events: [] },
    {
      events: [
        { type: 'discard', cards: [] },
        { type: 'round', round: 3, starter: 0, row: pile.slice(0, 5) },
      ],
    },
  ];
  assert.deepEqual(found(cards(new DealRandom(own), 2, past, left)), { count: 5, wrong: null });
  assert.equal(
    cards(new DealRandom(COUNTING), 2, past, left).wrong,
    1,
    'by the chance of the earlier game it would be another',
  );
  assert.equal(left.deck.length, 70, 'what is left is not used up by looking');

  const salts = [null, null];
  const record = (server, more = {}) => ({
    server_seed: hexOf(server),
    salts,
    commitment: hexOf(sha256(server)),
    players: ['Ana', 'Rook'],
    ...more,
  });
  const dealer = (chance, players, moments, hidden) => ({
    count: 1,
    wrong: moments.findIndex((each) => each.wrong) < 0 ? null : 0,
    left: { chance: hexOf(chance.seed), hidden },
  });
  const said = async (moment, changed = {}, before = [{}, {}, {}]) => {
    const whole = record(own, { origin: { moment, record: record(COUNTING, changed) } });
    const asked = [];
    const begun = await checkOrigin(whole, dealer, async (each) => {
      asked.push(each.server_seed);
      return before;
    });
    assert.deepEqual(asked, [hexOf(COUNTING)], 'the moments of the earlier game should be asked for');
    return compareDeal(whole, [], dealer, null, begun).map(({ says, holds }) => `${says} ${holds}`);
  };
  assert.deepEqual(await said(1), [
    'digest null',
    'commitment true',
    'seen null',
    'salt null',
    'origin true',
    'deal true',
  ]);
  assert.deepEqual(
    await said(null),
    ['digest null', 'commitment true', 'seen null', 'known true', 'deal true'],
    'a known deal takes no salt',
  );
  assert.ok((await said(1, { commitment: '00' })).includes('origin false'));
  assert.ok((await said(null, { commitment: '00' })).includes('known false'));
  assert.ok((await said(1, {}, [{ wrong: true }, {}])).includes('origin false'));
  assert.ok((await said(7)).includes('origin false'), 'a moment that the earlier game does not have');
});

test('keeps the dice on the table of a continued game, and rolls with its own random numbers', () => {
  const earlier = new DealRandom(COUNTING);
  const first = earlier.below(2);
  const roll = (chance, at) => (at ? undefined : { color: 'white', value: chance.below(6) + 1 });
  // Only the white die is rolled; the others lie as the earlier game left them.
  const white = roll(earlier, 0);
  const lie = [white, ...Array.from({ length: 6 }, () => null)];
  const past = [{ events: [{ type: 'turn', seat: first }], action: null }];
  const { left, wrong } = dice(new DealRandom(COUNTING), 2, past);
  assert.deepEqual([left, wrong], [{ lie: [] }, null]);
  const own = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
  const coloured = [1, 2, 3, 4, 5, 6].map((value) => ({ color: 'red', value }));
  const then = [roll(new DealRandom(own), 0), ...coloured];
  const on = [
    { events: [], action: null },
    { events: [{ type: 'roll', seat: first, dice: then }], action: { type: 'reroll', dice: [0] } },
  ];
  const kept = { lie: [lie[0], ...coloured] };
  assert.deepEqual(found(dice(new DealRandom(own), 2, on, kept)), { count: 1, wrong: null });
  assert.equal(
    dice(new DealRandom(COUNTING), 2, on, { lie: [lie[0], ...coloured.slice(1), coloured[0]] }).wrong,
    1,
    'other dice lay there',
  );
});

test('names every change in a record with a digest as the server does', () => {
  const folder = new URL('../../crates/room/tests/data/games/', import.meta.url);
  const records = readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')).record)
    .filter((record) => record.digest);
  assert.ok(records.length >= 4, 'some should be kept with their digest');
  for (const record of records) {
    assert.equal(tamperedPart(record), null);
    const leaves = (value, path = []) =>
      value !== null && typeof value === 'object'
        ? Object.keys(value).flatMap((key) => leaves(value[key], [...path, key]))
        : [path];
    for (const path of leaves(record).filter((path, at) => !['acts', 'digest'].includes(path[0]) || at % 17 === 0)) {
      const forged = copy(record);
      const last = path.at(-1);
      const place = path.slice(0, -1).reduce((within, key) => within[key], forged);
      place[last] = typeof place[last] === 'number' ? place[last] + 1 : `${place[last] ?? ''}x`;
      assert.deepEqual(
        tamperedPart(forged),
        { part: path[0], n: path[0] === 'acts' ? Number(path[1]) : null },
        path.join('.'),
      );
    }
    assert.deepEqual(tamperedPart({ ...record, acts: record.acts.slice(0, -1) }), {
      part: 'acts',
      n: record.acts.length - 1,
    });
    const { outcome, ...without } = record;
    assert.deepEqual(tamperedPart(without), { part: 'outcome', n: null }, `${outcome.winners} should be missed`);
  }
});

test('has a text for every changed part of a record', () => {
  const words = catalogueIn('more/');
  setCatalogues('en', words, words);
  const record = JSON.parse(
    readFileSync(new URL('../../crates/room/tests/data/games/qwantum-2-1.json', import.meta.url), 'utf8'),
  ).record;
  for (const field of Object.keys(record)) assert.ok(Object.values(words).includes(tamperedPartWords(field)), field);
  assert.deepEqual(
    [
      tamperedPartWords('players'),
      tamperedPartWords('server_seed'),
      tamperedPartWords('digest'),
      tamperedPartWords('acts', 4),
      tamperedPartWords(),
    ],
    ['the names', 'the seed or salts', 'the file’s details', 'move 5', ''],
  );
});

// A longer run by hand: `ROOKERY_GAMES=1000 ROOKERY_FORGED=file cargo test -p room --test it mutations` writes the
// file, and with the same variable the page is asked about all that is in it.
const FORGED = process.env.ROOKERY_FORGED;

if (FORGED)
  test('recorded games pass the deal check, and every change in a record is found', async () => {
    let [games, changes] = [0, 0];
    for await (const line of createInterface({ input: createReadStream(FORGED) })) {
      const { record, past, changes: forgeries } = JSON.parse(line);
      const found = compareDeal(record, past, record.game === 'towers' ? cards : dice, null);
      assert.deepEqual(
        found.map(({ holds }) => holds),
        [true, true, null, null, true],
        `game ${games}`,
      );
      // The page's SHA-256 is slow, so each game gets a few of the changes, which together cover all kinds.
      for (const { place, leaf, part, n } of forgeries.filter((_, at) => at % 16 === games % 16)) {
        const forged = copy(record);
        const path = place.split('/').slice(1);
        path.slice(0, -1).reduce((within, key) => within[key], forged)[path.at(-1)] = leaf;
        assert.deepEqual(tamperedPart(forged), { part, n }, `game ${games}, ${place}`);
        changes += 1;
      }
      games += 1;
    }
    console.log(`${games} games, ${changes} changes`);
    assert.ok(games > 0 && changes > games);
  });
