// Two servers with a shared PostgreSQL, and a TCP load balancer that connects to the first one that answers.

import net from 'node:net';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { openServer } from './server.js';

const POSTGRES =
  process.env.ROOKERY_POSTGRES || fileURLToPath(new URL('../../../../target/debug/examples/postgres', import.meta.url));
const SECRET = 'known to both servers';

/** A database in a temporary folder; it ends with this process, however that ends. */
async function openDatabase() {
  const child = spawn(POSTGRES, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.once('error', (error) => {
    throw new Error(`${POSTGRES} cannot be started (${error.message}): cargo build -p pgtest --examples`);
  });
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}`)));
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return {
    address,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

export async function freePort() {
  const listener = net.createServer();
  await new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address();
  await new Promise((resolve) => {
    listener.close(resolve);
  });
  return port;
}

/** Passes every connection on to the first of these ports that takes it. */
async function openBalancer(ports) {
  const sockets = new Set();
  const listener = net.createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => sockets.delete(near));
    const attempt = (at) => {
      if (at === ports.length) return near.destroy();
      const far = net.connect(ports[at], '127.0.0.1');
      far.once('error', () => (far.bytesWritten ? near.destroy() : attempt(at + 1)));
      far.once('connect', () => {
        near.pipe(far).pipe(near);
        near.once('close', () => far.destroy());
        far.once('close', () => near.destroy());
      });
    };
    attempt(0);
  });
  await new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${listener.address().port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        listener.close(resolve);
      });
    },
  };
}

/** Two servers, the first of which the balancer prefers. */
export async function openSeveral() {
  const database = await openDatabase();
  const servers = [];
  for (let i = 0; i < 2; i++) {
    const flags = ['--node', `http://127.0.0.1:${await freePort()}`, '--node-secret', SECRET];
    servers.push(await openServer({ data: database.address, flags }));
  }
  const balancer = await openBalancer(servers.map((server) => server.port));
  return {
    url: balancer.url,
    servers,
    async close() {
      await balancer.close();
      for (const server of servers) await server.close();
      await database.close();
    },
  };
}
