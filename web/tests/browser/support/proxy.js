// A TCP proxy before the server that can be cut (closed and refused) or frozen (open and silent). A frozen connection
// stays silent, like a phone's dead socket; after `resume` only new connections work.

import net from 'node:net';

export async function openProxy(targetPort) {
  let mode = 'pass';
  const pairs = new Set();
  const listener = net.createServer((near) => {
    near.on('error', () => {});
    if (mode === 'cut') return near.destroy();
    if (mode === 'frozen') {
      pairs.add({ near, far: null, frozen: true });
      return near.on('data', () => {});
    }
    const far = net.connect(targetPort, '127.0.0.1');
    const pair = { near, far, frozen: false };
    pairs.add(pair);
    const leave = () => {
      if (pair.frozen) return;
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    far.on('error', leave);
    near.on('data', (chunk) => pair.frozen || far.write(chunk));
    far.on('data', (chunk) => pair.frozen || near.write(chunk));
    near.on('close', leave);
    far.on('close', leave);
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const port = listener.address().port;
  const drop = () => {
    for (const { near, far } of pairs) {
      near.destroy();
      far?.destroy();
    }
    pairs.clear();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cut() {
      mode = 'cut';
      drop();
    },
    freeze() {
      mode = 'frozen';
      for (const pair of pairs) pair.frozen = true;
    },
    resume() {
      mode = 'pass';
    },
    async close() {
      drop();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
