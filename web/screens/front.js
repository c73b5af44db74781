// The home page: open a room, join one, come back to one.

import { botSettings, LEVELS, rememberBotSettings } from '../device.js';
import { h, classes } from '../dom.js';
import { gameName, t, formatList } from '../i18n.js';
import { parseCode } from '../urls.js';
import { GAMES, gameIds } from '../games/index.js';
import { icon, iconButton } from '../icons.js';
import { loadError } from './trouble.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function front(view) {
  const { commands, gameUi, ui } = view;
  const running = ui.open.filter(isPlaying);
  return h(
    'main',
    { class: 'front', key: 'front' },
    h(
      'header',
      { class: 'topbar' },
      h('span', { class: 'logo' }, t('rookery')),
      iconButton('book', t('rules'), () => commands.open({ name: 'rules' })),
      iconButton('gear', t('settings'), () => commands.open({ name: 'settings' })),
    ),
    running.length
      ? h(
          'section',
          { class: 'stillOpen running', key: 'running', 'aria-labelledby': 'running' },
          h('h2', { id: 'running' }, t('front.running')),
          rooms(view, running, 'main lit'),
        )
      : null,
    gamePicker(view),
    h(
      'div',
      { class: 'hero' },
      h('div', { class: 'emblem', key: ui.game, 'aria-hidden': 'true' }, gameUi?.emblem(ui.rooms.emblem)),
      loadError(view, view.missing.gameUi),
      h('h1', null, t(`front.title.${ui.game}`)),
      h('p', null, t('front.lead')),
    ),
    h(
      'div',
      { class: 'doors' },
      h(
        'button',
        {
          class: running.length ? 'second' : 'main lit',
          type: 'button',
          disabled: ui.busy,
          onclick: () => commands.create(),
        },
        t('front.new', { game: gameName(ui.game) }),
      ),
      bots(view),
      GAMES[ui.game].guided
        ? h('button', { class: 'second', type: 'button', onclick: commands.openLesson }, t('front.guide'))
        : null,
      h(
        'form',
        { class: 'byCode', onsubmit: (event) => enter(view, event) },
        h('label', { for: 'code' }, t('front.code')),
        h(
          'span',
          { class: 'pair' },
          h('input', {
            id: 'code',
            name: 'code',
            autocomplete: 'off',
            autocapitalize: 'characters',
            spellcheck: 'false',
            placeholder: 'K7QF3M',
            inputmode: 'text',
            enterkeyhint: 'go',
          }),
          h('button', { class: 'second', type: 'submit' }, t('front.join')),
        ),
      ),
      ui.open.length > running.length
        ? h(
            'section',
            { class: 'stillOpen', 'aria-labelledby': 'still-open' },
            h('h2', { id: 'still-open' }, t('front.open')),
            rooms(
              view,
              ui.open.filter((each) => !isPlaying(each)),
            ),
          )
        : null,
    ),
    h(
      'footer',
      { class: 'credit' },
      t(`credit.${ui.game}`),
      h('button', { class: 'text', type: 'button', onclick: () => commands.openRecord() }, t('front.record')),
    ),
  );
}

/** @typedef {View['ui']['open'][number]} OpenRoom */

/** @param {OpenRoom} each */
const isPlaying = (each) => each.room.phase === 'playing';

/** @param {View} view @param {OpenRoom[]} list @param {string} [kind] class of the button */
const rooms = (view, list, kind) =>
  h(
    'ul',
    null,
    list.map((each) =>
      h(
        'li',
        { key: each.code },
        h(
          'button',
          { class: kind, type: 'button', onclick: () => view.commands.go(each.code) },
          h(
            'span',
            null,
            h('b', { class: 'name', dir: 'auto' }, formatList(each.room.seats.map((seat) => seat.name))),
            h('small', null, t(`front.phase.${each.room.phase}`, { game: gameName(each.room.game), code: each.code })),
            whoseTurn(each),
          ),
          icon('next'),
        ),
      ),
    ),
  );

/** Older servers do not say whose turn it is. @param {OpenRoom} each */
function whoseTurn({ name, room }) {
  const asked = room.seats.filter((seat) => room.asked?.includes(seat.seat)).map((seat) => seat.name);
  if (!asked.length) return null;
  return h(
    'small',
    { key: 'turn', class: 'turn' },
    asked.includes(name) ? t('front.your_turn') : t('front.turn', { names: formatList(asked) }),
  );
}

/** One tap to a game against bots. Their number and level are chosen beside it. @param {View} view */
function bots(view) {
  const { commands, ui } = view;
  const chosen = botSettings();
  const most = GAMES[ui.game].most - 1;
  const count = Math.min(chosen.bots, most);
  /**
   * @param {string} label
   * @param {string | number} value
   * @param {[string | number, string][]} choices
   * @param {(value: string) => Partial<typeof chosen>} change
   */
  const choice = (label, value, choices, change) =>
    h(
      'select',
      {
        'aria-label': label,
        key: label,
        value: String(value),
        onchange: (event) => {
          rememberBotSettings(change(event.target.value));
          commands.show({});
        },
      },
      choices.map(([each, words]) =>
        h('option', { key: String(each), value: String(each), selected: each === value }, words),
      ),
    );
  return h(
    'span',
    { class: 'pair against' },
    h(
      'button',
      { class: 'second', type: 'button', disabled: ui.busy, onclick: () => commands.create(count) },
      t('front.bots'),
    ),
    choice(
      t('front.bots.count'),
      count,
      Array.from({ length: most }, (_, at) => [at + 1, String(at + 1)]),
      (value) => ({ bots: Number(value) }),
    ),
    choice(
      t('front.bots.level'),
      chosen.level,
      LEVELS.map((level) => [level, t(`lobby.bot.${level}`)]),
      (value) => ({ level: /** @type {typeof chosen.level} */ (value) }),
    ),
  );
}

/** @param {View} view @param {import('../props.js').EventAt<'form', SubmitEvent>} event */
function enter(view, event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (event.target.elements.namedItem('code'));
  const code = parseCode(field.value);
  if (code.length === 6) view.commands.go(code);
  else view.commands.say(t('front.code_hint'));
}

/** Chooses the game, here and in the rules. @param {View} view */
export const gamePicker = (view) =>
  h(
    'div',
    { class: 'pick', key: 'pick', role: 'group', 'aria-label': t('pick') },
    gameIds.map((id) =>
      h(
        'button',
        {
          key: id,
          type: 'button',
          class: classes(id === view.ui.game && 'chosen'),
          'aria-pressed': id === view.ui.game,
          onclick: () => view.commands.chooseGame(id),
        },
        gameName(id),
      ),
    ),
  );
