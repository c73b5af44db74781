// The join screen: a name, then a seat.

import { h } from '../dom.js';
import { gameName, t, formatList } from '../i18n.js';
import { rememberedName } from '../device.js';
import { iconButton } from '../icons.js';
import { MOST_BYTES, isValidName, normalizeName } from '../player-name.js';
import { loadError, troubleText } from './trouble.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function join(view) {
  const { commands, ui } = view;
  const room = ui.preview;
  if (!room) return waiting(view);
  const seated = room.seats.map((seat) => seat.name);
  const full = room.seats.length >= room.max;
  const onlyWatch = room.phase !== 'lobby' || full;
  const host = room.seats.find((seat) => seat.seat === room.host);
  // A finished game cannot be watched; the player waits for the next one.
  const over = room.phase === 'finished';
  return h(
    'main',
    { class: 'front join', key: 'join' },
    h(
      'header',
      { class: 'topbar' },
      iconButton('back', t('home'), () => commands.go(null)),
      h('span', { class: 'logo' }, room.code),
      iconButton('book', t('rules'), () => commands.open({ name: 'rules' })),
      iconButton('gear', t('settings'), () => commands.open({ name: 'settings' })),
    ),
    h(
      'div',
      { class: 'hero' },
      h('div', { class: 'emblem', 'aria-hidden': 'true' }, view.gameUi?.emblem(ui.rooms.emblem)),
      loadError(view, view.missing.gameUi),
      h('h1', null, host ? t('join.invites', { name: host.name, game: gameName(room.game) }) : gameName(room.game)),
      h(
        'p',
        null,
        seated.length ? t('join.with', { names: formatList(seated), count: seated.length }) : t('join.first'),
      ),
    ),
    h(
      'form',
      { class: 'doors', onsubmit: (event) => sit(view, event, onlyWatch) },
      h('label', { for: 'name' }, t('join.name')),
      h('input', {
        id: 'name',
        name: 'name',
        dir: 'auto',
        autocomplete: 'nickname',
        maxlength: MOST_BYTES,
        required: true,
        value: rememberedName(),
        enterkeyhint: 'go',
        'aria-invalid': ui.why ? 'true' : null,
        'aria-describedby': ui.why ? 'name-why' : null,
        oninput: () => ui.why && commands.show({ why: null }),
        hook: (el) => el.value || el.focus(),
      }),
      ui.why ? h('p', { class: 'note', id: 'name-why', key: 'why' }, troubleText(ui.why)) : null,
      onlyWatch
        ? h(
            'p',
            { class: 'note' },
            t(over ? 'join.over' : full && room.phase === 'lobby' ? 'join.full' : 'join.playing'),
          )
        : null,
      h(
        'button',
        { class: 'main lit', type: 'submit', disabled: ui.busy },
        t(over ? 'join.enter' : onlyWatch ? 'join.watch' : 'join.sit'),
      ),
    ),
  );
}

/** While there is nothing to show yet. @param {View} view */
export const waiting = (view) =>
  h(
    'main',
    { class: 'plain', key: 'join' },
    h(
      'p',
      { class: 'calm' },
      t(
        view.known.crowded
          ? 'line.crowded'
          : view.known.connection === 'waiting'
            ? 'line.reconnecting'
            : 'line.connecting',
      ),
    ),
  );

/** @param {View} view @param {import('../props.js').EventAt<'form', SubmitEvent>} event @param {boolean} watching */
function sit(view, event, watching) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (event.target.elements.namedItem('name'));
  const name = normalizeName(field.value);
  if (isValidName(name)) return view.commands.join(name, watching);
  if (name) view.commands.show({ why: 'bad_name' });
  view.commands.say(t(name ? 'code.bad_name' : 'join.need_name'));
  field.focus();
}
