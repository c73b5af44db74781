// A page that was loaded before an update: parts of it that are loaded later may be gone.

import { goes, shows, story, PHONE } from './support/stage.js';
import { say } from './support/words.js';

const BROKEN = [/Failed to load resource/, /net::ERR/];
const button = (within, key) => within.getByRole('button', { name: say(key), exact: true });

/** Serves the HTML of an updated server, whose files have another version. */
const update = (page) =>
  page.route(/127\.0\.0\.1:\d+\/$/, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/\/a\/\w+\//g, '/a/00ff00ff00ff00ff/');
    await route.fulfill({ response: answer, body });
  });
/** Refuses a file, as an updated server without it does. */
const remove = (page, file) =>
  page.route(file, (route) => route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }));

story('an outdated page says so, and a reload helps', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const page = await stage.page(await stage.device(PHONE));
  await page.goto(stage.server.url);
  await shows(page.locator('.hero .skyline'), 'the home page should be shown');
  await update(page);
  await remove(page, '**/games/qwantum/*.chunk.js');
  await button(page, 'game.qwantum').click();
  await shows(
    page.locator('.missing').getByText(say('close.4011.title')),
    'the page should say that it is out of date',
  );
  await shows(button(page.locator('.missing'), 'close.4011.way'), 'and offer to reload');
  // The same for something that a tap asks for.
  await remove(page, /\/(lesson|replay)\/.*\.js$/);
  await button(page, 'game.towers').click();
  await goes(page.locator('.missing'), 'the first game is there');
  await button(page, 'front.guide').click();
  const sheet = page.locator('dialog[open]');
  await shows(sheet.getByText(say('close.4011')), 'a sheet should say that the server was updated');
  await page.unrouteAll({ behavior: 'wait' });
  await button(sheet, 'close.4011.way').click();
  await button(page, 'game.qwantum').click();
  await shows(page.locator('.hero .spill .die').first(), 'after the reload the game should come');
});

story('with the same version, or without a network, the page says that the server cannot be reached', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const context = await stage.device(PHONE);
  const page = await stage.page(context);
  await page.goto(stage.server.url);
  await shows(page.locator('.hero .skyline'), 'the home page should be shown');
  await remove(page, '**/games/qwantum/*.chunk.js');
  await button(page, 'game.qwantum').click();
  await shows(page.locator('.missing').getByText(say('code.unreachable')), 'nothing was updated');
  await page.unrouteAll({ behavior: 'wait' });
  await context.setOffline(true);
  await button(page, 'front.guide').click();
  await shows(page.getByRole('alert').getByText(say('code.unreachable')).last(), 'without a network nothing is known');
  await context.setOffline(false);
  await shows(page.locator('.hero .spill .die').first(), 'the game should come with another attempt');
});

story('a page in a room learns from the welcome that the server was updated', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(PHONE));
  await page.routeWebSocket(/\/ws\//, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text.replace(/"page":"\w+"/, '"page":"00ff00ff00ff00ff"')));
  });
  await remove(page, '**/screens/lobby.chunk.js');
  await page.goto(`${stage.server.url}/r/${code}`);
  await page.getByRole('textbox', { name: say('join.name') }).fill('Ana');
  await button(page, 'join.sit').click();
  const screen = page.locator('main.plain');
  await shows(screen.getByText(say('close.4011')), 'the lobby is gone: the page should say why');
  await page.unrouteAll({ behavior: 'wait' });
  await button(screen, 'close.4011.way').click();
  await shows(page.locator('main.lobby'), 'after the reload the lobby should be shown');
});
