// A game on the table: the sentence on top, the game's own board, the bar of what can be done, log and chat beside it.

import { hears, settings } from '../device.js';
import { h, classes } from '../dom.js';
import { span, t } from '../i18n.js';
import { icon, iconButton } from '../icons.js';
import { asked, awayFor, nameOf, onlyBots, seatOf, timeLeft } from '../store.js';
import { chat, chatButton, log } from './log.js';
import { lineWords, sentenceOn } from './say.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Face} Face */

/** @param {View} view */
export function game(view) {
  const { known, ui, acts, face } = view;
  if (!face || !view.table) return null;
  const past = ui.moment !== null;
  const over = known.room?.phase === 'finished' && !past;
  // Until it has come, the table lies there as it was left.
  const ended = over && view.ending !== null;
  const line = lineWords(view);
  const talks = view.talk !== null && view.seat !== null && !ui.replay && settings().talk;
  return h('main', { class: classes('game', view.wide && 'wide', ended && 'ended', past && 'past', asked(known) && 'asked', known.pending !== null && 'sending'), key: 'game' },
    h('header', { class: 'status' },
      h('h1', { class: 'say' }, h('button', { type: 'button', onclick: () => acts.open({ name: 'piles' }) },
        sentenceOn(past ? view.past?.momentWords(view) ?? '' : over && !view.missing.ending ? t('end.title') : face.sentence(view)),
        h('small', { class: classes(line !== null && 'line') }, line ?? (past && view.wide ? `${t('moment.title')} · ${face.standing(view)}` : face.standing(view))))),
      known.room?.clock && !over && !past ? clock(view) : null,
      isAlone(view) ? iconButton('bulb', t('hint'), () => acts.more((more) => more.hint())) : null,
      // On a phone there is room for one of the two, and the rules are in the menu as well.
      talks ? view.talk?.reactions(view) : null,
      talks && !view.wide ? null : iconButton('book', t('rules'), () => acts.open({ name: 'rules' })),
      view.wide ? null : chatButton(view, t(ui.replay ? 'log' : 'log_chat'), () => acts.open({ name: known.unread ? 'chat' : 'log' })),
      iconButton('menu', t('menu'), () => acts.open({ name: 'menu' }))),
    h('div', { class: classes('board', ended && 'atEnd'), key: ended ? 'end' : 'board', onclick: (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest('button, a') ?? acts.hurry() }, ended ? view.ending?.show(view) : face.board(view)),
    h('footer', { class: 'bar' }, past ? h('div', { class: 'atLast', key: 'past' }, view.ending?.onward(view), view.past?.bar(view)) : over ? view.ending?.bar(view) : face.bar(view) ?? botBar(view) ?? idle(view, face)),
    view.wide ? h('aside', { class: 'beside', 'aria-label': t('log') }, h('h2', null, t('log')), log(view), ui.replay ? null : [h('h2', null, t('chat')), chat(view)]) : null,
    ui.replay ? null : view.talk?.bubbles(view, hears));
}

/** Whether this person decides now and plays with bots only: then there are hints. @param {View} view */
const isAlone = ({ known, ui, actions, seat }) => asked(known) && ui.moment === null && !ui.lesson && actions.length > 1 && known.room?.seats.every((info) => info.seat === seat || info.kind === 'bot');

/** Keeps its place while nobody is timed. @param {View} view */
function clock(view) {
  const left = timeLeft(view.known, view.now);
  // A second that has begun still counts.
  const time = left === null ? '' : span(left + 999);
  return h('span', { class: classes('clock', left !== null && left < 10000 && 'soon'), role: 'timer', 'aria-label': time && t('clock.left', { time }), key: 'clock' }, time);
}

/** How long somebody must be away before a bot may play for them; the server has the last word. */
const AWAY_MS = 30000;

/** The bot that plays a seat, or the offer of one once its owner is long away. @param {View} view @param {number} seat */
export function played(view, seat) {
  const { known, acts } = view;
  const info = seatOf(known, seat);
  if (info?.bot) return h('p', { class: 'note played', key: seat }, icon('bot'), t(seat === view.seat ? 'bot.for_you' : `bot.${info.bot}`));
  if (view.seat === null || known.room?.phase !== 'playing' || (awayFor(known, seat, view.now) ?? 0) < AWAY_MS) return null;
  return h('button', {
    class: 'step lit', key: seat, type: 'button', onclick: () => {
      if (acts.send({ type: 'substitute', seat, level: 'normal' })) acts.close();
    },
  }, icon('bot'), t('bot.let', { name: nameOf(known, seat) }));
}

/** What the bar says of bots while this seat is not asked. @param {View} view */
function botBar(view) {
  const seats = view.known.room?.seats ?? [];
  if (seats.some((info) => info.seat === view.seat && info.bot)) {
    return h('div', { class: 'steps', key: 'bots' }, played(view, view.seat ?? 0),
      h('button', { class: 'main lit', key: 'take', type: 'button', onclick: view.acts.takeOver }, t('bot.take_over')));
  }
  const offers = seats.flatMap((info) => (info.bot ? [] : played(view, info.seat) ?? []));
  return offers.length ? h('div', { class: 'steps', key: 'bots' }, offers) : null;
}

/** @param {View} view @param {Face} face */
function idle(view, face) {
  const note = h('p', { class: 'note', key: 'idle' }, view.seat === null ? t('watching') : face.idle(view));
  return onlyBots(view.known) ? h('div', { class: 'idle', key: 'idling' }, note, iconButton('hurry', t('hurry'), view.acts.hurry)) : note;
}
