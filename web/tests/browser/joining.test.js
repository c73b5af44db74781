// Joining over an unstable connection: one person gets one seat.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { say } from './support/words.js';

story('a join that is interrupted before its welcome is repeated as the same player', async (stage) => {
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(PHONE));
  /** What was sent first on each line. */
  const joins = [];
  await page.routeWebSocket(/\/ws\//, (near) => {
    const far = near.connectToServer();
    near.onMessage((message) => {
      const heard = JSON.parse(message);
      if (heard.type === 'join') joins.push(heard);
      far.send(message);
    });
    far.onMessage((message) => {
      // The seat is taken, and the welcome that says so is lost with the line.
      if (JSON.parse(message).type === 'welcome' && joins.length <= 3) return near.close({ code: 3001 });
      near.send(message);
    });
  });
  await page.goto(`${stage.server.url}/r/${code}`);
  await page.getByRole('textbox', { name: say('join.name') }).fill('Ana');
  await page.getByRole('button', { name: say('join.sit') }).click();
  await shows(page.locator('main.lobby'), 'the fourth attempt should bring Ana to the table');
  assert.equal(joins.length, 4);
  assert.deepEqual(
    [...new Set(joins.map(({ name, salt, token }) => `${name} ${salt} ${token}`))].length,
    1,
    'every attempt should say the same',
  );
  const { seats, host } = await stage.server.room(code);
  assert.deepEqual([seats.map((seat) => seat.name), host], [['Ana'], 0], 'Ana should sit once, and be host');
});
