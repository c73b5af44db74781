// Words for an act that may not have been played: no dice have been rolled for it.

import { formatList, t } from '../../i18n.js';
import { faceName } from './pieces.js';
import { choiceWords } from './words.js';

/**
 * @param {import('./wire.js').Action} action
 * @param {number} seat
 * @param {import('./wire.js').Table} table
 * @param {(seat: number) => string} name
 */
export function actionWords(action, seat, table, name) {
  if (action.type === 'roll') return t('qwantum.say.rolls', { name: name(seat) });
  if (action.type !== 'reroll') return choiceWords(action, seat, table, name);
  return t('qwantum.eye.reroll', {
    name: name(seat),
    dice: formatList(action.dice.flatMap((die) => (table.dice ? faceName(table.dice[die]) : []))),
  });
}
