// Texts of the page, from flat catalogues. English is the fallback for missing keys.

import { backoff, growingTimeout, delay } from './retry.js';

/** Languages with catalogues `i18n/{code}.json` and `i18n/{part}/{code}.json`. @type {Record<string, string>} */
export const LANGUAGES = { en: 'English', de: 'Deutsch', hu: 'Magyar', lt: 'Lietuvių', pl: 'Polski' };

/** @typedef {string | Record<string, string>} Entry */
/**
 * Keys of the English catalogues, for the type checker.
 * @typedef {keyof typeof import('./i18n/en.json') | keyof typeof import('./i18n/room/en.json') | keyof typeof
 *   import('./i18n/more/en.json') | import('./games/index.js').Key} Key
 */

/** @type {Record<string, Entry>} */
let english = {};
/** @type {Record<string, Entry>} */
let words = {};
let current = 'en';
/** Last requested language, which may still be loading. */
let wanted = 'en';
/** Folders of the catalogues in use. The first one has what every visitor needs. */
const folders = [''];
/**
 * The catalogues of the wanted language, by folder. Another language has a new object.
 * @type {Record<string, Promise<Record<string, Entry> | null>>}
 */
let requested = {};
let ready = false;
let plural = new Intl.PluralRules('en');
let lists = new Intl.ListFormat('en');

/** A catalogue is a few kilobytes. */
const CATALOGUE_MS = 8000;

/**
 * Loads a catalogue, with retries: without texts the page is useless. Returns null when it is no longer wanted.
 * @param {string} path
 * @param {() => boolean} stillWanted
 * @returns {Promise<Record<string, Entry> | null>}
 */
async function catalogue(path, stillWanted) {
  for (let misses = 0; ; misses++) {
    if (misses) await delay(backoff(misses));
    if (!stillWanted()) return null;
    try {
      const signal = AbortSignal.timeout(growingTimeout(CATALOGUE_MS, misses));
      const response = await fetch(new URL(`./i18n/${path}.json`, import.meta.url), { signal });
      if (response.ok) return await response.json();
    } catch {
      // Any failure may be temporary.
    }
  }
}

/** Loads the catalogue of a game or of a part of the page as well. @param {string} part */
export function loadPartCatalogue(part) {
  if (!folders.includes(`${part}/`)) folders.push(`${part}/`);
  return loadCatalogues();
}

/** Loads a language. Until then, the previous one is used. @param {string} code */
export function setLanguage(code) {
  const known = code in LANGUAGES ? code : 'en';
  if (known !== wanted) requested = {};
  wanted = known;
  return loadCatalogues();
}

/** Loads what is missing of the wanted language. @returns {Promise<void>} */
async function loadCatalogues() {
  const code = wanted;
  const mine = requested;
  const stillWanted = () => mine === requested;
  const all = await Promise.all(folders.map((folder) => (mine[folder] ??= catalogue(folder + code, stillWanted))));
  if (!stillWanted()) return loadCatalogues();
  const own = Object.assign({}, ...all);
  setCatalogues(code, code === 'en' ? own : english, own);
  document.documentElement.lang = code;
}

/** Whether the fallback has been requested. Complete catalogues never need it, so it is not loaded in advance. */
let fallbackRequested = false;
let fallbackLoaded = () => {};

/** Sets the callback for missing texts that have been loaded. @param {() => void} then */
export const onFallbackLoaded = (then) => {
  fallbackLoaded = then;
};

async function loadFallback() {
  fallbackRequested = true;
  english = (await catalogue('en', () => true)) ?? english;
  ready = true;
  fallbackLoaded();
}

/**
 * @param {string} code
 * @param {Record<string, Entry>} fallback
 * @param {Record<string, Entry>} own
 */
export function setCatalogues(code, fallback, own) {
  current = code;
  ready = true;
  english = fallback;
  words = own;
  plural = new Intl.PluralRules(code);
  lists = new Intl.ListFormat(code);
}

/** The best language for this browser. @param {readonly string[]} wanted */
export function bestLanguage(wanted) {
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]).find((code) => code in LANGUAGES) ?? 'en';
}

export const language = () => current;

/** Whether there are any texts yet. */
export const hasCatalogue = () => ready;

/**
 * Whether there is a text for a key that is not checked by the type checker.
 * @param {string} key
 * @returns {key is Key}
 */
export const has = (key) => key in words || key in english;

/**
 * The text of a key. With plural forms (`{"one": …, "other": …}`) `count` chooses the form.
 * @param {Key} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const entry = words[key] ?? english[key];
  if (entry === undefined) {
    if (wanted !== 'en' && !fallbackRequested) void loadFallback();
    // Without any texts, show the key: keys are named after their texts.
    return ready ? key : key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' ');
  }
  const text = typeof entry === 'string' ? entry : (entry[plural.select(Number(params.count))] ?? entry.other);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? isolated(String(params[name])) : whole));
}

/** A right-to-left name must not change the direction of the sentence around it. @param {string} text */
const isolated = (text) => (/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text);

/**
 * The text of an unchecked key, or of another one if it does not exist.
 * @param {string} key
 * @param {Key} otherwise
 */
export const tOr = (key, otherwise) => t(has(key) ? key : otherwise);

/** A game unknown to this page is shown by its id. @param {string} id */
export function gameName(id) {
  const key = `game.${id}`;
  return has(key) ? t(key) : id;
}

/** "Ana, Mira and Tomas". @param {string[]} items */
export const formatList = (items) => lists.format(items);

/** A number with a true minus sign. @param {number} value */
export const formatSigned = (value) => (value < 0 ? `−${-value}` : String(value));

/** Minutes and seconds, or hours and minutes. @param {number} ms */
export function formatDuration(ms) {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60)
    return t('hours', { time: `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}` });
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
