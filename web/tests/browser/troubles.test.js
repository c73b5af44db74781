// Failures around a game: refused names, missing texts and answers, and leaving while disconnected. The page says what
// is wrong, keeps its state and recovers.

import assert from 'node:assert/strict';
import { press as pressOn, shows, story, PHONE } from './support/stage.js';
import { layTable } from './support/moments.js';
import { openProxy } from './support/proxy.js';
import { say } from './support/words.js';

const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource/];

const press = (page, key, params) => pressOn(page.getByRole('button', { name: say(key, params), exact: true }));

const nameField = (page) => page.getByRole('textbox', { name: say('join.name') });

/** All sockets a page opens from now on. */
function countSockets(page) {
  const opened = [];
  page.on('websocket', (socket) => opened.push(socket.url()));
  return opened;
}

story('a refused name is asked for again with the reason, without retries', async (stage) => {
  const page = await stage.page(await stage.device(PHONE));
  const sockets = countSockets(page);
  await page.goto(stage.server.url);
  // Remembered by an earlier version, which remembered names before the server had taken them.
  await page.evaluate(() => localStorage.setItem('rookery.name', JSON.stringify('A\u0301\u0302\u0303\u0304na')));
  await page.reload();
  await press(page, 'front.bots');
  await shows(
    page.locator('main.join #name-why').getByText(say('code.bad_name')),
    'the name field should say why it asks',
  );
  assert.equal(sockets.length, 1, 'what was refused should not be said again');

  await nameField(page).fill('x'.repeat(25));
  await press(page, 'join.sit');
  await shows(page.locator('main.join #name-why'), 'twenty-five letters should be refused at the field');
  assert.equal(await nameField(page).getAttribute('aria-invalid'), 'true');
  assert.equal(sockets.length, 1, 'the page should know by itself that this is too long');

  await nameField(page).fill('🇱🇹'.repeat(20));
  await press(page, 'join.sit');
  await shows(page.locator('main.lobby'), 'twenty flags are twenty characters');
  assert.equal(sockets.length, 2);
  assert.equal(
    await page.evaluate(() => JSON.parse(localStorage.getItem('rookery.name'))),
    '🇱🇹'.repeat(20),
    'what the server took should be remembered',
  );
});

story(
  'a player who leaves while disconnected is told so, and has left after the reconnect, also without storage',
  async (stage) => {
    stage.complaints.expect(...BROKEN);
    const proxy = await openProxy(stage.server.port);
    stage.also(() => proxy.close());
    const context = await stage.device(PHONE);
    await context.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('forbidden', 'SecurityError');
        },
      }),
    );
    const { page, code } = await layTable(stage, context, proxy.url, 'auction');
    const line = (key) => page.locator('.say small.line').filter({ hasText: say(key) });

    proxy.cut();
    await shows(line('line.reconnecting'), 'the page should notice that its line is gone');
    proxy.resume();
    await shows(page.locator('main.asked .say small:not(.line)'), 'a player without storage should be a player again');
    assert.equal((await stage.server.room(code)).watchers, 0, 'and not a watcher');

    proxy.cut();
    await shows(line('line.reconnecting'), 'the page should notice it again');
    await press(page, 'menu');
    await press(page, 'menu.leave');
    await press(page, 'leave.go');
    await shows(line('leave.waiting'), 'the page should say that it cannot leave yet');
    assert.equal((await stage.server.room(code)).seats[0].bot, null, 'nobody should have left yet');
    proxy.resume();
    await shows(page.locator('main.front'), 'who has left should be at the front page');
    assert.equal((await stage.server.room(code)).seats[0].bot, 'normal', 'and the server should know');
  },
);

story('a page renders without its texts, retries them, and shows them once loaded', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const context = await stage.device(PHONE, { locale: 'de-DE' });
  const held = [];
  let silent = true;
  await context.route('**/i18n/*.json', (route) => (silent ? held.push(route) : route.continue()));
  const page = await stage.page(context);
  await page.goto(stage.server.url);
  await shows(page.locator('main.front .doors button').first(), 'the page should draw itself while its words hang');
  silent = false;
  await Promise.all(held.map((route) => route.abort()));
  await shows(
    page.getByRole('button', { name: say('front.bots', {}, 'de'), exact: true }),
    'the words should come with another attempt',
  );
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
});

story('lobby controls show the state of the room after any tap', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const proxy = await openProxy(stage.server.port);
  stage.also(() => proxy.close());
  const { page } = await layTable(stage, await stage.device(PHONE), proxy.url, 'lobby');
  for (let bots = 1; bots <= 3; bots++) {
    await press(page, 'lobby.bot.easy');
    await shows(
      page
        .locator('.seats li .bubble')
        .getByText(say('bot.easy'))
        .nth(bots - 1),
      `bot ${bots} should sit down`,
    );
  }
  const game = (id) => page.getByRole('radio', { name: say(`game.${id}`) });
  await game('qwantum').click();
  await shows(page.getByRole('alert').getByText(say('code.too_many_players')), 'five are too many for Qwantum');
  assert.deepEqual(
    [await game('towers').isChecked(), await game('qwantum').isChecked()],
    [true, false],
    'the refused game should not stay chosen',
  );

  proxy.cut();
  await shows(page.locator('.say small.line'), 'the page should notice that its line is gone');
  const forced = page.getByRole('switch', { name: say('lobby.forced') });
  const clock = page.getByRole('combobox', { name: say('lobby.clock') });
  await forced.click();
  await shows(
    page.getByRole('alert').getByText(say('line.reconnecting')),
    'the page should say that it cannot do that now',
  );
  await clock.selectOption('60');
  await page.waitForFunction((select) => select.value === 'null', await clock.elementHandle());
  assert.deepEqual(
    [await forced.isChecked(), await clock.inputValue()],
    [true, 'null'],
    'what was never said should not be shown',
  );
});

story('a page with an unknown game asks for a reload', async (stage) => {
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(PHONE));
  const newer = (text) => text.replaceAll('"game":"towers"', '"game":"chess"');
  const told = () =>
    shows(
      page.locator('main').getByRole('button', { name: say('close.4011.way'), exact: true }),
      'the page should say what helps',
    );

  await page.route(`**/api/rooms/${code}`, async (route) =>
    route.fulfill({ contentType: 'application/json', body: newer(await (await route.fetch()).text()) }),
  );
  await page.goto(`${stage.server.url}/r/${code}`);
  await told();
  await page.unrouteAll({ behavior: 'wait' });

  await page.routeWebSocket(/\/ws\//, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(newer(text)));
  });
  await press(page, 'close.4011.way');
  await nameField(page).fill('Ana');
  await press(page, 'join.sit');
  await told();
});
