// The guided first round of any game: the other end of a line that is not there. It is sent the same acts as a server and answers with
// the same states, from a script instead of the rules. It knows neither the page nor the screen; what the script's beats do to a table, a game's own lesson knows.

/** @typedef {import('../wire.js').ServerMessage} ServerMessage */
/**
 * One thing to do; a game has more to say of its own. What to do and why is said in the words of its coach.
 * @typedef {object} Step
 * @property {string} say
 * @property {string} why
 * @property {any[]} [first] what Rook and the table do before it
 * @property {boolean} [tells] nothing is asked but to go on
 */

export const YOU = 0;
export const ROOK = 1;

/** Between Rook's acts, so that they can be followed. */
const PAUSE_MS = 650;

/** @template {Step} Kind */
export class Lesson {
  /**
   * @param {{game: string, rules: Record<string, unknown>, steps: Kind[], opening: any[]}} script
   * @param {string} name what to call the person
   * @param {(message: ServerMessage) => void} hear
   * @param {number} [pause]
   */
  constructor(script, name, hear, pause = PAUSE_MS) {
    this.script = script;
    this.steps = script.steps;
    this.name = name;
    this.hear = hear;
    this.pause = pause;
    this.at = 0;
    this.version = 0;
    /** Accepted acts: the number of the next. */
    this.next = 0;
    /** @type {any[]} */
    this.history = [...script.opening];
    /** What Rook and the table still have to do before the step. @type {any[]} */
    this.coming = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The step shown now. */
  get step() {
    return this.steps[this.at];
  }

  get isLast() {
    return this.at === this.steps.length - 1;
  }

  /** Whether something is asked of the person. */
  get asks() {
    return !this.coming.length && !this.step.tells;
  }

  /** @param {number} [at] the step to begin with, for who comes back */
  begin(at = 0) {
    this.resume(at);
    const seats = [this.name, 'Rook'].map((name, seat) => ({
      seat, name, kind: /** @type {const} */ ('human'), connected: true, away_ms: 0, wins: 0, bot: null,
    }));
    this.hear({
      type: 'welcome', protocol: 1, you: { seat: YOU, token: null, name: this.name }, history: [], chat: [],
      room: {
        code: '', game: this.script.game, phase: 'playing', rules: this.script.rules, clock: null, forced: 'ask', min: 2, max: 2, host: YOU,
        watchers: 0, seats, fair: { commitment: '' }, keep_days: 0, audience: [],
      },
      state: this.state([]),
    });
  }

  /** As if everything up to that step had been done. @param {number} at */
  resume(at) {
    const { hear } = this;
    this.hear = () => {};
    while (this.at < at && !this.isLast) {
      if (this.step.tells) this.proceed();
      else for (const action of this.way()) this.play(action);
      clearTimeout(this.timer);
      this.history.push(...this.coming.splice(0));
    }
    this.hear = hear;
  }

  /** @param {import('../wire.js').ClientMessage} message */
  send(message) {
    if (message.type !== 'act') return true;
    if (!this.wanted(message.action)) this.hear({ type: 'rejected', n: message.n, code: 'lesson', detail: 'not the act of this step' });
    else this.play(message.action);
    return true;
  }

  close() {
    clearTimeout(this.timer);
  }

  /** On from a step that only tells. */
  proceed() {
    if (this.step.tells && !this.isLast) this.advance([], this.at + 1);
  }

  /** @param {any} action */
  play(action) {
    this.next += 1;
    const events = this.follows(action);
    const table = this.table(events);
    let at = this.at;
    while (this.done(this.steps[at], action, table)) at += 1;
    this.advance(events, at);
  }

  /**
   * Shows the step. What nobody does, like clearing the table and dealing, happens at once; what Rook does before it happens act by act.
   * @param {any[]} events
   * @param {number} at
   */
  advance(events, at) {
    // Undo only goes back within a build, where nothing comes first.
    if (at > this.at) this.coming = [...(this.steps[at].first ?? [])];
    this.at = at;
    while (this.coming.length && !('seat' in this.coming[0])) events.push(...this.coming.splice(0, 1));
    this.history.push(...events);
    this.hear({ type: 'state', state: this.state(events) });
    if (this.coming.length) this.timer = setTimeout(() => this.advance(this.coming.splice(0, 1), this.at), this.pause);
  }

  /** @param {any[]} events @returns {import('../wire.js').State} */
  state(events) {
    this.version += 1;
    const table = this.table();
    const actions = this.asks ? this.actions(table) : [];
    return { version: this.version, next: this.next, asked: actions.length ? [YOU] : [], table, mine: this.mine(table), actions, events, deadline_ms: null };
  }

  // What a game's own lesson knows:

  /** Whether this is what the step asks for. @param {any} _action @returns {boolean} */
  wanted(_action) {
    throw new Error('a lesson says what it wants');
  }

  /** The acts that the step asks for, in an order that does. @returns {any[]} */
  way() {
    throw new Error('a lesson knows the way');
  }

  /** What happens when the person does it. @param {any} _action @returns {any[]} */
  follows(_action) {
    throw new Error('a lesson says what follows');
  }

  /** Whether the step is over with that act, which led to that table. @param {Kind} _step @param {any} _action @param {any} _table @returns {boolean} */
  done(_step, _action, _table) {
    throw new Error('a lesson says what is done');
  }

  /** The table, also as it would be after more events. @param {any[]} [_more] @returns {any} */
  table(_more) {
    throw new Error('a lesson lays its table');
  }

  /** What a server would list here. @param {any} _table @returns {any[]} */
  actions(_table) {
    throw new Error('a lesson lists acts');
  }

  /** What only this seat sees. @param {any} _table @returns {any} */
  mine(_table) {
    return null;
  }
}
