// Everything people read, from flat catalogues. English stands in for a key that a language lacks.

import { backoff, inTime, patience, pause } from './patience.js';

/** The languages on offer: each has a catalogue `i18n/{code}.json`. @type {Record<string, string>} */
export const LANGUAGES = { en: 'English', de: 'Deutsch', hu: 'Magyar', lt: 'Lietuvių', pl: 'Polski' };

/** @typedef {string | Record<string, string>} Entry */
/** What can be said: the keys of the English catalogues, so that the type checker knows a wrong one. @typedef {keyof typeof import('./i18n/en.json') | keyof typeof import('./i18n/after/en.json') | keyof typeof import('./i18n/lesson/en.json') | keyof typeof import('./i18n/more/en.json')} Key */

/** @type {Record<string, Entry>} */
let english = {};
/** @type {Record<string, Entry>} */
let words = {};
let current = 'en';
/** The language asked for last, whose words may still be on their way. */
let wanted = 'en';
/** How often a language was asked for: only what was asked for last is learnt. */
let asked = 0;
let taught = false;
let plural = new Intl.PluralRules('en');
let lists = new Intl.ListFormat('en');

/** A catalogue is a few kilobytes. */
const CATALOGUE_MS = 8000;

/**
 * A catalogue, asked for until it is there: a page that cannot be read is no use. None once nobody wants it.
 * @param {string} code
 * @param {() => boolean} stillWanted
 * @returns {Promise<Record<string, Entry> | null>}
 */
async function catalogue(code, stillWanted) {
  for (let misses = 0; ; misses++) {
    if (misses) await pause(backoff(misses));
    if (!stillWanted()) return null;
    try {
      return await inTime(patience(CATALOGUE_MS, misses), async (signal) => {
        const response = await fetch(new URL(`./i18n/${code}.json`, import.meta.url), { signal });
        if (!response.ok) throw new Error(String(response.status));
        return response.json();
      });
    } catch {
      // Whatever it was, it may be over the next time.
    }
  }
}

/** Folders of more catalogues, for parts of the page that few need. @type {string[]} */
const parts = [];

/** @type {Promise<void> | null} */
let learning = null;

/** Learns the words of such a part as well, in whatever language is spoken. Several are learnt together. @param {string} part */
export function alsoSpeak(part) {
  if (!parts.includes(part)) {
    parts.push(part);
    learning = speak(wanted);
  }
  return learning;
}

/** Learns a language. Until its words are there, those that are there are spoken. @param {string} code */
export async function speak(code) {
  const known = code in LANGUAGES ? code : 'en';
  wanted = known;
  const mine = ++asked;
  const all = await Promise.all([known, ...parts.map((part) => `${part}/${known}`)].map((path) => catalogue(path, () => mine === asked)));
  if (all.includes(null) || mine !== asked) return;
  const own = Object.assign({}, ...all);
  teach(known, known === 'en' ? own : english, own);
  document.documentElement.lang = known;
}

/** Whether English has been sent for. Complete catalogues never need it, so it is not fetched beforehand. */
let sentFor = false;
let whenMore = () => {};

/** What to do when words came that were missing. @param {() => void} then */
export const onMoreWords = (then) => {
  whenMore = then;
};

async function fetchEnglish() {
  sentFor = true;
  english = await catalogue('en', () => true) ?? english;
  taught = true;
  whenMore();
}

/**
 * @param {string} code
 * @param {Record<string, Entry>} fallback
 * @param {Record<string, Entry>} own
 */
export function teach(code, fallback, own) {
  current = code;
  taught = true;
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

/** Whether there are any words yet. */
export const hasWords = () => taught;

/** Whether there are words for a key that came from elsewhere. @param {string} key @returns {key is Key} */
export const has = (key) => key in words || key in english;

/**
 * The words for a key. With forms (`{"one": …, "other": …}`) `count` chooses.
 * @param {Key} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const entry = words[key] ?? english[key];
  if (entry === undefined) {
    if (wanted !== 'en' && !sentFor) void fetchEnglish();
    // Before there are any words at all, keys can nearly be read: they are called after what they say.
    return taught ? key : key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' ');
  }
  const text = typeof entry === 'string' ? entry : entry[plural.select(Number(params.count))] ?? entry.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? isolated(String(params[name])) : whole));
}

/** A name written from right to left must not turn the sentence around it. @param {string} text */
const isolated = (text) => (/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text);

/** The words for a key that came from elsewhere, or others where there are none. @param {string} key @param {Key} otherwise */
export const tOr = (key, otherwise) => t(has(key) ? key : otherwise);

/** A game that this page does not know yet is called by its id. @param {string} id */
export function gameName(id) {
  const key = `game.${id}`;
  return has(key) ? t(key) : id;
}

/** "Ana, Mira and Tomas". @param {string[]} items */
export const listed = (items) => lists.format(items);

/** A score with a true minus sign. @param {number} value */
export const signed = (value) => (value < 0 ? `−${-value}` : String(value));

/** Minutes and seconds. @param {number} ms */
export function span(ms) {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`;
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
