// What is said aloud: the words for the live region, which a screen reader reads out. What to say is a pure function of what was
// known before, what is known now and what was said already; only `aloud` touches the page.

import { t } from './i18n.js';
import { comingWords, comingsTo } from './people.js';
import { asked, nameOf, putAway } from './store.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Face} Face */
/**
 * What was said and is not said again.
 * @typedef {object} Said
 * @property {boolean} lost whether it was said that the line is lost
 * @property {string} prompt the decision that was asked for last, and in which words
 */

/** @type {Said} */
export const silent = { lost: false, prompt: '' };

/**
 * What happened, and what is asked.
 * @param {Said} already
 * @param {Known} before
 * @param {View} view as it is now
 * @param {boolean} spoken whether somebody just said something
 * @returns {{already: Said, said: string[]}}
 */
export function toSay(already, before, view, spoken) {
  const { known, face } = view;
  const line = lineNews(already.lost, before, known);
  const asks = prompt(line.lost ? '' : already.prompt, before, view);
  return {
    already: { lost: line.lost, prompt: asks.prompt },
    said: [...line.said, ...(face ? happened(before, view, face) : []), ...comingsTo(before, known).flatMap((each) => comingWords(each) ?? []), ...onwardNews(before, view), ...asks.said, ...(spoken ? talkNews(before, known) : [])],
  };
}

/** How the line is. It is tried again and again, but lost only once. @param {boolean} lost @param {Known} before @param {Known} known */
function lineNews(lost, before, known) {
  if (known.line === 'open') return { lost: false, said: lost ? [t('line.back')] : [] };
  const trying = known.line === 'waiting' || (known.line === 'connecting' && (lost || before.line === 'open'));
  return { lost: trying, said: trying && !lost ? [t('line.reconnecting')] : [] };
}

/** What the others did, what befell this seat, and how it ended. @param {Known} before @param {View} view @param {Face} face */
function happened(before, view, face) {
  const { known } = view;
  const fresh = known.fresh === before.fresh ? [] : known.fresh;
  // An end that came while the line was down is in no state's events, but in the history.
  const last = known.history.at(-1);
  const missed = last?.type === 'end' && before.game && before.history.at(-1)?.type !== 'end' && !fresh.includes(last) ? [last] : [];
  return [...fresh, ...missed].flatMap((event) => {
    const own = event.seat !== undefined && event.seat === view.seat;
    const words = own ? face.toYou?.(event, view) : (face.aloud ?? face.words)(event, (seat) => nameOf(known, seat));
    return [...(words ? [words] : []), ...(event.type === 'end' ? scores(known, event.scores) : [])];
  });
}

/** The final scores, the best first. @param {Known} known @param {number[]} points by seat */
const scores = (known, points) => points.map((count, seat) => ({ count, name: nameOf(known, seat) }))
  .sort((a, b) => b.count - a.count).map(({ count, name }) => t('end.score', { name, count }));

/**
 * What is asked of this seat: once for each decision, however often the table changes meanwhile.
 * @param {string} prompt
 * @param {Known} before
 * @param {View} view
 */
function prompt(prompt, before, view) {
  const { known, face } = view;
  const { game } = known;
  // In the guided first round the coach asks.
  if (!face || !game || view.ui.lesson || !asked(known)) return { prompt: '', said: [] };
  if (game === before.game || known.pending) return { prompt, said: [] };
  // What is asked is the present, also while a moment of the past is looked at, and not what has been picked so far.
  const words = face.sentence({ ...view, table: game.table, actions: game.actions, mine: game.mine, ui: { ...view.ui, moment: null, choice: face.noChoice() } });
  // The number of one's next act tells decisions apart that are asked for in the same words.
  const decision = `${game.next} ${words}`;
  return { prompt: decision, said: decision === prompt ? [] : [words] };
}

/** For who still looks at the last result: what has become of the table. @param {Known} known @returns {string} */
export function onwardWords(known) {
  if (known.game) return t(asked(known) ? 'onward.turn' : 'onward.begun');
  const host = known.room?.host ?? null;
  return host === null ? t('onward.open') : t('onward.opened', { name: nameOf(known, host) });
}

/** The same, when it has just become so; what is asked of this seat is said anyway. @param {Known} before @param {View} view */
const onwardNews = (before, { known, ui }) => (ui?.stay && (putAway(before, known.room) || (known.game && !before.game)) && !asked(known) ? [onwardWords(known)] : []);

/** What somebody else just said or showed. @param {Known} before @param {Known} known */
function talkNews(before, known) {
  const shown = known.talk.at(-1);
  if (known.chat === before.chat) return shown?.reaction && shown.seat !== known.you?.seat ? [t('react.said', { name: shown.name, reaction: t(`react.${shown.reaction}`) })] : [];
  const newest = known.chat.at(-1);
  return newest && (newest.seat === null || newest.seat !== known.you?.seat) ? [t('chat.said', { name: newest.name, text: newest.text })] : [];
}

/** Puts it where it is heard: with a sheet open, in the sheet. @param {string[]} said */
export function aloud(said) {
  const region = document.querySelector('dialog[open] .heard') ?? document.getElementById('heard');
  const text = said.join('. ');
  // The same words twice are news too, but only a change is read out.
  if (region && text) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
