// Draws the page: when, what has to be measured first, and where the focus and the title go. What is on it, it is told.

import { render } from './dom.js';
import { gameName, t } from './i18n.js';
import { fly } from './motion.js';
import { asked } from './store.js';

/** @typedef {import('./view.js').View} View */

/**
 * @typedef {object} DrawingOptions
 * @property {Element} root
 * @property {() => View} look
 * @property {(view: View) => import('./dom.js').Child} page
 * @property {(rooms: Record<string, number>) => void} measured
 * @property {(view: View) => void} drawn
 */

export class Drawing {
  /** @param {DrawingOptions} options */
  constructor(options) {
    this.options = options;
    this.scheduled = false;
    /** Nothing is drawn before there is something to draw with. */
    this.begun = false;
    /** What was drawn last: cards only fly when the game moved on. */
    this.moment = '';
  }

  /** Draws once for everything that changed together. A hidden page draws too: its title matters. */
  soon() {
    if (this.scheduled || !this.begun) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.now();
    });
  }

  begin() {
    this.begun = true;
    this.soon();
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
    else fly(root, paint);
    this.moment = moment;
    if (focused && focused !== document.body && !focused.isConnected && !view.ui.sheet) heir(root)?.focus({ preventScroll: true });
    drawn(view);
  }
}

/** Pictures in the rules have a height of their own. */
const FIXED = 'picture';

/**
 * What fits its room is drawn for the height that only layout knows. Gives the same rooms when nothing changed.
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

/** Where the focus goes when what had it is gone. One after the other: a list of selectors would find whichever stands first on the page. */
const HEIRS = ['.game [data-group] .lit[data-card]', '.game .bar .lit', '.game .status button'];

/** A card that was played leaves its focus to the next thing that can be done. @param {ParentNode} root */
export const heir = (root) => /** @type {HTMLElement | undefined} */ (HEIRS.map((place) => root.querySelector(place)).find(Boolean));

/** What the browser's tab says, and whether it says that it is this seat's turn. @param {View} view @returns {[string, boolean]} */
export function title(view) {
  const { known, face } = view;
  const yours = asked(known);
  if (!known.room) return [t('rookery.title'), yours];
  return [`${yours && face && view.table ? face.sentence(view) : gameName(known.room.game)} · ${t('rookery')}`, yours];
}
