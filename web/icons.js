// The page's icons, drawn as lines.

import { h } from './dom.js';

const LINES = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  share: 'M12 15V3M8 7l4-4 4 4M5 12v8h14v-8',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  gear: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0zM7 17a2 2 0 1 0 4 0 2 2 0 0 0-4 0z',
  book: 'M12 6c-2-1.6-5-2-8-2v14c3 0 6 .4 8 2 2-1.6 5-2 8-2V4c-3 0-6 .4-8 2zM12 6v14',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  play: 'M8 5l11 7-11 7z',
  hurry: 'M4 6l7 6-7 6zM13 6l7 6-7 6z',
  pause: 'M9 5v14M15 5v14',
  cards: 'M4 7h11v13H4zM9 4h11v13',
  chart: 'M4 4v16h16M8 15l4-5 3 3 5-7',
  keys: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  bot: 'M5 9h14v10H5zM12 9V5M9 13v2M15 13v2M3 13v3M21 13v3M12 4h.01',
  device: 'M3 5h13v4M3 5v10h9M8 19h4M15 11h6v9h-6z',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  eye: 'M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM9 12a3 3 0 1 0 6 0 3 3 0 0 0-6 0z',
  bulb: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3 11v1h6v-1a6 6 0 0 0-3-11z',
  hand: 'M7 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V5.5a1.5 1.5 0 0 1 3 0V12V8.5a1.5 1.5 0 0 1 3 0V15a6 6 0 0 1-6 6h-1c-3 0-4-1.5-5.5-4L4 13.5c-.8-1.5 1-2.7 2-1.5z',
  leave: 'M10 4H4v16h6M14 8l5 4-5 4M19 12H9',
};

/** @param {keyof typeof LINES} name */
export const icon = (name) =>
  h('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d: LINES[name] }));

/** The mark of a seat played by a bot or a program. @param {string} level */
export const botMark = (level) =>
  h('span', { class: 'botMark', role: 'img', 'aria-label': level, title: level, key: 'bot' }, icon('bot'));

/**
 * A button with only an icon. Its label is for screen readers and the tooltip.
 * @param {keyof typeof LINES} name
 * @param {string} label
 * @param {() => void} tap
 * @param {import('./dom.js').Child} [badge]
 */
export const iconButton = (name, label, tap, badge) =>
  h('button', { class: 'iconic', type: 'button', 'aria-label': label, title: label, onclick: tap }, icon(name), badge);
