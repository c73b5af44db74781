// Timeouts and backoff for requests.

/** The first delay is at most this long, each further one at most twice as long, up to the last. */
const BACKOFF_MS = [500, 10000];
/** Minimum delay, even with the smallest random factor. */
const MIN_MS = 100;
/** Maximum factor by which a timeout grows. */
const MAX_GROWTH = 3;

/**
 * Exponential backoff with full jitter, so that clients do not all retry at once after a restart.
 * @param {number} misses number of failures in a row
 */
export function backoff(misses, random = Math.random) {
  const [first, last] = BACKOFF_MS;
  return Math.max(MIN_MS, Math.min(last, first * 2 ** Math.min(misses - 1, 10)) * random());
}

/**
 * A timeout that grows with each failure, for slow connections.
 * @param {number} ms
 * @param {number} misses
 */
export const growingTimeout = (ms, misses) => ms * Math.min(MAX_GROWTH, 1.5 ** misses);

/** @param {number} ms @returns {Promise<void>} */
export const delay = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
