// A game's code and styles are loaded when they are needed: what players see if that fails, takes long, or brings code
// of a newer server.

import assert from 'node:assert/strict';
import { goes, shows, story, LAPTOP, PHONE } from './support/stage.js';
import { feedScenes, table, welcome } from './support/scenes.js';
import { say } from './support/words.js';

const BROKEN = [/Failed to load resource/, /net::ERR/];
const press = (page, key) => page.getByRole('button', { name: say(key), exact: true }).click();
const again = (page) => page.getByRole('button', { name: say('again'), exact: true });

/** A page that has a seat at a laid table. */
async function seated(stage, kind) {
  const code = await stage.server.newRoom();
  const context = await stage.device(kind);
  await context.addInitScript(
    (room) =>
      localStorage.setItem(
        'rookery.seats',
        JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Ana', at: Date.now() } }),
      ),
    code,
  );
  const page = await stage.page(context);
  const feed = await feedScenes(page, code);
  feed.scene = { welcome: welcome(code, { state: { table: table(3), actions: [] } }) };
  return { page, url: `${stage.server.url}/r/${code}` };
}

story('a game that fails to load is reported, the other one works, and it loads later', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const page = await stage.page(await stage.device(PHONE));
  await page.route('**/games/towers/*.css', (route) => route.abort());
  await page.goto(stage.server.url);
  await shows(again(page), 'the front page should say that something did not come, and offer to try again');
  await press(page, 'game.qwantum');
  await shows(page.locator('.hero .spill .die').first(), 'the other game should be there');
  await goes(again(page), 'the other game lacks nothing');
  await press(page, 'game.towers');
  await shows(again(page), 'the first game should still be missing');
  await page.unroute('**/games/towers/*.css');
  await shows(page.locator('.hero .skyline'), 'the game should come with another attempt');
  await goes(again(page), 'nothing should be missing any more');
});

story('a table whose game fails to load says so, and loads on retry', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const { page, url } = await seated(stage, PHONE);
  // Only a reload helps: browsers may remember a module that failed.
  let loads = 0;
  page.on('request', (request) => {
    loads += Number(request.isNavigationRequest());
  });
  await page.route('**/games/towers/index.chunk.js', (route) => (loads > 1 ? route.continue() : route.abort()));
  await page.goto(url);
  await shows(
    page.locator('.plain [role=alert]').getByText(say('code.unreachable')),
    'the page should say what is the matter',
  );
  await again(page).click();
  await shows(page.locator('main.game .ownside'), 'the table should be laid');
});

story('a table on a slow connection is not shown before its styles', async (stage) => {
  const { page, url } = await seated(stage, LAPTOP);
  const held = new Promise((resolve) => {
    void page.route('**/games/towers/towers.chunk.css', resolve);
  });
  // The stylesheet delays the load event if it is requested before that.
  await page.goto(url, { waitUntil: 'commit' });
  await shows(page.locator('main.plain').getByText(say('line.connecting')), 'the page should ask for a moment');
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/games/towers/index.chunk.js')),
  );
  assert.equal(await page.locator('main.game').count(), 0, 'no table without its styles');
  await (await held).continue();
  await shows(page.locator('main.game .ownside'), 'the table should be laid');
  assert.equal(await page.locator('.ownside .skyline').evaluate((el) => getComputedStyle(el).display), 'grid');
});

story('incompatible code of a newer server leads to a reload', async (stage) => {
  stage.complaints.expect(/uncaught: .*cell/, /error: .*cell/);
  const { page, url } = await seated(stage, PHONE);
  await page.route('**/games/towers/index.chunk.js', async (route) => {
    const answer = await route.fetch();
    const code = await answer.text();
    const newer = code.replace(
      'function opponent(',
      "function opponent() { throw new Error('no cell'); }\nfunction earlier(",
    );
    assert.notEqual(newer, code, 'the code should be changed');
    // The validator is that of the real code.
    const { etag: _, ...headers } = answer.headers();
    await route.fulfill({ response: answer, headers, body: newer });
  });
  await page.goto(url);
  await shows(
    page.locator('.plain [role=alert]').getByText(say('code.unknown')),
    'the page should say that something went wrong',
  );
  await page.unroute('**/games/towers/index.chunk.js');
  await again(page).click();
  await shows(page.locator('main.game .ownside'), 'the table should be shown after a reload');
});

story('the styles of one game do not apply to the other', async (stage) => {
  const page = await stage.page(await stage.device(PHONE));
  await page.goto(stage.server.url);
  const worn = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('link[data-game]')]
        .filter((link) => link.sheet && !link.sheet.disabled)
        .map((link) => link.dataset.game),
    );
  await shows(page.locator('.hero .skyline'), 'Five Towers should be shown first');
  assert.deepEqual([...new Set(await worn())], ['towers']);
  await press(page, 'game.qwantum');
  await shows(page.locator('.hero .spill'), 'Qwantum should be shown then');
  assert.deepEqual([...new Set(await worn())], ['qwantum']);
  await press(page, 'game.towers');
  await shows(page.locator('.hero .skyline'), 'and Five Towers again');
  assert.deepEqual([...new Set(await worn())], ['towers']);
});
