// The bar at the bottom: lit buttons are legal; the others answer a tap with the reason.

import { h, classes } from '../../dom.js';
import { t } from '../../i18n.js';
import { pressAt, pressShortcut, walk } from '../../keys.js';
import { isSent, listedAction, controlClass, legalActions, playOrExplain, whyBlocked } from '../legal-actions.js';
import { aidOf, meaning, meaningSaid } from './bidding-aid.js';
import { bidOf, buildOf, onlyTake, takeOf } from './choice.js';
import { whyNot } from './refusals.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./types.js').View} View */

/** @param {View} view */
export function bar(view) {
  const table = view.table;
  if (table.turn !== view.seat || view.seat === null) return null;
  if (table.phase === 'auction') return auction(view);
  if (table.phase === 'take') return take(view);
  if (table.phase === 'build') return build(view);
  return null;
}

/** @param {View} view @param {Action | null} listed @param {Action} meant */
const doOr = (view, listed, meant) => playOrExplain(view, listed, () => whyNot(view, meant));

/** @param {View} view */
function auction(view) {
  const aid = aidOf(view);
  const numbers = [0, 1, 2, 3, 4, 5].map((count) => {
    const bid = bidOf(view.actions, count);
    const open = aid && bidOf(legalActions(view), count);
    const means = open && meaning(aid, view.table.row, count, (card) => String(card.value));
    const said = open ? meaningSaid(aid, view.table.row, count) : null;
    // The label is the bid. Its meaning is the description, shown under the number.
    return h(
      'button',
      {
        class: classes('number', controlClass(view, bid, { type: 'bid', count }), means && 'told'),
        key: count,
        type: 'button',
        'aria-keyshortcuts': count,
        'aria-label': t('towers.bid', { count }),
        'aria-disabled': !bid,
        title: said ?? undefined,
        onclick: () => doOr(view, bid, { type: 'bid', count }),
      },
      count,
      means ? h('small', { key: 'means', 'data-means': `${means.falls ? '▾ ' : ''}${means.words}` }) : null,
    );
  });
  const pass = listedAction(view.actions, 'pass');
  return h(
    'div',
    { class: 'bids', role: 'group', 'aria-label': t('towers.your_bid'), key: 'bids' },
    numbers,
    h(
      'button',
      {
        class: classes('pass', controlClass(view, pass, { type: 'pass' })),
        key: 'pass',
        type: 'button',
        'aria-keyshortcuts': 'P',
        'aria-disabled': !pass,
        onclick: () => doOr(view, pass, { type: 'pass' }),
      },
      t('towers.pass'),
    ),
  );
}

/** @param {View} view */
function take(view) {
  const table = view.table;
  const count = table.standing?.count ?? 0;
  const { picked } = view.ui.choice;
  const ready =
    onlyTake(view.actions) ??
    takeOf(
      view.actions,
      picked.map((at) => table.row[at]),
    );
  return h(
    'div',
    { class: 'steps', key: 'take' },
    retract(view),
    undo(view, true),
    h(
      'button',
      {
        class: classes('main', controlClass(view, ready, { type: 'take' })),
        key: 'take',
        type: 'button',
        'aria-keyshortcuts': 'F',
        'aria-disabled': !ready,
        onclick: () =>
          playOrExplain(
            view,
            ready,
            () => whyBlocked(view) ?? t('towers.why.pick_more', { count: count - picked.length }),
          ),
      },
      ready || isSent(view, { type: 'take' })
        ? t('towers.take', { count })
        : t('towers.take_of', { picked: picked.length, count }),
    ),
  );
}

