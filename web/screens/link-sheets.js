// Sheets with a link that few people need: to the own seat on another device, and to copy by hand.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { roomUrl } from '../urls.js';
import { sheet } from './sheet.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Sheet} Sheet */

/** The link to the own seat, for another device. @param {View} view @param {Sheet} open */
export function deviceSheet(view, open) {
  const link = `${roomUrl(view.ui.place.code ?? '')}#k=${open.key}`;
  return sheet(
    view,
    { name: 'device', title: t('menu.device') },
    h('p', null, t('device.words')),
    open.picture ? h('img', { class: 'qr', src: open.picture, alt: t('device.qr'), width: 148, height: 148 }) : null,
    h('p', { class: 'link' }, link),
    h(
      'button',
      { class: 'second', type: 'button', onclick: () => view.commands.copy(link) },
      icon('copy'),
      t('share.copy'),
    ),
  );
}

/** A link to copy by hand. @param {View} view @param {Sheet} open */
export const copySheet = (view, open) =>
  sheet(
    view,
    { name: 'copy', title: t('share.copy') },
    h('label', { for: 'copy-link' }, t('share.by_hand')),
    h('input', {
      id: 'copy-link',
      value: open.text,
      readonly: true,
      autofocus: true,
      dir: 'ltr',
      onfocus: selectAll,
      onclick: selectAll,
    }),
  );

/** Selects the text, so that a phone offers to copy it. @param {import('../props.js').EventAt<'input', Event>} event */
function selectAll(event) {
  const field = event.currentTarget;
  field.setSelectionRange(0, field.value.length);
}
