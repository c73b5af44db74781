// The texts of the page from its catalogues, so that tests name keys instead of sentences.

import { LANGUAGES as OFFERED } from '../../../i18n.js';
import { catalogue as read } from '../../texts.js';

/** English first. */
export const LANGUAGES = Object.keys(OFFERED);

const catalogues = new Map();

export function catalogue(language = 'en') {
  if (!catalogues.has(language)) catalogues.set(language, read(language));
  return catalogues.get(language);
}

/** The words of a key in English. */
export function say(key, params = {}, language = 'en') {
  const entry = catalogue(language)[key];
  if (entry === undefined) throw new Error(`the ${language} catalogue has no words for ${key}`);
  const text =
    typeof entry === 'string'
      ? entry
      : (entry[new Intl.PluralRules(language).select(Number(params.count))] ?? entry.other);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? String(params[name]) : whole));
}

/** Matches the words of a key whatever its placeholders hold: `/^Take: .+ of .+$/`. */
export function anyOf(key, language = 'en') {
  const entry = catalogue(language)[key];
  if (entry === undefined) throw new Error(`the ${language} catalogue has no words for ${key}`);
  const forms = typeof entry === 'string' ? [entry] : Object.values(entry);
  const escaped = forms.map((form) =>
    form
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+'),
  );
  return new RegExp(`^(?:${escaped.join('|')})$`);
}

/** A catalogue whose every sentence is about 40 % longer, with its placeholders left alone. */
export function stretched(entries) {
  const longer = (text) => {
    const letters = text.replace(/\{\w+\}/g, '').length;
    const words = text.split(' ');
    // Words grow by doubled vowels, as a longer language's words do; the rest comes at the end, in words that people
    // could read.
    let missing = Math.max(1, Math.round(letters * 0.4));
    const grown = words.map((word) =>
      /\{\w+\}/.test(word)
        ? word
        : word.replace(/[aeiouy]/gi, (vowel) => (missing-- > 0 ? vowel + vowel.toLowerCase() : vowel)),
    );
    return grown.join(' ') + 'n'.repeat(Math.max(0, missing)).replace(/n{12}(?=n)/g, '$& ');
  };
  return Object.fromEntries(
    Object.entries(entries).map(([key, entry]) => [
      key,
      typeof entry === 'string'
        ? longer(entry)
        : Object.fromEntries(Object.entries(entry).map(([form, text]) => [form, longer(text)])),
    ]),
  );
}
