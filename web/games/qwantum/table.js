// The board and the bar: the other players' sheets, the dice, the own sheet, and what can be done by taps or keys.
// `actions` lists what is legal; a tap on anything else is answered with the reason.

import { h, classes } from '../../dom.js';
import { t, formatSigned, formatDuration } from '../../i18n.js';
import { botMark } from '../../icons.js';
import { pressAt, pressShortcut, walk } from '../../keys.js';
import { isNew, newsOf } from '../../news.js';
import { isSent, listedAction, controlClass, playOrExplain } from '../legal-actions.js';
import { latestLine } from '../../screens/log.js';
import { awayFor, nameOf, seatOf } from '../../session/room-state.js';
import { enterOf, noChoice, toggled } from './choice.js';
import { lastDice } from './news.js';
import { ROWS, cells, face, faceName, misses, ownFeet, rowSaid, slip, slipSaid } from './pieces.js';
import { whyDie, whyRow } from './words.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Player} Player */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./choice.js').Choice} Choice */
/** @typedef {import('../../dom.js').Node_} Node_ */
/** @typedef {import('./types.js').View} View */

/**
 * The current choice; none at an earlier moment.
 * @param {View} view
 * @returns {Choice}
 */
const choiceOf = (view) => (view.ui.moment === null ? view.ui.choice : noChoice);

/** Before the first roll. */
const BLANK = Array.from({ length: 7 }, () => null);

/** @param {View} view */
export function board(view) {
  const table = view.table;
  // A watcher sees the active player's sheet large.
  const own = view.seat ?? table.turn ?? table.outcome?.winners[0] ?? 0;
  const others = view.seat === null ? table.players : [...table.players.slice(own + 1), ...table.players.slice(0, own)];
  return [
    h(
      'section',
      { class: `opponents qw of${others.length}`, 'aria-label': t('others'), key: 'others' },
      others.map((player) => rival(view, player)),
    ),
    latestLine(view),
    h('section', { class: 'middle qw', 'aria-label': t('qwantum.dice'), key: 'dice' }, tray(view)),
    h(
      'section',
      { class: 'ownside qw', 'aria-label': nameOf(view.known, own), key: 'own' },
      ownHead(view, table.players[own]),
      ownSlip(view, table.players[own]),
    ),
  ];
}

/**
 * Another player: name, points, a small sheet, and whether they have decided.
 * @param {View} view
 * @param {Player} player
 */
function rival(view, player) {
  const table = view.table;
  const info = seatOf(view.known, player.seat);
  const away = info?.bot ? null : awayFor(view.known, player.seat, view.now);
  const decided = table.phase === 'share' && table.decided[player.seat];
  return h(
    'button',
    {
      class: classes('rival', table.turn === player.seat && 'acting'),
      key: player.seat,
      type: 'button',
      'data-seat': player.seat,
      onclick: () => view.commands.open({ name: 'player', seat: player.seat }),
    },
    h(
      'span',
      { class: 'who' },
      h(
        'span',
        { class: 'name', dir: 'auto' },
        info?.bot || info?.program ? botMark(t(`bot.${info.bot ?? 'program'}`)) : null,
        info?.name ?? '?',
      ),
      player.score
        ? h(
            'b',
            { class: classes('score', isNew(view, `score ${player.seat}`) && 'new') },
            formatSigned(player.score.total),
            h('span', { class: 'unseen' }, ` ${t('points', { count: player.score.total })}. `),
          )
        : null,
    ),
    h('span', { class: 'unseen' }, newsOf(view, player.seat) + slipSaid(player)),
    slip(player.rows, { fresh: freshOf(view, player.seat) }),
    h(
      'span',
      { class: 'marks' },
      away === null
        ? misses(player.misses, isNew(view, `misses ${player.seat}`))
        : h('i', { class: 'away' }, t('away', { time: formatDuration(away) })),
      decided ? h('i', { class: 'bubble standing', role: 'img', 'aria-label': t('qwantum.decided') }, '✓') : null,
    ),
  );
}

/**
 * Which cells of a seat's sheet are new.
 * @param {View} view
 * @param {number} seat
 * @returns {(row: Row, at: number) => boolean}
 */
const freshOf = (view, seat) => (row, at) => isNew(view, `${seat} ${row} ${at}`);

