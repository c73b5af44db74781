// Protects decisions from presses that were aimed at something else, such as the second half of a double tap. A control
// that has just appeared, or has just come under the finger, settles for a moment. It shows that, decides nothing, and
// visibly refuses a press. A control with another meaning is another element, by its `key`. Cards, dice and rows never
// settle: a quick second tap on one of them is intended.

/** How long a control settles, from the frame that shows it. */
export const SETTLE_MS = 150;
/** How long a control shows that it refused a press. */
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
    /** Controls rendered before. @type {WeakSet<Element>} */
    this.drawn = new WeakSet();
    /** Control pressed last, or null after a key that presses none. @type {Element | null} */
    this.pressed = null;
    /**
     * Where a pointer went down last, unless keys are in use, and the control there now.
     * @type {[number, number] | null}
     */
    this.spot = null;
    /** @type {Element | null} */
    this.under = null;
    /** Control that was settling when a pointer went down on it. @type {Element | null} */
    this.early = null;
    /**
     * Timers that end each mark of a control.
     * @type {Record<string, WeakMap<Element, ReturnType<typeof setTimeout>>>}
     */
    this.timers = { [SETTLING]: new WeakMap(), [REFUSED]: new WeakMap() };
  }

  listen() {
    addEventListener(
      'pointerdown',
      ({ target, clientX, clientY }) => {
        this.spot = [clientX, clientY];
        this.under = controlAt(target);
        this.early = this.under?.hasAttribute(SETTLING) ? this.under : null;
      },
      true,
    );
    // The gesture has become a scroll.
    addEventListener(
      'pointercancel',
      () => {
        this.spot = null;
      },
      true,
    );
    addEventListener(
      'keydown',
      () => {
        this.spot = this.pressed = this.early = null;
      },
      true,
    );
    // Enter, Space and the game's keys press a control too.
    addEventListener(
      'click',
      ({ target }) => {
        this.pressed = controlAt(target);
      },
      true,
    );
  }

  /** Settles every new control, and the one that has come under the pointer. @param {ParentNode} root */
  rendered(root) {
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

  /**
   * Marks a control for this time, from the frame that shows it.
   * @param {Element} control
   * @param {string} mark
   * @param {number} ms
   */
  mark(control, mark, ms) {
    const timers = this.timers[mark];
    clearTimeout(timers.get(control));
    control.setAttribute(mark, '');
    requestAnimationFrame(() =>
      timers.set(
        control,
        setTimeout(() => control.removeAttribute(mark), ms),
      ),
    );
  }

  /** Whether the current press may decide. If not, its control shows that. */
  allows() {
    const control = this.pressed;
    if (!control || (control !== this.early && !control.hasAttribute(SETTLING))) return true;
    control.removeAttribute(REFUSED);
    // Reads the layout, so that the animation restarts.
    void (/** @type {HTMLElement} */ (control).offsetWidth);
    this.mark(control, REFUSED, REFUSED_MS);
    this.refused(control);
    return false;
  }
}
