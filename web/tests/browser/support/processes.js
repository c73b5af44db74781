// Processes besides the browser that Playwright starts. Each has its own process group, which ends with the test, and a
// temporary folder.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a program may take to say that it is ready, on a busy machine. */
const READY_MS = 60000;

/** A folder that is gone when `close` is called. */
export function openFolder(name) {
  const path = mkdtempSync(join(tmpdir(), `rookery-${name}-`));
  // A browser that was just ended may still be writing.
  return { path, close: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }) };
}

/** Starts it and, if there is something it says when it is ready, waits for that; the match comes with it. */
export async function startProgram(program, args, { ready, env = {}, stdio = ['ignore', 'pipe', 'pipe'] }) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio, detached: true });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.once('exit', end);
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  // A program that ends by itself may leave children behind: its group is ended by `close`, or with this process.
  const close = async () => {
    process.off('exit', end);
    end();
    await ended;
  };
  let heard = '';
  try {
    const said =
      ready &&
      (await new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('it was not ready in time')), READY_MS);
        const hear = (chunk) => {
          heard += chunk;
          const match = ready.exec(heard);
          if (!match) return;
          clearTimeout(late);
          resolve(match);
        };
        for (const stream of child.stdio) stream?.on('data', hear);
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready`)));
      }));
    return { said, close };
  } catch (error) {
    await close();
    throw new Error(`${program} cannot be started: ${error.message}\n${heard}`, { cause: error });
  }
}
