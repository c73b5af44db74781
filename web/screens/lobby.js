// The lobby: who sits, invitations, options, and the start. Loaded when a room is opened; a game against bots needs no
// lobby.

import { LEVELS } from '../device.js';
import { h, classes } from '../dom.js';
import { gameName, t, formatDuration } from '../i18n.js';
import { awayFor, supportsReactions, nameOf } from '../session/room-state.js';
import { GAMES, gameIds } from '../games/index.js';
import { icon, iconButton } from '../icons.js';
import { audienceOf } from './sheets.js';
import { chatButton } from './log.js';
import { connectionText, statusSentence } from './status-line.js';
import { toggle } from './sheet.js';
import { invite } from './share.js';
import { loadError } from './trouble.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Room} Room */
/** @typedef {import('../wire.js').SeatInfo} SeatInfo */

/** @param {View} view */
export function lobby(view) {
  const { commands, known } = view;
  const room = /** @type {Room} */ (known.room);
  const host = view.seat !== null && room.host === view.seat;
  return h(
    'main',
    { class: 'lobby', key: 'lobby' },
    h(
      'header',
      { class: 'status' },
      h(
        'h1',
        { class: 'say' },
        statusSentence(sentence(view, room, host)),
        h(
          'small',
          { class: classes(connectionText(view) !== null && 'line') },
          connectionText(view) ?? gameName(room.game),
        ),
      ),
      chatButton(view, t('chat'), () => commands.open({ name: 'chat' })),
      iconButton('menu', t('menu'), () => commands.open({ name: 'menu' })),
    ),
    h(
      'div',
      { class: 'content' },
      h(
        'section',
        { class: 'panel', 'aria-labelledby': 'bring' },
        h('h2', { id: 'bring' }, t('lobby.bring')),
        invite(view),
      ),
      h(
        'div',
        { class: 'people' },
        h(
          'section',
          { class: 'panel', 'aria-labelledby': 'seats' },
          h(
            'h2',
            { id: 'seats' },
            t('lobby.seats'),
            watching(view),
            hasResult(view, room)
              ? h('button', { class: 'text last', type: 'button', onclick: commands.lastResult }, t('lobby.last'))
              : null,
          ),
          room.origin && view.afterGame
            ? view.afterGame.originSeats(view, { ...room, origin: room.origin }, host, (info, more) =>
                seat(view, room, info, host, more),
              )
            : h(
                'ol',
                { class: 'seats', key: 'seats' },
                room.seats.map((info) => seat(view, room, info, host)),
                room.seats.length < room.max
                  ? h(
                      'li',
                      { key: 'free', class: 'free' },
                      h('span', { class: 'chair', 'aria-hidden': 'true' }),
                      h('span', { class: 'name' }, t('lobby.free', { count: room.max - room.seats.length })),
                    )
                  : null,
              ),
          starter(view, room, host),
          host && room.seats.length < room.max ? addBot(view) : null,
        ),
        view.wide
          ? h(
              'div',
              { class: 'emblem', key: room.game, 'aria-hidden': 'true' },
              view.gameUi?.emblem(view.ui.rooms.emblem),
            )
          : null,
      ),
      h(
        'section',
        { class: 'panel', 'aria-labelledby': 'options' },
        h(
          'h2',
          { id: 'options' },
          t('lobby.options'),
          host
            ? null
            : h('small', null, t('lobby.host_chooses', { name: room.host === null ? '–' : nameOf(known, room.host) })),
        ),
        chooseGame(view, room, host),
        view.gameUi?.options(view),
        loadError(view, view.missing.gameUi),
        clock(view, room, host),
        forced(view, room, host),
        pace(view, room, host),
      ),
    ),
    h('footer', { class: 'bar' }, footer(view, room, host)),
  );
}

/**
 * Whether a game was finished here: this page was there, or a player has a win.
 * @param {View} view
 * @param {Room} room
 */
const hasResult = (view, room) => view.present.last !== null || room.seats.some((info) => info.wins > 0);

/** @param {View} view @param {Room} room @param {boolean} host */
function sentence(view, room, host) {
  const missing = room.min - room.seats.length;
  if (missing > 0) return t('lobby.missing', { count: missing });
  if (host) return t('lobby.you_start');
  return room.host === null ? t('lobby.nobody') : t('lobby.host_starts', { name: nameOf(view.known, room.host) });
}

