// The connection breaks in different ways at every moment of a game: the page reconnects by itself, and no act is lost
// or played twice.

import assert from 'node:assert/strict';
import { goes, shows, story, PHONE } from './support/stage.js';
import { MOMENTS, layTable } from './support/moments.js';
import { openProxy } from './support/proxy.js';
import { say } from './support/words.js';

/** A line that died without a word is noticed by a ping after 10 s and 5 s of silence. */
const NOTICE_MS = 40000;

const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource: net::ERR_/];

/** The calm line of a page that has lost its server. */
const reconnecting = (page) => page.locator('.say small.line').filter({ hasText: say('line.reconnecting') });

/** All of them say that they are reconnecting. */
const allLost = (tables, how) =>
  Promise.all(
    tables.map(({ page, moment }) =>
      shows(reconnecting(page), `${how} in ${moment}: the page should say that it is reconnecting`, {
        timeout: NOTICE_MS,
      }),
    ),
  );
/** None of them does any more. */
const allBack = (tables, how) =>
  Promise.all(
    tables.map(({ page, moment }) =>
      goes(reconnecting(page), `${how} in ${moment}: the page should reconnect by itself`, { timeout: NOTICE_MS }),
    ),
  );

/** What the page shows should be what it showed, without having been loaded again. */
async function sameMoment({ page, moment }, before, how) {
  try {
    await page.waitForFunction((was) => window.moment() === was, before);
  } catch {
    assert.equal(
      await page.evaluate(() => window.moment()),
      before,
      `${how} in ${moment}: the page should return to the same moment`,
    );
  }
  assert.ok(
    await page.evaluate(() => window.neverReloaded),
    `${how} in ${moment}: the page should come back without a reload`,
  );
}

/** Breaks the line of all tables at once and mends it when every page has said so. */
async function breakLines(tables, how, { cut, mend }) {
  const before = await Promise.all(tables.map(({ page }) => page.evaluate(() => window.moment())));
  await cut();
  await allLost(tables, how);
  await mend();
  await allBack(tables, how);
  await Promise.all(tables.map((table, i) => sameMoment(table, before[i], how)));
}

story(
  'the page returns to the same moment after an outage, a killed server and a frozen connection',
  async (stage) => {
    stage.complaints.expect(...BROKEN);
    const proxy = await openProxy(stage.server.port);
    stage.also(() => proxy.close());
    const context = await stage.device(PHONE);
    const tables = [];
    for (const moment of MOMENTS) tables.push(await layTable(stage, context, proxy.url, moment));

    await breakLines(tables, 'offline', { cut: () => context.setOffline(true), mend: () => context.setOffline(false) });
    await breakLines(tables, 'server killed and restarted', {
      cut: () => stage.server.kill(),
      mend: async () => {
        await stage.server.restart();
        await Promise.all(tables.map(({ friend }) => friend.connect()));
      },
    });
    await breakLines(tables, 'frozen', { cut: () => proxy.freeze(), mend: () => proxy.resume() });

    const [, auction] = tables;
    await auction.player.andSee('bid 3', () => auction.player.pressNumber(3));
    await auction.friend.until(
      ({ history }) => history.some((event) => event.type === 'bid' && event.count === 3),
      'the bid after all that',
    );
  },
  { timeout: 240000 },
);

/** Taps while the line is down; the page should say that it is waiting, and not pretend. */
async function tapInTheDark({ page }, what, tap) {
  await tap();
  await shows(
    page.locator('main.sending, .toast').first(),
    `${what} was tapped without a line: the page should show that it waits, or refuse`,
  );
}

/** Once the line is back, the server should have heard of it exactly once. */
async function playedOnce(table, type, before) {
  const { page, friend, moment } = table;
  await friend.until(() => friend.count(type, 0) > before, `${type} to arrive after the line was mended`);
  await shows(page.locator('main:not(.sending)'), `${type} in ${moment}: the page should know that it was played`);
  await allBack([table], `${type} tapped`);
  assert.equal(
    friend.count(type, 0),
    before + 1,
    `${type} tapped in the dark in ${moment} should be played exactly once`,
  );
  assert.ok(await page.evaluate(() => window.neverReloaded), 'the page should come back without a reload');
}

