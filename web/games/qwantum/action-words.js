// Words for an act that may not have been played: no dice have been rolled for it.

import { formatList, t } from '../../i18n.js';
import { faceName } from './pieces.js';
import { words } from './words.js';

/**
 * @param {any} action
 * @param {number} seat
 * @param {import('./wire.js').Table} table
 * @param {(seat: number) => string} name
 */
export function actionWords(action, seat, table, name) {
  if (action.type === 'reroll')
    return t('qwantum.eye.reroll', {
      name: name(seat),
      dice: formatList(
        action.dice.map((/** @type {number} */ die) =>
          faceName(/** @type {import('./wire.js').Die[]} */ (table.dice)[die]),
        ),
      ),
    });
  return (
    words(
      {
        ...action,
        seat,
        ...(action.type === 'enter' && { value: table.totals?.[/** @type {import('./wire.js').Row} */ (action.row)] }),
      },
      name,
    ) ?? ''
  );
}
