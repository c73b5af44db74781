// Debouncing by meaning: a tap or key decides only what has meant the same for a moment. The second half of a double tap lands on
// whatever the first half brought there, and a finger on its way cannot be called back when the table changes under it. Asked at the
// one place where decisions leave; it knows what was shown and when, not how.

/** @typedef {import('./view.js').View} View */
/** @typedef {Pick<View, 'known' | 'ui' | 'seat'>} Shown */
/** @typedef {import('./wire.js').ClientMessage} ClientMessage */

/** Longer than a double tap, shorter than reading a button that is new. */
export const STEADY_MS = 400;

/** What lies over the table, or stands in its place. @param {Shown} shown */
const place = ({ ui }) => [ui.code, ui.sheet?.name, ui.sheet?.seat, ui.moment === null];

/** What every table says of where its game is. @param {Shown} shown */
function stage({ known }) {
  const { phase, round, turn } = /** @type {{phase?: string, round?: number, turn?: number | null}} */ (known.game?.table ?? {});
  return [phase, round, turn];
}

/** @param {Shown} shown */
const kinds = ({ known }) => new Set(known.game?.actions.map((action) => /** @type {{type: string}} */ (action).type));

/** What one is in the room. @param {Shown} shown */
const role = ({ known, seat }) => [known.room?.phase, seat === null, known.room?.host === seat];

/** The same act at another stage of the game is another decision: skipping alone, and skipping with everyone. @param {any} action */
export const meaningOfAct = (action) => (/** @type {Shown} */ shown) => [...place(shown), ...stage(shown), kinds(shown).has(action.type)].join();

/** Words, switches and questions are taken as they come: they can be taken back, or change nothing. */
const NO_DECISION = new Set(['chat', 'configure', 'handover', 'ping', 'join', 'review', 'hint', 'ready', 'react', 'hurry', 'rename']);
/** @param {ClientMessage} message */
export const isDecision = (message) => !NO_DECISION.has(message.type);

/** The same message about a seat is another decision when somebody else sits there. @param {ClientMessage} message */
export const meaningOfMessage = (message) => (/** @type {Shown} */ shown) => [
  ...place(shown), ...role(shown), 'seat' in message ? shown.known.room?.seats.find((info) => info.seat === message.seat)?.name : '',
].join();

/** Anything that any decision may depend on. @param {Shown} shown */
const whole = (shown) => [...place(shown), ...stage(shown), ...kinds(shown), ...role(shown), ...(shown.known.room?.seats ?? []).map((info) => info.name)].join();

export class Guard {
  /**
   * @param {(changed: Element | null) => void} mark told that the page, or one control, has just changed its meaning
   * @param {() => number} [now]
   */
  constructor(mark, now = () => performance.now()) {
    this.mark = mark;
    this.now = now;
    /** What was on the screen lately, and since when, the newest last. @type {{shown: Shown, since: number}[]} */
    this.lately = [];
    /** The control or key pressed last. @type {unknown} */
    this.pressed = null;
    /** The last choice: which control made it, and when. That control now means what comes after choosing. @type {{by: unknown, at: number}} */
    this.chosen = { by: null, at: -Infinity };
  }

  /** Keys that are no button's own stand for themselves. */
  listen() {
    addEventListener('keydown', ({ key }) => this.press(key), true);
    addEventListener('click', ({ target }) => this.press(/** @type {Element} */ (target).closest('button')), true);
  }

  /** @param {unknown} control */
  press(control) {
    this.pressed = control;
  }

  /** Something was picked or lifted, but not decided yet. */
  chose() {
    this.chosen = { by: this.pressed, at: this.now() };
    if (typeof Element !== 'undefined' && this.pressed instanceof Element) this.mark(this.pressed);
  }

  /** The page was drawn. @param {Shown} shown */
  drew(shown) {
    const last = this.lately.at(-1)?.shown;
    const since = this.now();
    if (last && whole(last) === whole(shown)) return;
    this.lately = [...this.recent(), { shown, since }];
    this.mark(null);
  }

  /** What was on the screen within the last moment, and what is now. */
  recent() {
    const from = this.now() - STEADY_MS;
    return this.lately.filter((_, i) => i === this.lately.length - 1 || this.lately[i + 1].since > from);
  }

  /** Whether a press now may decide this. @param {(shown: Shown) => string} meaning */
  allows(meaning) {
    if (this.chosen.by !== null && this.chosen.by === this.pressed && this.now() - this.chosen.at < STEADY_MS) return false;
    return new Set(this.recent().map(({ shown }) => meaning(shown))).size <= 1;
  }
}

/** @type {WeakMap<Element, ReturnType<typeof setTimeout>>} */
const settling = new WeakMap();

/** Shows what is new and does not decide anything yet: the page, or a control that was just used to choose. @param {Element} el */
export function markNew(el) {
  clearTimeout(settling.get(el));
  el.setAttribute('data-settling', '');
  // A timer may be a little early.
  settling.set(el, setTimeout(() => el.removeAttribute('data-settling'), STEADY_MS + 20));
}
