// Renders the page: batches changes, measures what depends on layout, animates moves, and manages focus and title.

import { render } from './dom.js';
import { gameName, t } from './i18n.js';
import { animateMoves } from './motion.js';
import { isAsked } from './session/room-state.js';

/** @typedef {import('./view.js').View} View */

/**
 * @typedef {object} RendererOptions
 * @property {Element} root
 * @property {() => View} look
 * @property {(view: View) => import('./dom.js').Child} page
 * @property {(rooms: Record<string, number>) => void} measured
 * @property {(view: View) => void} drawn
 */

export class Renderer {
  /** @param {RendererOptions} options */
  constructor(options) {
    this.options = options;
    this.scheduled = false;
    /** Nothing is rendered before the page is ready. */
    this.begun = false;
    /** The moment rendered last: cards move only when the game has moved on. */
    this.moment = '';
  }

  /** Renders once for all changes of a task. A hidden page is rendered too, because its title matters. */
  schedule() {
    if (this.scheduled || !this.begun) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.now();
    });
  }

  begin() {
    this.begun = true;
    this.schedule();
  }

  now() {
    const { root, look, page, measured, drawn } = this.options;
    const view = look();
    const paint = () => {
      render(root, page(view));
      const rooms = measure(root, view.ui.rooms);
      if (rooms === view.ui.rooms) return;
      measured(rooms);
      render(root, page(look()));
    };
    const focused = document.activeElement;
    const moment = `${view.known.game?.version ?? 0} ${view.ui.moment ?? ''}`;
    if (moment === this.moment) paint();
    else animateMoves(root, paint);
    this.moment = moment;
    if (focused && focused !== document.body && !focused.isConnected && !view.ui.sheet)
      focusFallback(root)?.focus({ preventScroll: true });
    drawn(view);
  }
}

/** Pictures in the rules have a fixed height. */
const FIXED = 'picture';

/**
 * Measures elements whose drawing depends on their height. Returns the same object if nothing changed.
 * @param {ParentNode} root
 * @param {Record<string, number>} rooms
 */
export function measure(root, rooms) {
  let now = rooms;
  for (const el of root.querySelectorAll('[data-room]')) {
    const name = el.getAttribute('data-room') ?? '';
    const height = el.clientHeight;
    if (height && name !== FIXED && now[name] !== height) now = { ...now, [name]: height };
  }
  return now;
}

/**
 * Where the focus goes when the focused element is removed, in order of preference. One list of selectors would match
 * in document order.
 */
const FOCUS_FALLBACKS = ['.game [data-group] .lit[data-card]', '.game .bar .lit', '.game .status button'];

/** After a card is played, the focus moves to the next possible action. @param {ParentNode} root */
export const focusFallback = (root) =>
  /** @type {HTMLElement | undefined} */ (FOCUS_FALLBACKS.map((place) => root.querySelector(place)).find(Boolean));

/**
 * The title of the browser tab, and whether it is this seat's turn.
 * @param {View} view
 * @returns {[string, boolean]}
 */
export function title(view) {
  const { known, gameUi } = view;
  const yours = isAsked(known);
  if (!known.room) return [t('rookery.title'), yours];
  return [
    `${yours && gameUi && view.table ? gameUi.sentence(view) : gameName(known.room.game)} · ${t('rookery')}`,
    yours,
  ];
}
