// The guided first round of Qwantum: which act each step asks for, which are legal, and what follows.

import { ScriptedServer as Line, YOU } from '../../lesson/scripted-server.js';
import { opening, seven, steps } from './script.js';
import { tableAfter } from './lesson-table.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./script.js').Laid} Laid */
/** @typedef {import('./script.js').Step} Step */

/** @extends {Line<import('./types.js').Qwantum>} */
export class Lesson extends Line {
  /**
   * @param {string} name
   * @param {(message: import('../types.js').ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(name, hear, pause) {
    super({ game: 'qwantum', rules: {}, steps, opening }, name, hear, pause);
  }

  /** @returns {Action[]} */
  solution() {
    return this.step.act ? [this.step.act] : [];
  }

  /** @param {Action} action */
  expects(action) {
    return JSON.stringify(this.solution()[0]) === JSON.stringify(action);
  }

  /** @param {Action} action @returns {Event[]} */
  eventsAfter(action) {
    const { falls, then = [] } = this.step;
    const { totals } = this.table();
    return [
      falls
        ? { type: 'roll', seat: YOU, dice: seven(falls) }
        : action.type === 'enter'
          ? { ...action, seat: YOU, value: totals?.[action.row] ?? 0 }
          : { type: action.type === 'keep' ? 'keep' : 'skip', seat: YOU },
      ...then,
    ];
  }

  /** Each step is one act. @param {Step} step */
  isDone(step) {
    return step === this.step;
  }

  /** @param {(Event | Laid)[]} [more] @returns {Table} */
  table(more = []) {
    return tableAfter([...this.history, ...more]);
  }

  /** A table laid by the script is not an event of the game. @param {(Event | Laid)[]} events */
  state(events) {
    return super.state(events.filter((event) => event.type !== 'laid'));
  }

  /** @param {Table} table @returns {Action[]} */
  actions(table) {
    if (table.phase === 'roll')
      return table.rolls ? [{ type: 'reroll', dice: [0, 1, 2, 3, 4, 5, 6] }, { type: 'keep' }] : [{ type: 'roll' }];
    return [
      ...(this.step.open ?? []).map(/** @returns {Action} */ (row) => ({ type: 'enter', row })),
      { type: 'skip' },
    ];
  }

  mine() {
    return { choice: null };
  }
}
