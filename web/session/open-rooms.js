// Finds out what has become of the rooms with a seat on this device. It draws nothing.

import * as device from '../device.js';
import { backoff, delay } from '../retry.js';

/** Interval for checking whose turn it is in a running game. */
const REFRESH_MS = 8000;

/** @typedef {import('../view.js').LocalUi['open'][number]} OpenRoom */

/**
 * Reports each room as soon as it is found. Retries rooms without an answer, and refreshes those with a running game.
 * @param {(code: string) => Promise<OpenRoom['room']>} ask
 * @param {(open: OpenRoom[]) => void} tell
 * @param {() => boolean} wanted whether the list is still shown
 */
export async function watchOpenRooms(ask, tell, wanted) {
  const seats = Object.entries(device.savedSeats()).sort(([, a], [, b]) => b.at - a.at);
  const order = seats.map(([code]) => code);
  let left = seats;
  /** @type {Record<string, OpenRoom>} */
  const open = {};
  for (let misses = 1; ; misses++) {
    /** @type {typeof left} */
    const unanswered = [];
    await Promise.all(
      left.map(async ([code, seat]) => {
        try {
          open[code] = { code, name: seat.name, room: await ask(code) };
        } catch (problem) {
          // Only the server itself can say that a room is gone; a proxy in front of it may also answer 404.
          if (/** @type {{code?: string}} */ (problem).code === 'no_such_room') device.noteMissingRoom(code);
          else unanswered.push([code, seat]);
        }
        if (wanted()) tell(order.flatMap((each) => open[each] ?? []));
      }),
    );
    left = unanswered.length ? unanswered : seats.filter(([code]) => open[code]?.room.phase === 'playing');
    if (!left.length) return;
    do {
      await delay(unanswered.length ? backoff(misses) : REFRESH_MS);
      if (!wanted()) return;
    } while (globalThis.document?.hidden);
  }
}
