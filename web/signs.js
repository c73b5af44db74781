// Says that it is your turn where the eye or ear is: the title, the icon, one short sound, a vibration. And has the
// sounds of the table played.

import { asset } from './base.js';
import { settings } from './device.js';

/** @type {AudioContext | null} */
let audio = null;
/** @type {typeof import('./sounds.js') | null} */
let sounds = null;

/**
 * Autoplay policy: browsers allow sound after a touch only, and complain about whoever tries before. So the first one wakes it, where
 * somebody wants to hear anything; and with a finger it is a touch when that is lifted.
 */
export function readySound() {
  addEventListener('pointerup', wake, { passive: true });
  addEventListener('keydown', wake, { passive: true });
}

async function wake() {
  if (!settings().volume || (sounds && audio?.state === 'running')) return;
  try {
    audio ??= new AudioContext();
    [sounds] = await Promise.all([import('./sounds.js'), audio.resume()]);
  } catch {
    // No sound on this device, or none yet.
  }
}

/** What the volume that was just chosen sounds like. */
export const sample = () => void wake().then(() => sound('turn'));

/** @param {import('./sounds.js').Sound[]} names */
export function sound(...names) {
  const { volume } = settings();
  if (volume && sounds && audio?.state === 'running') sounds.play(audio, names, volume);
}

/** What happened, as far as it makes a sound in this game. @param {any[]} events @param {import('./view.js').Face | null} face */
export const soundEvents = (events, face) => sound(...sounds?.soundsOf(events, face?.sound) ?? []);

/** Once, when the turn comes to this seat. */
export function callToTurn() {
  sound('turn');
  // Before the first touch browsers refuse, and say so in the console.
  if (settings().vibration && 'vibrate' in navigator && navigator.userActivation?.hasBeenActive) navigator.vibrate([40, 60, 40]);
}

let iconIsMarked = false;

/** A still mark, not a blinking one. @param {string} title @param {boolean} yours */
export function markTitle(title, yours) {
  const marked = yours && settings().mark;
  const text = marked ? `● ${title}` : title;
  if (document.title !== text) document.title = text;
  if (marked === iconIsMarked) return;
  iconIsMarked = marked;
  const icon = /** @type {HTMLLinkElement | null} */ (document.getElementById('icon'));
  if (icon) icon.href = asset(`./icons/${marked ? 'icon-turn' : 'icon'}.svg`);
}
