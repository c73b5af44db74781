// The `GameUi` of all games, for tests without a browser.

import { GAMES } from '../games/index.js';

export const gameUis = Object.fromEntries(
  await Promise.all(Object.entries(GAMES).map(async ([id, { modules }]) => [id, (await modules.ui()).gameUi])),
);