story(
  'an act that is tapped while disconnected is played exactly once',
  async (stage) => {
    stage.complaints.expect(...BROKEN);
    const { server } = stage;
    const proxy = await openProxy(server.port);
    stage.also(() => proxy.close());
    const [near, far] = [await stage.device(PHONE), await stage.device(PHONE)];
    const take = await layTable(stage, near, server.url, 'take');
    const auction = await layTable(stage, near, server.url, 'auction');
    const build = await layTable(stage, far, proxy.url, 'build');

    // The server is killed: the third card is lifted and the take tapped while it is away.
    await server.kill();
    await allLost([take, auction, build], 'server killed');
    await take.player.andSee('lifted the third card', () => take.player.pressCard(4));
    await tapInTheDark(take, 'Take', () => take.player.pressTake());
    await server.restart();
    await Promise.all([take, auction, build].map(({ friend }) => friend.connect()));
    await playedOnce(take, 'take', 0);
    await allBack([auction, build], 'server restarted');

    // One device is offline, another's line is silent: each taps before it knows.
    await near.setOffline(true);
    proxy.freeze();
    const built = build.friend.count('build', 0);
    await tapInTheDark(auction, 'a bid', () => auction.player.pressNumber(2));
    await tapInTheDark(build, 'the lifted card', () => build.player.tap(build.page.locator('.bar .main'), 'Place'));
    await allLost([auction, build], 'offline and frozen');
    assert.equal(
      auction.friend.count('bid', 0) + build.friend.count('build', 0),
      built,
      'nothing should have arrived over dead lines',
    );
    await near.setOffline(false);
    proxy.resume();
    await Promise.all([playedOnce(auction, 'bid', 0), playedOnce(build, 'build', built)]);

    // The whole server stops for a while: the act is on its way, the page asks again, and the server hears both.
    await shows(build.page.locator('.hand [data-card].lit').first(), 'the last card should be there to place');
    await build.player.andSee('lifted the last card', () => build.player.pressCard(0));
    server.freeze();
    await tapInTheDark(build, 'the last card', () => build.player.tap(build.page.locator('.bar .main'), 'Place'));
    await allLost([build], 'server stopped');
    server.thaw();
    await playedOnce(build, 'build', built + 1);
    await build.player.andSee('finished', () => build.player.pressFinish());
  },
  { timeout: 240000 },
);

story(
  'two tabs of one seat both work',
  async (stage) => {
    const context = await stage.device(PHONE);
    const { page, player, friend, code } = await layTable(stage, context, stage.server.url, 'auction');
    const second = new player.constructor(await stage.page(context), 'Ana in a second tab');
    await second.page.goto(page.url());
    await shows(second.page.locator('main.asked .bids'), 'the second tab should be asked for the same bid');
    assert.equal(
      (await stage.server.room(code)).seats.length,
      2,
      'the second tab should open the same seat, not take another',
    );

    await second.andSee('bid 3', () => second.pressNumber(3));
    await shows(
      page.locator('main.asked:has(.bar .main) .hand .lit[data-card]').first(),
      'the first tab should see the bid of the second',
    );
    for (const at of [0, 1, 2]) await player.andSee(`lifted card ${at + 1}`, () => player.pressCard(at));
    assert.equal(
      (await second.see()).cards.filter((card) => card.lifted).length,
      0,
      'what one tab only considers should stay in that tab',
    );
    await player.andSee('took them', () => player.pressTake());
    await shows(
      second.page.locator('.bar').getByRole('button', { name: say('towers.finish') }),
      'the second tab should see the take of the first',
    );
    await friend.until(() => friend.count('take', 0) >= 1, 'the take');

    // One tab leaves for the front page: the seat is not away while the other is open.
    await second.page.close();
    while (!player.done.finishes) await player.build(await player.see(), { undo: () => false, demolish: () => false });
    await friend.until(() => friend.count('finish', 0) >= 1, 'the first tab to finish the build');
    assert.ok(
      (await stage.server.room(code)).seats[0].connected,
      'the seat should still be there when one of its tabs is closed',
    );
  },
  { lapse: true },
);