/** The dice. After a roll the roller marks those to be rolled again. @param {View} view */
function tray(view) {
  const table = view.table;
  const { again, rolled } = choiceOf(view);
  const may = listedAction(view.actions, 'reroll') !== null;
  // Until the next roll, the dice of the last entries are shown.
  const old = table.dice || view.ui.moment !== null ? null : lastDice(view.known.history);
  return h(
    'div',
    { class: classes('dice', old && 'old'), 'data-group': 'dice', key: 'dice' },
    (table.dice ?? old ?? BLANK).map((die, i) => {
      const free = again.includes(i);
      const name = t(may ? 'qwantum.keep_die' : old ? 'qwantum.old_die' : 'qwantum.die', {
        at: i + 1,
        face: die ? faceName(die) : t('qwantum.blank'),
      });
      // A changed face is a new element, because only new elements tumble.
      const shown = face(die, { key: die ? `${old ? 'old' : rolled.includes(i)}${die.color}${die.value}` : 'blank' });
      if (view.seat === null || !die || old)
        return h('span', { class: 'slot', key: i, role: 'img', 'aria-label': name, style: { '--at': i } }, shown);
      return h(
        'button',
        {
          class: classes('slot', may && 'lit', free && 'free'),
          key: i,
          type: 'button',
          'data-card': '',
          'aria-label': name,
          'aria-pressed': may ? !free : undefined,
          'aria-disabled': !may,
          style: { '--at': i },
          onclick: () => tapDie(view, i),
        },
        shown,
        free ? h('i', { class: 'again', key: 'again', 'aria-hidden': 'true' }, '↻') : null,
      );
    }),
  );
}

/** @param {View} view @param {Player} own */
function ownHead(view, own) {
  return h(
    'div',
    { class: classes('ownhead', view.table.turn === own.seat && 'acting'), 'data-seat': own.seat },
    h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, own.seat)),
    misses(own.misses, isNew(view, `misses ${own.seat}`)),
    own.score
      ? h(
          'b',
          {
            class: classes('score', isNew(view, `score ${own.seat}`) && 'new'),
            'aria-label': t('points', { count: own.score.total }),
            role: 'img',
          },
          formatSigned(own.score.total),
        )
      : null,
  );
}

/** @param {View} view @param {Player} own */
function ownSlip(view, own) {
  return h(
    'div',
    { class: 'slip large', 'data-group': 'rows' },
    h('span', { class: 'lane slopes', 'aria-hidden': 'true' }, h('i', { class: 'up' }), h('i', { class: 'down' })),
    ROWS.map((row) => lane(view, own, row)),
    own.score ? ownFeet(own.score.columns, view.commands.say) : null,
  );
}

/** "Enter 13 in blue". @param {Table} table @param {Row} row */
const enterWords = (table, row) =>
  t('qwantum.enter', { value: table.totals?.[row] ?? 0, row: t(`qwantum.color.${row}`) });

/**
 * The row this seat has chosen while others are still deciding.
 * @param {View} view
 * @returns {Row | undefined}
 */
const chosenRow = ({ mine }) => (mine?.choice?.type === 'enter' ? mine.choice.row : undefined);

/**
 * One row of the own sheet, with the total of this roll in its next free cell.
 * @param {View} view
 * @param {Player} own
 * @param {Row} row
 */
function lane(view, own, row) {
  const table = view.table;
  const values = own.rows[row];
  const lit = enterOf(view.actions, row) !== null;
  const chosen = chosenRow(view) === row;
  const picked = choiceOf(view).row === row;
  const open =
    table.totals &&
    table.phase !== 'finished' &&
    !(table.phase === 'share' && (table.used === row || (view.ui.moment !== null && table.decided[own.seat])));
  const inside = cells(row, values, {
    fresh: freshOf(view, own.seat),
    next: open ? [table.totals?.[row], chosen ? h('i', { class: 'tick', key: 'tick' }, '✓') : null] : undefined,
    kind: classes(chosen ? 'chosen' : picked ? 'picked' : lit && 'lit', isSent(view, { type: 'enter', row }) && 'sent'),
  });
  if (view.seat === null)
    return h('span', { class: `lane ${row}`, key: row, role: 'img', 'aria-label': rowSaid(row, values) }, inside);
  const said = lit ? `. ${enterWords(table, row)}, ${t('qwantum.cell', { cell: values.length + 1 })}` : '';
  return h(
    'button',
    {
      class: classes('lane', row, lit && 'lit'),
      key: row,
      type: 'button',
      'data-card': '',
      'aria-pressed': lit ? picked || chosen : undefined,
      'aria-disabled': !lit,
      onclick: () => tapRow(view, row),
    },
    h('span', { class: 'unseen' }, rowSaid(row, values) + said),
    inside,
  );
}

/** @param {View} view @param {number} die */
function tapDie(view, die) {
  const choice = view.ui.choice;
  if (listedAction(view.actions, 'reroll')) view.commands.choose({ ...choice, again: toggled(choice.again, die) });
  else view.commands.say(whyDie(view));
}

/**
 * The first tap picks, the second enters: an entry cannot be undone.
 * @param {View} view
 * @param {Row} row
 */
function tapRow(view, row) {
  const choice = view.ui.choice;
  if (choice.row === row || !enterOf(view.actions, row)) enter(view, row);
  else view.commands.choose({ ...choice, row });
}

/**
 * A row that is already chosen is not chosen again.
 * @param {View} view
 * @param {Row | null} row
 */
