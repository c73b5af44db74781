// The guided first round: the other end of a line that is not there. It is sent the same acts as a server and answers
// with the same states, from a script instead of the rules. It knows neither the page nor the screen.

import { keyOf } from './cards.js';
import { takeOf, within } from './choice.js';
import { YOU, opening, steps } from './script.js';
import { staged } from './stage.js';

/** @typedef {import('./wire.js').Action} Action */
/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Table} Table */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('../../wire.js').ServerMessage} ServerMessage */

/** Between Rook's acts, so that they can be followed. */
const PAUSE_MS = 650;
/** Acts that can be undone. */
const STEPS_BACK = new Set(['take', 'build', 'demolish']);

export class Lesson {
  /**
   * @param {string} name what to call the person
   * @param {(message: ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(name, hear, pause = PAUSE_MS) {
    this.name = name;
    this.hear = hear;
    this.pause = pause;
    this.at = 0;
    this.version = 0;
    /** Accepted acts: the number of the next. */
    this.next = 0;
    /** @type {Event[]} */
    this.history = [...opening];
    /** Where each undo goes back to. @type {{at: number, events: number}[]} */
    this.marks = [];
    /** What Rook and the table still have to do before the step. @type {Event[]} */
    this.coming = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The step shown now. */
  get step() {
    return steps[this.at];
  }

  begin() {
    const seats = [this.name, 'Rook'].map((name, seat) => ({
      seat, name, kind: /** @type {const} */ ('human'), connected: true, away_ms: 0, wins: 0, bot: null,
    }));
    this.hear({
      type: 'welcome', protocol: 1, you: { seat: YOU, token: null, name: this.name }, history: [], chat: [],
      room: {
        code: '', game: 'towers', phase: 'playing', rules: { mistakes: 'prevented' }, clock: null, forced: 'ask', min: 2, max: 2, host: YOU,
        watchers: 0, seats, fair: { commitment: '' }, keep_days: 0, audience: [],
      },
      state: this.state([]),
    });
  }

  /** @param {import('../../wire.js').ClientMessage} message */
  send(message) {
    if (message.type !== 'act') return true;
    const action = /** @type {Action} */ (message.action);
    if (!this.wanted(action)) this.hear({ type: 'rejected', n: message.n, code: 'lesson', detail: 'not the act of this step' });
    else this.play(action);
    return true;
  }

  close() {
    clearTimeout(this.timer);
  }

  /** On from a step that only tells. */
  proceed() {
    if (this.step.tells && this.at < steps.length - 1) this.advance([], this.at + 1);
  }

  /** Whether this is what the step asks for; any order of building will do. @param {Action} action */
  wanted(action) {
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
    this.next += 1;
    if (action.type === 'undo') {
      const mark = this.marks.pop();
      if (!mark) return;
      this.history = this.history.slice(0, mark.events);
      return this.advance([], mark.at);
    }
    if (STEPS_BACK.has(action.type)) this.marks.push({ at: this.at, events: this.history.length });
    else this.marks = [];
    const event = /** @type {Event} */ ({ ...action, seat: YOU });
    const { hand } = this.table([event]);
    let at = this.at;
    while (done(steps[at], action, hand)) at += 1;
    this.advance([event], at);
  }

  /**
   * Shows the step. The table is cleared and dealt at once; what Rook does before it happens act by act.
   * @param {Event[]} events
   * @param {number} at
   */
  advance(events, at) {
    // Undo only goes back within a build, where nothing comes first.
    if (at > this.at) this.coming = [...(steps[at].first ?? [])];
    this.at = at;
    while (this.coming.length && !('seat' in this.coming[0])) events.push(...this.coming.splice(0, 1));
    this.history.push(...events);
    this.tell(events);
    if (this.coming.length) this.timer = setTimeout(() => this.advance(this.coming.splice(0, 1), this.at), this.pause);
  }

  /** @param {Event[]} events */
  tell(events) {
    this.hear({ type: 'state', state: this.state(events) });
  }

  /** @param {Event[]} events @returns {import('../../wire.js').State} */
  state(events) {
    this.version += 1;
    const table = this.table();
    const most = this.latest('most') ?? 5;
    const demolished = table.players[YOU].demolished ? [{ tower: 'spooky', value: 4 }] : [];
    const actions = this.actions(table);
    return {
      version: this.version, next: this.next, asked: actions.length ? [YOU] : [], table, mine: { demolished, highest_bid: most },
      actions, events, deadline_ms: null,
    };
  }

  /** The table, also as it would be after more events. @param {Event[]} [more] @returns {Table} */
  table(more = []) {
    return staged([...this.history, ...more]);
  }

  /** What a server would list here. @param {Table} table @returns {Action[]} */
  actions(table) {
    if (this.coming.length || this.step.tells || table.turn !== YOU) return [];
    if (table.phase === 'auction') {
      return [...(this.step.bids ?? []).map((count) => /** @type {Action} */ ({ type: 'bid', count })), { type: 'pass' }];
    }
    if (table.phase === 'take') return choices(table.row, table.standing?.count ?? 0).map((cards) => ({ type: 'take', cards }));
    /** @type {Action[]} */
    const undo = this.marks.length ? [{ type: 'undo' }] : [];
    if (!table.hand.length) return [{ type: 'finish' }, ...undo];
    const fresh = table.hand.length === table.standing?.count && !table.demolished_now;
    const after = this.latest('after') ?? {};
    const held = new Set(table.hand.map(keyOf));
    const builds = fresh && this.step.demolish ? [] : table.hand.filter((card) => !held.has(after[keyOf(card)]));
    return [
      ...builds.map((card) => /** @type {Action} */ ({ type: 'build', card })),
      ...(fresh ? this.latest('tops') ?? [] : []).map((tower) => /** @type {Action} */ ({ type: 'demolish', tower })),
      ...undo,
    ];
  }

  /**
   * What the last step that said it said.
   * @template {'most' | 'tops' | 'after'} Name
   * @param {Name} name
   */
  latest(name) {
    return steps.slice(0, this.at + 1).findLast((step) => step[name] !== undefined)?.[name];
  }
}

/** @param {import('./script.js').Step} step @param {Action} action @param {Card[]} hand */
function done(step, action, hand) {
  if (step.place) return !step.place.some((card) => within([card], hand));
  if (step.finish) return action.type === 'finish';
  if (step.demolish) return action.type === 'demolish';
  if (step.take) return action.type === 'take';
  return step.bid !== undefined && (action.type === 'bid' || action.type === 'pass');
}

/** Every choice of so many cards. @param {Card[]} cards @param {number} count @returns {Card[][]} */
function choices(cards, count) {
  if (count === 0) return [[]];
  return cards.flatMap((card, i) => choices(cards.slice(i + 1), count - 1).map((rest) => [card, ...rest]));
}

/** Whether the cards of this step are lifted and only have to be taken. @param {Action[]} actions @param {Card[]} picked @param {Card[]} wanted */
export const takeReady = (actions, picked, wanted) => within(wanted, picked) && takeOf(actions, picked) !== null;

export { YOU, steps };
