// The sheets: menu, settings, rules, keys, and smaller ones.

import { h } from '../dom.js';
import { LANGUAGES, gameName, language, t } from '../i18n.js';
import { isHeard, mutedWith, rememberedName, rememberName, settings } from '../device.js';
import { icon } from '../icons.js';
import { MOST_BYTES, isValidName, normalizeName } from '../player-name.js';
import { supportsReactions, nameOf } from '../session/room-state.js';
import { gamePicker } from './front.js';
import { substitute } from './game.js';
import { chat, log } from './log.js';
import { toggle, sheet } from './sheet.js';
import { loadError, reload } from './trouble.js';

/** The watchers; older servers send only their number. @param {View} view */
export const audienceOf = (view) => view.known.room?.audience ?? [];

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function openSheet(view) {
  const { gameUi } = view;
  const open = view.ui.sheet;
  if (!open) return null;
  switch (open.name) {
    case 'menu':
      return menu(view);
    case 'settings':
      return sheet(view, { name: 'settings', title: t('settings') }, settingsBody(view));
    case 'rules':
      return sheet(
        view,
        { name: 'rules', title: view.ui.place.name === 'home' ? t('rules') : gameName(view.game), tall: true },
        view.ui.place.name === 'home' ? gamePicker(view) : null,
        view.rules?.(view) ?? coming(view, view.missing.rules || view.missing.gameUi),
      );
    case 'log':
    case 'chat':
      return sheet(
        view,
        {
          name: 'talk',
          title: t(view.ui.place.name === 'replay' ? 'log' : view.table ? 'log_chat' : 'chat'),
          tall: true,
        },
        view.table && view.ui.place.name !== 'replay' ? tabs(view, open.name) : null,
        open.name === 'log' ? log(view) : chat(view),
      );
    case 'share':
      return sheet(
        view,
        { name: 'share', title: t('lobby.bring') },
        view.invite?.(view) ?? coming(view, view.missing.invite),
      );
    case 'keys':
      return sheet(
        view,
        { name: 'keys', title: t('keys') },
        h(
          'dl',
          { class: 'keys' },
          [
            ...(view.ui.moment !== null && view.past
              ? view.past.keys()
              : gameUi
                ? [...gameUi.keys(), ['H', t('hurry')]]
                : []),
            ['?', t('keys.help')],
            ['Esc', t('close')],
          ].map(([key, what]) => h('div', { key }, h('dt', null, h('kbd', null, key)), h('dd', null, what))),
        ),
      );
    case 'player':
      return gameUi && view.table
        ? sheet(
            view,
            { name: 'player', title: nameOf(view.known, open.seat ?? 0) },
            substitute(view, open.seat ?? 0),
            gameUi.player(view, open.seat ?? 0),
            muting(view, open.seat ?? 0),
          )
        : null;
    case 'piles':
      return gameUi && view.table
        ? sheet(view, { name: 'piles', title: t(gameUi.pilesTitle) }, gameUi.piles(view))
        : null;
    case 'outdated':
      return sheet(
        view,
        { name: 'outdated', title: t('close.4011.title') },
        h('p', null, t('close.4011')),
        h('button', { class: 'main lit', type: 'button', onclick: reload }, t('close.4011.way')),
      );
    case 'audience':
      return view.audience?.audienceSheet(view);
    case 'unwatch':
      return view.audience?.unwatchSheet(view, open.watcher);
    case 'leave':
      return sheet(
        view,
        { name: 'leave', title: t('leave.title') },
        h('p', null, t('leave.words')),
        h(
          'div',
          { class: 'steps' },
          h('button', { class: 'step lit', type: 'button', onclick: view.commands.close }, t('leave.stay')),
          h('button', { class: 'step danger', type: 'button', onclick: view.commands.leave }, t('leave.go')),
        ),
      );
    case 'remove': {
      // Seats are renumbered when somebody leaves, so the player is found by name.
      const info = view.known.room?.seats.find(({ name }) => name === open.text);
      return info
        ? sheet(
            view,
            { name: 'remove', title: t('remove.title', { name: info.name }) },
            h('p', null, t('remove.words')),
            h(
              'div',
              { class: 'steps' },
              h('button', { class: 'step lit', type: 'button', onclick: view.commands.close }, t('unwatch.stay')),
              h(
                'button',
                {
                  class: 'step danger',
                  type: 'button',
                  onclick: () => {
                    if (
                      view.commands.send({
                        type: 'remove',
                        seat: info.seat,
                        ...(view.known.room?.pace && { name: info.name }),
                      })
                    )
                      view.commands.close();
                  },
                },
                t('remove.go'),
              ),
            ),
          )
        : null;
    }
    default:
      return view.past?.openSheet(view) ?? view.afterGame?.openSheet(view);
  }
}

/** While the body of a sheet is loading. @param {View} view @param {boolean} missing */
const coming = (view, missing) =>
  loadError(view, missing) ?? h('p', { class: 'calm', key: 'coming' }, t('line.connecting'));

/** @param {View} view @param {'log' | 'chat'} on */
const tabs = (view, on) =>
  h(
    'div',
    { class: 'tabs', role: 'group', key: 'tabs' },
    /** @type {const} */ (['log', 'chat']).map((name) =>
      h(
        'button',
        {
          type: 'button',
          key: name,
          'aria-pressed': name === on,
          onclick: () => view.commands.open({ name }),
        },
        t(name),
        name === 'chat' && on !== 'chat' && view.known.unread ? h('i', { class: 'badge' }, view.known.unread) : null,
      ),
    ),
  );

/**
 * Whether bubbles of another player are shown.
 * @param {View} view
 * @param {number} seat
 */
