// What opens over a replay: the points over time, what was hidden, a link to the moment, the record; and what a record is doubted for.

import { replayUrl } from '../base.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { originWords } from './origin.js';
import { afterSheet } from './after.js';
import { bookSheet, recordsSheet } from './book.js';
import { chart } from './chart.js';
import { hintSheet, reviewSheet } from './eye.js';
import { shareLink } from './keeping.js';

/** @typedef {import('../view.js').View} View */

/** Whichever of these is open. @param {View} view */
export function openSheet(view) {
  const open = view.ui.sheet;
  switch (open?.name) {
    case 'past':
      return pastSheet(view);
    case 'doubt':
      return open.doubt && doubtSheet(view, open.doubt);
    case 'deal':
      return open.compared && dealSheet(view, open.compared);
    case 'review':
      return reviewSheet(view);
    case 'hint':
      return hintSheet(view);
    case 'after':
      return afterSheet(view);
    case 'book':
      return open.book && bookSheet(view, open.book);
    case 'records':
      return open.records && recordsSheet(view, open.records);
    default:
      return null;
  }
}

/** @param {View} view */
function pastSheet(view) {
  const { ui, acts } = view;
  const { code, number } = where(view);
  return sheet(view, { name: 'past', title: t('replay.more'), tall: true },
    ui.replay?.origin ? h('p', { class: 'note', key: 'origin' }, originWords(ui.replay.origin)) : null,
    h('h3', { key: 'chart' }, t('replay.chart')), chart(view),
    isOver(view) && (ui.replay?.record || (code && number)) ? playOn(view) : null,
    h('h3', { key: 'open' }, t('replay.open')), opened(view),
    h('div', { class: 'ways', key: 'ways' },
      code && number ? [
        typeof navigator.share === 'function' ? h('button', { class: 'second', key: 'share', type: 'button', onclick: () => shareLink(view, replayUrl(code, number, ui.moment ?? 0)) }, icon('share'), t('replay.share')) : null,
        h('button', { class: 'second', key: 'link', type: 'button', onclick: () => acts.copy(replayUrl(code, number, ui.moment ?? 0)) }, icon('copy'), t('replay.copy')),
      ] : null,
      isOver(view) && code ? h('button', { class: 'second', key: 'review', type: 'button', onclick: acts.review }, icon('bulb'), t('review')) : null,
      isOver(view) && (ui.replay?.record || (code && number)) ? h('button', { class: 'second', key: 'deal', type: 'button', onclick: acts.checkDeal }, icon('eye'), t('deal')) : null,
      isOver(view) && (ui.replay?.record || (code && number)) ? h('button', { class: 'second', key: 'record', type: 'button', onclick: acts.keepRecord }, icon('share'), t('replay.record')) : null,
      code ? h('button', { class: 'second', key: 'book', type: 'button', onclick: acts.book }, icon('chart'), t('book')) : null));
}

/** Another game from here, or with the same deal. @param {View} view */
function playOn({ ui, acts }) {
  const at = ui.moment ?? 0;
  const last = (ui.past?.length ?? 1) - 1;
  return h('div', { class: 'ways', key: 'playon' },
    at < last ? h('button', { class: 'second lit', key: 'on', type: 'button', disabled: ui.busy, onclick: () => acts.playOn(at) }, icon('play'), h('span', null, t('playon'), h('small', null, t('playon.hint')))) : null,
    h('button', { class: 'second lit', key: 'same', type: 'button', disabled: ui.busy, onclick: () => acts.playOn(null) }, icon('cards'), h('span', null, t('same'), h('small', null, t('same.hint')))));
}

/** Which game this is, where it is known. @param {View} view */
function where({ ui }) {
  if (ui.replay) return ui.replay;
  return { code: ui.code, number: ui.number };
}

/** Whether the whole game is there, and over. @param {View} view */
const isOver = ({ ui }) => ui.past?.at(-1)?.table.outcome != null;

/** What tells of what was hidden, by game, once it has come. @type {Record<string, Awaited<ReturnType<import('../view.js').Face['unveil']>> | null>} */
const unveilers = {};

/** What nobody saw then, once everybody may. @param {View} view */
function opened(view) {
  if (!isOver(view)) return h('p', { class: 'note', key: 'later' }, t('replay.open.later'));
  const { face, game } = view;
  if (face && !(game in unveilers)) {
    unveilers[game] = null;
    face.unveil().then((unveiler) => {
      unveilers[game] = unveiler;
      view.acts.show({});
    }, () => delete unveilers[game]);
  }
  const shown = unveilers[game]?.unveiled(view) ?? [];
  return shown.length ? h('dl', { class: 'unveiled', key: 'unveiled' }, shown.map(({ title, body }, at) => h('div', { key: at }, h('dt', { dir: 'auto' }, title), h('dd', null, body))))
    : h('p', { class: 'note', key: 'nothing' }, t('replay.open.nothing'));
}

/** What this device has compared of the deal, in words. @param {View} view @param {import('./deal.js').Compared[]} compared */
function dealSheet(view, compared) {
  const holds = compared.every((each) => each.holds !== false);
  return sheet(view, { name: 'deal', title: t('deal') },
    h('p', { class: 'verdict', role: 'status' }, t(holds ? 'deal.holds' : 'deal.fails')),
    h('ul', { class: 'compared' }, compared.map(({ says, holds: held, count = 0, moment, part, n }) => h('li', { key: says, class: held === null ? 'open' : held ? 'yes' : 'no' },
      h('b', { 'aria-hidden': 'true' }, held === null ? '–' : held ? '✓' : '✗'),
      h('span', null, t(/** @type {import('../i18n.js').Key} */ (`deal.${says}.${held === null ? 'open' : held ? 'yes' : 'no'}`), { count, at: (moment ?? 0) + 1, part: partWords(part ?? '', n ?? null) }))))),
    h('p', { class: 'note' }, t('deal.words')));
}

/** What was changed in a record. @param {string} part @param {number | null} n */
const partWords = (part, n) => (n === null ? part : t('doubt.changed.act', { n: n + 1 }));

/** Why a record does not hold. @param {View} view @param {import('../wire.js').RecordDoubt} doubt */
function doubtSheet(view, doubt) {
  return sheet(view, { name: 'doubt', title: t('doubt.title') }, h('p', { role: 'alert' }, doubtWords(view, doubt)));
}

/** @param {View} view @param {import('../wire.js').RecordDoubt} doubt @returns {string} */
function doubtWords(view, doubt) {
  // What does not hold may be in the game before this one.
  if (doubt.type === 'origin') return t('doubt.origin', { why: doubtWords(view, doubt.doubt) });
  const name = doubt.type === 'act' ? view.ui.sheet?.players?.[doubt.seat] ?? String(doubt.seat + 1) : '';
  const n = doubt.type === 'act' ? doubt.n + 1 : 0;
  const part = doubt.type === 'changed' ? partWords(doubt.part, doubt.n) : '';
  return t(`doubt.${doubt.type}`, { n, name, part });
}
