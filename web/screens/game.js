// The table: the status line at the top, the game's board, the bar with possible acts, and log and chat beside it.

import { isHeard, settings } from '../device.js';
import { h, classes } from '../dom.js';
import { formatDuration, t } from '../i18n.js';
import { icon, iconButton } from '../icons.js';
import { isAsked, awayFor, nameOf, awaitsOnlyBots, seatOf, timeLeft } from '../session/room-state.js';
import { chat, chatButton, log } from './log.js';
import { connectionText, statusSentence } from './status-line.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').GameUi} GameUi */

/** @param {View} view */
export function game(view) {
  const { known, ui, commands, gameUi } = view;
  if (!gameUi || !view.table) return null;
  const past = ui.moment !== null;
  const replayed = ui.place.name === 'replay';
  const over = known.room?.phase === 'finished' && !past;
  // While its end is loading, the table stays as it was.
  const ended = over && view.ending !== null;
  const line = connectionText(view);
  const talks = view.reactions !== null && view.seat !== null && !replayed && settings().talk;
  return h(
    'main',
    {
      class: classes(
        'game',
        view.wide && 'wide',
        ended && 'ended',
        past && 'past',
        isAsked(known) && 'asked',
        known.pending !== null && 'sending',
      ),
      key: 'game',
    },
    h(
      'header',
      { class: 'status' },
      h(
        'h1',
        { class: 'say' },
        h(
          'button',
          { type: 'button', onclick: () => commands.open({ name: 'piles' }) },
          statusSentence(
            past
              ? (view.past?.momentWords(view) ?? '')
              : over && !view.missing.ending
                ? t('end.title')
                : gameUi.sentence(view),
          ),
          h(
            'small',
            { class: classes(line !== null && 'line') },
            line ?? (past && view.wide ? `${t('moment.title')} · ${gameUi.standing(view)}` : gameUi.standing(view)),
          ),
        ),
      ),
      known.room?.clock && !over && !past ? clock(view) : null,
      isAlone(view)
        ? iconButton('bulb', t('hint'), () => commands.withAfterGame((afterGame) => afterGame.hint()))
        : null,
      // On a phone there is room for only one of the two; the rules are in the menu as well.
      talks ? view.reactions?.reactionMenu(view) : null,
      talks && !view.wide ? null : iconButton('book', t('rules'), () => commands.open({ name: 'rules' })),
      view.wide
        ? null
        : chatButton(view, t(replayed ? 'log' : 'log_chat'), () =>
            commands.open({ name: known.unread ? 'chat' : 'log' }),
          ),
      iconButton('menu', t('menu'), () => commands.open({ name: 'menu' })),
    ),
    h(
      'div',
      {
        class: classes('board', ended && 'atEnd'),
        key: ended ? 'end' : 'board',
        onclick: (event) => event.target.closest('button, a') ?? commands.hurry(),
      },
      ended ? view.ending?.show(view) : gameUi.board(view),
    ),
    h(
      'footer',
      { class: 'bar' },
      past
        ? h('div', { class: 'atLast', key: 'past' }, view.ending?.nextGameBanner(view), view.past?.bar(view))
        : over
          ? view.ending?.bar(view)
          : (gameUi.bar(view) ?? botBar(view) ?? idle(view, gameUi)),
    ),
    view.wide
      ? h(
          'aside',
          { class: 'beside', 'aria-label': t('log') },
          h('h2', null, t('log')),
          log(view),
          replayed ? null : [h('h2', null, t('chat')), chat(view)],
        )
      : null,
    replayed ? null : view.reactions?.bubbles(view, isHeard),
  );
}

/** Whether this player decides now and plays with bots only. Then hints are offered. @param {View} view */
const isAlone = ({ known, ui, actions, seat }) =>
  isAsked(known) &&
  ui.moment === null &&
  ui.place.name !== 'lesson' &&
  actions.length > 1 &&
  known.room?.seats.every((info) => info.seat === seat || info.kind === 'bot');

/** Keeps its place while no time runs. @param {View} view */
function clock(view) {
  const left = timeLeft(view.known, view.now);
  // A started second still counts.
  const time = left === null ? '' : formatDuration(left + 999);
  return h(
    'span',
    {
      class: classes('clock', left !== null && left < 10000 && 'soon'),
      role: 'timer',
      'aria-label': time && t('clock.left', { time }),
      key: 'clock',
    },
    time,
  );
}

/** How long a player must be away before a bot is offered; the server has the last word. */
const AWAY_MS = 30000;

/**
 * The bot that plays a seat, or the offer of one once its player was away for long.
 * @param {View} view
 * @param {number} seat
 */
export function substitute(view, seat) {
  const { known, commands } = view;
  const info = seatOf(known, seat);
  if (info?.bot)
    return h(
      'p',
      { class: 'note played', key: seat },
      icon('bot'),
      t(seat === view.seat ? 'bot.for_you' : `bot.${info.bot}`),
    );
  if (view.seat === null || known.room?.phase !== 'playing' || (awayFor(known, seat, view.now) ?? 0) < AWAY_MS)
    return null;
  return h(
    'button',
    {
      class: 'step lit',
      key: seat,
      type: 'button',
      onclick: () => {
        if (commands.send({ type: 'substitute', seat, level: 'normal' })) commands.close();
      },
    },
    icon('bot'),
    t('bot.let', { name: nameOf(known, seat) }),
  );
}

/** What the bar says about bots while this seat is not asked. @param {View} view */
function botBar(view) {
  const seats = view.known.room?.seats ?? [];
  if (seats.some((info) => info.seat === view.seat && info.bot)) {
    return h(
      'div',
      { class: 'steps', key: 'bots' },
      substitute(view, view.seat ?? 0),
      h(
        'button',
        { class: 'main lit', key: 'take', type: 'button', onclick: view.commands.takeOver },
        t('bot.take_over'),
      ),
    );
  }
  const offers = seats.flatMap((info) => (info.bot ? [] : (substitute(view, info.seat) ?? [])));
  return offers.length ? h('div', { class: 'steps', key: 'bots' }, offers) : null;
}

/** @param {import('../view.js').TableView} view @param {GameUi} gameUi */
function idle(view, gameUi) {
  const note = h('p', { class: 'note', key: 'idle' }, view.seat === null ? t('watching') : gameUi.idle(view));
  return awaitsOnlyBots(view.known)
    ? h('div', { class: 'idle', key: 'idling' }, note, iconButton('hurry', t('hurry'), view.commands.hurry))
    : note;
}
