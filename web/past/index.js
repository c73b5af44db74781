// Looking back, as the page fetches it when somebody does; and what can be done meanwhile: step, play on, slide, jump by rounds, and return.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../store.js';
import { momentWords } from './moments.js';
import { roundOn, rounds, stepped } from './replay.js';

export { eventsOf, momentWords } from './moments.js';
export { Replay } from './replay.js';
export { openSheet } from './sheets.js';

/** Fetches what few do then: from here, so that it has with it only what is not here already. */
export const fetchMore = () => import('./more.js');

/** @typedef {import('../view.js').View} View */

/** How many times the pace a replay may have. */
export const SPEEDS = [0.5, 1, 2, 4];

/** @param {View} view @param {number} [by] faster, slower, or round the whole list */
const speedOf = ({ ui }, by = 0) => SPEEDS[(SPEEDS.indexOf(ui.speed) + by + SPEEDS.length) % SPEEDS.length];

/** Out of the past: to the game on the table, to the room, or to the front page. @param {View} view */
function leave({ ui, acts }) {
  if (ui.replay) acts.go(ui.code || null);
  else acts.show({ moment: null, playing: false });
}

/** @param {View} view */
export function bar(view) {
  const { ui, acts } = view;
  /** @param {Parameters<typeof icon>[0]} sign @param {string} label @param {() => void} tap */
  const button = (sign, label, tap) => h('button', { class: 'step lit', key: sign, type: 'button', 'aria-label': label, title: label, onclick: tap }, icon(sign));
  return h('div', { class: 'looking' },
    // Whoever listens hears each step they take.
    h('p', { class: 'unseen', key: 'step', role: 'status' }, ui.playing ? '' : momentWords(view)),
    scrubber(view),
    h('div', { class: 'steps past' },
      button('back', t('moment.back'), () => acts.show(stepped(ui, -1))),
      button(ui.playing ? 'pause' : 'play', t(ui.playing ? 'moment.pause' : 'moment.play'), () => acts.show(toggled(view))),
      button('next', t('moment.next'), () => acts.show(stepped(ui, 1))),
      h('button', {
        class: 'step lit', key: 'speed', type: 'button', 'aria-label': t('replay.speed', { speed: ui.speed }), title: t('replay.speed', { speed: ui.speed }),
        onclick: () => acts.show({ speed: speedOf(view, 1) }),
      }, `${ui.speed}×`),
      button('chart', t('replay.more'), () => acts.open({ name: 'past' })),
      h('button', { class: 'main lit', key: 'now', type: 'button', onclick: () => leave(view) }, t(ui.replay ? ui.code ? 'replay.room' : 'home' : 'moment.now'))));
}

/** At the end it begins again. @param {View} view */
const toggled = ({ ui }) => ({ playing: !ui.playing, moment: !ui.playing && ui.moment === (ui.past?.length ?? 0) - 1 ? 0 : ui.moment });

/** Where in the game this is, with a mark for each round. @param {View} view */
function scrubber(view) {
  const { ui, acts, face } = view;
  const past = ui.past ?? [];
  const at = ui.moment ?? 0;
  const last = Math.max(1, past.length - 1);
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  const starts = rounds(past, (event) => face?.chapter(event, name) ?? null);
  const round = starts.findLast((start) => start.at <= at)?.title ?? '';
  return h('div', { class: 'scrub', key: 'scrub' },
    h('span', { class: 'marks', 'aria-hidden': 'true' }, starts.map((start) => h('i', { key: start.at, style: { left: `${(start.at / last) * 100}%` } }))),
    h('input', {
      type: 'range', min: 0, max: past.length - 1, step: 1, value: at, 'aria-label': t('replay.scrub'),
      'aria-valuetext': [t('replay.at', { at: at + 1, count: past.length }), round].filter(Boolean).join(' · '),
      oninput: (/** @type {Event} */ event) => acts.show({ moment: Number(/** @type {HTMLInputElement} */ (event.target).value), playing: false }),
    }),
    h('span', { class: 'place' }, t('replay.at', { at: at + 1, count: past.length })));
}

/** Whether the key meant something. @param {View} view @param {string} key */
export function pressed(view, key) {
  const { ui, acts, face } = view;
  const past = ui.past ?? [];
  const chapter = (/** @type {any} */ event) => face?.chapter(event, () => '') ?? null;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => acts.show(stepped(ui, -1)),
    ArrowRight: () => acts.show(stepped(ui, 1)),
    PageUp: () => acts.show(roundOn(ui, rounds(past, chapter), -1)),
    PageDown: () => acts.show(roundOn(ui, rounds(past, chapter), 1)),
    Home: () => acts.show(stepped(ui, -past.length)),
    End: () => acts.show(stepped(ui, past.length)),
    '+': () => acts.show({ speed: speedOf(view, ui.speed === SPEEDS.at(-1) ? 0 : 1) }),
    '-': () => acts.show({ speed: speedOf(view, ui.speed === SPEEDS[0] ? 0 : -1) }),
    p: () => acts.show(toggled(view)),
    Escape: () => leave(view),
  };
  keys[key]?.();
  return key in keys;
}

/** For the list of keys. @returns {[string, string][]} */
export const keys = () => [
  ['← →', t('replay.key.step')], ['PgUp/PgDn', t('replay.key.round')], ['Home/End', t('replay.key.ends')], ['P', t('replay.key.play')], ['+ −', t('replay.key.speed')],
];
