// The bot's eye: what the strongest bot made of a game that is over, and what it would do now. All of it comes from the server; the game words
// the acts.

import { replayUrl } from '../base.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { codeWords } from '../learning.js';
import { sheet } from '../screens/sheet.js';
import { nameOf } from '../store.js';
import { percent, plot } from './chart.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Review} Review */
/** @typedef {import('../wire.js').ReviewedPlayer} ReviewedPlayer */
/** @typedef {Awaited<ReturnType<import('../view.js').Face['eye']>>} Eye */

/** What came or went. @param {number} thousandths */
const change = (thousandths) => percent(thousandths, { signDisplay: 'exceptZero' });

/** What words acts, by game, once it has come. @type {Record<string, Eye | null>} */
const eyes = {};

/** @param {View} view @returns {Eye | null} */
function eyeOf({ face, game, acts }) {
  if (face && !(game in eyes)) {
    eyes[game] = null;
    face.eye().then((eye) => {
      eyes[game] = eye;
      acts.show({});
    }, () => delete eyes[game]);
  }
  return eyes[game] ?? null;
}

/** The progress after which the review was asked for, so that it is asked for once. @type {unknown} */
let askedAfter = null;

/** @param {View} view */
export function reviewSheet(view) {
  const { ui, known } = view;
  // It is there by now.
  if (typeof ui.review === 'string' && known.review?.ready && askedAfter !== known.review) {
    askedAfter = known.review;
    queueMicrotask(view.acts.review);
  }
  return sheet(view, { name: 'review', title: t('review'), tall: true }, ui.review && typeof ui.review === 'object' && ui.past ? body(view, ui.review) : waiting(view));
}

/** How far it has come, or why there is none. @param {View} view */
function waiting({ ui, known, seat }) {
  const { done, of } = known.review ?? { done: 0, of: 0 };
  if (typeof ui.review === 'string' && (ui.review !== 'no_review' || seat === null || ui.replay)) return h('p', { role: 'alert', key: 'none' }, ui.review === 'no_review' ? t('review.none') : codeWords(ui.review));
  return h('div', { class: 'working', key: 'working' },
    h('p', { id: 'review-working' }, of ? t('review.working', { done, of }) : t('review.waiting')),
    h('progress', { max: of || 1, value: of ? done : 0, 'aria-labelledby': 'review-working' }));
}

/** @param {View} view @param {Review} review */
function body(view, review) {
  const lines = review.players.map(({ curve }) => curve.map(({ moment, chance }) => /** @type {[number, number]} */ ([moment, chance])));
  return [
    h('p', { class: 'note', key: 'words' }, t('review.words', { count: review.decisions })),
    h('h3', { key: 'chance' }, t('review.chance')), plot(view, { title: t('review.chance'), lines, says: (value) => percent(value) }),
    review.players.map((player) => playerPart(view, player)),
    h('p', { class: 'note', key: 'luck' }, t('review.luck.words')),
  ];
}

/** @param {View} view @param {ReviewedPlayer} player */
function playerPart(view, player) {
  const { seat, fair, play, others, luck, result, mistakes } = player;
  const name = nameOf(view.known, seat);
  /** @type {[string, string][]} */
  const sums = [[t('review.fair'), percent(fair)], [t('review.play'), change(-play)], [t('review.others'), change(others)], [t('review.luck'), change(luck)], [t('review.result'), percent(result)]];
  return h('section', { class: 'reviewed', key: seat, 'aria-labelledby': `reviewed-${seat}` },
    h('h3', { id: `reviewed-${seat}`, dir: 'auto' }, name),
    h('dl', { class: 'sums' }, sums.map(([title, value]) => h('div', { key: title }, h('dt', null, title), h('dd', null, value)))),
    mistakes.length ? h('ol', { class: 'mistakes' }, mistakes.map((mistake) => h('li', { key: mistake.moment }, mistakeLink(view, seat, mistake))))
      : h('p', { class: 'note' }, t('review.clean')));
}

/** @param {View} view @param {number} seat @param {ReviewedPlayer['mistakes'][0]} mistake */
function mistakeLink(view, seat, { moment, action, better, cost, chance }) {
  const { ui, acts, known } = view;
  const { code, number } = ui.replay ?? { code: ui.code, number: ui.number };
  const eye = eyeOf(view);
  const before = ui.past?.[moment - 1]?.table;
  const words = (/** @type {any} */ act) => (eye && before ? eye.acted(act, seat, before, (who) => nameOf(known, who)) : '…');
  return h('a', {
    class: 'mistake', href: code && number ? replayUrl(code, number, moment) : '#', onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      acts.close();
      acts.show({ moment, playing: false });
    },
  },
  h('b', { class: 'cost' }, change(-cost)),
  h('span', null, h('span', { class: 'done' }, words(action)), h('small', null, t('review.better', { act: words(better), chance: percent(chance) })),
    h('small', { class: 'when' }, t('replay.at', { at: moment + 1, count: ui.past?.length ?? 0 }))));
}

/** What the strongest bot would do now. @param {View} view */
export function hintSheet(view) {
  const { known, game } = { ...view, game: view.known.game };
  const hint = known.hint && known.hint.n === game?.next ? known.hint : null;
  const eye = eyeOf(view);
  const acts = /** @type {{action: any, chance: number}[]} */ (hint?.acts ?? []);
  return sheet(view, { name: 'hint', title: t('hint') },
    hint && eye && view.seat !== null
      ? [h('p', { class: 'note', key: 'words' }, t('hint.words')),
        h('ol', { class: 'hints', key: 'hints' }, acts.map(({ action, chance }, at) => h('li', { key: at }, h('span', null, eye.acted(action, view.seat ?? 0, view.table, (who) => nameOf(known, who))), h('b', null, percent(chance)))))]
      : h('p', { class: 'note', role: 'status', key: 'thinking' }, known.game?.asked.includes(view.seat ?? -1) ? t('hint.thinking') : t('hint.none')));
}
