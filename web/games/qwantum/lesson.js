// The guided first round of Qwantum: what is wanted at each step of its script, what could be done, and what comes of it.

import { Lesson as Line, YOU } from '../../lesson/line.js';
import { ROWS, dice } from './pieces.js';
import { opening, steps } from './script.js';
import { staged } from './stage.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./script.js').Laid} Laid */
/** @typedef {import('./script.js').Step} Step */

/** @extends {Line<Step>} */
export class Lesson extends Line {
  /**
   * @param {string} name
   * @param {(message: import('../../wire.js').ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(name, hear, pause) {
    super({ game: 'qwantum', rules: {}, steps, opening }, name, hear, pause);
  }

  /** @returns {Action[]} */
  way() {
    const { act, again, row } = this.step;
    return [/** @type {Action} */ (act === 'reroll' ? { type: act, dice: again } : act === 'enter' ? { type: act, row } : { type: act })];
  }

  /** @param {Action} action */
  wanted(action) {
    return JSON.stringify(this.way()[0]) === JSON.stringify(action);
  }

  /** @param {Action} action @returns {Event[]} */
  follows(action) {
    const { falls, then = [] } = this.step;
    const totals = /** @type {any} */ (this.table()).totals;
    return [/** @type {any} */ (falls ? { type: 'roll', seat: YOU, dice: dice(falls) }
      : action.type === 'enter' ? { ...action, seat: YOU, value: totals[action.row] } : { ...action, seat: YOU }), ...then];
  }

  /** Each step is one act. @param {Step} step */
  done(step) {
    return step === this.step;
  }

  /** @param {(Event | Laid)[]} [more] @returns {Table} */
  table(more = []) {
    return staged([...this.history, ...more]);
  }

  /** What the script did to the table is no event of the game. @param {(Event | Laid)[]} events */
  state(events) {
    return super.state(events.filter((event) => event.type !== 'laid'));
  }

  /** @param {Table} table @returns {Action[]} */
  actions(table) {
    if (table.phase === 'roll') return table.rolls ? [{ type: 'reroll', dice: [0, 1, 2, 3, 4, 5, 6] }, { type: 'keep' }] : [{ type: 'roll' }];
    return [...(this.step.open ?? []).map((row) => /** @type {Action} */ ({ type: 'enter', row })), { type: 'skip' }];
  }

  mine() {
    return { choice: null };
  }
}
