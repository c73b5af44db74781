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

/**
 * Counts the scores up, or shows them at once.
 * @param {import('./model.js').Model} model
 * @param {boolean} atOnce
 * @param {() => number} whole how long it takes in this game, in milliseconds
 * @param {() => void} [done] once, when everything is counted
 * @param {() => number} [clock]
 * @param {(then: () => void, ms: number) => void} [later]
 */
export function countUp(model, atOnce, whole, done = () => {}, clock = () => performance.now(), later = setTimeout) {
  const start = clock();
  model.show({ reveal: atOnce ? Infinity : 0, moment: null });
  const step = () => {
    if (model.ui.reveal >= whole()) return done();
    model.show({ reveal: Math.min(whole(), clock() - start) });
    later(step, COUNT_MS);
  };
  step();
}