/** @param {View} view */
function build(view) {
  const table = view.table;
  const choice = view.ui.choice;
  const finish = listedAction(view.actions, 'finish');
  const placed = !table.demolished_now && table.players.length > 0 && placedSome(view);
  const canDemolish = listedAction(view.actions, 'demolish') !== null;
  const lifted = choice.lifted;
  return h(
    'div',
    { class: 'steps', key: 'build' },
    retract(view),
    undo(view, false),
    placed || table.demolished_now
      ? null
      : h(
          'button',
          {
            class: classes('step', canDemolish ? 'lit' : 'dull', choice.wrecking && 'on'),
            key: 'demolish',
            type: 'button',
            'aria-keyshortcuts': 'D',
            'aria-pressed': choice.wrecking,
            'aria-disabled': !canDemolish,
            onclick: () => toggleWreck(view),
          },
          t('towers.demolish'),
        ),
    // Finish replaces another button only when the hand is empty, and then as a new element.
    table.hand.length && lifted
      ? h(
          'button',
          {
            class: classes('main', controlClass(view, true, { type: 'build' })),
            key: 'place',
            type: 'button',
            onclick: () => doOr(view, buildOf(view.actions, lifted), { type: 'build', card: lifted }),
          },
          t('towers.place', { value: lifted.value, tower: t(`towers.type.${lifted.tower}`) }),
        )
      : h(
          'button',
          {
            class: classes('main', controlClass(view, finish, { type: 'finish' })),
            key: table.hand.length ? 'place' : 'finish',
            type: 'button',
            'aria-keyshortcuts': 'F',
            'aria-disabled': !finish,
            onclick: () => doOr(view, finish, { type: 'finish' }),
          },
          t('towers.finish'),
        ),
  );
}

/**
 * Demolition is possible before the first placement only; then fewer cards are in hand than were bid.
 * @param {View} view
 */
function placedSome(view) {
  const table = view.table;
  return table.hand.length < (table.standing?.count ?? 0);
}

/** @param {View} view */
export function toggleWreck(view) {
  const choice = view.ui.choice;
  if (listedAction(view.actions, 'demolish'))
    return view.commands.choose({ ...choice, lifted: null, wrecking: !choice.wrecking });
  const table = view.table;
  if (placedSome(view)) return view.commands.say(t('code.demolish_first'));
  const own = table.players.find((player) => player.seat === view.seat);
  const towers = Object.values(own?.towers ?? {});
  const bare = towers.every((values) => values.length === 0);
  view.commands.say(
    t(
      table.demolished_now
        ? 'code.already_demolished'
        : bare
          ? 'code.nothing_to_demolish'
          : 'code.demolish_unbuildable',
    ),
  );
}

/** @param {View} view @param {boolean} quiet whether to leave it out if there is nothing to undo */
function undo(view, quiet) {
  const listed = listedAction(view.actions, 'undo');
  if (!listed && quiet) return null;
  return h(
    'button',
    {
      class: classes('step', controlClass(view, listed, { type: 'undo' })),
      key: 'undo',
      type: 'button',
      'aria-keyshortcuts': 'U',
      'aria-disabled': !listed,
      onclick: () => doOr(view, listed, { type: 'undo' }),
    },
    t('towers.undo'),
  );
}

/** Only where mistakes are allowed and the standing bid cannot be kept. @param {View} view */
function retract(view) {
  const act = listedAction(legalActions(view), 'retract');
  if (!act) return null;
  const listed = listedAction(view.actions, 'retract');
  return h(
    'button',
    {
      class: classes('step', controlClass(view, listed, act)),
      key: 'retract',
      type: 'button',
      'aria-disabled': !listed,
      onclick: () => doOr(view, listed, act),
    },
    t('towers.retract'),
  );
}

const CARDS = '[data-group] [data-card]';

/**
 * Handles the keys of the table. Enter on a focused card or button is handled by the browser.
 * @param {View} view
 * @param {string} key
 */
export function key(view, key) {
  const table = view.table;
  const mine = table.turn === view.seat && view.seat !== null && view.ui.moment === null;
  // Arrows move along the cards, or along the towers while demolishing.
  if (key === 'ArrowLeft' || key === 'ArrowRight')
    return walk(view.ui.choice.wrecking ? '.ownside [data-tower]' : CARDS, key === 'ArrowRight' ? 1 : -1);
  if (!mine) return false;
  if (pressShortcut(key)) return true;
  if (/^[1-5]$/.test(key)) return pressAt(CARDS, Number(key) - 1);
  const letter = key.toLowerCase();
  if (letter === 'd' && table.phase === 'build') toggleWreck(view);
  else if (letter in MEANT) view.commands.say(whyNot(view, MEANT[letter]));
  else return false;
  return true;
}

/** Acts of the letters for which the bar has no button: they explain why. @type {Record<string, Action>} */
const MEANT = { p: { type: 'pass' }, u: { type: 'undo' }, f: { type: 'finish' } };
