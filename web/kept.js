// What has become of the rooms with a seat on this device. It knows the server's answers, not how they are shown.

import * as device from './device.js';
import { backoff, pause } from './patience.js';

/** @typedef {import('./view.js').Ui['open'][number]} OpenRoom */

/**
 * Tells of each room as soon as it is found, and keeps asking for those of which nothing could be learnt.
 * @param {(code: string) => Promise<OpenRoom['room']>} ask
 * @param {(open: OpenRoom[]) => void} tell
 * @param {() => boolean} wanted whether anybody still looks
 */
export async function findOpen(ask, tell, wanted) {
  let left = Object.entries(device.keptSeats()).sort(([, a], [, b]) => b.at - a.at);
  const order = left.map(([code]) => code);
  /** @type {Record<string, OpenRoom>} */
  const open = {};
  for (let misses = 1; ; misses++) {
    /** @type {typeof left} */
    const unanswered = [];
    await Promise.all(left.map(async ([code, seat]) => {
      try {
        open[code] = { code, name: seat.name, room: await ask(code) };
      } catch (problem) {
        // Only the server itself can say that a room is no more; a proxy in front of it also answers 404.
        if (/** @type {{code?: string}} */ (problem).code === 'no_such_room') device.forgetSeat(code);
        else unanswered.push([code, seat]);
      }
      if (wanted()) tell(order.flatMap((each) => open[each] ?? []));
    }));
    left = unanswered;
    if (!left.length) return;
    await pause(backoff(misses));
    if (!wanted()) return;
  }
}
