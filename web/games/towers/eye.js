// An act in words, of which nothing need have come yet.

import { words } from './words.js';

/** What happens says what the act says, and whose it is. @param {any} action @param {number} seat @param {any} _table @param {(seat: number) => string} name */
export const acted = (action, seat, _table, name) => words({ ...action, seat }, name) ?? '';
