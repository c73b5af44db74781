// A sheet over the page: from below on a phone, in the middle on a laptop. The browser's dialog keeps the focus inside.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { iconButton } from '../icons.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../dom.js').Child} Child */

/**
 * @param {View} view
 * @param {{name: string, title: string, tall?: boolean}} how
 * @param {...Child} body
 */
export function sheet(view, how, ...body) {
  return h(
    'dialog',
    {
      class: `sheet for-${how.name} ${how.tall ? 'tall' : ''}`,
      key: `sheet-${how.name}`,
      'aria-labelledby': 'sheet-title',
      hook: (el) => el.showModal(),
      oncancel: (event) => {
        event.preventDefault();
        view.commands.close();
      },
      onclick: (event) => {
        // The dialog itself is hit only outside of its content, on the backdrop.
        if (event.target === event.currentTarget) view.commands.close();
      },
    },
    h(
      'div',
      { class: 'leaf' },
      h(
        'header',
        null,
        h('h2', { id: 'sheet-title', tabindex: '-1', dir: 'auto' }, how.title),
        iconButton('close', t('close'), view.commands.close),
      ),
      h('div', { class: 'body', tabindex: '0', role: 'region', 'aria-labelledby': 'sheet-title' }, body),
    ),
    // The page's own live region is inert while a modal dialog is open, so each sheet has one.
    h('div', { class: 'heard unseen', key: 'heard', role: 'status', 'aria-live': 'polite' }),
    toast(view),
  );
}

/** @param {boolean} on @param {(on: boolean) => void} turn */
export const toggle = (on, turn, disabled = false) =>
  h('input', {
    type: 'checkbox',
    role: 'switch',
    checked: on,
    disabled,
    onchange: (event) => turn(event.target.checked),
  });

/** A short message. It is a popover, because a sheet would cover anything else. @param {View} view */
export function toast({ ui }) {
  return ui.toast
    ? h(
        'div',
        {
          class: 'toast',
          key: `toast${ui.toast.id}`,
          role: 'alert',
          popover: 'manual',
          hook: (el) => el.showPopover?.(),
        },
        ui.toast.text,
      )
    : null;
}
