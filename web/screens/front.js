// The front page: open a room, join one, come back to one.

import { h, classes } from '../dom.js';
import { gameName, t, listed } from '../i18n.js';
import { readCode } from '../base.js';
import { GAMES, gameIds } from '../games/index.js';
import { icon, iconButton } from '../icons.js';
import { missing } from './trouble.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function front(view) {
  const { acts, face, ui } = view;
  return h('main', { class: 'front', key: 'front' },
    h('header', { class: 'topbar' }, h('span', { class: 'logo' }, t('rookery')),
      iconButton('book', t('rules'), () => acts.open({ name: 'rules' })), iconButton('gear', t('settings'), () => acts.open({ name: 'settings' }))),
    pick(view),
    h('div', { class: 'hero' },
      h('div', { class: 'emblem', key: ui.game, 'aria-hidden': 'true' }, face?.emblem(ui.rooms.emblem)), missing(view.missing.face),
      h('h1', null, t(`front.title.${ui.game}`)),
      h('p', null, t('front.lead'))),
    h('div', { class: 'doors' },
      h('button', { class: 'main lit', type: 'button', disabled: ui.busy, onclick: () => acts.create() }, t('front.new', { game: gameName(ui.game) })),
      h('span', { class: 'pair' },
        h('button', { class: 'second', type: 'button', disabled: ui.busy, onclick: () => acts.create(2) }, t('front.bots')),
        GAMES[ui.game].guided ? h('button', { class: 'second', type: 'button', onclick: acts.learn }, t('front.guide')) : null),
      h('form', { class: 'byCode', onsubmit: (/** @type {SubmitEvent} */ event) => enter(view, event) },
        h('label', { for: 'code' }, t('front.code')),
        h('span', { class: 'pair' },
          h('input', { id: 'code', name: 'code', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', placeholder: 'K7QF3M', inputmode: 'text', enterkeyhint: 'go' }),
          h('button', { class: 'second', type: 'submit' }, t('front.join')))),
      ui.open.length ? h('section', { class: 'stillOpen', 'aria-labelledby': 'still-open' },
        h('h2', { id: 'still-open' }, t('front.open')),
        h('ul', null, ui.open.map((each) => h('li', { key: each.code }, h('button', { type: 'button', onclick: () => acts.go(each.code) },
          h('span', null, h('b', { class: 'name', dir: 'auto' }, listed(each.room.seats.map((seat) => seat.name))),
            h('small', null, t(`front.phase.${each.room.phase}`, { game: gameName(each.room.game), code: each.code }))),
          icon('next')))))) : null),
    h('footer', { class: 'credit' }, t(`credit.${ui.game}`), h('button', { class: 'text', type: 'button', onclick: () => acts.openRecord() }, t('front.record'))));
}

/** @param {View} view @param {SubmitEvent} event */
function enter(view, event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem('code'));
  const code = readCode(field.value);
  if (code.length === 6) view.acts.go(code);
  else view.acts.say(t('front.code_hint'));
}

/** Which game: here, and over the rules that are read here. @param {View} view */
export const pick = (view) => h('div', { class: 'pick', key: 'pick', role: 'group', 'aria-label': t('pick') },
  gameIds.map((id) => h('button', {
    key: id, type: 'button', class: classes(id === view.ui.game && 'chosen'), 'aria-pressed': id === view.ui.game, onclick: () => view.acts.pick(id),
  }, gameName(id))));
