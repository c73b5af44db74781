// Sheets over a replay: the points chart, what was hidden, what can be done from here, and the results of the deal
// check.

import { replayUrl } from '../urls.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { pointsChart } from './chart.js';
import { gameOf } from './moments.js';

/** @typedef {import('../view.js').View} View */

/** Renders the open sheet if it is one of these. @param {View} view */
export function openSheet(view) {
  const open = view.ui.sheet;
  if (open?.name === 'past') return pastSheet(view);
  return open?.name === 'deal' && open.compared ? dealSheet(view, open.compared) : null;
}

/** @param {View} view */
function pastSheet(view) {
  const { ui, commands } = view;
  const { code, number } = gameOf(ui);
  const replayed = ui.place.name === 'replay' ? ui.place : null;
  const moment = ui.moment ?? 0;
  const link = code && number ? replayUrl(code, number, moment) : null;
  const whole = isOver(view) && (replayed?.record || link);
  /** @param {Parameters<typeof icon>[0]} sign @param {string} label @param {() => void} tap */
  const way = (sign, label, tap) =>
    h('button', { class: 'second', key: label, type: 'button', onclick: tap }, icon(sign), label);
  /**
   * Button for another game from here.
   * @param {Parameters<typeof icon>[0]} sign
   * @param {string} label
   * @param {string} hint
   * @param {number | null} from
   */
  const on = (sign, label, hint, from) =>
    h(
      'button',
      {
        class: 'second lit',
        key: sign,
        type: 'button',
        disabled: ui.busy,
        onclick: () => commands.withAfterGame((afterGame) => afterGame.playOn(from)),
      },
      icon(sign),
      h('span', null, label, h('small', null, hint)),
    );
  return sheet(
    view,
    { name: 'past', title: t('replay.more'), tall: true },
    replayed?.origin ? h('p', { class: 'note', key: 'origin' }, view.afterGame?.originWords(replayed.origin)) : null,
    h('h3', { key: 'chart' }, t('replay.chart')),
    pointsChart(view),
    whole
      ? h(
          'div',
          { class: 'ways', key: 'playon' },
          moment < (ui.past?.length ?? 1) - 1 ? on('play', t('playon'), t('playon.hint'), moment) : null,
          on('cards', t('same'), t('same.hint'), null),
        )
      : null,
    h(
      'div',
      { class: 'ways', key: 'ways' },
      link
        ? 'share' in navigator
          ? way('share', t('replay.share'), () => commands.withAfterGame((afterGame) => afterGame.shareLink(link)))
          : way('copy', t('replay.copy'), () => commands.copy(link))
        : null,
      isOver(view) && code
        ? way('bulb', t('review'), () => commands.withAfterGame((afterGame) => afterGame.review()))
        : null,
      whole
        ? [
            way('eye', t('deal'), commands.checkDeal),
            way('share', t('replay.record'), () => commands.withAfterGame((afterGame) => afterGame.keepRecord())),
          ]
        : null,
      code ? way('chart', t('book'), () => commands.withAfterGame((afterGame) => afterGame.book())) : null,
    ),
    // Last, because it loads later: nothing moves away from under a finger.
    h('h3', { key: 'open' }, t('replay.open')),
    hiddenPart(view),
  );
}

/** Whether the whole game is loaded and finished. @param {View} view */
const isOver = ({ ui }) => ui.past?.at(-1)?.table.outcome != null;

/** What was hidden at this moment, once the game is over. @param {View} view */
function hiddenPart(view) {
  if (!isOver(view)) return h('p', { class: 'note', key: 'later' }, t('replay.open.later'));
  const shown = view.gamePart('reveal')?.revealed(view);
  if (!shown) return null;
  return shown.length
    ? h(
        'dl',
        { class: 'unveiled', key: 'unveiled' },
        shown.map(({ title, body }, at) => h('div', { key: at }, h('dt', { dir: 'auto' }, title), h('dd', null, body))),
      )
    : h('p', { class: 'note', key: 'nothing' }, t('replay.open.nothing'));
}

/**
 * The results of the deal check.
 * @param {View} view
 * @param {import('./deal-check.js').Compared[]} compared
 */
function dealSheet(view, compared) {
  const holds = compared.every((each) => each.holds !== false);
  return sheet(
    view,
    { name: 'deal', title: t('deal') },
    h('p', { class: 'verdict', role: 'status' }, t(holds ? 'deal.holds' : 'deal.fails')),
    h(
      'ul',
      { class: 'compared' },
      compared.map(({ says, holds: held, count = 0, moment, part, n }) =>
        h(
          'li',
          { key: says, class: held === null ? 'open' : held ? 'yes' : 'no' },
          h('b', { 'aria-hidden': 'true' }, held === null ? '–' : held ? '✓' : '✗'),
          h(
            'span',
            null,
            t(
              /** @type {import('../i18n.js').Key} */ (`deal.${says}.${held === null ? 'open' : held ? 'yes' : 'no'}`),
              { count, at: (moment ?? 0) + 1, part: view.afterGame?.tamperedPartWords(part, n) ?? '' },
            ),
          ),
        ),
      ),
    ),
    h('p', { class: 'note' }, t('deal.words')),
  );
}
