// How long this page waits for an answer, and how soon it asks again. It knows time, not what is asked for.

/** Backoff: the first wait is at most this long, each further one at most twice as long, up to the last. */
const BACKOFF_MS = [500, 10000];
/** Not even the luckiest draw asks again at once. */
const LEAST_MS = 100;
/** How much longer than at first an answer is waited for at most. */
const MOST_PATIENT = 3;

/**
 * Full jitter: after a restart everybody asks again, but not all in the same instant.
 * @param {number} misses how often in a row it was in vain, this time included
 */
export function backoff(misses, random = Math.random) {
  const [first, last] = BACKOFF_MS;
  return Math.max(LEAST_MS, Math.min(last, first * 2 ** Math.min(misses - 1, 10)) * random());
}

/**
 * A time-out that grows: what was given up because the line is slow would be given up for ever with the same time.
 * @param {number} ms @param {number} misses
 */
export const patience = (ms, misses) => ms * Math.min(MOST_PATIENT, 1.5 ** misses);

/** @param {number} ms @returns {Promise<void>} */
export const pause = (ms) => new Promise((resolve) => {
  setTimeout(resolve, ms);
});

/**
 * Asks, and gives up when the whole answer is not there in time.
 * @template T
 * @param {number} ms
 * @param {(signal: AbortSignal) => Promise<T>} ask
 */
export async function inTime(ms, ask) {
  const given = new AbortController();
  const timer = setTimeout(() => given.abort(), ms);
  try {
    return await ask(given.signal);
  } finally {
    clearTimeout(timer);
  }
}
