// A room on a television: it watches, shows how to join, reconnects by itself, and does not use the seats of its
// device.

import assert from 'node:assert/strict';
import { scan } from './support/camera.js';
import { layTable } from './support/moments.js';
import { goes, press, shows, story, LAPTOP } from './support/stage.js';
import { say } from './support/words.js';

story('the television is opened from the lobby, shows the link and the table, and takes no seat', async (stage) => {
  // What the browser logs about a server that restarts.
  stage.complaints.expect(/WebSocket connection .* failed/, /Failed to load resource/);
  const context = await stage.device({ ...LAPTOP, hasTouch: true });
  const { page, code } = await layTable(stage, context, stage.server.url, 'lobby');
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: say('share.screen') }).click();
  const screen = await opened;
  stage.complaints.hear(screen);
  const fetched = [];
  page.on('request', (request) => fetched.push(request.url()));

  await shows(
    screen.locator('main.big .seats').getByText('Mira', { exact: true }),
    'the screen should show who sits there',
  );
  assert.equal(
    await scan(screen.locator('.come .qr'), 'the QR code of the screen'),
    `${stage.server.url}/r/${code}`,
    'the picture should lead to the room',
  );
  await shows(screen.locator('.come .code').getByText(code), 'the code should be there to be typed');
  assert.deepEqual(
    (await stage.server.room(code)).audience.map((each) => each.name),
    ['TV'],
    'the screen should be one of those who watch',
  );

  await press(page.getByRole('button', { name: say('lobby.start'), exact: true }));
  await shows(
    screen.locator('main.big.game .opponents').getByText('Ana', { exact: true }),
    'the screen should show the table of all',
  );
  assert.equal(await screen.locator('main.big .opponents > *').count(), 2);
  const reached = await screen.evaluate(
    () => [...document.querySelectorAll('button, a, input, select')].filter((el) => !el.closest('[inert]')).length,
  );
  assert.equal(reached, 0, 'nothing on it should be there to be pressed');
  assert.ok(
    !fetched.some((url) => /big\.(js|css)/.test(url)),
    'a page that is no television should not fetch its parts',
  );

  await stage.server.kill();
  await shows(screen.locator('.say small.line'), 'a lost line should be said');
  await stage.server.restart();
  await goes(screen.locator('.say small.line'), 'the screen should come back by itself', { timeout: 40000 });
  await page.reload();
  await shows(
    page.locator('main.game .ownside').getByText('Ana', { exact: true }),
    'the seat should still be this device’s',
  );
});
