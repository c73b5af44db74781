// The guided first round of Five Towers: which act each step asks for, which are legal, and what follows.

import { ScriptedServer as Line, YOU } from '../../lesson/scripted-server.js';
import { keyOf } from './cards.js';
import { takeOf, within } from './choice.js';
import { opening, steps } from './script.js';
import { tableAfter } from './lesson-table.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./script.js').Step} Step */

/** Acts that can be undone. */
const STEPS_BACK = new Set(['take', 'build', 'demolish']);

/** @extends {Line<import('./types.js').Towers>} */
export class Lesson extends Line {
  /**
   * @param {string} name
   * @param {(message: import('../types.js').ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(name, hear, pause) {
    super({ game: 'towers', rules: { mistakes: 'prevented' }, steps, opening }, name, hear, pause);
    /** The states that undo returns to. @type {{at: number, events: number}[]} */
    this.marks = [];
  }

  /** Whether the step asks for this act. Any order of building is accepted. @param {Action} action */
  expects(action) {
    const { bid, take, demolish } = this.step;
    switch (action.type) {
      case 'bid':
        return action.count === bid;
      case 'pass':
        return bid === null;
      case 'take':
        return take !== undefined && within(take, action.cards);
      case 'demolish':
        return action.tower === demolish;
      default:
        return true;
    }
  }

  /** @param {Action} action */
  play(action) {
    if (action.type !== 'undo') return super.play(action);
    const mark = this.marks.pop();
    if (!mark) return;
    this.next += 1;
    this.history.splice(mark.events);
    this.advance([], mark.at);
  }

  /** @returns {Action[]} */
  solution() {
    const { bid, take, place, demolish } = this.step;
    if (take) return [{ type: 'take', cards: take }];
    if (place) return place.map((card) => ({ type: 'build', card }));
    if (demolish) return [{ type: 'demolish', tower: demolish }];
    return [bid === null ? { type: 'pass' } : bid === undefined ? { type: 'finish' } : { type: 'bid', count: bid }];
  }

  /** @param {Action} action @returns {Event[]} */
  eventsAfter(action) {
    if (STEPS_BACK.has(action.type)) this.marks.push({ at: this.at, events: this.history.length });
    else this.marks = [];
    return [{ ...action, seat: YOU }];
  }

  /** @param {Step} step @param {Action} action @param {Table} table */
  isDone(step, action, { hand }) {
    if (step.place) return !step.place.some((card) => within([card], hand));
    if (step.finish) return action.type === 'finish';
    if (step.demolish) return action.type === 'demolish';
    if (step.take) return action.type === 'take';
    return step.bid !== undefined && (action.type === 'bid' || action.type === 'pass');
  }

  /** @param {Table} table @returns {import('./wire.js').Mine} */
  mine(table) {
    return {
      demolished: table.players[YOU].demolished ? [{ tower: 'spooky', value: 4 }] : [],
      highest_bid: this.latest('most') ?? 5,
    };
  }

  /**
   * The table, optionally after more events.
   * @param {Event[]} [more]
   * @returns {Table}
   */
  table(more = []) {
    return tableAfter([...this.history, ...more]);
  }

  /**
   * The legal actions.
   * @param {Table} table
   * @returns {Action[]}
   */
  actions(table) {
    if (table.turn !== YOU) return [];
    if (table.phase === 'auction') {
      return [
        ...(this.step.bids ?? []).map(/** @returns {Action} */ (count) => ({ type: 'bid', count })),
        { type: 'pass' },
      ];
    }
    if (table.phase === 'take')
      return choices(table.row, table.standing?.count ?? 0).map((cards) => ({ type: 'take', cards }));
    /** @type {Action[]} */
    const undo = this.marks.length ? [{ type: 'undo' }] : [];
    if (!table.hand.length) return [{ type: 'finish' }, ...undo];
    const fresh = table.hand.length === table.standing?.count && !table.demolished_now;
    const after = this.latest('after') ?? {};
    const held = new Set(table.hand.map(keyOf));
    const builds = fresh && this.step.demolish ? [] : table.hand.filter((card) => !held.has(after[keyOf(card)]));
    return [
      ...builds.map(/** @returns {Action} */ (card) => ({ type: 'build', card })),
      ...(fresh ? (this.latest('tops') ?? []) : []).map(
        /** @returns {Action} */ (tower) => ({ type: 'demolish', tower }),
      ),
      ...undo,
    ];
  }

  /**
   * The latest value of a field of the script.
   * @template {'most' | 'tops' | 'after'} Name
   * @param {Name} name
   */
  latest(name) {
    return steps.slice(0, this.at + 1).findLast((step) => step[name] !== undefined)?.[name];
  }
}

/**
 * All combinations of this number of cards.
 * @param {Card[]} cards
 * @param {number} count
 * @returns {Card[][]}
 */
function choices(cards, count) {
  if (count === 0) return [[]];
  return cards.flatMap((card, i) => choices(cards.slice(i + 1), count - 1).map((rest) => [card, ...rest]));
}

/**
 * Whether the cards of this step are lifted and can be taken.
 * @param {Action[]} actions
 * @param {Card[]} picked
 * @param {Card[]} wanted
 */
export const takeReady = (actions, picked, wanted) => within(wanted, picked) && takeOf(actions, picked) !== null;