/** @param {View} view @param {Room} room @param {boolean} host */
function footer(view, room, host) {
  if (view.seat === null) {
    return room.seats.length < room.max
      ? h(
          'button',
          { class: 'main lit', key: 'sit', type: 'button', onclick: () => view.commands.send({ type: 'sit' }) },
          t('lobby.sit'),
        )
      : h('p', { class: 'note', key: 'full' }, t('join.full'));
  }
  const enough = room.seats.length >= room.min;
  const start = () => (enough ? view.commands.send({ type: 'start' }) : view.commands.say(t('code.too_few_players')));
  if (host)
    return h(
      'button',
      {
        class: classes('main', enough ? 'lit' : 'dull'),
        key: 'start',
        type: 'button',
        'aria-disabled': !enough,
        onclick: start,
      },
      t('lobby.start'),
    );
  const up = room.seats.some((info) => info.seat === view.seat && info.ready);
  if (hasResult(view, room) && supportsReactions(room))
    return h(
      'button',
      {
        class: 'main lit hand-up',
        key: 'hand',
        type: 'button',
        'aria-pressed': up,
        onclick: () => view.commands.send({ type: 'ready', ready: !up }),
      },
      icon('hand'),
      t('lobby.ready'),
    );
  return h('p', { class: 'note', key: 'wait' }, sentence(view, room, false));
}

/**
 * The game to play, chosen by the host before every game.
 * @param {View} view
 * @param {Room} room
 * @param {boolean} host
 */
const chooseGame = (view, room, host) =>
  h(
    'fieldset',
    { class: 'options two', key: 'game', disabled: !host },
    h('legend', null, t('lobby.game')),
    gameIds.map((id) =>
      h(
        'label',
        { key: id, class: room.game === id ? 'chosen' : '' },
        h('input', {
          type: 'radio',
          name: 'game',
          value: id,
          checked: room.game === id,
          onchange: () => view.commands.send({ type: 'configure', game: id, forced: GAMES[id].forced }),
        }),
        h('b', null, gameName(id)),
      ),
    ),
  );

/**
 * Whether forced acts are played automatically.
 * @param {View} view
 * @param {Room} room
 * @param {boolean} host
 */
const forced = (view, room, host) =>
  h(
    'label',
    { class: 'setting', key: 'forced' },
    h('span', null, h('b', null, t('lobby.forced')), h('small', null, t('lobby.forced.hint'))),
    toggle(
      room.forced === 'auto',
      (on) => view.commands.send({ type: 'configure', forced: on ? 'auto' : 'ask' }),
      !host,
    ),
  );

/**
 * How fast bots play; older servers do not say.
 * @param {View} view
 * @param {Room} room
 * @param {boolean} host
 */
const pace = (view, room, host) =>
  room.pace
    ? setting(
        'pace',
        room.pace,
        PACES,
        (each) => t(`lobby.pace.${each}`),
        host,
        (each) => view.commands.send({ type: 'configure', pace: each }),
      )
    : null;

/**
 * Who begins. Older servers do not say, and a game that begins with an earlier one has its starter.
 * @param {View} view
 * @param {Room} room
 * @param {boolean} host
 */
const starter = (view, room, host) =>
  room.starter === undefined || room.origin
    ? null
    : setting(
        'starter',
        room.starter,
        [null, ...room.seats.map((info) => info.seat)],
        (each) => (each === null ? t('lobby.starter.random') : nameOf(view.known, each)),
        host,
        (each) => view.commands.send({ type: 'configure', starter: each }),
      );

/** @type {import('../wire.js').Pace[]} */
const PACES = ['calm', 'normal', 'brisk'];

/** Seconds for each decision. */
const CLOCKS = [null, 30, 60, 120];

/** @param {number | null} clock */
function clockWords(clock) {
  if (clock === null) return t('lobby.clock.off');
  return clock >= 120 && clock % 60 === 0
    ? t('lobby.clock.minutes', { count: clock / 60 })
    : t('lobby.clock.seconds', { count: clock });
}

/** @param {View} view @param {Room} room @param {boolean} host */
const clock = (view, room, host) =>
  setting(
    'clock',
    room.clock,
    CLOCKS.includes(room.clock) ? CLOCKS : [...CLOCKS, room.clock],
    clockWords,
    host,
    (each) => view.commands.send({ type: 'configure', clock: each }),
  );

