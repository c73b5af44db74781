// What a seat is offered: the acts the server lists, and what answers a tap on anything else. It knows no game's acts.

import { t } from './i18n.js';

/** @typedef {import('./view.js').View} View */

/** The first listed act of this type. @template {{type: string}} Action @param {Action[]} actions @param {Action['type']} type @returns {Action | null} */
export const listedAct = (actions, type) => actions.find((action) => action.type === type) ?? null;

/** Plays what is listed, or says why it is not. @param {View} view @param {unknown} listed @param {() => string} why */
export function playOr(view, listed, why) {
  if (listed) view.acts.act(listed);
  else view.acts.say(why());
}

/** The acts of this decision, also while one of them is on its way: then all but that one fade. @param {View} view @returns {any[]} */
export const offered = (view) => (view.known.pending ? view.known.game?.actions : view.actions) ?? [];

/** Whether an act with these fields is on its way to the server. @param {View} view @param {Record<string, unknown>} fields */
export const isSent = ({ known: { pending } }, fields) => pending !== null && Object.entries(fields).every(([name, value]) => pending.action[name] === value);

/** The class of a control: it can be pressed, its act is on its way, or neither. @param {View} view @param {unknown} listed @param {Record<string, unknown>} fields of its act */
export const look = (view, listed, fields) => (isSent(view, fields) ? 'sent' : listed ? 'lit' : 'dull');

/** What stands in the way of anything at all, in every game. @param {View} view @returns {string | null} */
export function whyNothing(view) {
  if (view.ui.moment !== null) return t('why.past');
  if (view.known.pending) return t('why.pending');
  if (view.known.room?.phase === 'finished') return t('code.game_over');
  return view.seat === null ? t('code.not_seated') : null;
}
