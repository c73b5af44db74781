// What this device remembers: a name, settings, and the tokens of seats taken here.

/**
 * @typedef {{language: string | null, volume: number, vibration: boolean, mark: boolean, aid: boolean, talk: boolean,
 *   muted: string[], motion: 'system' | 'less', theme: 'dark' | 'light' | 'device', type: 'normal' | 'large'}} Settings
 */
/** @typedef {{token: string, name: string, at: number, missed?: number}} SavedSeat */

/** @type {Settings} */
const DEFAULTS = {
  language: null,
  volume: 60,
  vibration: true,
  mark: true,
  aid: true,
  talk: true,
  muted: [],
  motion: 'system',
  theme: 'dark',
  type: 'normal',
};

/** Maximum number of saved seats. The oldest are forgotten first. */
const SEATS_KEPT = 20;

/** What could not be stored. It lasts as long as the page. @type {Map<string, string>} */
const unsaved = new Map();

/** @template T @param {string} key @param {T} fallback @returns {T} */
function read(key, fallback) {
  try {
    const text = unsaved.get(key) ?? localStorage.getItem(`rookery.${key}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    // Storage may be forbidden or contain something old. The page works without it.
    return fallback;
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(`rookery.${key}`, text);
    unsaved.delete(key);
  } catch {
    // Private windows may refuse to store anything.
    unsaved.set(key, text);
  }
}

export const rememberedName = () => String(read('name', ''));
/** @param {string} name */
export const rememberName = (name) => write('name', name);

/**
 * The last chosen game that still exists.
 * @template {string} Id
 * @param {Id[]} games
 */
export function rememberedGame(games) {
  const game = read('game', '');
  return games.find((id) => id === game) ?? games[0];
}
/** @param {string} game */
export const rememberGame = (game) => write('game', game);

/**
 * A name for a player who has not given one, always the same on this device.
 * @param {string[]} names the names to choose from
 */
export function guestName(names) {
  const name = read('guest', '') || names[Math.floor(Math.random() * names.length)];
  write('guest', name);
  return name;
}

export const LEVELS = /** @type {const} */ (['easy', 'casual', 'normal', 'hard']);
/** @typedef {{bots: number, level: typeof LEVELS[number]}} BotSettings */

/** Number and level of bots to play against. @returns {BotSettings} */
export const botSettings = () => ({ bots: 2, level: 'normal', ...read('against', {}) });
/** @param {Partial<BotSettings>} change */
export const rememberBotSettings = (change) => write('against', { ...botSettings(), ...change });

/** Before there was a volume, sound was on or off. @returns {Settings} */
export function settings() {
  const { sound, ...kept } = read('settings', /** @type {Partial<Settings> & {sound?: boolean}} */ ({}));
  return { ...DEFAULTS, ...(sound === false ? { volume: 0 } : {}), ...kept };
}
/** @param {Partial<Settings>} change */
export const changeSettings = (change) => write('settings', { ...settings(), ...change });

/** Whether reactions and bubbles of this player are shown on this device. @param {string} name */
export function isHeard(name) {
  const { talk, muted } = settings();
  return talk && !muted.includes(name);
}

/** Maximum number of remembered muted names. */
const MUTED_KEPT = 50;

/** @param {string} name @param {boolean} on */
export const mutedWith = (name, on) => ({
  muted: [...(on ? [name] : []), ...settings().muted.filter((each) => each !== name)].slice(0, MUTED_KEPT),
});

/**
 * A muted player stays muted under a new name.
 * @param {string} was
 * @param {string} name
 */
export const renameMuted = (was, name) => settings().muted.includes(was) && changeSettings(mutedWith(name, true));

/** @returns {Record<string, SavedSeat>} */
export const savedSeats = () => read('seats', {});

/** @param {string} code */
export const tokenFor = (code) => savedSeats()[code]?.token ?? null;

/** @param {string} code @param {string} token @param {string} name */
export function saveSeat(code, token, name) {
  const seats = { ...savedSeats(), [code]: { token, name, at: Date.now() } };
  const newest = Object.entries(seats)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, SEATS_KEPT);
  write('seats', Object.fromEntries(newest));
}

/**
 * A server may not find a room while its database fails over, so a seat is forgotten only if the room is still missing
 * after this time.
 */
const GONE_MS = 600000;

/** Notes that the server does not find the room of this seat. @param {string} code */
export function noteMissingRoom(code) {
  const seats = savedSeats();
  const seat = seats[code];
  if (!seat) return;
  seat.missed ??= Date.now();
  if (Date.now() - seat.missed < GONE_MS) write('seats', seats);
  else forgetSeat(code);
}

/** @param {string} code */
export function forgetSeat(code) {
  const { [code]: _, ...rest } = savedSeats();
  write('seats', rest);
}

/**
 * What this device saw before a game: the server's commitment, and the salt of this device.
 * @typedef {{code: string, version: number, commitment: string, salt: string}} SavedDeal
 */

/** Saved deals, newest first. @returns {SavedDeal[]} */
export const savedDeals = () => read('deals', []);

/** @param {SavedDeal} deal */
export const saveDeal = (deal) => write('deals', [deal, ...savedDeals()].slice(0, SEATS_KEPT));

/** Random salt that this device adds to the deal. */
export function newSalt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether elements should fade instead of move. */
export const reducedMotion = () =>
  settings().motion === 'less' || matchMedia('(prefers-reduced-motion: reduce)').matches;