function enter(view, row) {
  if (row && chosenRow(view) === row) view.commands.choose({ ...view.ui.choice, row: null });
  else playOrExplain(view, enterOf(view.actions, row), () => (row ? whyRow(view, row) : t('qwantum.why.pick')));
}

/** Rolls all dice, or the marked ones again. @param {View} view */
function roll(view) {
  const { again } = view.ui.choice;
  const more = listedAction(view.actions, 'reroll');
  playOrExplain(
    view,
    listedAction(view.actions, 'roll') ?? (more && again.length ? { type: 'reroll', dice: again } : null),
    () => (more ? t('code.no_dice') : whyDie(view)),
  );
}

/** @param {View} view */
const keep = (view) => playOrExplain(view, listedAction(view.actions, 'keep'), () => whyDie(view));

/** @param {View} view */
const skip = (view) => playOrExplain(view, listedAction(view.actions, 'skip'), () => whyRow(view, ROWS[0]));

/** @param {View} view */
export function bar(view) {
  const table = view.table;
  if (view.seat === null || table.phase === 'finished') return null;
  if (table.phase === 'share') return table.decided[view.seat] && !view.ui.choice.row ? null : entering(view);
  if (table.turn !== view.seat) return null;
  if (table.phase === 'choose') return entering(view);
  return table.rolls
    ? rerolling(view)
    : steps(
        view,
        button(view, 'roll', 'main', listedAction(view.actions, 'roll'), t('qwantum.roll'), () => roll(view), 'R'),
      );
}

/**
 * Another phase or turn has new buttons: skipping alone is another decision than skipping with everyone.
 * @param {View} view
 * @param {...Node_} buttons
 */
const steps = ({ table: { phase, turn } }, ...buttons) =>
  h('div', { class: 'steps', key: `${phase} ${turn} ${buttons[0].key}` }, buttons);

/**
 * @param {View} view
 * @param {string} act
 * @param {'main' | 'step'} kind
 * @param {unknown} lit
 * @param {string} words
 * @param {() => void} tap
 * @param {string} [shortcut]
 */
const button = (view, act, kind, lit, words, tap, shortcut) =>
  h(
    'button',
    {
      class: classes(kind, controlClass(view, lit, { type: act })),
      key: act,
      type: 'button',
      'aria-keyshortcuts': shortcut,
      'aria-disabled': !lit,
      onclick: tap,
    },
    words,
  );

/** @param {View} view */
function rerolling(view) {
  const count = view.ui.choice.again.length;
  const may = listedAction(view.actions, 'reroll');
  return steps(
    view,
    h(
      'button',
      {
        class: 'step lit qw chartButton',
        key: 'chart',
        type: 'button',
        'aria-label': t('qwantum.chart'),
        title: t('qwantum.chart'),
        onclick: () => view.commands.open({ name: 'piles' }),
      },
      face({ color: 'white', value: 5 }),
    ),
    button(view, 'keep', count ? 'step' : 'main', may, t('qwantum.keep'), () => keep(view), 'K'),
    button(
      view,
      'reroll',
      count ? 'main' : 'step',
      may && count,
      count ? t('qwantum.again', { count }) : t('qwantum.again_none'),
      () => roll(view),
      'R',
    ),
  );
}

/** @param {View} view */
function entering(view) {
  const table = view.table;
  const { row } = view.ui.choice;
  // A roller who enters nothing in either step marks a miss.
  const missed = table.phase === 'share' && table.turn === view.seat && !table.used;
  const cost = table.players[view.seat ?? 0].misses + 1;
  return steps(
    view,
    button(
      view,
      'skip',
      'step',
      listedAction(view.actions, 'skip'),
      missed ? t('qwantum.skip_miss', { cost }) : t('qwantum.skip'),
      () => skip(view),
      'S',
    ),
    button(view, 'enter', 'main', enterOf(view.actions, row), row ? enterWords(table, row) : t('qwantum.pick'), () =>
      enter(view, row),
    ),
  );
}

const DICE = '[data-group=dice] [data-card]';
const LANES = '[data-group=rows] [data-card]';

/** Elements and step of each arrow key. @type {Record<string, [string, number]>} */
const ARROWS = { ArrowLeft: [DICE, -1], ArrowRight: [DICE, 1], ArrowUp: [LANES, -1], ArrowDown: [LANES, 1] };

/**
 * Handles the keys of the table. Enter on a focused die, row or button is handled by the browser.
 * @param {View} view
 * @param {string} key
 */
export function key(view, key) {
  const table = view.table;
  if (view.seat === null) return false;
  if (ARROWS[key]) return walk(...ARROWS[key]);
  const rolling = table.phase === 'roll';
  if (/^[1-7]$/.test(key)) return pressAt(rolling ? DICE : LANES, Number(key) - 1);
  if (pressShortcut(key)) return true;
  const act = { r: roll, k: keep, s: skip }[key.toLowerCase()];
  act?.(view);
  return act !== undefined;
}
