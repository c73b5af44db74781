// A minimal WebSocket client: text frames, a local server, no extensions. Node has its own only since version 22.

import net from 'node:net';
import { randomBytes } from 'node:crypto';

/** Lengths above these need two or eight bytes of their own. */
const SHORT = 126;
const LONG = 65536;

export function connect(port, path, onText, onClose) {
  const socket = net.connect(port, '127.0.0.1');
  let buffer = Buffer.alloc(0);
  let upgraded = false;
  /** What is said before the server has agreed to listen. */
  const waiting = [];
  let parts = [];
  socket.on('error', () => {});
  socket.on('close', onClose);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  );
  const send = (opcode, payload) => {
    const mask = randomBytes(4);
    const frame = Buffer.concat([
      Buffer.from([0x80 | opcode]),
      lengthOf(payload),
      mask,
      payload.map((byte, i) => byte ^ mask[i & 3]),
    ]);
    if (upgraded) socket.write(frame);
    else waiting.push(frame);
  };
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    if (!upgraded) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      upgraded = true;
      buffer = buffer.subarray(end + 4);
      for (const frame of waiting.splice(0)) socket.write(frame);
    }
    for (let frame = read(buffer); frame; frame = read(buffer)) {
      buffer = buffer.subarray(frame.size);
      if (frame.opcode === 9) send(10, frame.payload);
      if (frame.opcode > 2) continue;
      parts.push(frame.payload);
      if (!frame.final) continue;
      onText(Buffer.concat(parts).toString());
      parts = [];
    }
  });
  return { send: (text) => send(1, Buffer.from(text)), close: () => socket.destroy() };
}

/** What a client says about the length of what it sends; the first bit says that it is masked. */
function lengthOf({ length }) {
  if (length < SHORT) return Buffer.from([0x80 | length]);
  if (length < LONG) return Buffer.from([0x80 | 126, length >> 8, length & 255]);
  const long = Buffer.alloc(9);
  long[0] = 0x80 | 127;
  long.writeBigUInt64BE(BigInt(length), 1);
  return long;
}

function read(buffer) {
  if (buffer.length < 2) return null;
  const short = buffer[1] & 127;
  const head = short < SHORT ? 2 : short === SHORT ? 4 : 10;
  if (buffer.length < head) return null;
  const length = short < SHORT ? short : short === SHORT ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  if (buffer.length < head + length) return null;
  return {
    size: head + length,
    opcode: buffer[0] & 15,
    final: (buffer[0] & 128) !== 0,
    payload: buffer.subarray(head, head + length),
  };
}
