// What people may be called, as far as this page can tell. The server knows more and has the last word.

/** As people count them. */
const MOST_CHARACTERS = 20;
/** Bounds what one "character" may hold, as the server does. */
export const MOST_BYTES = 200;

/** As the server writes it: no spaces around it, and one at a time within. @param {string} text */
export const tidy = (text) => text.trim().replace(/\s+/g, ' ');

/** Whether the server may take it: 1–20 characters as people count them, so a flag or a letter with its marks is one. @param {string} name */
export function fits(name) {
  if (name === '' || new TextEncoder().encode(name).length > MOST_BYTES) return false;
  // Where the browser cannot count like that, the server does.
  if (!('Segmenter' in Intl)) return true;
  return [...new Intl.Segmenter().segment(name)].length <= MOST_CHARACTERS;
}
