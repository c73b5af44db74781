// WebKitGTK's MiniBrowser on a virtual screen of phone size, driven by WebDriver. Its driver has no touch, so taps are
// mouse clicks, and no console messages, so a proxy before the server makes every page record its own errors.

import http from 'node:http';
import net from 'node:net';
import { existsSync, readdirSync } from 'node:fs';
import { LOOK_MS, PATIENCE_MS, Page, listen } from './page.js';
import { openFolder, startProgram } from './processes.js';
import { freePort } from './several.js';

const LIBRARIES = '/usr/lib';
/** How long the driver may take for anything, on a busy machine. */
const ANSWER_MS = 60000;

/** The browser comes with the library, in a folder named after the machine and the library's version. */
function browserOfTheLibrary() {
  for (const machine of readdirSync(LIBRARIES).filter((name) => name.endsWith('-linux-gnu'))) {
    for (const library of readdirSync(`${LIBRARIES}/${machine}`).filter((name) => name.startsWith('webkit2gtk-'))) {
      const browser = `${LIBRARIES}/${machine}/${library}/MiniBrowser`;
      if (existsSync(browser)) return browser;
    }
  }
  throw new Error(`MiniBrowser, which comes with libwebkit2gtk, is nowhere under ${LIBRARIES}`);
}

/** Somebody's phone with nothing remembered. `first` is what runs in each page before its own scripts. */
export async function openWebkit(program, { viewport: { width, height }, deviceScaleFactor }, first) {
  const closers = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const also = (opened) => {
    closers.push(() => opened.close());
    return opened;
  };
  try {
    const folder = also(openFolder('webkit'));
    const size = `${width * deviceScaleFactor}x${height * deviceScaleFactor}x24`;
    const screen = also(
      await startProgram(process.env.XVFB || 'Xvfb', ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp'], {
        ready: /^(\d+)\n/m,
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      }),
    );
    const port = await freePort();
    const env = {
      DISPLAY: `:${screen.said[1]}`,
      GDK_BACKEND: 'x11',
      GDK_SCALE: String(deviceScaleFactor),
      HOME: folder.path,
      LANG: 'C.UTF-8',
      LANGUAGE: 'en',
      NO_AT_BRIDGE: '1',
    };
    also(await startProgram(program, [`--port=${port}`], { env }));
    const ask = (method, path, body) => askDriver(port, method, path, body);
    await answers(ask);
    const options = { binary: browserOfTheLibrary(), args: ['--automation', '--full-screen'] };
    const { sessionId } = await ask('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    });
    const session = `/session/${sessionId}`;
    await ask('POST', `${session}/window/rect`, { x: 0, y: 0, width, height });
    const gates = new Map();
    const script = [listen, ...first].map((each) => `(${each})();`).join('\n');
    return new Page(
      {
        async go(url) {
          const address = new URL(url);
          if (!gates.has(address.port)) gates.set(address.port, also(await openGate(Number(address.port), script)));
          address.port = gates.get(address.port).port;
          await ask('POST', `${session}/url`, { url: address.href });
        },
        async run(source) {
          const { value, error } = await ask('POST', `${session}/execute/async`, {
            script: `const done = arguments[0]; (${source})().then((value) => done({ value }), (error) => done({ error: String(error) }));`,
            args: [],
          });
          if (error) throw new Error(error);
          return value;
        },
        perform: (actions) => ask('POST', `${session}/actions`, { actions }),
        picture: () => ask('GET', `${session}/screenshot`),
        close,
      },
      'mouse',
    );
  } catch (error) {
    await close();
    throw error;
  }
}

async function askDriver(port, method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path.replace(/[0-9a-f-]{36}/, '…')}: ${value.error}: ${value.message}`);
  return value;
}

/** The driver says no word when it is ready: it is asked until it answers. */
async function answers(ask) {
  for (
    const end = Date.now() + PATIENCE_MS;
    ;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    })
  ) {
    try {
      return await ask('GET', '/status');
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Where the gate keeps the script that it adds to every page. */
const FIRST = '/before-all-others.js';

/** Passes everything on to the server at this port, and has its pages run this script before their own. */
async function openGate(port, script) {
  const lines = new Set();
  const gate = http.createServer((request, response) => {
    if (request.url === FIRST) return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    const { 'accept-encoding': _, ...headers } = request.headers;
    const far = http.request(
      { port, host: '127.0.0.1', method: request.method, path: request.url, headers, agent: false },
      async (answer) => {
        if (!answer.headers['content-type']?.startsWith('text/html')) {
          response.writeHead(answer.statusCode, answer.headers);
          answer.on('error', () => response.destroy());
          return answer.pipe(response);
        }
        const { 'content-length': __, ...rest } = answer.headers;
        const text = Buffer.concat(await answer.toArray()).toString();
        response
          .writeHead(answer.statusCode, rest)
          .end(text.replace('<head>', `<head><script src="${FIRST}"></script>`));
      },
    );
    far.on('error', () => response.destroy());
    request.pipe(far);
  });
  gate.on('upgrade', (request, near, head) => {
    const far = net.connect(port, '127.0.0.1');
    const words = [`${request.method} ${request.url} HTTP/1.1`];
    for (let i = 0; i < request.rawHeaders.length; i += 2)
      words.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
    far.write(`${words.join('\r\n')}\r\n\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
    for (const [line, other] of [
      [near, far],
      [far, near],
    ]) {
      line.on('error', () => {});
      line.on('close', () => other.destroy());
    }
  });
  gate.on('connection', (line) => {
    lines.add(line);
    line.on('close', () => lines.delete(line));
  });
  await new Promise((resolve) => {
    gate.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: gate.address().port,
    async close() {
      for (const line of lines) line.destroy();
      await new Promise((resolve) => {
        gate.close(resolve);
      });
    },
  };
}
