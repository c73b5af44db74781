// A screen for a television (`/r/CODE?screen`): the table for everybody in the room, as those see it who watch, and the way to join. It has no
// controls and knows nothing that is hidden. Fetched only where the address asks for it.

import { h, classes } from '../dom.js';
import { gameName, t } from '../i18n.js';
import { apiUrl, roomUrl } from '../base.js';
import { icon } from '../icons.js';
import { nameOf } from '../store.js';
import { lineWords, sentenceOn } from './say.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Room} Room */

/** @param {View} view */
export function big(view) {
  const { known, face, table } = view;
  const room = /** @type {Room} */ (known.room);
  const on = room.phase !== 'lobby' && face && table;
  const over = on && room.phase === 'finished';
  const ended = over && view.ending !== null;
  const line = lineWords(view);
  return h('main', { class: classes('big', on ? 'game wide' : 'waits', ended && 'ended'), key: 'big' },
    h('header', { class: 'status' }, h('h1', { class: 'say' },
      sentenceOn(over ? t('end.title') : on ? face.sentence(view) : lobbySentence(view, room)),
      h('small', { class: classes(line !== null && 'line') }, line ?? (on && !over ? face.standing(view) : gameName(room.game))))),
    // Nothing here can be pressed, by a remote control either.
    on ? h('div', { class: classes('board', ended && 'atEnd'), key: ended ? 'end' : 'board', inert: true }, ended ? view.ending?.show(view) : face.board(view)) : seats(room),
    h('aside', { class: 'come', 'aria-label': t('lobby.bring') },
      h('img', { class: 'qr', src: apiUrl(`rooms/${room.code}/qr.svg`), alt: t('share.qr'), width: 148, height: 148 }),
      h('p', null, h('b', { class: 'code' }, room.code), h('small', { class: 'link' }, roomUrl(room.code).replace(/^https?:\/\//, '')))));
}

/** @param {View} view @param {Room} room */
function lobbySentence(view, room) {
  const missing = room.min - room.seats.length;
  if (missing > 0) return t('lobby.missing', { count: missing });
  return room.host === null ? t('lobby.nobody') : t('lobby.host_starts', { name: nameOf(view.known, room.host) });
}

/** @param {Room} room */
const seats = (room) => h('ol', { class: 'seats', key: 'seats' }, room.seats.map((info) => h('li', { key: info.seat },
  h('span', { class: 'chair taken', 'aria-hidden': 'true' }, info.kind === 'bot' || info.program ? icon('bot') : [...info.name][0]?.toUpperCase() ?? ''),
  h('span', { class: 'name', dir: 'auto' }, info.name),
  h('span', { class: 'signs' }, info.wins ? h('i', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: info.wins }) }, `★${info.wins}`) : null))),
room.seats.length < room.max ? h('li', { key: 'free', class: 'free' },
  h('span', { class: 'chair', 'aria-hidden': 'true' }), h('span', { class: 'name' }, t('lobby.free', { count: room.max - room.seats.length }))) : null);

/** A television that goes dark in the middle of a game is no use; where it may not be kept awake, nothing is lost. */
export function stayAwake() {
  const ask = () => void navigator.wakeLock?.request('screen').catch(() => {});
  document.addEventListener('visibilitychange', () => document.hidden || ask());
  ask();
}
