// Which names are valid, as far as the page can tell. The server has the last word.

/** Maximum length in characters as people count them. */
const MOST_CHARACTERS = 20;
/** Limits the length of combined characters, as the server does. */
export const MOST_BYTES = 200;

/** Trims and collapses spaces, as the server does. @param {string} text */
export const normalizeName = (text) => text.trim().replace(/\s+/g, ' ');

/**
 * Whether a name has 1–20 characters as people count them: a flag or a letter with its marks is one.
 * @param {string} name
 */
export function isValidName(name) {
  if (name === '' || new TextEncoder().encode(name).length > MOST_BYTES) return false;
  // Without `Intl.Segmenter`, only the server checks.
  if (!('Segmenter' in Intl)) return true;
  return [...new Intl.Segmenter().segment(name)].length <= MOST_CHARACTERS;
}
