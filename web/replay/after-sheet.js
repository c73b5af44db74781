// The menu after a game: the same deal, the book, and what can be saved and shared.

import { replayUrl } from '../urls.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { showsResult } from '../session/room-state.js';
import { gameOf } from './moments.js';
import { shareLink } from './save-share.js';

/** @typedef {import('../view.js').View} View */

/** @param {View} view */
export function afterSheet(view) {
  const { commands, ui, seat } = view;
  const { code, number } = gameOf(ui);
  const link = code && number ? replayUrl(code, number, 0) : null;
  /** @type {[Parameters<typeof icon>[0], string, string | null, () => void][]} */
  const items = [
    ['bulb', t('review'), t('review.hint'), () => commands.withAfterGame((afterGame) => afterGame.review())],
    ['chart', t('book'), null, () => commands.withAfterGame((afterGame) => afterGame.book())],
    ['share', t('end.picture'), null, () => commands.withAfterGame((afterGame) => afterGame.savePicture())],
    ['copy', t('replay.record'), null, () => commands.withAfterGame((afterGame) => afterGame.keepRecord())],
    ['eye', t('deal'), null, commands.checkDeal],
  ];
  if (seat !== null && !showsResult(ui)) {
    items.unshift([
      'cards',
      t('same'),
      t('same.hint'),
      () => {
        if (commands.rematch('same_deal')) commands.close();
      },
    ]);
  }
  if (link) items.splice(-1, 0, ['next', t('after.link'), null, () => shareLink(view, link)]);
  return sheet(
    view,
    { name: 'after', title: t('after') },
    h(
      'ul',
      { class: 'menu' },
      items.map(([sign, label, hint, tap]) =>
        h(
          'li',
          { key: label },
          h(
            'button',
            { type: 'button', onclick: tap },
            icon(sign),
            h('span', null, label, hint ? h('small', null, hint) : null),
          ),
        ),
      ),
    ),
  );
}
