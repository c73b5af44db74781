// Alerts a player to their turn: title, icon, a short sound, a vibration. It also plays the game's sounds.

import { assetUrl } from './urls.js';
import { settings } from './device.js';

/** @type {AudioContext | null} */
let audio = null;
/** @type {typeof import('./sounds.js') | null} */
let sounds = null;

/**
 * Autoplay policy: browsers allow sound only after a user gesture, and a touch counts when the finger is lifted. So the
 * first gesture loads the sounds, if sound is on.
 */
export function prepareSound() {
  addEventListener('pointerup', unlockAudio, { passive: true });
  addEventListener('keydown', unlockAudio, { passive: true });
}

async function unlockAudio() {
  if (!settings().volume || (sounds && audio?.state === 'running')) return;
  try {
    audio ??= new AudioContext();
    [sounds] = await Promise.all([import('./sounds.js'), audio.resume()]);
  } catch {
    // This device has no sound, or not yet.
  }
}

/** Plays a sample of the chosen volume. */
export const playSample = () => void unlockAudio().then(() => playSound('turn'));

/** @param {import('./sounds.js').Sound[]} names */
export function playSound(...names) {
  const { volume } = settings();
  if (volume && sounds && audio?.state === 'running') sounds.play(audio, names, volume);
}

/**
 * Plays the sounds of these events.
 * @param {import('./games/types.js').Event[]} events
 * @param {import('./view.js').GameUi | null} gameUi
 */
export const playEventSounds = (events, gameUi) => playSound(...(sounds?.soundsOf(events, gameUi?.sound) ?? []));

/** Alerts once when the turn comes to this seat. */
export function alertTurn() {
  playSound('turn');
  // Before the first user gesture browsers refuse, and log it.
  if (settings().vibration && 'vibrate' in navigator && navigator.userActivation?.hasBeenActive)
    navigator.vibrate([40, 60, 40]);
}

let iconIsMarked = false;

/**
 * Sets the title and icon. The mark does not blink.
 * @param {string} title
 * @param {boolean} yours
 */
export function setTitle(title, yours) {
  const marked = yours && settings().mark;
  const text = marked ? `● ${title}` : title;
  if (document.title !== text) document.title = text;
  if (marked === iconIsMarked) return;
  iconIsMarked = marked;
  const icon = /** @type {HTMLLinkElement | null} */ (document.getElementById('icon'));
  if (icon) icon.href = assetUrl(`./icons/${marked ? 'icon-turn' : 'icon'}.svg`);
}
