// Keyboard control of the whole page: letters and numbers play, `?` lists the keys.

/** @typedef {import('./view.js').View} View */

/** @param {() => View} look */
export function listenForKeys(look) {
  /** Target of the keydown of the key that is held. @type {EventTarget | null} */
  let began = null;
  addEventListener('keydown', (event) => {
    // Ignores key repeat. Otherwise the browser would press whatever has the focus by now, with every repeated Enter or
    // with the release of Space. Only arrows repeat.
    if (!event.repeat) began = event.target;
    else if (event.key === 'Enter' || (event.key === ' ' && event.target !== began)) event.preventDefault();
    if (event.repeat && !event.key.startsWith('Arrow')) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest('input:not([type=radio],[type=checkbox]), textarea, select')) return;
    const view = look();
    if (view.ui.sheet) return;
    if (event.key === '?') {
      event.preventDefault();
      return view.commands.open({ name: 'keys' });
    }
    if (view.ui.moment !== null) {
      if (view.past?.pressed(view, event.key)) event.preventDefault();
      return;
    }
    if (!view.table || view.known.room?.phase !== 'playing') return;
    if (
      view.gameUi?.key(view, event.key) ||
      ((/^h$/i.test(event.key) || (event.key === ' ' && !target.closest('button'))) && view.commands.hurry())
    )
      event.preventDefault();
  });
}

/** @param {string} stops @returns {HTMLElement[]} */
const all = (stops) => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(stops))];

/**
 * Presses the control of the bar with this shortcut.
 * @param {string} key
 * @returns {boolean} whether there is one
 */
export function pressShortcut(key) {
  const control = all('.bar [aria-keyshortcuts]').find(
    (each) => each.getAttribute('aria-keyshortcuts') === key.toUpperCase(),
  );
  control?.click();
  return control !== undefined;
}

/**
 * Presses the element at this position.
 * @param {string} stops
 * @param {number} at
 * @returns {boolean} whether there is one
 */
export function pressAt(stops, at) {
  const stop = all(stops)[at];
  stop?.focus();
  stop?.click();
  return stop !== undefined;
}

/**
 * Moves the focus by this number of elements, wrapping around.
 * @param {string} stops
 * @param {number} by
 * @returns {boolean} whether there are any
 */
export function walk(stops, by) {
  const found = all(stops);
  const at = found.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length]?.focus();
  return found.length > 0;
}
