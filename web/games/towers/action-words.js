// Words for an act that may not have been played.

import { words } from './words.js';

/**
 * Words an act like the event it causes.
 * @param {import('./wire.js').Action} action
 * @param {number} seat
 * @param {import('./wire.js').Table} _table
 * @param {(seat: number) => string} name
 */
export const actionWords = (action, seat, _table, name) => words({ ...action, seat }, name) ?? '';
