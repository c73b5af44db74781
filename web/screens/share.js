// Invites friends: share, copy or scan the link.

import { h } from '../dom.js';
import { t } from '../i18n.js';
import { apiUrl, roomUrl, televisionUrl } from '../urls.js';
import { icon } from '../icons.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function invite(view) {
  const code = view.ui.place.code ?? '';
  const shares = typeof navigator.share === 'function';
  return h(
    'div',
    { class: 'invite' },
    h('img', {
      class: 'qr',
      src: apiUrl(`rooms/${code}/qr.svg`),
      alt: t('share.qr'),
      width: 148,
      height: 148,
      // The link works without the picture.
      onerror: (event) => event.target.classList.add('unseen'),
    }),
    h(
      'div',
      { class: 'ways' },
      h('span', { class: 'code', 'aria-label': t('share.code', { code: [...code].join(' ') }), role: 'img' }, code),
      h('small', { class: 'link' }, roomUrl(code).replace(/^https?:\/\//, '')),
      h(
        'span',
        { class: 'pair' },
        shares
          ? h(
              'button',
              { class: 'second', type: 'button', onclick: view.commands.share },
              icon('share'),
              t('share.share'),
            )
          : null,
        h(
          'button',
          { class: 'second', type: 'button', onclick: view.commands.copyLink },
          icon('copy'),
          t('share.copy'),
        ),
      ),
      h('a', { class: 'text', href: televisionUrl(code), target: '_blank', rel: 'noopener' }, t('share.screen')),
    ),
  );
}
