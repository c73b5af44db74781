// Animates moves: an element with the same `data-fly` before and after a change glides from the old place to the new
// one. With reduced motion it fades instead.

import { reducedMotion } from './device.js';

const FLIGHT_MS = 220;

/**
 * Runs `change` and animates what it moved.
 * @param {Element} root
 * @param {() => void} change
 */
export function animateMoves(root, change) {
  /** @type {Map<string, DOMRect>} */
  const left = new Map();
  /** @type {Map<Element, {id: string, rect: DOMRect}>} */
  const stood = new Map();
  for (const el of movable(root)) {
    const rect = el.getBoundingClientRect();
    stood.set(el, { id: idOf(el), rect });
    // A paper card is preferred to a tower's top: with four or five players equal cards exist twice.
    if (!left.has(idOf(el)) || el.classList.contains('card')) left.set(idOf(el), rect);
  }
  change();
  const calm = reducedMotion();
  for (const el of movable(root)) {
    const before = stood.get(el);
    const from = before?.id === idOf(el) ? before.rect : left.get(idOf(el));
    const to = el.getBoundingClientRect();
    if (!to.width || el.closest('dialog')) continue;
    if (calm) {
      if (before?.id !== idOf(el)) el.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FLIGHT_MS });
    } else if (from?.width) {
      glide(el, from, to);
    } else if (stood.size && el.classList.contains('card')) {
      el.animate(
        [
          { opacity: 0, transform: 'translateY(-12px)' },
          { opacity: 1, transform: 'none' },
        ],
        { duration: FLIGHT_MS, easing: 'ease-out' },
      );
    }
  }
}

/** @param {Element} el @param {DOMRect} from @param {DOMRect} to */
function glide(el, from, to) {
  const x = from.left - to.left;
  const y = from.top - to.top;
  if (Math.abs(x) < 1 && Math.abs(y) < 1) return;
  // A wide card that becomes a thin strip is scaled little, so that numerals are not squashed.
  const scale = Math.min(1.6, Math.max(0.6, from.width / to.width));
  el.animate(
    [
      {
        transform: `translate(${x + (from.width - to.width * scale) / 2}px, ${y + (from.height - to.height * scale) / 2}px) scale(${scale})`,
        zIndex: 5,
      },
      { transform: 'none', zIndex: 5 },
    ],
    { duration: FLIGHT_MS, easing: 'cubic-bezier(.2,.7,.2,1)' },
  );
}

/** @param {Element} root */
const movable = (root) => root.querySelectorAll('[data-fly]');
/** @param {Element} el */
const idOf = (el) => el.getAttribute('data-fly') ?? '';
