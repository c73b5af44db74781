// The guided first round of any game. It replaces the server: it receives the same acts and answers with the same
// states, from a script instead of the rules. It draws nothing. A game's own lesson knows how the script's events
// change its table.

/** @typedef {import('../games/types.js').ServerMessage} ServerMessage */
/** @typedef {import('../games/types.js').Game} Game */
/**
 * An event of a game, or one that only its script has.
 * @template {Game} G
 * @typedef {G['event'] | NonNullable<G['step']['first']>[number]} Scripted
 */

export const YOU = 0;
export const ROOK = 1;

/** Pause between Rook's acts, so that they can be followed. */
const PAUSE_MS = 650;

/** @template {Game} G */
export class ScriptedServer {
  /**
   * @param {{game: string, rules: G['rules'], steps: G['step'][], opening: Scripted<G>[]}} script
   * @param {string} name the player's name
   * @param {(message: ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(script, name, hear, pause = PAUSE_MS) {
    this.script = script;
    this.steps = script.steps;
    this.name = name;
    this.receive = hear;
    this.pause = pause;
    this.at = 0;
    this.version = 0;
    /** Number of the next act. */
    this.next = 0;
    /** @type {Scripted<G>[]} */
    this.history = [...script.opening];
    /** Events that still come before the step. @type {Scripted<G>[]} */
    this.pending = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The current step. */
  get step() {
    return this.steps[this.at];
  }

  get isLast() {
    return this.at === this.steps.length - 1;
  }

  /** Whether the player is asked for an act. */
  get asks() {
    return !this.pending.length && !this.step.tells;
  }

  /** @param {number} [at] the step to begin with, after a reload */
  begin(at = 0) {
    this.resume(at);
    const seats = [this.name, 'Rook'].map((name, seat) => ({
      seat,
      name,
      kind: /** @type {const} */ ('human'),
      connected: true,
      away_ms: 0,
      wins: 0,
      bot: null,
    }));
    this.receive({
      type: 'welcome',
      protocol: 1,
      you: { seat: YOU, token: null, name: this.name },
      history: [],
      chat: [],
      room: {
        code: '',
        game: this.script.game,
        phase: 'playing',
        rules: this.script.rules,
        clock: null,
        forced: 'ask',
        min: 2,
        max: 2,
        host: YOU,
        watchers: 0,
        seats,
        fair: { commitment: '' },
        keep_days: 0,
        audience: [],
      },
      state: this.state([]),
    });
  }

  /** Skips to a step as if everything before it had been done. @param {number} at */
  resume(at) {
    const { receive } = this;
    this.receive = () => {};
    while (this.at < at && !this.isLast) {
      if (this.step.tells) this.proceed();
      else for (const action of this.solution()) this.play(action);
      clearTimeout(this.timer);
      this.history.push(...this.pending.splice(0));
    }
    this.receive = receive;
  }

  /** @param {import('../games/types.js').ClientMessage<G>} message */
  send(message) {
    if (message.type !== 'act') return true;
    if (!this.expects(message.action))
      this.receive({ type: 'rejected', n: message.n, code: 'lesson', detail: 'not the act of this step' });
    else this.play(message.action);
    return true;
  }

  close() {
    clearTimeout(this.timer);
  }

  /** Goes on from a step without an act. */
  proceed() {
    if (this.step.tells && !this.isLast) this.advance([], this.at + 1);
  }

  /** @param {G['action']} action */
  play(action) {
    this.next += 1;
    const events = this.eventsAfter(action);
    const table = this.table(events);
    let at = this.at;
    while (this.isDone(this.steps[at], action, table)) at += 1;
    this.advance(events, at);
  }

  /**
   * Shows the step. Events of the table, such as dealing, happen at once; Rook's acts follow one by one.
   * @param {Scripted<G>[]} events
   * @param {number} at
   */
  advance(events, at) {
    // Undo only goes back within a build, which nothing precedes.
    if (at > this.at) this.pending = [...(this.steps[at].first ?? [])];
    this.at = at;
    while (this.pending.length && !('seat' in this.pending[0])) events.push(...this.pending.splice(0, 1));
    this.history.push(...events);
    this.receive({ type: 'state', state: this.state(events) });
    if (this.pending.length)
      this.timer = setTimeout(() => this.advance(this.pending.splice(0, 1), this.at), this.pause);
  }

  /** @param {Scripted<G>[]} events @returns {import('../games/types.js').State} */
  state(events) {
    this.version += 1;
    const table = this.table();
    const actions = this.asks ? this.actions(table) : [];
    return {
      version: this.version,
      next: this.next,
      asked: actions.length ? [YOU] : [],
      table,
      mine: this.mine(table),
      actions,
      events,
      deadline_ms: null,
    };
  }

  // A game's own lesson implements these:

  /**
   * Whether the step asks for this act.
   * @param {G['action']} _action
   * @returns {boolean}
   */
  expects(_action) {
    throw new Error('a lesson says what it wants');
  }

  /** Acts that complete the step, in order. @returns {G['action'][]} */
  solution() {
    throw new Error('a lesson knows the way');
  }

  /**
   * The events of this act.
   * @param {G['action']} _action
   * @returns {Scripted<G>[]}
   */
  eventsAfter(_action) {
    throw new Error('a lesson says what follows');
  }

  /**
   * Whether the step is complete after this act, which led to this table.
   * @param {G['step']} _step
   * @param {G['action']} _action
   * @param {G['table']} _table
   * @returns {boolean}
   */
  isDone(_step, _action, _table) {
    throw new Error('a lesson says what is done');
  }

  /**
   * The table, optionally after more events.
   * @param {Scripted<G>[]} [_more]
   * @returns {G['table']}
   */
  table(_more) {
    throw new Error('a lesson lays its table');
  }

  /**
   * The legal actions at this table.
   * @param {G['table']} _table
   * @returns {G['action'][]}
   */
  actions(_table) {
    throw new Error('a lesson lists commands');
  }

  /**
   * What only this seat sees.
   * @param {G['table']} _table
   * @returns {G['mine'] | null}
   */
  mine(_table) {
    return null;
  }
}
