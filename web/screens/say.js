// The sentence on top of every table.

import { h, classes } from '../dom.js';

/** From here on it is set smaller: on a phone it would need a third line. */
const LONG = 30;

/** @param {string} words */
export const sentenceOn = (words) => h('span', { class: classes(words.length > LONG && 'long') }, words);
