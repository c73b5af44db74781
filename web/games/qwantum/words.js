// Qwantum in words: the sentence, the standing, the log, and reasons why something is not legal. The server lists what
// is legal; a reason only names the rule that most likely forbids the rest.

import { t, formatList, formatDuration } from '../../i18n.js';
import { listedAction, whyBlocked } from '../legal-actions.js';
import { winnerText, winnerTextFor } from '../winner-text.js';
import { awayFor, nameOf, seatOf } from '../../session/room-state.js';
import { totalsOf } from './choice.js';
import { ROWS, faceName } from './pieces.js';

/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./types.js').View} View */

/** Longer lists of names would not fit the status line. */
const LONGEST = 32;

/** @param {View} view @returns {string} */
export function sentence(view) {
  const table = view.table;
  const { turn } = table;
  if (table.phase === 'finished' || turn === null) return winnerTextFor(view);
  const present = view.ui.moment === null;
  const sharing = table.phase === 'share';
  // An earlier moment does not say who was asked.
  const then = () => (sharing ? table.decided.flatMap((done, seat) => (done ? [] : [seat])) : [turn]);
  const waiting = present ? (view.known.game?.asked ?? []) : then();
  if (present && view.seat !== null && waiting.includes(view.seat)) return yours(view, table);
  const name = formatList(waiting.map((seat) => nameOf(view.known, seat)));
  if (name.length > LONGEST) return t('qwantum.say.waiting_many', { count: waiting.length });
  const away = present && waiting.length === 1 ? awayFor(view.known, waiting[0], view.now) : null;
  if (away !== null && !seatOf(view.known, waiting[0])?.bot)
    return t('waiting_away', { name, time: formatDuration(away) });
  return t(
    sharing
      ? 'qwantum.say.waiting'
      : table.phase === 'choose'
        ? 'qwantum.say.enters'
        : table.rolls
          ? 'qwantum.say.again'
          : 'qwantum.say.rolls',
    { name },
  );
}

/** @param {View} view @param {Table} table */
function yours(view, table) {
  // An act that is being sent is worded as everybody will read it.
  const sent = view.known.pending?.action;
  if (sent) {
    const name = () => nameOf(view.known, view.seat ?? 0);
    return sent.type === 'roll' || sent.type === 'reroll'
      ? t('qwantum.say.rolls', { name: name() })
      : choiceWords(sent, view.seat ?? 0, table, name);
  }
  if (table.phase === 'roll') return t(table.rolls ? 'qwantum.say.you_again' : 'qwantum.say.you_roll');
  if (view.ui.choice.row) return t('qwantum.say.tap_again');
  if (!listedAction(view.actions, 'enter')) return t('qwantum.say.none_fits');
  return t(table.phase === 'share' ? 'qwantum.say.you_share' : 'qwantum.say.you_enter');
}

/** @param {View} view */
export function standing(view) {
  const table = view.table;
  const round = t('round', { round: table.round });
  return table.phase === 'roll' && table.rolls ? `${round} · ${t('qwantum.rolls', { count: table.rolls })}` : round;
}

/** While others are asked: what this seat has chosen, or what comes next. @param {View} view */
export function idle(view) {
  const table = view.table;
  const mine = view.mine;
  const choice = mine?.choice;
  if (!choice) return t('qwantum.idle');
  return t('qwantum.chosen', {
    choice:
      choice.type === 'enter'
        ? faceName({ color: choice.row, value: table.totals?.[choice.row] ?? 0 })
        : t('qwantum.skip'),
  });
}

/** "violet 6, blue 13, red 6 and yellow 8". @param {import('./wire.js').Die[]} dice */
export function totalsSaid(dice) {
  const totals = totalsOf(dice);
  return formatList(ROWS.map((row) => faceName({ color: row, value: totals[row] })));
}

/** @param {Event} event @param {(seat: number) => string} name @returns {string | null} */
export function words(event, name) {
  switch (event.type) {
    case 'roll':
      return t('qwantum.log.roll', { name: name(event.seat), totals: totalsSaid(event.dice) });
    case 'enter':
      return t('qwantum.log.enter', {
        name: name(event.seat),
        value: event.value,
        row: t(`qwantum.color.${event.row}`),
      });
    case 'keep':
    case 'skip':
    case 'miss':
      return t(`qwantum.log.${event.type}`, { name: name(event.seat) });
    case 'end':
      return winnerText(event.winners, name);
    default:
      return null;
  }
}

/**
 * Words an act other than a roll like the event it causes.
 * @param {Exclude<import('./wire.js').Action, {type: 'roll' | 'reroll'}>} action
 * @param {number} seat
 * @param {Table} table
 * @param {(seat: number) => string} name
 */
export const choiceWords = (action, seat, table, name) =>
  words(
    action.type === 'enter' ? { ...action, seat, value: table.totals?.[action.row] ?? 0 } : { ...action, seat },
    name,
  ) ?? '';

/**
 * Dice and misses happen to the roller; everything else is the player's own act.
 * @param {Event} event
 * @param {import('../../view.js').View<import('./types.js').Qwantum>} view
 * @returns {string | null}
 */
export function ownWords(event, view) {
  if (event.type === 'roll') return totalsSaid(event.dice);
  if (event.type !== 'miss') return null;
  return t('qwantum.say.you_miss', { cost: view.known.game?.table.players[event.seat].misses ?? 0 });
}

/** Every turn is a chapter; its title says whose. @param {Event} event @param {(seat: number) => string} name */
export const chapter = (event, name) =>
  event.type === 'turn' ? t('qwantum.log.turn', { name: name(event.seat) }) : null;

/**
 * Whose turn it is instead.
 * @param {View} view
 * @returns {string | null}
 */
function whyTurn(view) {
  const table = view.table;
  if (table.turn === view.seat || table.turn === null || table.phase === 'share') return null;
  return t(table.phase === 'choose' ? 'qwantum.why.first' : 'qwantum.why.turn', {
    name: nameOf(view.known, table.turn),
  });
}

/** Why this die cannot be rolled again. @param {View} view */
export const whyDie = (view) => whyBlocked(view) ?? whyTurn(view) ?? t('code.no_reroll_left');

/** Why this total cannot be entered. @param {View} view @param {Row} row */
export function whyRow(view, row) {
  const table = view.table;
  const before = whyBlocked(view) ?? whyTurn(view);
  if (before) return before;
  if (table.phase === 'roll') return t(table.rolls ? 'qwantum.why.keep_first' : 'qwantum.why.roll_first');
  if (table.phase === 'share' && table.used === row) return t('code.color_used');
  const values = table.players.find((player) => player.seat === view.seat)?.rows[row] ?? [];
  if (values.length === 6) return t('code.row_full');
  return t(values.length < 4 ? 'why.more_than' : 'qwantum.why.less', { count: values.at(-1) ?? 0 });
}
