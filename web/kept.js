// What has become of the rooms with a seat on this device. It knows the server's answers, not how they are shown.

import * as device from './device.js';
import { backoff, pause } from './patience.js';

/** So often a game that is on is asked whose turn it is, while somebody looks. */
const AGAIN_MS = 8000;

/** @typedef {import('./view.js').Ui['open'][number]} OpenRoom */

/**
 * Tells of each room as soon as it is found, and keeps asking for those of which nothing could be learnt, and for those where a game is on.
 * @param {(code: string) => Promise<OpenRoom['room']>} ask
 * @param {(open: OpenRoom[]) => void} tell
 * @param {() => boolean} wanted whether anybody still looks
 */
export async function findOpen(ask, tell, wanted) {
  const seats = Object.entries(device.keptSeats()).sort(([, a], [, b]) => b.at - a.at);
  const order = seats.map(([code]) => code);
  let left = seats;
  /** @type {Record<string, OpenRoom>} */
  const open = {};
  for (let misses = 1; ; misses++) {
    /** @type {typeof left} */
    const unanswered = [];
    await Promise.all(left.map(async ([code, seat]) => {
      try {
        open[code] = { code, name: seat.name, room: await ask(code) };
      } catch (problem) {
        // Only the server itself can say that a room is gone; a proxy in front of it also answers 404.
        if (/** @type {{code?: string}} */ (problem).code === 'no_such_room') device.missSeat(code);
        else unanswered.push([code, seat]);
      }
      if (wanted()) tell(order.flatMap((each) => open[each] ?? []));
    }));
    left = unanswered.length ? unanswered : seats.filter(([code]) => open[code]?.room.phase === 'playing');
    if (!left.length) return;
    do {
      await pause(unanswered.length ? backoff(misses) : AGAIN_MS);
      if (!wanted()) return;
    } while (globalThis.document?.hidden);
  }
}
