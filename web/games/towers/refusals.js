// Explains why an act is not legal. The server lists what is legal; this only names the rule that most likely forbids
// the rest.

import { t } from '../../i18n.js';
import { whyBlocked } from '../legal-actions.js';
import { nameOf } from '../../session/room-state.js';
import { sentence } from './words.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('./types.js').View} View */

/** @param {View} view @param {Action} action @returns {string} */
export function whyNot(view, action) {
  const table = view.table;
  const nothing = whyBlocked(view);
  if (nothing) return nothing;
  if (table.turn !== view.seat) {
    return t(table.phase === 'finished' ? 'code.game_over' : `towers.why.turn_${table.phase}`, {
      name: table.turn === null ? '' : nameOf(view.known, table.turn),
    });
  }
  const towers = table.players.find((player) => player.seat === view.seat)?.towers;
  /** @param {TowerType} tower */
  const topOf = (tower) => towers?.[tower].at(-1);
  switch (action.type) {
    case 'bid':
      if (table.phase !== 'auction') return t('code.wrong_phase');
      if (table.standing && action.count <= table.standing.count)
        return t('why.more_than', { count: table.standing.count });
      if (action.count > table.row.length) return t('towers.why.row_size', { count: table.row.length });
      // Where mistakes are allowed, only a retraction limits bids: the sentence says what is possible.
      if (view.known.room?.rules.mistakes === 'allowed') return sentence(view);
      return t('towers.why.bid_unbuildable', { count: action.count });
    case 'pass':
      return t(table.phase === 'auction' ? 'code.starter_must_bid' : 'code.wrong_phase');
    case 'take':
      return t('towers.why.take_unbuildable', { count: action.cards.length });
    case 'build': {
      const top = topOf(action.card.tower);
      if (top === 0) return t('code.roofed');
      if (top !== undefined && action.card.value >= top && top !== 8 && action.card.value !== 9) {
        return t('towers.why.too_high', { value: action.card.value, top });
      }
      return t('code.would_strand');
    }
    case 'demolish':
      if (table.demolished_now) return t('code.already_demolished');
      if (topOf(action.tower) === undefined) return t('code.nothing_to_demolish');
      if (topOf(action.tower) === 0) return t('code.roof_stays');
      return t('code.demolish_unbuildable');
    case 'finish':
      return t('towers.why.place_first', { count: table.hand.length });
    default:
      return t('code.nothing_to_undo');
  }
}
