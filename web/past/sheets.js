// What opens over a replay: the points over time, what was hidden, ways on from there; and what was compared of a deal.

import { replayUrl } from '../base.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { chart } from './chart.js';

/** @typedef {import('../view.js').View} View */

/** Whichever of these is open. @param {View} view */
export function openSheet(view) {
  const open = view.ui.sheet;
  if (open?.name === 'past') return pastSheet(view);
  return open?.name === 'deal' && open.compared ? dealSheet(view, open.compared) : null;
}

/** @param {View} view */
function pastSheet(view) {
  const { ui, acts } = view;
  const { code, number } = where(view);
  const moment = ui.moment ?? 0;
  const link = code && number ? replayUrl(code, number, moment) : null;
  const whole = isOver(view) && (ui.replay?.record || link);
  /** @param {Parameters<typeof icon>[0]} sign @param {string} label @param {() => void} tap */
  const way = (sign, label, tap) => h('button', { class: 'second', key: label, type: 'button', onclick: tap }, icon(sign), label);
  /** Another game from here. @param {Parameters<typeof icon>[0]} sign @param {string} label @param {string} hint @param {number | null} from */
  const on = (sign, label, hint, from) => h('button', { class: 'second lit', key: sign, type: 'button', disabled: ui.busy, onclick: () => acts.more((more) => more.playOn(from)) }, icon(sign), h('span', null, label, h('small', null, hint)));
  return sheet(view, { name: 'past', title: t('replay.more'), tall: true },
    ui.replay?.origin ? h('p', { class: 'note', key: 'origin' }, view.more?.originWords(ui.replay.origin)) : null,
    h('h3', { key: 'chart' }, t('replay.chart')), chart(view),
    whole ? h('div', { class: 'ways', key: 'playon' }, moment < (ui.past?.length ?? 1) - 1 ? on('play', t('playon'), t('playon.hint'), moment) : null, on('cards', t('same'), t('same.hint'), null)) : null,
    h('div', { class: 'ways', key: 'ways' },
      link ? 'share' in navigator ? way('share', t('replay.share'), () => acts.more((more) => more.shareLink(link))) : way('copy', t('replay.copy'), () => acts.copy(link)) : null,
      isOver(view) && code ? way('bulb', t('review'), () => acts.more((more) => more.review())) : null,
      whole ? [way('eye', t('deal'), acts.checkDeal), way('share', t('replay.record'), () => acts.more((more) => more.keepRecord()))] : null,
      code ? way('chart', t('book'), () => acts.more((more) => more.book())) : null),
    // Last, for it comes later than the rest: nothing moves away from under a finger.
    h('h3', { key: 'open' }, t('replay.open')), opened(view));
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
  const shown = unveilers[game]?.unveiled(view);
  if (!shown) return null;
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
      h('span', null, t(/** @type {import('../i18n.js').Key} */ (`deal.${says}.${held === null ? 'open' : held ? 'yes' : 'no'}`), { count, at: (moment ?? 0) + 1, part: view.more?.partWords(part, n) ?? '' }))))),
    h('p', { class: 'note' }, t('deal.words')));
}
