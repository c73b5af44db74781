// Protects decisions from presses that were aimed at something else: the second half of a double tap, or a finger that was on its
// way when the table changed. A control that has just appeared, or has just come under the finger, settles for a moment: it shows
// that, decides nothing, and answers a press visibly. A control with another meaning is another element, as its `key` says. Cards,
// dice and rows never settle: a quick second tap on one of them is meant.

/** How long a control settles, counted from the frame that shows it. */
export const SETTLE_MS = 150;
/** How long a control shows that a press on it was refused. */
export const REFUSED_MS = 450;

const SETTLING = 'data-settling';
const REFUSED = 'data-refused';
const CONTROLS = 'button:not([data-card], .moment, .latest)';

/** @param {EventTarget | null} target */
const controlAt = (target) => /** @type {Element | null} */ (target)?.closest?.(CONTROLS) ?? null;

export class Guard {
  /** @param {(control: Element) => void} refused called with a control that refused a press */
  constructor(refused) {
    this.refused = refused;
    /** Controls drawn before. @type {WeakSet<Element>} */
    this.drawn = new WeakSet();
    /** Control pressed last, or null after a key that presses none. @type {Element | null} */
    this.pressed = null;
    /** Where a finger or the mouse went down last, unless keys are in use, and the control there now. @type {[number, number] | null} */
    this.spot = null;
    /** @type {Element | null} */
    this.under = null;
    /** Control that was settling when a finger went down on it: it was aimed at something else. @type {Element | null} */
    this.early = null;
    /** What ends each mark of a control. @type {Record<string, WeakMap<Element, ReturnType<typeof setTimeout>>>} */
    this.timers = { [SETTLING]: new WeakMap(), [REFUSED]: new WeakMap() };
  }

  listen() {
    addEventListener('pointerdown', ({ target, clientX, clientY }) => {
      this.spot = [clientX, clientY];
      this.under = controlAt(target);
      this.early = this.under?.hasAttribute(SETTLING) ? this.under : null;
    }, true);
    // The finger scrolls.
    addEventListener('pointercancel', () => {
      this.spot = null;
    }, true);
    addEventListener('keydown', () => {
      this.spot = this.pressed = this.early = null;
    }, true);
    // Enter, Space and the keys of the table press a control too.
    addEventListener('click', ({ target }) => {
      this.pressed = controlAt(target);
    }, true);
  }

  /** Has every control settle that is new, and the one that has come under the finger. @param {ParentNode} root */
  drew(root) {
    for (const control of root.querySelectorAll(CONTROLS)) if (!this.drawn.has(control)) this.settle(control);
    const under = this.spot && controlAt(document.elementFromPoint(...this.spot));
    if (under && under !== this.under) this.settle(under);
    this.under = under;
  }

  /** @param {Element} control */
  settle(control) {
    this.drawn.add(control);
    this.mark(control, SETTLING, SETTLE_MS);
  }

  /** Marks a control for so long, counted from the frame that shows it. @param {Element} control @param {string} mark @param {number} ms */
  mark(control, mark, ms) {
    const timers = this.timers[mark];
    clearTimeout(timers.get(control));
    control.setAttribute(mark, '');
    requestAnimationFrame(() => timers.set(control, setTimeout(() => control.removeAttribute(mark), ms)));
  }

  /** Whether the press that is handled now may decide. If not, its control shows and says so. */
  allows() {
    const control = this.pressed;
    if (!control || (control !== this.early && !control.hasAttribute(SETTLING))) return true;
    control.removeAttribute(REFUSED);
    // The styles in between are needed for it to shake again.
    void /** @type {HTMLElement} */ (control).offsetWidth;
    this.mark(control, REFUSED, REFUSED_MS);
    this.refused(control);
    return false;
  }
}
