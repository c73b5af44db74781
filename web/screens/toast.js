// Something short that goes away by itself.

import { h } from '../dom.js';

/** A popover, because a sheet would cover anything less. @param {import('../view.js').View} view */
export function toast({ ui }) {
  return ui.toast ? h('div', {
    class: 'toast', key: `toast${ui.toast.id}`, role: 'alert', popover: 'manual', hook: (/** @type {HTMLElement} */ el) => el.showPopover?.(),
  }, ui.toast.text) : null;
}
