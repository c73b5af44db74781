// Reviews and hints of the strongest bot. Everything comes from the server; the game words the acts.

import { replayUrl } from '../urls.js';
import { h } from '../dom.js';
import { language, t } from '../i18n.js';
import { codeText } from '../session/update.js';
import { sheet } from '../screens/sheet.js';
import { nameOf } from '../session/room-state.js';
import { chart } from './chart.js';
import { gameOf } from './moments.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../games/types.js').Action} Action */
/** @typedef {import('../games/types.js').Review} Review */
/** @typedef {Review['players'][number]} ReviewedPlayer */

/**
 * A chance in thousandths as a percentage.
 * @param {number} thousandths
 * @param {Intl.NumberFormatOptions} [how]
 */
export const percent = (thousandths, how = {}) =>
  new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 0, ...how })
    .format(thousandths / 1000)
    .replace('-', '−');

/** A change in thousandths as a signed percentage. @param {number} thousandths */
const change = (thousandths) => percent(thousandths, { signDisplay: 'exceptZero' });

/**
 * Why there is no answer, and a button to ask again.
 * @param {string} why
 * @param {() => void} again
 */
const missing = (why, again) =>
  h(
    'div',
    { class: 'missing', key: 'missing' },
    h('p', { role: 'alert' }, codeText(why)),
    why === 'no_review' || why === 'no_hint'
      ? null
      : h('button', { class: 'second', type: 'button', onclick: again }, t('again')),
  );

/** @param {View} view */
export function reviewSheet(view) {
  const { ui, commands } = view;
  const { review, why } = ui.sheet ?? {};
  return sheet(
    view,
    { name: 'review', title: t('review'), tall: !!review },
    review && ui.past
      ? body(view, review)
      : why
        ? missing(why, () => commands.withAfterGame((afterGame) => afterGame.review()))
        : working(view),
  );
}

/** Progress of the review. @param {View} view */
function working({ known }) {
  const { done, of } = known.review ?? { done: 0, of: 0 };
  return h(
    'div',
    { class: 'working', key: 'working' },
    h('p', { id: 'review-working' }, of ? t('review.working', { done, of }) : t('review.waiting')),
    h('progress', { max: of || 1, value: of ? done : 0, 'aria-labelledby': 'review-working' }),
  );
}

/** @param {View} view @param {Review} review */
function body(view, review) {
  const at = view.ui.moment ?? 0;
  return [
    h('p', { class: 'note', key: 'words' }, t('review.words', { count: review.decisions })),
    h('h3', { key: 'chance' }, t('review.chance')),
    chart(
      t('review.chance'),
      review.players.map(({ seat, curve }) => ({
        name: nameOf(view.known, seat),
        // The last known chance at that moment.
        value: percent((curve.findLast(({ moment }) => moment <= at) ?? curve[0])?.chance ?? 0),
        points: curve.map(({ moment, chance }) => [moment, chance]),
      })),
      view,
      'round',
    ),
    // The viewer's own review is first.
    [...review.players]
      .sort((a, b) => Number(b.seat === view.seat) - Number(a.seat === view.seat))
      .map((player) => playerPart(view, player)),
    h('p', { class: 'note', key: 'luck' }, t('review.luck.words')),
  ];
}

/** @param {View} view @param {ReviewedPlayer} player */
function playerPart(view, player) {
  const { seat, fair, play, others, luck, result, mistakes } = player;
  const name = nameOf(view.known, seat);
  /** @type {[string, string][]} */
  const sums = [
    [t('review.fair'), percent(fair)],
    [t('review.play'), change(-play)],
    [t('review.others'), change(others)],
    [t('review.luck'), change(luck)],
    [t('review.result'), percent(result)],
  ];
  return h(
    'section',
    { class: 'reviewed', key: seat, 'aria-labelledby': `reviewed-${seat}` },
    h('h3', { id: `reviewed-${seat}`, dir: 'auto' }, name),
    h(
      'dl',
      { class: 'balance' },
      sums.map(([title, value]) => h('div', { key: title }, h('dt', null, title), h('dd', null, value))),
    ),
    mistakes.length
      ? h(
          'ol',
          { class: 'mistakes' },
          mistakes.map((mistake) => h('li', { key: mistake.moment }, mistakeLink(view, seat, mistake))),
        )
      : h('p', { class: 'note' }, t('review.clean')),
  );
}

/** @param {View} view @param {number} seat @param {ReviewedPlayer['mistakes'][0]} mistake */
function mistakeLink(view, seat, { moment, action, better, cost, chance }) {
  const { ui, commands, known } = view;
  const { code, number } = gameOf(ui);
  const eye = view.gamePart('action_words');
  const before = ui.past?.[moment - 1]?.table;
  const words = (/** @type {Action} */ act) =>
    eye && before ? eye.actionWords(act, seat, before, (who) => nameOf(known, who)) : '…';
  return h(
    'a',
    {
      class: 'mistake',
      href: code && number ? replayUrl(code, number, moment) : '#',
      onclick: (event) => {
        event.preventDefault();
        commands.close();
        commands.goToMoment(moment);
      },
    },
    h('b', { class: 'lost' }, change(-cost)),
    h(
      'span',
      null,
      h('span', { class: 'done' }, words(action)),
      h('small', null, t('review.better', { act: words(better), chance: percent(chance) })),
      h('small', { class: 'when' }, t('replay.at', { at: moment + 1, count: ui.past?.length ?? 0 })),
    ),
  );
}

/** What the strongest bot would do now. @param {View} view */
export function hintSheet(view) {
  const { known, seat, table } = view;
  const { why } = view.ui.sheet ?? {};
  const hint = known.hint && known.hint.n === known.game?.next ? known.hint : null;
  const eye = view.gamePart('action_words');
  const said = (/** @type {Action} */ action) =>
    (table && eye?.actionWords(action, seat ?? 0, table, (who) => nameOf(known, who))) ?? '…';
  return sheet(
    view,
    { name: 'hint', title: t('hint') },
    hint
      ? [
          h('p', { class: 'note', key: 'words' }, t('hint.words')),
          h(
            'ol',
            { class: 'hints', key: 'hints' },
            hint.acts.map(({ action, chance }, at) =>
              h('li', { key: at }, h('span', null, said(action)), h('b', null, percent(chance))),
            ),
          ),
        ]
      : !known.game?.asked.includes(seat ?? -1)
        ? h('p', { class: 'note', role: 'status', key: 'none' }, t('hint.none'))
        : why || known.hint
          ? missing(why ?? 'busy', () => view.commands.withAfterGame((afterGame) => afterGame.hint()))
          : h('p', { class: 'note', role: 'status', key: 'thinking' }, t('hint.thinking')),
  );
}