function muting(view, seat) {
  const info = view.known.room?.seats.find((each) => each.seat === seat);
  if (!view.reactions || !info || info.kind === 'bot' || seat === view.seat || !settings().talk) return null;
  return h(
    'label',
    { class: 'setting', key: 'mute' },
    h('b', null, t('audience.mute_name', { name: info.name })),
    toggle(!isHeard(info.name), (on) => view.commands.setting(mutedWith(info.name, on))),
  );
}

/** @param {View} view */
function menu(view) {
  const { commands } = view;
  const playing = view.known.room?.phase === 'playing' && view.seat !== null;
  /** @type {[Parameters<typeof icon>[0], string, () => void][]} */
  const items = [
    ['book', t('rules'), () => commands.open({ name: 'rules' })],
    ['share', t('lobby.bring'), () => commands.open({ name: 'share' })],
    ['gear', t('settings'), () => commands.open({ name: 'settings' })],
    ['keys', t('keys'), () => commands.open({ name: 'keys' })],
    ['home', t('menu.home'), () => commands.go(null)],
    ['leave', t('menu.leave'), () => (playing ? commands.open({ name: 'leave' }) : commands.leave())],
  ];
  if (view.ui.place.name === 'room')
    items.splice(2, 0, ['chart', t('book'), () => commands.withAfterGame((afterGame) => afterGame.book())]);
  if (audienceOf(view).length) items.splice(2, 0, ['eye', t('audience'), view.commands.openAudience]);
  // The sheet opens with the server's answer.
  if (view.seat !== null)
    items.splice(-2, 0, [
      'device',
      t('menu.device'),
      () => commands.withAfterGame(() => commands.send({ type: 'handover' })),
    ]);
  return sheet(
    view,
    { name: 'menu', title: view.ui.place.code ?? t('menu') },
    h(
      'ul',
      { class: 'menu' },
      items.map(([sign, label, tap]) =>
        h('li', { key: sign }, h('button', { type: 'button', onclick: tap }, icon(sign), label)),
      ),
    ),
  );
}

/** Whether this player can be renamed at a table. @param {View} view */
const isNamed = ({ known, seat, ui }) => seat !== null && ui.place.name === 'room' && supportsReactions(known.room);

/**
 * Saves a name for the next room, and changes it at the table.
 * @param {View} view
 * @param {import('../props.js').EventAt<'input', Event>} event
 */
function rename(view, event) {
  const name = normalizeName(event.target.value);
  if (name && !isValidName(name)) return view.commands.say(t('code.bad_name'));
  rememberName(name);
  // The server answers with the new name, which may differ if it was taken.
  if (name && isNamed(view)) view.commands.send({ type: 'rename', name });
  else view.commands.say(t('settings.name.kept'));
}

/** @param {View} view */
function settingsBody(view) {
  const now = settings();
  /** @param {'vibration' | 'mark' | 'aid' | 'talk'} name */
  const switchRow = (name) =>
    h(
      'label',
      { class: 'setting', key: name },
      h('span', null, h('b', null, t(`settings.${name}`)), h('small', null, t(`settings.${name}.hint`))),
      toggle(now[name], (on) => view.commands.setting({ [name]: on })),
    );
  return [
    h(
      'label',
      { class: 'setting', key: 'name' },
      h(
        'span',
        null,
        h('b', null, t('join.name')),
        h('small', null, t(isNamed(view) ? 'settings.name.now' : 'settings.name.hint')),
      ),
      h('input', {
        class: 'named',
        dir: 'auto',
        autocomplete: 'nickname',
        maxlength: MOST_BYTES,
        value: (isNamed(view) && view.known.you?.name) || rememberedName() || (view.known.you?.name ?? ''),
        onchange: (event) => rename(view, event),
      }),
    ),
    h(
      'label',
      { class: 'setting', key: 'language' },
      h('b', null, t('settings.language')),
      h(
        'select',
        {
          value: language(),
          onchange: (event) => view.commands.setting({ language: event.target.value }),
        },
        Object.entries(LANGUAGES).map(([code, name]) =>
          h('option', { key: code, value: code, lang: code, selected: code === language() }, name),
        ),
      ),
    ),
    h(
      'label',
      { class: 'setting', key: 'theme' },
      h('b', null, t('settings.theme')),
      h(
        'select',
        {
          value: now.theme,
          onchange: (event) =>
            view.commands.setting({
              theme: /** @type {typeof now.theme} */ (event.target.value),
            }),
        },
        /** @type {const} */ (['dark', 'light', 'device']).map((each) =>
          h('option', { key: each, value: each, selected: each === now.theme }, t(`settings.theme.${each}`)),
        ),
      ),
    ),
    h(
      'label',
      { class: 'setting', key: 'type' },
      h('b', null, t('settings.large')),
      toggle(now.type === 'large', (on) => view.commands.setting({ type: on ? 'large' : 'normal' })),
    ),
    h(
      'label',
      { class: 'setting', key: 'volume' },
      h('span', null, h('b', null, t('settings.sound')), h('small', null, t('settings.sound.hint'))),
      h('input', {
        type: 'range',
        min: 0,
        max: 100,
        step: 5,
        value: now.volume,
        onchange: (event) => view.commands.setting({ volume: Number(event.target.value) }),
      }),
    ),
    switchRow('vibration'),
    switchRow('mark'),
    switchRow('aid'),
    switchRow('talk'),
    h(
      'label',
      { class: 'setting', key: 'motion' },
      h('span', null, h('b', null, t('settings.motion')), h('small', null, t('settings.motion.hint'))),
      toggle(now.motion === 'less', (on) => view.commands.setting({ motion: on ? 'less' : 'system' })),
    ),
    h('p', { class: 'note', key: 'note' }, t('settings.device')),
  ];
}
