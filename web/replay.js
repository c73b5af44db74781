// Which table is shown, and the scores that count up at the end. It knows moments, not what a game shows of them.

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').Ui} Ui */

/** The pace at which scores count up. */
const COUNT_MS = 40;

/**
 * The game as it is shown: now, or at a moment of the past, in which nothing can be done.
 * @param {Pick<Known, 'game' | 'pending'>} known
 * @param {Pick<Ui, 'past' | 'moment'>} ui
 */
export function tableShown({ game, pending }, ui) {
  const past = ui.moment === null ? undefined : ui.past?.[ui.moment];
  if (past) return { table: past.table, actions: [], mine: null };
  return { table: game?.table ?? null, actions: pending ? [] : game?.actions ?? [], mine: game?.mine ?? null };
}

/** What is counted now. */
let counting = {};

/**
 * Counts the scores up, or shows them at once.
 * @param {import('./model.js').Model} model
 * @param {boolean} atOnce
 * @param {() => number} whole how long it takes in this game, in milliseconds
 * @param {(from: number, to: number) => void} [counted] told of each step
 * @param {() => void} [done] once, when everything is counted
 * @param {() => number} [clock]
 * @param {(then: () => void, ms: number) => void} [later]
 */
export function countUp(model, atOnce, whole, counted = () => {}, done = () => {}, clock = () => performance.now(), later = setTimeout) {
  const mine = counting = {};
  let last = clock();
  model.show({ reveal: atOnce ? Infinity : 0, counting: true });
  const step = () => {
    // Another game has ended meanwhile, or somebody has gone on.
    if (mine !== counting || !model.ui.counting) return;
    const all = whole();
    const { reveal, moment } = model.ui;
    if (reveal >= all) {
      model.show({ counting: false });
      return done();
    }
    const now = clock();
    // It waits for what shows it, and for whoever looks at an earlier moment.
    if (all < Infinity && moment === null) {
      model.show({ reveal: Math.min(all, reveal + now - last) });
      counted(reveal, model.ui.reveal);
    }
    last = now;
    later(step, COUNT_MS);
  };
  step();
}
