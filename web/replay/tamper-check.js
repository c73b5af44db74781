// Finds out what was changed in a record after it was written.

import { digestOf } from './deal-check.js';
import { t } from '../i18n.js';

/**
 * The first part of a record that does not match its digest, and the number of the act; null if everything matches,
 * or if there is no digest.
 * @param {import('./record.js').GameRecord} record
 * @returns {{part: string, n: number | null} | null}
 */
export function tamperedPart(record) {
  const { digest } = record;
  if (!digest) return null;
  const now = digestOf(record);
  const parts = Object.keys({ ...digest.parts, ...now.parts }).sort();
  const part = parts.find((name) => now.parts[name] !== digest.parts[name]);
  const n =
    Array.from({ length: Math.max(now.acts.length, digest.acts.length) }, (_, at) => at).find(
      (at) => now.acts[at] !== digest.acts[at],
    ) ?? null;
  if (now.whole === digest.whole) return part === undefined && n === null ? null : { part: 'digest', n: null };
  if (part !== undefined) return { part, n: null };
  return n === null ? { part: 'digest', n } : { part: 'acts', n };
}

/** The words for each field of a record; other fields share `doubt.changed.other`. @type {Record<string, import('../i18n.js').Key>} */
const FIELD_WORDS = {
  players: 'doubt.changed.players',
  game: 'doubt.changed.rules',
  rules: 'doubt.changed.rules',
  rules_version: 'doubt.changed.rules',
  starter: 'doubt.changed.rules',
  server_seed: 'doubt.changed.seed',
  salts: 'doubt.changed.seed',
  commitment: 'doubt.changed.seed',
  outcome: 'doubt.changed.outcome',
  origin: 'doubt.changed.origin',
};

/** Returns the words for a changed part of a record. @param {string} [part] @param {number | null} [n] index of the changed act */
export function tamperedPartWords(part = '', n = null) {
  if (n !== null) return t('doubt.changed.act', { n: n + 1 });
  return part && t(FIELD_WORDS[part] ?? 'doubt.changed.other');
}
