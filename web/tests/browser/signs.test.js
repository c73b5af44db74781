// How the page draws the eye: the mark of one's turn, cards that fly, scores that count up; and that all of it can be turned off.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { layTable } from './support/moments.js';
import { playToTheEnd } from './support/player.js';
import { say } from './support/words.js';

/** Runs in the page first: counts what is set in motion, and how. */
function countFlights() {
  window.flights = { moved: 0, faded: 0 };
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, how) {
    window.flights[frames.some((frame) => 'transform' in frame) ? 'moved' : 'faded'] += 1;
    return animate.call(this, frames, how);
  };
}

story('one’s turn is marked in the title and the icon, unless that is turned off', async (stage) => {
  const context = await stage.device(PHONE);
  const { page, player } = await layTable(stage, context, stage.server.url, 'auction');
  const marked = () => page.evaluate(() => document.title.startsWith('●') && document.getElementById('icon').href.includes('icon-turn'));
  assert.ok(await marked(), `on one's turn the title and the icon should carry a mark, but the title is “${await page.title()}”`);
  assert.ok((await page.title()).includes((await player.see()).sentence), 'the title should say what is asked');

  await player.tap(player.button('menu'), 'Menu');
  await player.tap(page.locator('dialog[open]').getByRole('button', { name: say('settings'), exact: true }), 'Settings');
  await page.locator('dialog[open]').getByRole('switch', { name: say('settings.mark') }).tap();
  assert.ok(!(await page.title()).startsWith('●'), 'turned off, the mark should go at once');
  await page.reload();
  await shows(page.locator('main.asked'), 'after a reload the same seat should be asked');
  assert.ok(!(await page.title()).startsWith('●'), 'turned off, the mark should stay off after a reload');
});

story('cards fly and scores count up, and with less motion they only fade', async (stage) => {
  for (const [reducedMotion, moves] of [['no-preference', true], ['reduce', false]]) {
    const context = await stage.device(PHONE, { reducedMotion });
    await context.addInitScript(countFlights);
    const { page, player } = await layTable(stage, context, stage.server.url, 'auction');
    await page.evaluate(() => { window.flights = { moved: 0, faded: 0 }; });
    await player.andSee('bid 5', () => player.pressNumber(5));
    const plan = { bid: (lit, mayPass) => (mayPass ? null : lit[0]), undo: () => false, demolish: () => false };
    await playToTheEnd([player], plan);
    const flights = await page.evaluate(() => window.flights);
    assert.equal(flights.moved > 0, moves, `with motion “${reducedMotion}” cards should ${moves ? 'fly' : 'not fly'}, but ${JSON.stringify(flights)}`);
    assert.ok(moves || flights.faded > 0, 'with less motion a card that came should fade in');

    const counting = await page.locator('.winner').textContent() === say('end.counting');
    assert.equal(counting, moves, `with motion “${reducedMotion}” the scores should ${moves ? 'be counted up' : 'stand there at once'}`);
    await shows(page.locator('.ending.over'), 'in the end the winner should be named');
    await page.close();
  }
});
