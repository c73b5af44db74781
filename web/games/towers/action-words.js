// Words for an act that may not have been played.

import { words } from './words.js';

/**
 * Words an act like the event it causes.
 * @param {any} action
 * @param {number} seat
 * @param {any} _table
 * @param {(seat: number) => string} name
 */
export const actionWords = (action, seat, _table, name) => words({ ...action, seat }, name) ?? '';
