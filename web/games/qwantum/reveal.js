// What was hidden at a moment of a finished game: choices made while others were still deciding.

import { t } from '../../i18n.js';
import { nameOf } from '../../session/room-state.js';

/** @typedef {import('../types.js').Moment<import('./types.js').Qwantum>} Moment */

/**
 * The last choice of each player who has decided, by seat.
 * @param {Moment[]} past
 * @param {number} at
 * @returns {Map<number, Moment['action']>}
 */
export function chosen(past, at) {
  const choices = new Map();
  for (let i = at; i >= 0 && past[i].table.phase === 'share'; i--) {
    const { seat, action, events } = past[i];
    if (seat !== null && !events.length && !choices.has(seat)) choices.set(seat, action);
  }
  return choices;
}

/** @param {import('../../view.js').View<import('./types.js').Qwantum>} view */
export function revealed(view) {
  const past = view.ui.past ?? [];
  const choices = chosen(past, view.ui.moment ?? past.length - 1);
  return [...choices]
    .sort(([a], [b]) => a - b)
    .map(([seat, action]) => ({
      title: t('replay.open.chose', { name: nameOf(view.known, seat) }),
      body: action?.type === 'enter' ? t(`qwantum.color.${action.row}`) : t('qwantum.skip'),
    }));
}
