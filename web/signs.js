// Says that it is your turn where the eye or ear is: the title, the icon, one short sound, a vibration.

import { asset } from './base.js';
import { settings } from './device.js';

/** @type {AudioContext | null} */
let audio = null;

/** Browsers only allow sound after a touch: the first one wakes it. */
export function readySound() {
  const wake = () => {
    try {
      audio ??= new AudioContext();
      if (audio.state === 'suspended') void audio.resume();
    } catch {
      // No sound on this device.
    }
  };
  addEventListener('pointerdown', wake, { passive: true });
  addEventListener('keydown', wake, { passive: true });
}

/** Two soft notes, a fourth apart. */
export function chime() {
  if (!audio || audio.state !== 'running') return;
  const start = audio.currentTime;
  for (const [at, pitch] of [[0, 587.33], [0.11, 783.99]]) {
    const tone = audio.createOscillator();
    const level = audio.createGain();
    tone.type = 'triangle';
    tone.frequency.value = pitch;
    level.gain.setValueAtTime(0, start + at);
    level.gain.linearRampToValueAtTime(0.12, start + at + 0.015);
    level.gain.exponentialRampToValueAtTime(0.0008, start + at + 0.38);
    tone.connect(level).connect(audio.destination);
    tone.start(start + at);
    tone.stop(start + at + 0.4);
  }
}

/** Once, when the turn comes to this seat. */
export function callToTurn() {
  const { sound, vibration } = settings();
  if (sound) chime();
  // Before the first touch browsers refuse, and say so in the console.
  if (vibration && 'vibrate' in navigator && navigator.userActivation?.hasBeenActive) navigator.vibrate([40, 60, 40]);
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
