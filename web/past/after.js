// What can be done once a game is over, besides another one: the same deal, the book, and all there is to keep and to send.

import { replayUrl } from '../base.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { shareLink } from './keeping.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function afterSheet(view) {
  const { acts, ui, seat } = view;
  const { code, number } = ui;
  const link = code && number ? replayUrl(code, number, 0) : null;
  /** @type {[Parameters<typeof icon>[0], string, string | null, () => void][]} */
  const items = [
    ['bulb', t('review'), t('review.hint'), () => acts.more((more) => more.review())],
    ['chart', t('book'), null, () => acts.more((more) => more.book())],
    ['share', t('end.picture'), null, () => acts.more((more) => more.savePicture())],
    ['copy', t('replay.record'), null, () => acts.more((more) => more.keepRecord())],
    ['eye', t('deal'), null, acts.checkDeal],
  ];
  if (seat !== null && !ui.stay) {
    items.unshift(['cards', t('same'), t('same.hint'), () => {
      if (acts.rematch('same_deal')) acts.close();
    }]);
  }
  if (link) items.splice(-1, 0, ['next', t('after.link'), null, () => shareLink(view, link)]);
  return sheet(view, { name: 'after', title: t('after') },
    h('ul', { class: 'menu' }, items.map(([sign, label, hint, tap]) => h('li', { key: label }, h('button', { type: 'button', onclick: tap }, icon(sign), h('span', null, label, hint ? h('small', null, hint) : null))))));
}
