// The bidding aid on a phone: where a card would go, what a bid would mean, and that it stays off.

import assert from 'node:assert/strict';
import { goes, shows, story, PHONE } from './support/stage.js';
import { MEANS, bids, feedScenes, table, welcome } from './support/scenes.js';
import { say } from './support/words.js';

story(
  'the row, the towers and the bids explain in an auction what a bid would mean, until the aid is turned off',
  async (stage) => {
    const code = await stage.server.newRoom();
    const page = await stage.page(await stage.device(PHONE));
    const feed = await feedScenes(page, code);
    feed.scene = {
      welcome: welcome(code, {
        state: {
          table: table(3),
          actions: bids(0, 1, 2, 3, 4),
          mine: { demolished: [], highest_bid: 4, means: MEANS },
        },
      }),
    };
    await page.goto(stage.server.url);
    await page.evaluate(
      (room) =>
        localStorage.setItem(
          'rookery.seats',
          JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Ana', at: Date.now() } }),
        ),
      code,
    );
    await page.goto(`${stage.server.url}/r/${code}`);
    const number = page.getByRole('button', { name: say('towers.bid', { count: 3 }), exact: true });
    await shows(number, 'a bid should be asked for');
    assert.equal(
      await number.locator('small').evaluate((small) => getComputedStyle(small, '::before').content),
      '"without 3 and 15"',
      'a number should say what it would leave',
    );
    assert.equal(
      await number.getAttribute('title'),
      'without Spooky 3 and Tree 15',
      'and tell who listens, card by card',
    );
    assert.equal(
      await page.locator('.hand .rests').count(),
      4,
      'the cards the highest number rests on should be marked',
    );

    await page.locator('.hand [data-card]').nth(1).click();
    await shows(page.locator('.ownside .candy .ghost'), 'a card should show where it would go');
    await page.locator('.hand [data-card]').nth(3).click({ force: true });
    await shows(
      page.locator('.toast').getByText(say('towers.why.card_unbuildable')),
      'a card that fits nowhere should say so',
    );
    await goes(page.locator('.ghost'), 'and show nothing');

    const press = (key) => page.getByRole('button', { name: say(key), exact: true }).click();
    await press('menu');
    await press('settings');
    await page
      .locator('.setting', { hasText: say('settings.aid') })
      .locator('input')
      .click();
    await page.keyboard.press('Escape');
    await goes(page.locator('.hand [data-card]').first(), 'turned off, the row should lie still');
    await page.reload();
    await shows(number, 'the bid should be asked for again');
    assert.equal(await number.locator('small').count(), 0, 'it should stay off on this device');
  },
);
