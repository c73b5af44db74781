// What opens over the page: the menu, settings, rules, keys, and the smaller sheets.

import { h } from '../dom.js';
import { LANGUAGES, gameName, language, t } from '../i18n.js';
import { hears, mute, rememberedName, rememberName, settings } from '../device.js';
import { icon } from '../icons.js';
import { MOST_BYTES, fits, tidy } from '../name.js';
import { knowsHands, nameOf } from '../store.js';
import { roomUrl } from '../base.js';
import { pick } from './front.js';
import { played } from './game.js';
import { chat, log } from './log.js';
import { invite } from './share.js';
import { onOff, sheet } from './sheet.js';
import { missing } from './trouble.js';

/** Few ever look who watches: its code comes when somebody does. @type {typeof import('./audience.js') | null} */
let audience = null;

/** Those who watch; a server before this had only their number. @param {View} view */
export const audienceOf = (view) => view.known.room?.audience ?? [];

/** @param {View} view */
export const openAudience = (view) => import('./audience.js').then((module) => {
  audience = module;
  view.acts.open({ name: 'audience' });
}, () => {});

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function openSheet(view) {
  const { face } = view;
  const open = view.ui.sheet;
  if (!open) return null;
  switch (open.name) {
    case 'menu':
      return menu(view);
    case 'settings':
      return sheet(view, { name: 'settings', title: t('settings') }, settingsBody(view));
    case 'rules':
      return sheet(view, { name: 'rules', title: view.ui.code === null ? t('rules') : gameName(view.game), tall: true }, view.ui.code === null ? pick(view) : null, rulesBody(view));
    case 'log':
    case 'chat':
      return sheet(view, { name: 'talk', title: t(view.ui.replay ? 'log' : view.table ? 'log_chat' : 'chat'), tall: true }, view.table && !view.ui.replay ? tabs(view, open.name) : null, open.name === 'log' ? log(view) : chat(view));
    case 'share':
      return sheet(view, { name: 'share', title: t('lobby.bring') }, invite(view));
    case 'keys':
      return sheet(view, { name: 'keys', title: t('keys') }, h('dl', { class: 'keys' }, [...(view.ui.moment !== null && view.past ? view.past.keys() : face ? [...face.keys(), ['H', t('hurry')]] : []), ['?', t('keys.help')], ['Esc', t('close')]]
        .map(([key, what]) => h('div', { key }, h('dt', null, h('kbd', null, key)), h('dd', null, what)))));
    case 'player':
      return face && view.table ? sheet(view, { name: 'player', title: nameOf(view.known, open.seat ?? 0) }, played(view, open.seat ?? 0), face.player(view, open.seat ?? 0), muting(view, open.seat ?? 0)) : null;
    case 'piles':
      return face && view.table ? sheet(view, { name: 'piles', title: t(face.pilesTitle) }, face.piles(view)) : null;
    case 'device': {
      const link = `${roomUrl(view.ui.code ?? '')}#k=${open.key}`;
      return sheet(view, { name: 'device', title: t('menu.device') }, h('p', null, t('device.words')),
        open.picture ? h('img', { class: 'qr', src: open.picture, alt: t('device.qr'), width: 148, height: 148 }) : null,
        h('p', { class: 'link' }, link),
        h('button', { class: 'second', type: 'button', onclick: () => view.acts.copy(link) }, icon('copy'), t('share.copy')));
    }
    case 'audience':
      return audience?.audienceSheet(view) ?? null;
    case 'unwatch':
      return audience?.unwatchSheet(view, open.watcher);
    case 'copy':
      return sheet(view, { name: 'copy', title: t('share.copy') }, h('label', { for: 'copy-link' }, t('share.by_hand')),
        h('input', { id: 'copy-link', value: open.text, readonly: true, autofocus: true, dir: 'ltr', onfocus: selectAll, onclick: selectAll }));
    case 'leave':
      return sheet(view, { name: 'leave', title: t('leave.title') }, h('p', null, t('leave.words')),
        h('div', { class: 'steps' }, h('button', { class: 'step lit', type: 'button', onclick: view.acts.close }, t('leave.stay')),
          h('button', { class: 'step danger', type: 'button', onclick: view.acts.leave }, t('leave.go'))));
    case 'remove': {
      // Seats are numbered anew when somebody leaves: who is meant is who bears the name.
      const info = view.known.room?.seats.find(({ name }) => name === open.text);
      return info ? sheet(view, { name: 'remove', title: t('remove.title', { name: info.name }) }, h('p', null, t('remove.words')),
        h('div', { class: 'steps' }, h('button', { class: 'step lit', type: 'button', onclick: view.acts.close }, t('unwatch.stay')),
          h('button', { class: 'step danger', type: 'button', onclick: () => {
            if (view.acts.send({ type: 'remove', seat: info.seat, ...(view.known.room?.pace && { name: info.name }) })) view.acts.close();
          } }, t('remove.go')))) : null;
    }
    default:
      return view.past?.openSheet(view) ?? view.more?.openSheet(view);
  }
}

/** @param {View} view */
const rulesBody = (view) => view.rules?.(view) ?? missing(view.missing.rules || view.missing.face) ?? h('p', { class: 'calm', key: 'coming' }, t('line.connecting'));

/** A phone offers to copy what is selected. @param {Event} event */
function selectAll(event) {
  const field = /** @type {HTMLInputElement} */ (event.currentTarget);
  field.setSelectionRange(0, field.value.length);
}

/** @param {View} view @param {'log' | 'chat'} on */
const tabs = (view, on) => h('div', { class: 'tabs', role: 'group', key: 'tabs' }, /** @type {const} */ (['log', 'chat']).map((name) => h('button', {
  type: 'button', key: name, 'aria-pressed': name === on, onclick: () => view.acts.open({ name }),
}, t(name), name === 'chat' && on !== 'chat' && view.known.unread ? h('i', { class: 'badge' }, view.known.unread) : null)));

