// Short synthesised sounds (WebAudio), few at once. Loaded with the first tap if sound is on. A game says which event
// makes which sound.

/**
 * A voice: waveform, start, first and last pitch, duration (in seconds and hertz), and loudness.
 * @typedef {['triangle' | 'sine' | 'noise', number, number, number, number, number]} Voice
 */
/** @typedef {import('./games/types.js').Event} Event */
/** @typedef {'win' | 'demolition' | 'roof' | 'dice' | 'bid' | 'card' | 'turn'} Sound */

/** The most important first: of several at once only the first are played. @type {Record<Sound, Voice[]>} */
export const SOUNDS = {
  win: [
    ['triangle', 0, 523, 523, 0.3, 0.14],
    ['triangle', 0.12, 659, 659, 0.3, 0.14],
    ['triangle', 0.24, 784, 784, 0.3, 0.14],
    ['triangle', 0.36, 1047, 1047, 0.55, 0.18],
    ['sine', 0.36, 523, 523, 0.55, 0.12],
  ],
  demolition: [
    ['noise', 0, 900, 120, 0.5, 0.45],
    ['sine', 0, 130, 42, 0.45, 0.25],
  ],
  roof: [
    ['triangle', 0, 392, 392, 0.16, 0.12],
    ['triangle', 0.08, 523, 523, 0.18, 0.12],
    ['triangle', 0.16, 784, 784, 0.4, 0.14],
  ],
  dice: [
    ['noise', 0, 2600, 2200, 0.05, 0.5],
    ['noise', 0.07, 3100, 2500, 0.05, 0.4],
    ['noise', 0.12, 2400, 1900, 0.05, 0.5],
    ['noise', 0.2, 2800, 2100, 0.05, 0.3],
    ['noise', 0.29, 2200, 1700, 0.06, 0.4],
  ],
  bid: [
    ['sine', 0, 330, 294, 0.12, 0.3],
    ['noise', 0, 1800, 900, 0.03, 0.2],
  ],
  card: [
    ['noise', 0, 3200, 1300, 0.09, 0.35],
    ['sine', 0.06, 196, 147, 0.07, 0.2],
  ],
  turn: [
    ['triangle', 0, 587, 587, 0.38, 0.12],
    ['triangle', 0.11, 784, 784, 0.38, 0.12],
  ],
};

const NAMES = /** @type {Sound[]} */ (Object.keys(SOUNDS));
/** Number of sounds played for events that happen together, and their distance. A sound is not repeated within it. */
const MOST = 2;
const APART_S = 0.12;

/**
 * The sounds of these events.
 * @param {Event[]} events
 * @param {((event: Event) => Sound | null | undefined) | undefined} said sounds of the game
 */
export function soundsOf(events, said) {
  const made = new Set(events.map((event) => said?.(event)));
  return NAMES.filter((name) => made.has(name)).slice(0, MOST);
}

/** When each was last played. @type {Partial<Record<Sound, number>>} */
const begun = {};

/**
 * Plays sounds one shortly after the other.
 * @param {BaseAudioContext} audio
 * @param {Sound[]} names
 * @param {number} volume 0 to 100
 */
export function play(audio, names, volume) {
  const all = audio.createGain();
  // Perceived loudness is roughly quadratic: half the slider should sound half as loud.
  all.gain.value = (volume / 100) ** 2 * 2;
  all.connect(audio.destination);
  names.forEach((name, i) => {
    const start = audio.currentTime + i * APART_S;
    if (start - (begun[name] ?? -1) < APART_S && audio.currentTime) return;
    begun[name] = start;
    for (const voice of SOUNDS[name]) ring(audio, all, voice, start);
  });
}

/** @param {BaseAudioContext} audio @param {AudioNode} out @param {Voice} voice @param {number} start */
function ring(audio, out, [wave, at, from, to, long, loud], start) {
  const level = audio.createGain();
  const begin = start + at;
  level.gain.setValueAtTime(0, begin);
  level.gain.linearRampToValueAtTime(loud, begin + Math.min(0.012, long / 4));
  level.gain.exponentialRampToValueAtTime(0.0008, begin + long);
  level.connect(out);
  const [source, pitch] = wave === 'noise' ? rustle(audio, level) : tone(audio, wave, level);
  pitch.setValueAtTime(from, begin);
  pitch.exponentialRampToValueAtTime(to, begin + long);
  source.start(begin);
  source.stop(begin + long);
}

/**
 * @param {BaseAudioContext} audio
 * @param {OscillatorType} wave
 * @param {AudioNode} out
 * @returns {[AudioScheduledSourceNode, AudioParam]}
 */
function tone(audio, wave, out) {
  const source = audio.createOscillator();
  source.type = wave;
  source.connect(out);
  return [source, source.frequency];
}

/**
 * Noise around a pitch.
 * @param {BaseAudioContext} audio
 * @param {AudioNode} out
 * @returns {[AudioScheduledSourceNode, AudioParam]}
 */
function rustle(audio, out) {
  const grains = audio.createBuffer(1, audio.sampleRate / 2, audio.sampleRate);
  const values = grains.getChannelData(0);
  for (let i = 0; i < values.length; i++) values[i] = Math.random() * 2 - 1;
  const source = audio.createBufferSource();
  source.buffer = grains;
  const band = audio.createBiquadFilter();
  band.type = 'bandpass';
  source.connect(band).connect(out);
  return [source, band.frequency];
}
