// The keyboard, for the whole page: letters and numbers play, `?` shows them.

/** @typedef {import('./view.js').View} View */

/** @param {() => View} look */
export function listenToKeys(look) {
  /** Where the key that is down went down. @type {EventTarget | null} */
  let began = null;
  addEventListener('keydown', (event) => {
    // Key repeat: whoever holds a key down has pressed it once. The browser would press the button that has the focus by now, again with
    // each Enter, and with Space the one it is let go on. Arrows only walk.
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
      return view.acts.open({ name: 'keys' });
    }
    if (view.ui.moment !== null) {
      if (view.past?.pressed(view, event.key)) event.preventDefault();
      return;
    }
    if (!view.table || view.known.room?.phase !== 'playing') return;
    if (view.face?.key(view, event.key) || ((/^h$/i.test(event.key) || (event.key === ' ' && !target.closest('button'))) && view.acts.hurry())) event.preventDefault();
  });
}

/** @param {string} stops @returns {HTMLElement[]} */
const all = (stops) => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(stops))];

/** Presses the control of the bar that names this key as its shortcut. @param {string} key @returns {boolean} whether there is one */
export function pressShortcut(key) {
  const control = all('.bar [aria-keyshortcuts]').find((each) => each.getAttribute('aria-keyshortcuts') === key.toUpperCase());
  control?.click();
  return control !== undefined;
}

/** A number presses what stands at that place. @param {string} stops @param {number} at @returns {boolean} whether something does */
export function pressAt(stops, at) {
  const stop = all(stops)[at];
  stop?.focus();
  stop?.click();
  return stop !== undefined;
}

/** An arrow walks on, and round at the end. @param {string} stops @param {number} by @returns {boolean} whether there is anything to walk to */
export function walk(stops, by) {
  const found = all(stops);
  const at = found.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length]?.focus();
  return found.length > 0;
}
