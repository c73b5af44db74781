// The games this page can show. A third game is one folder here and one line below.

import { qwantum } from './qwantum/index.js';
import { towers } from './towers/index.js';

/** @type {Record<string, import('../view.js').Face>} */
export const games = { towers, qwantum };
