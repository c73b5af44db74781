// What runs by itself: a replay, one step at a time, and the scores that count up at the end. It knows moments, not what a game shows of them.

/** @typedef {import('./store.js').Known} Known */
/** @typedef {import('./view.js').Ui} Ui */
/** @typedef {import('./view.js').Face} Face */

/** The pace of a replay. */
export const STEP_MS = 1100;
/** The pace at which scores count up. */
const COUNT_MS = 40;

/**
 * The game as it is shown: now, or at a moment of the past, in which nothing can be done.
 * @param {Known} known
 * @param {Ui} ui
 * @param {Face | null} face
 */
export function tableShown(known, ui, face) {
  const { game } = known;
  if (ui.moment !== null && face && game) return { table: face.tableAt(known.history, ui.moment, known.room?.seats.length ?? 0), actions: [], mine: null };
  return { table: game?.table ?? null, actions: known.pending ? [] : game?.actions ?? [], mine: game?.mine ?? null };
}

/** Steps by hand through a past of so many events. @param {Ui} ui @param {number} by @param {number} events */
export const stepped = (ui, by, events) => ({ moment: Math.min(events - 1, Math.max(0, (ui.moment ?? 0) + by)), playing: false });

/** What the next step of a replay changes, until it has caught up; null while nothing plays. @param {Ui} ui @param {number} events */
export function playedOn(ui, events) {
  if (!ui.playing || ui.moment === null) return null;
  return ui.moment + 1 < events ? { moment: ui.moment + 1 } : { playing: false };
}

/**
 * Counts the scores up, or shows them at once.
 * @param {import('./model.js').Model} model
 * @param {boolean} atOnce
 * @param {() => number} whole how long it takes in this game, in milliseconds
 * @param {() => number} [clock]
 * @param {(then: () => void, ms: number) => void} [later]
 */
export function countUp(model, atOnce, whole, clock = () => performance.now(), later = setTimeout) {
  const start = clock();
  model.show({ reveal: atOnce ? Infinity : 0, moment: null });
  const step = () => {
    if (model.ui.reveal >= whole()) return;
    model.show({ reveal: Math.min(whole(), clock() - start) });
    later(step, COUNT_MS);
  };
  step();
}
