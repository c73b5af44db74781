// Read by the type checker, never run: each line below is a mistake it must see. `npm run types` fails when it does
// not.

import { t } from '../../i18n.js';

export const mistakes = (/** @type {string} */ any, /** @type {'easy' | 'rough'} */ level) => [
  // @ts-expect-error There is no such key.
  t('front.nobody'),
  // @ts-expect-error Of these two, one is no level.
  t(`lobby.bot.${level}`),
  // @ts-expect-error What comes from elsewhere has to be asked for with `has` or `tOr`.
  t(`code.${any}`),
];
