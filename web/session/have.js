// Tells the server which events of the game this page already has, so that a reconnect brings only the others
// (docs/protocol.md, "Coming back with events").

/** @typedef {import('../wire.js').Have} Have */

/**
 * Describes the events that the page has, or null if it has none. Servers that send no `page` refuse the field.
 * @param {Pick<import('./room-state.js').RoomState, 'room' | 'page' | 'history'>} known
 * @returns {Have | null}
 */
export const haveOf = ({ room, page, history }) =>
  room && page && history.length
    ? { game: room.fair.commitment, events: history.length, checksum: fnv1a(JSON.stringify(history)) }
    : null;

/** The 32-bit FNV-1a hash of the UTF-8 bytes of a text. @param {string} text */
export const fnv1a = (text) =>
  new TextEncoder().encode(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5 | 0) >>> 0;
