// The log; tapping a line shows that moment. And the chat, which is beside it on a laptop.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';
import { latest } from '../news.js';
import { changeWords } from '../session/presence.js';
import { nameOf } from '../session/room-state.js';

/** @typedef {import('../view.js').View} View */

/** Keeps a list scrolled to its end, unless the user scrolled up. @param {HTMLElement} el */
function followEnd(el) {
  let atEnd = true;
  // A list in a sheet has no height before the sheet is open.
  requestAnimationFrame(() => {
    el.scrollTop = el.scrollHeight;
  });
  el.addEventListener(
    'scroll',
    () => {
      atEnd = el.scrollHeight - el.scrollTop - el.clientHeight < 40;
    },
    { passive: true },
  );
  new MutationObserver(() => {
    if (atEnd) el.scrollTop = el.scrollHeight;
  }).observe(el, { childList: true, subtree: true });
}

/**
 * The chat button, with the number of unread lines.
 * @param {View} view
 * @param {string} label
 * @param {() => void} tap
 */
export function chatButton({ known: { unread } }, label, tap) {
  return iconButton(
    'chat',
    unread ? `${label}, ${t('chat.unread', { count: unread })}` : label,
    tap,
    unread ? h('i', { class: 'badge' }, unread) : null,
  );
}

/** @param {View} view */
export function log(view) {
  /** @type {import('../dom.js').Node_[]} */
  const lines = [];
  const { people, past, moment } = view.ui;
  const [from, to] = (past && moment !== null && view.past?.eventRange(past, moment)) || [0, 0];
  const { origin } = view.known.room ?? {};
  if (origin && view.afterGame)
    lines.push(h('li', { class: 'person', key: 'origin' }, view.afterGame.originWords(origin)));
  let told = 0;
  /** Adds the presence changes up to this event. They are sorted. @param {number} at number of events until then */
  const comings = (at) => {
    for (; told < people.length && people[told].at <= at; told++) {
      const words = changeWords(people[told]);
      if (words) lines.push(h('li', { class: 'person', key: `p${told}` }, words));
    }
  };
  view.known.history.forEach((event, at) => {
    comings(at);
    const chapter = view.gameUi?.chapter(event, (seat) => nameOf(view.known, seat));
    if (chapter) lines.push(h('li', { class: 'chapter', key: `c${at}` }, h('h3', null, chapter)));
    const words = view.gameUi?.words(event, (seat) => nameOf(view.known, seat));
    if (!words) return;
    const shown = at >= from && at < to;
    lines.push(
      h(
        'li',
        {
          key: at,
          class: classes(event.seat === view.seat && view.seat !== null && 'own', event.type === 'finish' && 'minor'),
        },
        // The guided first round has no server that could send moments.
        view.ui.place.name === 'lesson'
          ? h('span', { class: 'moment' }, words)
          : h(
              'button',
              {
                type: 'button',
                class: classes('moment', shown && 'on'),
                'aria-current': shown ? 'true' : undefined,
                onclick: () => view.commands.lookBack(at),
              },
              words,
            ),
      ),
    );
  });
  comings(view.known.history.length);
  return h(
    'ol',
    { class: 'log', tabindex: '0', 'aria-label': t('log'), hook: followEnd },
    lines.length ? lines : h('li', { class: 'note' }, t('log.empty')),
  );
}

/** The last line of the log, where there is no room for more; it opens the log. @param {View} view */
export const latestLine = (view) =>
  view.wide || view.ui.place.name === 'lesson' || view.ui.moment !== null
    ? null
    : h(
        'button',
        {
          class: 'latest',
          key: 'latest',
          type: 'button',
          'aria-haspopup': 'dialog',
          onclick: () => view.commands.open({ name: 'log' }),
        },
        h('span', { dir: 'auto' }, latest(view) || t('log.empty')),
      );

/** @param {View} view */
export function chat(view) {
  const { chat: lines } = view.known;
  return h(
    'div',
    { class: 'chat' },
    h(
      'ol',
      { class: 'lines', tabindex: '0', 'aria-label': t('chat'), hook: followEnd },
      lines.length
        ? lines.map((line, at) =>
            h(
              'li',
              { key: `${line.at}-${at}`, class: classes(line.seat !== null && line.seat === view.seat && 'own') },
              h('b', { dir: 'auto' }, line.name),
              h('span', { dir: 'auto' }, line.text),
            ),
          )
        : h('li', { class: 'note', key: 'empty' }, t('chat.empty')),
    ),
    h(
      'form',
      { class: 'pair', onsubmit: (event) => speak(view, event) },
      h('input', {
        name: 'text',
        maxlength: 500,
        autocomplete: 'off',
        'aria-label': t('chat.write'),
        placeholder: t('chat.write'),
        enterkeyhint: 'send',
        dir: 'auto',
      }),
      h('button', { class: 'second', type: 'submit' }, t('chat.send')),
    ),
  );
}

/** @param {View} view @param {import('../props.js').EventAt<'form', SubmitEvent>} event */
function speak(view, event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (event.target.elements.namedItem('text'));
  const text = field.value.trim();
  if (!text) return;
  if (view.known.connection !== 'open') return view.commands.say(t('line.reconnecting'));
  view.commands.send({ type: 'chat', text });
  field.value = '';
}
