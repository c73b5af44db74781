// A real server for one test file, on a free port and with its own data folder. It can be killed, frozen and restarted.
// It knows the process and the HTTP API, not the page.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BINARY =
  process.env.ROOKERY_BIN || fileURLToPath(new URL('../../../../target/debug/rookery', import.meta.url));

/** Longer than any story: what a seat must do, its player does, and the server does not get there first. */
const BOT_DELAY_MS = 600000;

const LIMITS = [
  '--acts-per-second',
  '0',
  '--rooms-per-hour',
  '0',
  '--sockets-per-ip',
  '0',
  '--misses-per-minute',
  '0',
  '--requests-per-second',
  '0',
];

/**
 * A server of its own; the pause before a bot's act is longer than any story unless a story says otherwise. Its rooms
 * are in a folder of its own unless `data` names a database.
 */
export async function openServer({ botDelayMs = BOT_DELAY_MS, data: named, flags = [] } = {}) {
  const data = named ?? mkdtempSync(join(tmpdir(), 'rookery-browser-'));
  let child = null;
  let port = 0;

  async function start() {
    const args = [
      '--listen',
      `127.0.0.1:${port}`,
      '--admin',
      'off',
      '--data',
      data,
      '--bot-delay-ms',
      String(botDelayMs),
      ...LIMITS,
      ...flags,
    ];
    child = spawn(BINARY, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    // No server outlives its test, however that ends.
    const orphan = child;
    const end = () => orphan.kill('SIGKILL');
    process.once('exit', end);
    orphan.once('exit', () => process.off('exit', end));
    port = await opened(child);
  }

  const ended = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', resolve);
    });

  await start();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    data,
    /** The process is gone without a word, as after a power cut. */
    async kill() {
      child.kill('SIGKILL');
      await ended();
    },
    /** The same port and the same data folder. */
    restart: start,
    /** The process stops in the middle of whatever it does; its sockets stay open and silent. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async close() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended();
      if (!named) rmSync(data, { recursive: true, force: true });
    },
    /** A new room's code. */
    async newRoom(game = 'towers') {
      const answer = await fetch(`${url}/api/rooms`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ game }),
      });
      if (answer.status !== 201)
        throw new Error(`a room was asked for and the answer was ${answer.status}: ${await answer.text()}`);
      return (await answer.json()).code;
    },
    /** What the server itself says about a room. */
    async room(code) {
      const answer = await fetch(`${url}/api/rooms/${code}`);
      if (!answer.ok) throw new Error(`room ${code} was asked for and the answer was ${answer.status}`);
      return answer.json();
    },
  };
}

/** The port the process says it listens on. */
function opened(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk) => {
      said += chunk;
      const match = /open at http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (match) resolve(Number(match[1]));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', (error) =>
      reject(new Error(`the server ${BINARY} cannot be started (${error.message}): build it, or set ROOKERY_BIN`)),
    );
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was open:\n${said}`)));
  });
}
