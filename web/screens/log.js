// The log in words; tapping a line shows that moment. And the chat, which stands beside it on a laptop.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { latest } from '../news.js';
import { comingWords } from '../people.js';
import { nameOf } from '../store.js';

/** @typedef {import('../view.js').View} View */

/** Keeps a list at its end, unless somebody scrolled up to read. @param {HTMLElement} el */
function followEnd(el) {
  let atEnd = true;
  // A list in a sheet has no height before the sheet is open.
  requestAnimationFrame(() => {
    el.scrollTop = el.scrollHeight;
  });
  el.addEventListener('scroll', () => {
    atEnd = el.scrollHeight - el.scrollTop - el.clientHeight < 40;
  }, { passive: true });
  new MutationObserver(() => {
    if (atEnd) el.scrollTop = el.scrollHeight;
  }).observe(el, { childList: true, subtree: true });
}

/** The button that opens the chat says how many lines wait there, to the eye and to the ear. @param {View} view @param {string} label @param {() => void} tap */
export function chatButton({ known: { unread } }, label, tap) {
  return iconButton('chat', unread ? `${label}, ${t('chat.unread', { count: unread })}` : label, tap, unread ? h('i', { class: 'badge' }, unread) : null);
}

/** @param {View} view */
export function log(view) {
  /** @type {import('../dom.js').Node_[]} */
  const lines = [];
  const { people, past, moment } = view.ui;
  const [from, to] = (past && moment !== null && view.past?.eventsOf(past, moment)) || [0, 0];
  const { origin } = view.known.room ?? {};
  if (origin && view.more) lines.push(h('li', { class: 'person', key: 'origin' }, view.more.originWords(origin)));
  let told = 0;
  /** Who came and went until then; the notes are in order. @param {number} at how many events had happened */
  const comings = (at) => {
    for (; told < people.length && people[told].at <= at; told++) {
      const words = comingWords(people[told]);
      if (words) lines.push(h('li', { class: 'person', key: `p${told}` }, words));
    }
  };
  view.known.history.forEach((event, at) => {
    comings(at);
    const chapter = view.face?.chapter(event, (seat) => nameOf(view.known, seat));
    if (chapter) lines.push(h('li', { class: 'chapter', key: `c${at}` }, h('h3', null, chapter)));
    const words = view.face?.words(event, (seat) => nameOf(view.known, seat));
    if (!words) return;
    const shown = at >= from && at < to;
    lines.push(h('li', { key: at, class: classes(event.seat === view.seat && view.seat !== null && 'own', event.type === 'finish' && 'minor') },
      // The guided first round has nobody to ask for its moments.
      view.ui.lesson ? h('span', { class: 'moment' }, words) : h('button', {
        type: 'button', class: classes('moment', shown && 'on'), 'aria-current': shown ? 'true' : undefined,
        onclick: () => view.acts.lookBack(at),
      }, words)));
  });
  comings(view.known.history.length);
  return h('ol', { class: 'log', tabindex: '0', 'aria-label': t('log'), hook: followEnd }, lines.length ? lines : h('li', { class: 'note' }, t('log.empty')));
}

/** The last line of the log, where there is no room for all of it; it opens the whole. @param {View} view */
export const latestLine = (view) => (view.wide || view.ui.lesson || view.ui.moment !== null ? null
  : h('button', { class: 'latest', key: 'latest', type: 'button', 'aria-haspopup': 'dialog', onclick: () => view.acts.open({ name: 'log' }) }, h('span', { dir: 'auto' }, latest(view) || t('log.empty'))));

/** @param {View} view */
export function chat(view) {
  const { chat: lines } = view.known;
  return h('div', { class: 'chat' },
    h('ol', { class: 'lines', tabindex: '0', 'aria-label': t('chat'), hook: followEnd },
      lines.length ? lines.map((line, at) => h('li', { key: `${line.at}-${at}`, class: classes(line.seat !== null && line.seat === view.seat && 'own') },
        h('b', { dir: 'auto' }, line.name), h('span', { dir: 'auto' }, line.text))) : h('li', { class: 'note', key: 'empty' }, t('chat.empty'))),
    h('form', { class: 'pair', onsubmit: (/** @type {SubmitEvent} */ event) => speak(view, event) },
      h('input', { name: 'text', maxlength: 500, autocomplete: 'off', 'aria-label': t('chat.write'), placeholder: t('chat.write'), enterkeyhint: 'send', dir: 'auto' }),
      h('button', { class: 'second', type: 'submit' }, t('chat.send'))));
}

/** @param {View} view @param {SubmitEvent} event */
function speak(view, event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem('text'));
  const text = field.value.trim();
  if (!text) return;
  if (view.known.line !== 'open') return view.acts.say(t('line.reconnecting'));
  view.acts.send({ type: 'chat', text });
  field.value = '';
}
