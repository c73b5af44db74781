// The legal actions of a seat, as the server lists them, and the answer to a tap on anything else. Shared by all games.

import { t } from '../i18n.js';

/** @typedef {import('../view.js').View} View */

/**
 * The first listed action of this type.
 * @template {import('./types.js').Action} Action
 * @param {Action[]} actions
 * @param {Action['type']} type
 * @returns {Action | null}
 */
export const listedAction = (actions, type) => actions.find((action) => action.type === type) ?? null;

/**
 * Plays a listed action, or says why it is not listed.
 * @template {import('./types.js').Game} G
 * @param {import('../view.js').View<G>} view
 * @param {G['action'] | null} listed
 * @param {() => string} why
 */
export function playOrExplain(view, listed, why) {
  if (listed) view.commands.act(listed);
  else view.commands.say(why());
}

/**
 * The actions of this decision, also while one of them is being sent: then all others fade.
 * @template {import('./types.js').Game} G
 * @param {import('../view.js').View<G>} view
 * @returns {G['action'][]}
 */
export const legalActions = (view) => (view.known.pending ? view.known.game?.actions : view.actions) ?? [];

/**
 * Whether an action with these fields is being sent.
 * @param {View} view
 * @param {Record<string, unknown>} fields
 */
export const isSent = ({ known: { pending } }, fields) =>
  pending !== null && Object.entries(fields).every(([name, value]) => pending.action[name] === value);

/**
 * The class of a control: its action is being sent, it can be pressed, or neither.
 * @param {View} view
 * @param {unknown} listed
 * @param {Record<string, unknown>} fields fields of its action
 */
export const controlClass = (view, listed, fields) => (isSent(view, fields) ? 'sent' : listed ? 'lit' : 'dull');

/**
 * Why nothing at all can be played, for every game.
 * @param {View} view
 * @returns {string | null}
 */
export function whyBlocked(view) {
  if (view.ui.moment !== null) return t('why.past');
  if (view.known.pending) return t('why.pending');
  if (view.known.room?.phase === 'finished') return t('code.game_over');
  return view.seat === null ? t('code.not_seated') : null;
}
