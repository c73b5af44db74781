// Reviews: a game is finished and reviewed, and a decision is followed to its moment. By taps on a small phone and by
// keys on a laptop. And hints in a game against bots.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { layTable } from './support/moments.js';
import { AXE, violations } from './support/sights.js';
import { goes, settled, shows, story, LAPTOP, PHONE } from './support/stage.js';
import { say } from './support/words.js';

const SMALL = { ...PHONE, viewport: { width: 360, height: 640 } };
const json = async (url) => (await fetch(url)).json();
const until = (page, at, count) =>
  shows(
    page.locator('.scrub .place').getByText(say('replay.at', { at, count }), { exact: true }),
    `moment ${at} should be shown`,
  );

async function listening(stage, kind) {
  const device = await stage.device(kind);
  await device.addInitScript(readFileSync(AXE, 'utf8'));
  return device;
}

story(
  'on a small phone: the review after a game names the costliest decisions and links to their moments',
  async (stage) => {
    const { page, code, friend } = await layTable(stage, await listening(stage, SMALL), stage.server.url, 'end');
    stage.complaints.expect(/Failed to load resource.*404/);
    // Everybody at the table hears of it.
    let told = false;
    friend.on('heard', (message) => {
      told ||= message?.type === 'review' && message.ready;
    });
    await settled(page);
    await page.getByRole('button', { name: say('end.more'), exact: true }).tap();
    await page
      .locator('.for-after')
      .getByRole('button', { name: say('review') })
      .tap();
    await shows(page.locator('.for-review'), 'the review should open');
    await shows(page.locator('.reviewed').first(), 'the review should be shown', { timeout: 60000 });
    assert.ok(told, 'the friend should have heard that it is there');
    const review = await json(`${stage.server.url}/api/rooms/${code}/games/1/review`);
    const names = await page.locator('.reviewed h3').allTextContents();
    assert.deepEqual(names, ['Ana', 'Mira']);
    const links = page.locator('.mistake');
    assert.equal(
      await links.count(),
      review.players.reduce((sum, player) => sum + player.mistakes.length, 0),
      'every decision that cost something should be there',
    );
    assert.ok((await links.count()) > 0, 'who always passes has something to be told');
    assert.deepEqual(await violations(page), [], 'it should be open to all');
    const { moment, cost } = review.players.find((player) => player.mistakes.length).mistakes[0];
    assert.match(
      await links.first().textContent(),
      new RegExp(`−${Math.round(cost / 10)}\\s?%`),
      'it should say what it cost',
    );
    assert.ok(
      (await links.first().getAttribute('href')).endsWith(`/r/${code}/replay/1#m=${moment}`),
      'it should be a link to its moment',
    );
    // The chart of chances goes there, too.
    const chart = page.locator('.for-review .points > svg');
    const { width, height } = await chart.boundingBox();
    await chart.tap({ position: { x: 2, y: height / 2 } });
    assert.ok(width > 250, 'the chart should be wide enough for a finger');
    await links.first().scrollIntoViewIfNeeded();
    await links.first().tap();
    await goes(page.locator('dialog[open]'), 'the sheet should close');
    const count = (await (await fetch(`${stage.server.url}/api/rooms/${code}/games/1/moments`)).text())
      .trim()
      .split('\n').length;
    await until(page, moment + 1, count);

    // Somebody who has the link only reads what was made.
    const other = await stage.page(await stage.device(SMALL));
    await other.goto(`${stage.server.url}/r/${code}/replay/1#m=2`);
    await until(other, 3, count);
    await other.getByRole('button', { name: say('replay.more'), exact: true }).tap();
    const reviewed = other.getByRole('button', { name: say('review'), exact: true });
    await shows(other.locator('.unveiled'), 'what was hidden should come');
    assert.ok(
      (await other.locator('.unveiled').boundingBox()).y > (await reviewed.boundingBox()).y,
      'what comes late should stand below what can be pressed, so that nothing moves',
    );
    await reviewed.tap();
    await shows(other.locator('.reviewed').first(), 'the review should be shown in a replay');
    assert.equal(
      await other.locator('.mistake').count(),
      await (async () => review.players.reduce((sum, player) => sum + player.mistakes.length, 0))(),
    );
  },
);

story('on a laptop: the review is opened, read and followed by keys', async (stage) => {
  const { page } = await layTable(
    stage,
    await listening(stage, { ...LAPTOP, hasTouch: true }),
    stage.server.url,
    'end',
  );
  stage.complaints.expect(/Failed to load resource.*404/);
  await settled(page);
  const walkTo = async (thing, most) => {
    for (let tabs = 0; tabs < most && !(await thing.evaluate((el) => el === document.activeElement)); tabs++)
      await page.keyboard.press('Tab');
  };
  await walkTo(page.getByRole('button', { name: say('end.more'), exact: true }), 60);
  await page.keyboard.press('Enter');
  await shows(page.locator('.for-after'), 'more should open');
  await walkTo(page.locator('.for-after').getByRole('button', { name: say('review') }), 20);
  await page.keyboard.press('Enter');
  await shows(page.locator('.reviewed').first(), 'the review should come by itself once it is made', {
    timeout: 60000,
  });
  const first = page.locator('.mistake').first();
  await walkTo(first, 20);
  assert.ok(
    await first.evaluate((el) => el === document.activeElement),
    'the first decision should be reached by keys',
  );
  assert.deepEqual(await violations(page), [], 'it should be open to all');
  await page.keyboard.press('Enter');
  await goes(page.locator('dialog[open]'), 'the sheet should close');
  await shows(page.locator('main.past .scrub'), 'the moment should be shown');
  await page.keyboard.press('Escape');
  await shows(page.locator('.ending.over'), 'the end of the game should be back');
});

story(
  'there is a hint for the current decision in a game against bots, but not with a friend',
  async (stage) => {
    const context = await listening(stage, SMALL);
    await context.addInitScript(() => localStorage.setItem('rookery.name', '"Ana"'));
    const page = await stage.page(context);
    await page.goto(stage.server.url);
    await page.getByRole('button', { name: say('front.bots'), exact: true }).tap();
    await shows(page.locator('main.asked'), 'a decision should be asked for', { timeout: 60000 });
    await settled(page);
    await page.getByRole('button', { name: say('hint'), exact: true }).tap();
    await shows(
      page
        .locator('.for-hint .hints li')
        .filter({ hasText: /^Ana .*%$/ })
        .first(),
      'the hint should name an act and a chance',
    );
    assert.deepEqual(await violations(page), [], 'it should be open to all');

    const { page: together } = await layTable(stage, await stage.device(SMALL), stage.server.url, 'auction', 'Ona');
    assert.equal(
      await together.getByRole('button', { name: say('hint'), exact: true }).count(),
      0,
      'with a friend at the table there should be no hint',
    );
  },
  { botDelayMs: 0 },
);