/** Whether what somebody else shows and says appears at their seat. @param {View} view @param {number} seat */
function muting(view, seat) {
  const info = view.known.room?.seats.find((each) => each.seat === seat);
  if (!view.talk || !info || info.kind === 'bot' || seat === view.seat || !settings().talk) return null;
  return h('label', { class: 'setting', key: 'mute' }, h('b', null, t('audience.mute_name', { name: info.name })), onOff(!hears(info.name), (on) => view.acts.setting(mute(info.name, on))));
}

/** @param {View} view */
function menu(view) {
  const { acts } = view;
  const playing = view.known.room?.phase === 'playing' && view.seat !== null;
  /** @type {[Parameters<typeof icon>[0], string, () => void][]} */
  const items = [
    ['book', t('rules'), () => acts.open({ name: 'rules' })],
    ['share', t('lobby.bring'), () => acts.open({ name: 'share' })],
    ['gear', t('settings'), () => acts.open({ name: 'settings' })],
    ['keys', t('keys'), () => acts.open({ name: 'keys' })],
    ['home', t('menu.home'), () => acts.go(null)],
    ['leave', t('menu.leave'), () => (playing ? acts.open({ name: 'leave' }) : acts.leave())],
  ];
  if (view.ui.code && !view.ui.replay) items.splice(2, 0, ['chart', t('book'), () => acts.more((more) => more.book())]);
  if (audienceOf(view).length) items.splice(2, 0, ['eye', t('audience'), () => openAudience(view)]);
  // Its sheet opens with the answer.
  if (view.seat !== null) items.splice(-2, 0, ['device', t('menu.device'), () => acts.send({ type: 'handover' })]);
  return sheet(view, { name: 'menu', title: view.ui.code ?? t('menu') },
    h('ul', { class: 'menu' }, items.map(([sign, label, tap]) => h('li', { key: sign }, h('button', { type: 'button', onclick: tap }, icon(sign), label)))));
}

/** Whether this person has a name at a table that can be changed there. @param {View} view */
const isNamed = ({ known, seat, ui }) => seat !== null && !ui.lesson && !ui.replay && knowsHands(known.room);

/** A name is kept for the next room, and at a table everyone sees it at once. @param {View} view @param {Event} event */
function rename(view, event) {
  const name = tidy(/** @type {HTMLInputElement} */ (event.target).value);
  if (name && !fits(name)) return view.acts.say(t('code.bad_name'));
  rememberName(name);
  // What it comes to the server says: another may have it already.
  if (name && isNamed(view)) view.acts.send({ type: 'rename', name });
  else view.acts.say(t('settings.name.kept'));
}

/** @param {View} view */
function settingsBody(view) {
  const now = settings();
  /** @param {'vibration' | 'mark' | 'aid' | 'talk'} name */
  const toggle = (name) => h('label', { class: 'setting', key: name }, h('span', null, h('b', null, t(`settings.${name}`)), h('small', null, t(`settings.${name}.hint`))),
    onOff(now[name], (on) => view.acts.setting({ [name]: on })));
  return [
    h('label', { class: 'setting', key: 'name' }, h('span', null, h('b', null, t('join.name')), h('small', null, t(isNamed(view) ? 'settings.name.now' : 'settings.name.hint'))),
      h('input', { class: 'named', dir: 'auto', autocomplete: 'nickname', maxlength: MOST_BYTES, value: (isNamed(view) && view.known.you?.name) || rememberedName() || (view.known.you?.name ?? ''), onchange: (/** @type {Event} */ event) => rename(view, event) })),
    h('label', { class: 'setting', key: 'language' }, h('b', null, t('settings.language')),
      h('select', { value: language(), onchange: (/** @type {Event} */ event) => view.acts.setting({ language: /** @type {HTMLSelectElement} */ (event.target).value }) },
        Object.entries(LANGUAGES).map(([code, name]) => h('option', { key: code, value: code, lang: code, selected: code === language() }, name)))),
    h('label', { class: 'setting', key: 'theme' }, h('b', null, t('settings.theme')),
      h('select', { value: now.theme, onchange: (/** @type {Event} */ event) => view.acts.setting({ theme: /** @type {typeof now.theme} */ (/** @type {HTMLSelectElement} */ (event.target).value) }) },
        /** @type {const} */ (['dark', 'light', 'device']).map((each) => h('option', { key: each, value: each, selected: each === now.theme }, t(`settings.theme.${each}`))))),
    h('label', { class: 'setting', key: 'type' }, h('b', null, t('settings.large')), onOff(now.type === 'large', (on) => view.acts.setting({ type: on ? 'large' : 'normal' }))),
    h('label', { class: 'setting', key: 'volume' }, h('span', null, h('b', null, t('settings.sound')), h('small', null, t('settings.sound.hint'))),
      h('input', { type: 'range', min: 0, max: 100, step: 5, value: now.volume, onchange: (/** @type {Event} */ event) => view.acts.setting({ volume: Number(/** @type {HTMLInputElement} */ (event.target).value) }) })),
    toggle('vibration'), toggle('mark'), toggle('aid'), toggle('talk'),
    h('label', { class: 'setting', key: 'motion' }, h('span', null, h('b', null, t('settings.motion')), h('small', null, t('settings.motion.hint'))),
      onOff(now.motion === 'less', (on) => view.acts.setting({ motion: on ? 'less' : 'system' }))),
    h('p', { class: 'note', key: 'note' }, t('settings.device')),
  ];
}
