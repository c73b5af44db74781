// A newcomer goes through the guided first round of each game by tapping what glows, and ends in a real game.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { Tapper } from './support/player.js';
import { cutText, tooTall } from './support/sights.js';
import { say } from './support/words.js';

/** More taps than any lesson needs. */
const MOST_TAPS = 80;

/** What a lesson is about: so many different things are said, and so many of each kind are tapped. */
const LESSONS = {
  towers: { told: 8, cards: 10, towers: 1, buttons: 8 },
  qwantum: { told: 10, cards: 6, towers: 0, buttons: 12 },
};

for (const [game, least] of Object.entries(LESSONS)) {
  story(`a newcomer is led through the guided first round of ${game} by what glows, and on to a real game`, async (stage) => {
    const device = await stage.device(PHONE);
    await device.addInitScript(() => localStorage.setItem('rookery.name', '"Ana"'));
    const newcomer = new Tapper(await stage.page(device), 'a newcomer');
    const { page } = newcomer;
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(stage.server.url);
    await newcomer.tap(page.getByRole('button', { name: say(`game.${game}`), exact: true }), 'the game');
    assert.deepEqual(asked.filter((path) => path.includes('lesson')), [], 'nothing of a lesson should be fetched before somebody wants it');
    await newcomer.tap(newcomer.button('front.guide'), 'Learn by playing');
    await shows(page.locator('.coach'), 'the coach should be there');

    const told = new Set();
    const end = newcomer.button('lesson.real');
    const on = newcomer.button('lesson.go').or(newcomer.button('lesson.next'));
    const lit = page.locator('.board .glow:not(.feet), .bar .glow').first();
    const next = lit.or(on).or(end).first();
    const tapped = { cards: 0, towers: 0, buttons: 0 };
    for (let taps = 0; taps < MOST_TAPS; taps += 1) {
      // Rook acts by himself; what glows next, or the end, comes when he is done.
      await shows(next, 'something should glow, or the end be reached');
      const step = await page.locator('.coach .do').textContent();
      told.add(step);
      assert.deepEqual([...await cutText(page), ...await tooTall(page)], [], `the lesson should fit the screen at “${step}”`);
      if (await end.isVisible()) break;
      // A phone may forget a page that is in its pocket: it goes on where it was.
      if (taps === 9) {
        await page.reload();
        await shows(next, 'after loading the page anew something should glow again');
        assert.equal(await page.locator('.coach .do').textContent(), step, 'the lesson should go on where it was');
      }
      const kind = await next.evaluate((el) => ('card' in el.dataset ? 'cards' : 'tower' in el.dataset ? 'towers' : 'buttons'));
      tapped[kind] += 1;
      await newcomer.andSee('tapped what glows', () => newcomer.tap(next, 'what glows'));
    }
    assert.ok(await end.isVisible(), `the lesson should come to its end by tapping what glows, in fewer than ${MOST_TAPS} taps`);
    assert.ok(told.size >= least.told, `every rule should have its own words, but only ${told.size} were said`);
    for (const [kind, count] of Object.entries(tapped)) assert.ok(count >= least[kind], `cards, towers and buttons should have been tapped: ${JSON.stringify(tapped)}`);

    await newcomer.tap(end, 'a real game');
    await shows(page.locator('main.game:not(.lesson) .ownside'), 'the lesson should end at a real table, with one tap');
    assert.match(page.url(), /\/r\/[0-9A-Z]{6}$/, 'the table should have an address of its own');
    assert.equal(await page.locator('.opponents button').count(), 2, 'two bots should sit there');
  });
}
