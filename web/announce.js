// What is said aloud: the words for the live region, which a screen reader reads out. What to say is a pure function of what was
// known before and what is known now; only `aloud` touches the page.

import { t } from './i18n.js';
import { asked, nameOf, seatOf } from './store.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Face} Face */

/**
 * What happened, and what is asked.
 * @param {Known} before
 * @param {View} view as it is now
 * @param {Face} face
 * @param {boolean} spoken whether somebody just said something
 * @returns {string[]}
 */
export function toSay(before, view, face, spoken) {
  const { known } = view;
  return [...happened(before, known, face), ...prompt(before, view, face), ...lineNews(before, known), ...playedNews(before, known), ...(spoken ? chatNews(known) : [])];
}

/** What the others did. @param {Known} before @param {Known} known @param {Face} face */
function happened(before, known, face) {
  if (known.fresh === before.fresh) return [];
  return known.fresh.flatMap((event) => {
    const own = event.seat !== undefined && event.seat === known.you?.seat;
    return own ? [] : face.words(event, (seat) => nameOf(known, seat)) ?? [];
  });
}

/** What is asked of this seat. @param {Known} before @param {View} view @param {Face} face */
const prompt = (before, view, face) => (view.table && asked(view.known) && view.known.game !== before.game ? [face.sentence(view)] : []);

/** How the line is. @param {Known} before @param {Known} known */
function lineNews(before, known) {
  if (known.line === before.line) return [];
  if (known.line === 'waiting') return [t('line.reconnecting')];
  return known.line === 'open' && before.room ? [t('line.back')] : [];
}

/** @param {Known} before @param {Known} known */
function playedNews(before, known) {
  const seat = known.you?.seat ?? -1;
  return seatOf(known, seat)?.bot && !seatOf(before, seat)?.bot ? [t('bot.for_you')] : [];
}

/** @param {Known} known */
function chatNews(known) {
  const newest = known.chat.at(-1);
  return newest && (newest.seat === null || newest.seat !== known.you?.seat) ? [t('chat.said', { name: newest.name, text: newest.text })] : [];
}

/** @param {string[]} said */
export function aloud(said) {
  const region = document.getElementById('heard');
  const text = said.join('. ');
  // The same words twice are news too, but only a change is read out.
  if (region && text) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
