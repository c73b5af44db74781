// The example bot joins a room by its link and plays whole games over the wire contract. Every message of those games
// matches docs/protocol.schema.json.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openServer } from './support/server.js';

const BOT = fileURLToPath(new URL('../../../docs/examples/bot.py', import.meta.url));
const SCHEMA = new URL('../../../docs/protocol.schema.json', import.meta.url);
const run = promisify(execFile);

/** @type {Awaited<ReturnType<typeof openServer>>} */
let server;
/** @type {Ajv2020} */
let schema;
/** @type {string} */
let folder;
before(async () => {
  server = await openServer({ botDelayMs: 0 });
  // Formats such as uint32 are Rust's; the ranges beside them are what counts.
  schema = new Ajv2020({ strict: false, validateFormats: false }).addSchema(
    JSON.parse(await readFile(SCHEMA, 'utf8')),
    'wire',
  );
  folder = await mkdtemp(join(tmpdir(), 'rookery-programs-'));
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** @param {string} kind where in `$defs` @param {unknown} value */
function check(kind, value) {
  const validate = schema.getSchema(`wire#/$defs/${kind}`);
  assert.ok(validate, `the schema has no ${kind}`);
  assert.ok(validate(value), `${JSON.stringify(value)} is no ${kind}: ${schema.errorsText(validate.errors)}`);
}

/** What is the game's own in a state. @param {string} game @param {any} state */
function checkState(game, state) {
  check(`${game}/$defs/Table`, state.table);
  if (state.mine) check(`${game}/$defs/Mine`, state.mine);
  for (const action of state.actions) check(`${game}/$defs/Action`, action);
  for (const event of state.events) check(`${game}/$defs/Event`, event);
}

test('the schema refuses invalid messages', () => {
  const good = { type: 'act', n: 4, action: { type: 'bid', count: 3 } };
  check('ClientMessage', good);
  for (const bad of [
    { ...good, n: -1 },
    { ...good, more: 1 },
    { type: 'act', n: 4 },
    { type: 'fly' },
    { type: 'join', bot: 'yes' },
  ]) {
    assert.throws(() => check('ClientMessage', bad), JSON.stringify(bad));
  }
  assert.throws(() => check('ServerMessage', { type: 'pong' }));
  assert.throws(() => check('towers/$defs/Action', { type: 'bid' }));
});

for (const game of ['towers', 'qwantum']) {
  test(`docs/examples/bot.py plays a whole game of ${game} against an easy bot`, async () => {
    const code = await server.newRoom(game);
    const log = join(folder, game);
    const { stdout } = await run('python3', [BOT, `${server.url}/r/${code}`, '--against', 'easy', '--log', log]);
    const { seat, winners, scores } = JSON.parse(stdout.trim().split('\n').at(-1));
    assert.equal(seat, 0, 'it should have sat down first');
    assert.equal(scores.length, 2);
    assert.ok(winners.length > 0, 'the game should be over');
    const record = await (await fetch(`${server.url}/api/rooms/${code}/record`)).json();
    assert.deepEqual(record.outcome, { winners, scores }, 'the record should say the same');
    const messages = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kinds = new Set();
    for (const { sent, heard } of messages) {
      if (sent) check('ClientMessage', sent);
      if (sent?.action) check(`${game}/$defs/Action`, sent.action);
      if (heard) check('ServerMessage', heard);
      if (heard?.state) checkState(game, heard.state);
      if (heard?.room) check(`${game}/$defs/Rules`, heard.room.rules);
      for (const event of heard?.history ?? []) check(`${game}/$defs/Event`, event);
      kinds.add((sent ?? heard).type);
    }
    assert.ok(
      ['join', 'welcome', 'room', 'act', 'state', 'leave'].every((kind) => kinds.has(kind)),
      `only ${[...kinds].join(', ')} were seen`,
    );
    const seats = messages.findLast(({ heard }) => heard?.type === 'room').heard.room.seats;
    assert.deepEqual(
      seats.map((/** @type {any} */ info) => info.program ?? false),
      [true, false],
      'everyone should see that it is a program',
    );
  });
}
