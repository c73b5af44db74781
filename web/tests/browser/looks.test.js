// The theme and larger type are settings of the device. They are applied before the first rendering.

import assert from 'node:assert/strict';
import { shows, story, until, PHONE } from './support/stage.js';
import { say } from './support/words.js';

const textColour = (page) => page.evaluate(() => getComputedStyle(document.body).color);
const NIGHT = 'rgb(241, 242, 255)';
const DAY = 'rgb(20, 24, 63)';

async function openSettings(page) {
  await page.getByRole('button', { name: say('settings'), exact: true }).click();
  await shows(page.locator('.for-settings'), 'the settings should open');
}

/** Waits until text has this colour. */
const textIs = (page, wanted) =>
  page.waitForFunction((colour) => document.body && getComputedStyle(document.body).color === colour, wanted);

story(
  'a new device is dark; light, the device’s own theme and larger type are remembered and applied at once',
  async (stage) => {
    const context = await stage.device(PHONE, { colorScheme: 'light' });
    const page = await stage.page(context);
    await page.goto(stage.server.url);
    await shows(page.locator('main.front'), 'the page should draw itself');
    assert.equal(await textColour(page), NIGHT, 'it should be night whatever the device prefers');

    await openSettings(page);
    const theme = page.getByRole('combobox', { name: say('settings.theme') });
    await theme.selectOption('light');
    await textIs(page, DAY);
    await theme.selectOption('device');
    await textIs(page, DAY);
    await page.emulateMedia({ colorScheme: 'dark' });
    await textIs(page, NIGHT);
    await page.emulateMedia({ colorScheme: 'light' });
    await textIs(page, DAY);
    const before = await page.evaluate(() =>
      parseFloat(getComputedStyle(document.querySelector('.front h1')).fontSize),
    );
    await page.getByRole('switch', { name: say('settings.large') }).check();
    await page.waitForFunction(
      (was) => parseFloat(getComputedStyle(document.querySelector('.front h1')).fontSize) > was,
      before,
    );

    // After a reload it is worn before any module of the page has run.
    await page.route('**/main.chunk.js', () => {});
    await page.reload({ waitUntil: 'commit' });
    await textIs(page, DAY);
    assert.equal(await page.locator('main').count(), 0, 'nothing should be drawn yet');
    assert.equal(
      await page.evaluate(() => document.querySelector('meta[name=theme-color]').content),
      '#cfdcff',
      'the bar around the page should match',
    );
  },
);

story('without storage a theme lasts as long as the page, and forced colours are respected', async (stage) => {
  const context = await stage.device(PHONE, { forcedColors: 'active' });
  await context.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('forbidden', 'SecurityError');
      },
    }),
  );
  const page = await stage.page(context);
  await page.goto(stage.server.url);
  await shows(page.locator('main.front'), 'the page should draw itself');
  const button = page.getByRole('button', { name: say('front.bots'), exact: true });
  await until(
    () => button.evaluate((el) => getComputedStyle(el).outlineStyle === 'solid'),
    'a button without a fill should have a line around it',
  );
  await openSettings(page);
  await page.getByRole('combobox', { name: say('settings.theme') }).selectOption('light');
  await shows(page.locator('[data-theme=light]'), 'the look should be applied', { state: 'attached' });
  await page.getByRole('combobox', { name: say('settings.theme') }).selectOption('dark');
  await shows(page.locator('[data-theme=dark]'), 'and be changed back', { state: 'attached' });
});
