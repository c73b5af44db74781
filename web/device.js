// What this device remembers: a name, settings, and the tokens of seats taken here. Nothing else is kept anywhere.

/** @typedef {{language: string | null, volume: number, vibration: boolean, mark: boolean, aid: boolean, talk: boolean, muted: string[], motion: 'system' | 'less', theme: 'dark' | 'light' | 'device', type: 'normal' | 'large'}} Settings */
/** @typedef {{token: string, name: string, at: number, missed?: number}} KeptSeat */

/** @type {Settings} */
const DEFAULTS = { language: null, volume: 60, vibration: true, mark: true, aid: true, talk: true, muted: [], motion: 'system', theme: 'dark', type: 'normal' };

/** Seats kept at most; the oldest are forgotten first. */
const SEATS_KEPT = 20;

/** What storage did not take: it lasts as long as the page. @type {Map<string, string>} */
const untaken = new Map();

/** @template T @param {string} key @param {T} fallback @returns {T} */
function read(key, fallback) {
  try {
    const text = untaken.get(key) ?? localStorage.getItem(`rookery.${key}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    // Storage may be forbidden or hold something old; the page works without it.
    return fallback;
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(`rookery.${key}`, text);
    untaken.delete(key);
  } catch {
    // Private windows may refuse.
    untaken.set(key, text);
  }
}

export const rememberedName = () => String(read('name', ''));
/** @param {string} name */
export const rememberName = (name) => write('name', name);

/** The game chosen last, of those there are. @template {string} Id @param {Id[]} games */
export function rememberedGame(games) {
  const game = read('game', '');
  return games.find((id) => id === game) ?? games[0];
}
/** @param {string} game */
export const rememberGame = (game) => write('game', game);

/** A name for somebody who gave none, the same one every time. @param {string[]} names those to choose from */
export function guestName(names) {
  const name = read('guest', '') || names[Math.floor(Math.random() * names.length)];
  write('guest', name);
  return name;
}

export const LEVELS = /** @type {const} */ (['easy', 'casual', 'normal', 'hard']);
/** @typedef {{bots: number, level: typeof LEVELS[number]}} Against */

/** Whom to play against where nobody else is: how many bots, and how good they are. @returns {Against} */
export const against = () => ({ bots: 2, level: 'normal', ...read('against', {}) });
/** @param {Partial<Against>} change */
export const rememberAgainst = (change) => write('against', { ...against(), ...change });

/** Before there was a volume, sound was on or off. @returns {Settings} */
export function settings() {
  const { sound, ...kept } = read('settings', /** @type {Partial<Settings> & {sound?: boolean}} */ ({}));
  return { ...DEFAULTS, ...(sound === false ? { volume: 0 } : {}), ...kept };
}
/** @param {Partial<Settings>} change */
export const changeSettings = (change) => write('settings', { ...settings(), ...change });

/** Whether reactions and bubbles of this person are wanted on this device. @param {string} name */
export function hears(name) {
  const { talk, muted } = settings();
  return talk && !muted.includes(name);
}

/** So many muted names are remembered. */
const MUTED_KEPT = 50;

/** @param {string} name @param {boolean} on */
export const mute = (name, on) => ({ muted: [...(on ? [name] : []), ...settings().muted.filter((each) => each !== name)].slice(0, MUTED_KEPT) });

/** Whoever is muted stays so under another name. @param {string} was @param {string} name */
export const muteFollows = (was, name) => settings().muted.includes(was) && changeSettings(mute(name, true));

/** @returns {Record<string, KeptSeat>} */
export const keptSeats = () => read('seats', {});

/** @param {string} code */
export const tokenFor = (code) => keptSeats()[code]?.token ?? null;

/** @param {string} code @param {string} token @param {string} name */
export function keepSeat(code, token, name) {
  const seats = { ...keptSeats(), [code]: { token, name, at: Date.now() } };
  const newest = Object.entries(seats).sort(([, a], [, b]) => b.at - a.at).slice(0, SEATS_KEPT);
  write('seats', Object.fromEntries(newest));
}

/** A server may not find a room while its database fails over: only one that is still not found later is gone. */
const GONE_MS = 600000;

/** The server does not find the room of this seat. @param {string} code */
export function missSeat(code) {
  const seats = keptSeats();
  const seat = seats[code];
  if (!seat) return;
  seat.missed ??= Date.now();
  if (Date.now() - seat.missed < GONE_MS) write('seats', seats);
  else forgetSeat(code);
}

/** @param {string} code */
export function forgetSeat(code) {
  const { [code]: _, ...rest } = keptSeats();
  write('seats', rest);
}

/** What this device saw before a game: what the server was bound to, and the salt it gave itself. @typedef {{code: string, version: number, commitment: string, salt: string}} KeptDeal */

/** The newest first. @returns {KeptDeal[]} */
export const keptDeals = () => read('deals', []);

/** @param {KeptDeal} deal */
export const keepDeal = (deal) => write('deals', [deal, ...keptDeals()].slice(0, SEATS_KEPT));

/** Chance this device adds to the deal. */
export function freshSalt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether things should fade instead of fly. */
export const stillMotion = () => settings().motion === 'less' || matchMedia('(prefers-reduced-motion: reduce)').matches;
