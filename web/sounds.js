// The sounds of the table: short, synthesised (WebAudio), and few at once. Fetched with the first tap of whoever wants to hear them. It knows
// neither a game nor who listens: a game's face says which event makes which sound.

/** A voice: its wave, when it begins, its pitch at first and at last, how long it rings (all in seconds and hertz), how loud. @typedef {['triangle' | 'sine' | 'noise', number, number, number, number, number]} Voice */
/** @typedef {'win' | 'demolition' | 'roof' | 'dice' | 'bid' | 'card' | 'turn'} Sound */

/** What matters most comes first: of several at once only the first are heard. @type {Record<Sound, Voice[]>} */
export const SOUNDS = {
  win: [['triangle', 0, 523, 523, .3, .14], ['triangle', .12, 659, 659, .3, .14], ['triangle', .24, 784, 784, .3, .14], ['triangle', .36, 1047, 1047, .55, .18], ['sine', .36, 523, 523, .55, .12]],
  demolition: [['noise', 0, 900, 120, .5, .45], ['sine', 0, 130, 42, .45, .25]],
  roof: [['triangle', 0, 392, 392, .16, .12], ['triangle', .08, 523, 523, .18, .12], ['triangle', .16, 784, 784, .4, .14]],
  dice: [['noise', 0, 2600, 2200, .05, .5], ['noise', .07, 3100, 2500, .05, .4], ['noise', .12, 2400, 1900, .05, .5], ['noise', .2, 2800, 2100, .05, .3], ['noise', .29, 2200, 1700, .06, .4]],
  bid: [['sine', 0, 330, 294, .12, .3], ['noise', 0, 1800, 900, .03, .2]],
  card: [['noise', 0, 3200, 1300, .09, .35], ['sine', .06, 196, 147, .07, .2]],
  turn: [['triangle', 0, 587, 587, .38, .12], ['triangle', .11, 784, 784, .38, .12]],
};

const NAMES = /** @type {Sound[]} */ (Object.keys(SOUNDS));
/** Of what happens together so many are heard, one after the other, and the same one not again at once. */
const MOST = 2;
const APART_S = .12;

/** Which sounds a piece of news makes. @param {any[]} events @param {((event: any) => Sound | null | undefined) | undefined} said by the game's face */
export function soundsOf(events, said) {
  const made = new Set(events.map((event) => said?.(event)));
  return NAMES.filter((name) => made.has(name)).slice(0, MOST);
}

/** When each was last begun. @type {Partial<Record<Sound, number>>} */
const begun = {};

/**
 * Plays them one shortly after the other.
 * @param {BaseAudioContext} audio
 * @param {Sound[]} names
 * @param {number} volume 0 to 100
 */
export function play(audio, names, volume) {
  const all = audio.createGain();
  // The ear hears loudness by powers: half the way should sound half as loud.
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
  level.gain.linearRampToValueAtTime(loud, begin + Math.min(.012, long / 4));
  level.gain.exponentialRampToValueAtTime(.0008, begin + long);
  level.connect(out);
  const [source, pitch] = wave === 'noise' ? rustle(audio, level) : tone(audio, wave, level);
  pitch.setValueAtTime(from, begin);
  pitch.exponentialRampToValueAtTime(to, begin + long);
  source.start(begin);
  source.stop(begin + long);
}

/** @param {BaseAudioContext} audio @param {OscillatorType} wave @param {AudioNode} out @returns {[AudioScheduledSourceNode, AudioParam]} */
function tone(audio, wave, out) {
  const source = audio.createOscillator();
  source.type = wave;
  source.connect(out);
  return [source, source.frequency];
}

/** Noise around a pitch. @param {BaseAudioContext} audio @param {AudioNode} out @returns {[AudioScheduledSourceNode, AudioParam]} */
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