/**
 * A setting with several choices for the host.
 * @template T
 * @param {'clock' | 'pace' | 'starter'} name
 * @param {T} now
 * @param {T[]} choices
 * @param {(each: T) => string} said
 * @param {boolean} host
 * @param {(each: T) => void} choose
 */
function setting(name, now, choices, said, host, choose) {
  const words = h(
    'span',
    null,
    h('b', null, t(`lobby.${name}`)),
    name === 'starter' ? null : h('small', null, t(`lobby.${name}.hint`)),
  );
  if (!host) return h('p', { class: 'setting', key: `${name}d` }, words, h('span', null, said(now)));
  return h(
    'label',
    { class: 'setting', key: name },
    words,
    h(
      'select',
      {
        value: String(now),
        onchange: (event) => choose(choices[event.target.selectedIndex]),
      },
      choices.map((each) =>
        h('option', { key: String(each), value: String(each), selected: each === now }, said(each)),
      ),
    ),
  );
}

/** @param {View} view */
const addBot = (view) =>
  h(
    'div',
    { class: 'addBot', role: 'group', 'aria-labelledby': 'add-bot', key: 'bots' },
    h('span', { id: 'add-bot' }, t('lobby.add_bot')),
    LEVELS.map((level) =>
      h(
        'span',
        { class: 'level', key: level },
        h(
          'button',
          {
            class: 'second',
            type: 'button',
            'aria-describedby': `suits-${level}`,
            onclick: () => view.commands.send({ type: 'add_bot', level }),
          },
          t(`lobby.bot.${level}`),
        ),
        h('small', { id: `suits-${level}` }, t(`lobby.bot.${level}.suits`)),
      ),
    ),
  );

/**
 * @param {View} view
 * @param {Room} room
 * @param {SeatInfo} info
 * @param {boolean} host
 * @param {import('../dom.js').Child} [more]
 */
function seat(view, room, info, host, more = null) {
  const away = awayFor(view.known, info.seat, view.now);
  const own = info.seat === view.seat;
  // The key contains the name, so that a second tap does not remove the player who moved up to the seat.
  return h(
    'li',
    { key: `${info.seat} ${info.name}`, class: classes(own && 'own', away !== null && 'gone') },
    h(
      'span',
      { class: 'chair taken', 'aria-hidden': 'true' },
      info.kind === 'bot' || info.program ? icon('bot') : ([...info.name][0]?.toUpperCase() ?? ''),
    ),
    h('span', { class: 'name', dir: 'auto' }, info.name),
    h(
      'span',
      { class: 'signs' },
      info.ready ? h('i', { class: 'raised', role: 'img', 'aria-label': t('lobby.ready') }, icon('hand')) : null,
      info.wins
        ? h('i', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: info.wins }) }, `★${info.wins}`)
        : null,
      info.kind === 'bot' && info.bot ? h('i', { class: 'bubble quiet' }, t(`bot.${info.bot}`)) : null,
      info.program ? h('i', { class: 'bubble quiet' }, t('bot.program')) : null,
      room.host === info.seat ? h('i', { class: 'bubble quiet' }, t('lobby.host')) : null,
      own ? h('i', { class: 'bubble quiet' }, t('you')) : null,
      away === null ? null : h('i', { class: 'away' }, t('away', { time: formatDuration(away) })),
      more,
    ),
    own
      ? h(
          'button',
          { class: 'text', type: 'button', onclick: () => view.commands.send({ type: 'stand' }) },
          t('lobby.stand'),
        )
      : host
        ? iconButton('close', t('lobby.remove', { name: info.name }), () =>
            info.kind === 'bot'
              ? view.commands.send({ type: 'remove', seat: info.seat, ...(room.pace && { name: info.name }) })
              : view.commands.open({ name: 'remove', text: info.name }),
          )
        : null,
  );
}

/** The number of watchers; a tap lists them. @param {View} view */
export function watching(view) {
  const count = view.known.room?.watchers ?? 0;
  if (!count) return null;
  return audienceOf(view).length
    ? h(
        'button',
        { class: 'text watching', type: 'button', onclick: view.commands.openAudience },
        t('watchers', { count }),
      )
    : h('small', null, t('watchers', { count }));
}
