// The television screen (`/r/CODE?screen`): the table as watchers see it, and how to join. It has no controls and shows
// nothing hidden.

import { h, classes } from '../dom.js';
import { gameName, t } from '../i18n.js';
import { apiUrl, roomUrl } from '../urls.js';
import { icon } from '../icons.js';
import { nameOf } from '../session/room-state.js';
import { connectionText, statusSentence } from './status-line.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Room} Room */

/** @param {View} view */
export function television(view) {
  const { known, gameUi, table } = view;
  const room = /** @type {Room} */ (known.room);
  const on = room.phase !== 'lobby' && gameUi && table;
  const over = on && room.phase === 'finished';
  const ended = over && view.ending !== null;
  const line = connectionText(view);
  return h(
    'main',
    { class: classes('big', on ? 'game wide' : 'waits', ended && 'ended'), key: 'big' },
    h(
      'header',
      { class: 'status' },
      h(
        'h1',
        { class: 'say' },
        statusSentence(over ? t('end.title') : on ? gameUi.sentence(view) : lobbySentence(view, room)),
        h(
          'small',
          { class: classes(line !== null && 'line') },
          line ?? (on && !over ? gameUi.standing(view) : gameName(room.game)),
        ),
      ),
    ),
    // Nothing here can be pressed, not even with a remote control.
    on
      ? h(
          'div',
          { class: classes('board', ended && 'atEnd'), key: ended ? 'end' : 'board', inert: true },
          ended ? view.ending?.show(view) : gameUi.board(view),
        )
      : seats(room),
    h(
      'aside',
      { class: 'come', 'aria-label': t('lobby.bring') },
      h('img', { class: 'qr', src: apiUrl(`rooms/${room.code}/qr.svg`), alt: t('share.qr'), width: 148, height: 148 }),
      h(
        'p',
        null,
        h('b', { class: 'code' }, room.code),
        h('small', { class: 'link' }, roomUrl(room.code).replace(/^https?:\/\//, '')),
      ),
    ),
  );
}

/** @param {View} view @param {Room} room */
function lobbySentence(view, room) {
  const missing = room.min - room.seats.length;
  if (missing > 0) return t('lobby.missing', { count: missing });
  return room.host === null ? t('lobby.nobody') : t('lobby.host_starts', { name: nameOf(view.known, room.host) });
}

/** @param {Room} room */
const seats = (room) =>
  h(
    'ol',
    { class: 'seats', key: 'seats' },
    room.seats.map((info) =>
      h(
        'li',
        { key: info.seat },
        h(
          'span',
          { class: 'chair taken', 'aria-hidden': 'true' },
          info.kind === 'bot' || info.program ? icon('bot') : ([...info.name][0]?.toUpperCase() ?? ''),
        ),
        h('span', { class: 'name', dir: 'auto' }, info.name),
        h(
          'span',
          { class: 'signs' },
          info.wins
            ? h('i', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: info.wins }) }, `★${info.wins}`)
            : null,
        ),
      ),
    ),
    room.seats.length < room.max
      ? h(
          'li',
          { key: 'free', class: 'free' },
          h('span', { class: 'chair', 'aria-hidden': 'true' }),
          h('span', { class: 'name' }, t('lobby.free', { count: room.max - room.seats.length })),
        )
      : null,
  );

/** Keeps the television awake if the browser allows it. */
export function keepAwake() {
  const ask = () => void navigator.wakeLock?.request('screen').catch(() => {});
  document.addEventListener('visibilitychange', () => document.hidden || ask());
  ask();
}
