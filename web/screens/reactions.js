// Reactions and chat bubbles beside the seats. They disappear by themselves. Loaded when another player is at the
// table. Shared by all games: `data-seat` marks the seats.

import { h, classes } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Reaction} Reaction */

const FACE = 'M3 12a9 9 0 1 0 18 0 9 9 0 0 0-18 0z';
/** Own drawings, which look the same on every system. @type {Record<Reaction, string>} */
const DRAWN = {
  clap: 'M8 21l-4-5 6-8a1.4 1.4 0 0 1 2.3 1.5L10 13l5-5.5a1.4 1.4 0 0 1 2 2L13.5 13.5l4-3a1.4 1.4 0 0 1 1.7 2.2L15 17c-2 3-4 4.5-7 4zM13 4V2M17 5l1.5-1.5M9.5 4.5L8 3',
  laugh: `${FACE}M7 10.5l2-1.7 2 1.7M13 10.5l2-1.7 2 1.7M7 13.5h10a5 5 0 0 1-10 0z`,
  wow: `${FACE}M9 9h.01M15 9h.01M10 15a2 2.5 0 1 0 4 0 2 2.5 0 0 0-4 0z`,
  think: `${FACE}M9 10h.01M15 10h.01M13.5 7l3.5-1M9 15.5l6-1.5`,
  ouch: `${FACE}M7.5 8l3 2.5M10.5 8l-3 2.5M13.5 8l3 2.5M16.5 8l-3 2.5M8 16.5c1.3-2 2.7-2 4 0s2.7-2 4 0`,
  heart: 'M12 20C5 15 3 12 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 12 19 15 12 20z',
};
const REACTIONS = /** @type {Reaction[]} */ (Object.keys(DRAWN));

/** How long a bubble is shown: words take longer to read. */
const SEEN_MS = { reaction: 4000, text: 7000 };

/** @param {Reaction} name */
const drawing = (name) =>
  h(
    'svg',
    { class: `icon reaction ${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    h('path', { d: DRAWN[name] }),
  );

/** The reaction button, and the row it opens. @param {View} view */
export function reactionMenu(view) {
  const { ui, commands } = view;
  return [
    h(
      'button',
      {
        class: classes('iconic', ui.reacting && 'on'),
        key: 'react',
        type: 'button',
        'aria-label': t('react'),
        title: t('react'),
        'aria-expanded': ui.reacting,
        onclick: () => commands.show({ reacting: !ui.reacting }),
      },
      drawing('laugh'),
    ),
    ui.reacting
      ? h(
          'div',
          {
            class: 'reactions',
            key: 'row',
            role: 'group',
            'aria-label': t('react'),
            onkeydown: (event) => event.key === 'Escape' && commands.show({ reacting: false }),
          },
          REACTIONS.map((reaction) =>
            h(
              'button',
              {
                class: 'iconic',
                key: reaction,
                type: 'button',
                'aria-label': t(`react.${reaction}`),
                title: t(`react.${reaction}`),
                onclick: () => {
                  commands.send({ type: 'react', reaction });
                  commands.show({ reacting: false });
                },
              },
              drawing(reaction),
            ),
          ),
          iconButton('close', t('close'), () => commands.show({ reacting: false })),
        )
      : null,
  ];
}

/**
 * The current bubbles, only the newest of each seat. They are announced elsewhere. On a laptop chat lines are beside
 * the table.
 * @param {View} view
 * @param {(name: string) => boolean} isHeard
 */
export function bubbles(view, isHeard) {
  const newest = new Map();
  for (const said of view.known.talk) {
    const late = view.now - said.at > SEEN_MS[said.reaction ? 'reaction' : 'text'];
    if (!late && isHeard(said.name) && (said.reaction || !view.wide)) newest.set(said.seat, said);
  }
  return newest.size
    ? h(
        'div',
        { class: 'talk', key: 'talk', 'aria-hidden': 'true' },
        [...newest.values()].map((said) =>
          h(
            'span',
            {
              class: classes('said', said.text !== undefined && 'words'),
              key: said.id,
              id: `said-${said.seat}`,
              dir: 'auto',
            },
            said.reaction ? drawing(said.reaction) : h('span', null, said.text),
          ),
        ),
      )
    : null;
}

/** A lower seat has one line: the bubble goes beside its name, otherwise above or below it. */
const LINE_PX = 60;
/** Maximum number of lines; the whole text is in the chat. */
const MOST_LINES = 4;
/** Padding of a bubble, and its distance to the seat. */
const PADDING_PX = 8;
const APART_PX = 4;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/**
 * The space for a bubble at a seat that covers neither its name nor another seat, and whether it is beside the name.
 * @param {Box} seat
 * @param {Box} who
 * @param {Box | undefined} score
 * @returns {Box & {line: boolean}}
 */
export function spaceAt(seat, who, score) {
  if (seat.bottom - seat.top < LINE_PX)
    return {
      line: true,
      left: who.right + APART_PX,
      right: (score?.left ?? seat.right) - APART_PX,
      top: seat.top,
      bottom: seat.bottom,
    };
  const above = who.top + who.bottom < seat.top + seat.bottom;
  return {
    line: false,
    left: seat.left + APART_PX,
    right: seat.right - APART_PX,
    top: (above ? who.bottom : seat.top) + APART_PX,
    bottom: (above ? seat.bottom : who.top) - APART_PX,
  };
}

/** Places the bubbles after layout. @param {ParentNode} root */
export function placeBubbles(root) {
  for (const said of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.said'))) {
    const seat = root.querySelector(`[data-seat="${said.id.slice(5)}"]`);
    const who = seat?.querySelector('.who, .owner, .name');
    if (!seat || !who) continue;
    const { style } = said;
    const words = said.matches('.words');
    const { top, bottom, right } = who.getBoundingClientRect();
    // A name may be in a wider box, or be wider than its box.
    const range = document.createRange();
    range.selectNodeContents(who);
    const room = spaceAt(
      seat.getBoundingClientRect(),
      { left: 0, right: Math.min(right, range.getBoundingClientRect().right), top, bottom },
      seat.querySelector('.score')?.getBoundingClientRect(),
    );
    const height = room.bottom - room.top;
    said.classList.toggle('left', room.line);
    if (words) {
      style.setProperty('max-width', `${room.right - room.left}px`);
      style.setProperty(
        '--lines',
        `${Math.max(1, Math.min(MOST_LINES, Math.floor((height - PADDING_PX) / parseFloat(getComputedStyle(said).lineHeight))))}`,
      );
    }
    const wide = said.offsetWidth;
    // A reaction beside a line may cover the end of a long name or the own total, but not other players' cards. Words
    // may not.
    const left = words
      ? room.left
      : !room.line
        ? (room.left + room.right - wide) / 2
        : who.matches('.name')
          ? room.right - wide
          : Math.min(room.left, right - wide + APART_PX);
    style.setProperty('left', `${left}px`);
    style.setProperty('top', `${room.top + (room.line ? (height - said.offsetHeight) / 2 : 0)}px`);
  }
}
