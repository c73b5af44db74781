// A program at the table: the example bot joins a room by its link and plays whole games by the wire contract alone.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openServer } from './support/server.js';

const BOT = fileURLToPath(new URL('../../../docs/examples/bot.py', import.meta.url));
const run = promisify(execFile);

/** @type {Awaited<ReturnType<typeof openServer>>} */
let server;
before(async () => { server = await openServer({ botDelayMs: 0 }); });
after(() => server.close());

for (const game of ['towers', 'qwantum']) {
  test(`docs/examples/bot.py plays a whole game of ${game} against an easy bot`, async () => {
    const code = await server.newRoom(game);
    const { stdout } = await run('python3', [BOT, `${server.url}/r/${code}`, '--against', 'easy']);
    const { seat, winners, scores } = JSON.parse(stdout.trim().split('\n').at(-1));
    assert.equal(seat, 0, 'it should have sat down first');
    assert.equal(scores.length, 2);
    assert.ok(winners.length > 0, 'the game should be over');
    const record = await (await fetch(`${server.url}/api/rooms/${code}/record`)).json();
    assert.deepEqual(record.outcome, { winners, scores }, 'the record should say the same');
  });
}
