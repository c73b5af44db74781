// What was changed in a record after it was written, where something was.

import { digestOf } from './deal.js';
import { t } from '../i18n.js';

/** The part of a record that is not what it was when its digest was made, and of the acts which; null if all is as it was. @param {any} record @returns {{part: string, n: number | null} | null} */
export function changedIn(record) {
  const { digest } = record;
  const now = digestOf(record);
  const parts = Object.keys({ ...digest.parts, ...now.parts }).sort();
  const part = parts.find((name) => now.parts[name] !== digest.parts[name]);
  const n = Array.from({ length: Math.max(now.acts.length, digest.acts.length) }, (_, at) => at).find((at) => now.acts[at] !== digest.acts[at]) ?? null;
  if (now.whole === digest.whole) return part === undefined && n === null ? null : { part: 'digest', n: null };
  if (part !== undefined) return { part, n: null };
  return n === null ? { part: 'digest', n } : { part: 'acts', n };
}

/** @param {string} [part] @param {number | null} [n] which of its acts */
export const partWords = (part = '', n = null) => (n === null ? part : t('doubt.changed.act', { n: n + 1 }));
