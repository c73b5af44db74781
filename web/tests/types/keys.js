// Read by the type checker, never run. `npm run types` fails if one of the mistakes below is not reported.

import { t } from '../../i18n.js';

export const mistakes = (/** @type {string} */ any, /** @type {'easy' | 'rough'} */ level) => [
  // @ts-expect-error There is no such key.
  t('front.nobody'),
  // @ts-expect-error One of these is no level.
  t(`lobby.bot.${level}`),
  // @ts-expect-error An arbitrary string needs `has` or `tOr`.
  t(`code.${any}`),
];
