// Counts the scores up when a game ends.

/** Interval of the count. */
const STEP_MS = 40;

/** Identifies the running count. */
let counting = {};

/**
 * Counts the scores up, or shows them at once.
 * @param {import('../model.js').Model} model
 * @param {boolean} atOnce
 * @param {() => number} whole returns the duration in this game, in milliseconds
 * @param {(from: number, to: number) => void} [counted] called with each step
 * @param {() => void} [done] called once when everything is counted
 * @param {() => number} [clock]
 * @param {(then: () => void, ms: number) => void} [later]
 */
export function countUp(
  model,
  atOnce,
  whole,
  counted = () => {},
  done = () => {},
  clock = () => performance.now(),
  later = setTimeout,
) {
  const mine = (counting = {});
  let last = clock();
  model.show({ countedMs: atOnce ? Infinity : 0, counting: true });
  const step = () => {
    // Another game has ended meanwhile, or the player has left the result.
    if (mine !== counting || !model.ui.counting) return;
    const all = whole();
    const { countedMs, shown } = model.ui;
    if (countedMs >= all) {
      model.show({ counting: false });
      return done();
    }
    const now = clock();
    // Waits for the code that shows it, and while an earlier moment is shown.
    if (all < Infinity && shown.table !== 'moment') {
      model.show({ countedMs: Math.min(all, countedMs + now - last) });
      counted(countedMs, model.ui.countedMs);
    }
    last = now;
    later(step, STEP_MS);
  };
  step();
}
