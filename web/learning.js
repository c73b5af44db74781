// What news do to the page. Reducers change what it has open, one thing each; then what must happen once is done, step by step.
// It knows no DOM: sound, words and drawing are handed in.

import { t, tOr } from './i18n.js';
import { noted } from './people.js';
import { asked, fold, putAway } from './store.js';

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').Ui} Ui */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Face} Face */
/** @typedef {Parameters<typeof fold>[1]} News */
/** @typedef {{before: Known, known: Known, news: News, face: Face | null}} Change */
/** @typedef {(ui: Ui, change: Change) => Ui} Reducer */

/** A choice at the table stays while it still means the same. @type {Reducer} */
export const keepChoice = (ui, { before, known, face }) => (face && known.game !== before.game
  ? { ...ui, choice: ui.choice ? face.keepChoice(ui.choice, before.game, known.game) : face.noChoice() } : ui);

/** The log tells who came and went. @type {Reducer} */
export const notePeople = (ui, { before, known }) => ({ ...ui, people: noted(ui.people, before, known) });

/** A game that begins is looked at, whatever lay over the lobby. Coming back to one leaves open what is open. @type {Reducer} */
export const openTable = (ui, { before, known, news }) => (known.game && !before.game && news.type !== 'welcome' && !ui.stay ? { ...ui, sheet: null, ...noPast } : ui);

/** Nothing is looked back at. */
export const noPast = { past: null, number: null, moment: null, playing: false };

/** Whoever looks at a result stays there when the table is opened for the next game, except for who opened it. @type {Reducer} */
export const stayThere = (ui, { before, known }) => (putAway(before, known.room) ? { ...ui, stay: !ui.onward, onward: false } : ui);

/**
 * Who had raised their hand, and looks at a result that is counted with nothing else open, is taken to the table when the game begins;
 * everyone else goes when they want to.
 * @type {Reducer}
 */
export const goAlong = (ui, { before, known }) => (ui.stay && before.room?.phase === 'lobby' && known.room?.phase === 'playing' && raised(before) && ui.moment === null && !ui.sheet && !ui.counting ? { ...ui, stay: false, ...noPast } : ui);

/** Whether this page's own hand is up. @param {Known} known */
const raised = ({ room, you }) => room?.seats.some((info) => info.seat === you?.seat && info.ready) ?? false;

/** Without a game there is no past to look at. @type {Reducer} */
export const leavePast = (ui, { known }) => (known.game || ui.stay ? ui : { ...ui, ...noPast });

/** What somebody waits for in a sheet will not come. @type {Reducer} */
export const endQuestion = (ui, { news }) => (news.type === 'error' && ui.sheet?.asking ? { ...ui, sheet: { ...ui.sheet, asking: false, why: news.code } } : ui);

/** Whoever is about to be removed is still meant when they are called otherwise. @type {Reducer} */
export const followName = (ui, { news }) => (news.type === 'renamed' && ui.sheet?.name === 'remove' && ui.sheet.text === news.was ? { ...ui, sheet: { ...ui.sheet, text: news.name } } : ui);

/** What was waited for is here, or was refused. @type {Reducer} */
export const endWait = (ui, { known }) => (known.game || known.refused ? { ...ui, busy: false } : ui);

const REDUCERS = [keepChoice, notePeople, stayThere, goAlong, openTable, leavePast, endQuestion, followName, endWait];

/** What the page has open after the news. @type {Reducer} */
export const reduce = (ui, change) => REDUCERS.reduce((now, reducer) => reducer(now, change), ui);

/** The words for a refusal: the game may know more than the code. @param {View} view @param {string} code @param {unknown} action */
export const refusalWords = (view, code, action) => view.face?.whyRefused(view, code, action) ?? codeWords(code);

/** @param {string} code */
export const codeWords = (code) => tOr(`code.${code}`, 'code.unknown');

/**
 * @typedef {object} Means
 * @property {import('./model.js').Model} model
 * @property {() => View} look
 * @property {import('./voice.js').Voice} voice
 * @property {() => boolean} chatIsRead whether the chat is before somebody's eyes
 * @property {() => void} callToTurn
 * @property {(events: any[], face: Face | null) => void} soundEvents
 * @property {(atOnce: boolean) => void} countUp
 * @property {(name: string) => boolean} hears whether somebody is not muted
 * @property {(words: string) => void} say
 */

/** What happens once because of the news, in this order. @type {Record<string, (means: Means, change: Change) => void>} */
const FOLLOWING = {
  sound({ soundEvents }, { before, known, face }) {
    if (known.fresh !== before.fresh && known.fresh.length) soundEvents(known.fresh, face);
  },
  callToTurn({ callToTurn }, { before, known }) {
    if (asked(known) && !asked(before)) callToTurn();
  },
  countScores({ countUp }, { before, known }) {
    // Who comes to a game that is over has missed the counting.
    if (known.room?.phase === 'finished' && before.room?.phase !== 'finished') countUp(before.room === null);
  },
  readChat({ model, chatIsRead }) {
    if (chatIsRead()) model.known = fold(model.known, { type: 'read' }, 0);
  },
  announce({ voice, look, hears }, { before, known, news }) {
    const { talk } = known;
    voice.tell(before, look(), (news.type === 'chat' || news.type === 'reacted') && (talk === before.talk || hears(talk.at(-1)?.name ?? '')));
  },
  tellOwnName({ say }, { known, news }) {
    // It may have got a number: another had it already.
    if (news.type === 'renamed' && news.seat === known.you?.seat) say(t('people.named_you', { name: news.name }));
  },
  explainRefusal({ model, look, say }) {
    const { refused } = model.known;
    if (!refused) return;
    const words = refusalWords(look(), refused.code, refused.action);
    model.known = fold(model.known, { type: 'heeded' }, 0);
    // A sheet that waited for an answer says it itself.
    if (model.ui.sheet?.why !== refused.code) say(words);
  },
};

/** @param {Means} means @param {() => number} [clock] @returns {(news: News) => void} */
export function learner(means, clock = Date.now) {
  const { model, look } = means;
  return (news) => {
    const before = model.known;
    const known = fold(before, news, clock());
    if (known === before) return;
    model.known = known;
    const change = { before, known, news, face: look().face };
    model.ui = reduce(model.ui, change);
    model.changed();
    for (const step of Object.values(FOLLOWING)) step(means, change);
  };
}
