// The replay, loaded on demand, and its controls: step, play, slide, jump by rounds, and leave.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../session/room-state.js';
import { momentWords } from './moments.js';
import { toRound, rounds, stepped } from './replay.js';

export { eventRange, momentWords } from './moments.js';
export { Replay } from './replay.js';
export { openSheet } from './sheets.js';

/** @typedef {import('../view.js').View} View */

/** Available speeds. */
export const SPEEDS = [0.5, 1, 2, 4];

/** @param {View} view @param {number} [by] steps in the list of speeds, wrapping around */
const speedOf = ({ ui }, by = 0) => SPEEDS[(SPEEDS.indexOf(ui.speed) + by + SPEEDS.length) % SPEEDS.length];

/** Leaves the replay: to the game on the table, to the room, or to the home page. @param {View} view */
function leave({ ui, commands }) {
  if (ui.place.name === 'replay') commands.go(ui.place.code);
  else commands.leaveMoment();
}

/** @param {import('../view.js').TableView} view */
export function bar(view) {
  const { ui, commands } = view;
  const playing = isPlaying(view);
  /** @param {Parameters<typeof icon>[0]} sign @param {string} label @param {() => void} tap */
  const button = (sign, label, tap) =>
    h(
      'button',
      { class: 'step lit', key: sign, type: 'button', 'aria-label': label, title: label, onclick: tap },
      icon(sign),
    );
  return h(
    'div',
    { class: 'looking' },
    // Screen readers announce each step.
    h('p', { class: 'unseen', key: 'step', role: 'status' }, playing ? '' : momentWords(view)),
    scrubber(view),
    h(
      'div',
      { class: 'steps past' },
      button('back', t('moment.back'), () => commands.goToMoment(stepped(ui, -1))),
      button(playing ? 'pause' : 'play', t(playing ? 'moment.pause' : 'moment.play'), () => toggle(view)),
      button('next', t('moment.next'), () => commands.goToMoment(stepped(ui, 1))),
      h(
        'button',
        {
          class: 'step lit',
          key: 'speed',
          type: 'button',
          'aria-label': t('replay.speed', { speed: ui.speed }),
          title: t('replay.speed', { speed: ui.speed }),
          onclick: () => commands.show({ speed: speedOf(view, 1) }),
        },
        `${ui.speed}×`,
      ),
      button('chart', t('replay.more'), () => commands.open({ name: 'past' })),
      h(
        'button',
        { class: 'main lit', key: 'now', type: 'button', onclick: () => leave(view) },
        t(ui.place.name === 'replay' ? (ui.place.code ? 'replay.room' : 'home') : 'moment.now'),
      ),
    ),
  );
}

/** @param {View} view */
const isPlaying = ({ ui: { shown } }) => shown.table === 'moment' && shown.playing;

/** At the end, playing starts again from the beginning. @param {View} view */
function toggle(view) {
  const { ui, commands } = view;
  const playing = !isPlaying(view);
  const at = ui.moment ?? 0;
  commands.goToMoment(playing && at === (ui.past?.length ?? 0) - 1 ? 0 : at, playing);
}

/** The slider, with a mark for each round. @param {View} view */
function scrubber(view) {
  const { ui, commands, gameUi } = view;
  const past = ui.past ?? [];
  const at = ui.moment ?? 0;
  const last = Math.max(1, past.length - 1);
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  const starts = rounds(past, (event) => gameUi?.chapter(event, name) ?? null);
  const round = starts.findLast((start) => start.at <= at)?.title ?? '';
  return h(
    'div',
    { class: 'scrub', key: 'scrub' },
    h(
      'span',
      { class: 'marks', 'aria-hidden': 'true' },
      starts.map((start) => h('i', { key: start.at, style: { left: `${(start.at / last) * 100}%` } })),
    ),
    h('input', {
      type: 'range',
      min: 0,
      max: past.length - 1,
      step: 1,
      value: at,
      'aria-label': t('replay.scrub'),
      'aria-valuetext': [t('replay.at', { at: at + 1, count: past.length }), round].filter(Boolean).join(' · '),
      oninput: (event) => commands.goToMoment(Number(event.target.value)),
    }),
    h('span', { class: 'place' }, t('replay.at', { at: at + 1, count: past.length })),
  );
}

/**
 * Whether the key was handled.
 * @param {View} view
 * @param {string} key
 */
export function pressed(view, key) {
  const { ui, commands, gameUi } = view;
  const past = ui.past ?? [];
  const chapter = (/** @type {import('../games/types.js').Event} */ event) => gameUi?.chapter(event, () => '') ?? null;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => commands.goToMoment(stepped(ui, -1)),
    ArrowRight: () => commands.goToMoment(stepped(ui, 1)),
    PageUp: () => commands.goToMoment(toRound(ui, rounds(past, chapter), -1)),
    PageDown: () => commands.goToMoment(toRound(ui, rounds(past, chapter), 1)),
    Home: () => commands.goToMoment(0),
    End: () => commands.goToMoment(past.length),
    '+': () => commands.show({ speed: speedOf(view, ui.speed === SPEEDS.at(-1) ? 0 : 1) }),
    '-': () => commands.show({ speed: speedOf(view, ui.speed === SPEEDS[0] ? 0 : -1) }),
    p: () => toggle(view),
    Escape: () => leave(view),
  };
  keys[key]?.();
  return key in keys;
}

/** For the list of keys. @returns {[string, string][]} */
export const keys = () => [
  ['← →', t('replay.key.step')],
  ['PgUp/PgDn', t('replay.key.round')],
  ['Home/End', t('replay.key.ends')],
  ['P', t('replay.key.play')],
  ['+ −', t('replay.key.speed')],
];
