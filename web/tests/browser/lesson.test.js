// A newcomer goes through the guided first round by tapping what glows, and ends at a table of their own.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { Tapper } from './support/player.js';
import { cutText, tooTall } from './support/sights.js';
import { catalogue, say } from './support/words.js';

/** More taps than the whole lesson needs. */
const MOST_TAPS = 80;

story('a newcomer is led through the guided first round by what glows', async (stage) => {
  const newcomer = new Tapper(await stage.page(await stage.device(PHONE)), 'a newcomer');
  const { page } = newcomer;
  await page.goto(stage.server.url);
  await newcomer.tap(newcomer.button('front.guide'), 'Learn by playing');
  await shows(page.locator('.coach'), 'the coach should be there');
  await newcomer.tap(newcomer.button('lesson.go'), 'go on');

  const told = new Set();
  const end = newcomer.button('lesson.room');
  const next = page.locator('.board .glow, .bar .glow').first();
  const tapped = { cards: 0, towers: 0, buttons: 0 };
  for (let taps = 0; taps < MOST_TAPS && !(await end.isVisible()); taps += 1) {
    await shows(next.or(end).first(), 'something should glow, or the end be reached');
    if (await end.isVisible()) break;
    told.add(await page.locator('.coach .do').textContent());
    assert.deepEqual([...await cutText(page), ...await tooTall(page)], [], `the lesson should fit the screen at “${await page.locator('.coach .do').textContent()}”`);
    // A card stays lit when it is lifted: the button that places it is then what to touch.
    const kind = await next.evaluate((el) => ('card' in el.dataset ? 'cards' : 'tower' in el.dataset ? 'towers' : 'buttons'));
    tapped[kind] += 1;
    await newcomer.andSee('tapped what glows', () => newcomer.tap(next, 'what glows'));
    // Rook acts by himself; what glows next, or the end, comes when he is done.
    await shows(next.or(end).first(), 'after Rook has played, something should glow again');
  }
  assert.ok(await end.isVisible(), `the lesson should come to its end by tapping what glows, in fewer than ${MOST_TAPS} taps`);
  assert.ok(told.size >= 8, `every rule should have its own words, but only ${told.size} were said`);
  assert.ok(tapped.cards >= 10 && tapped.towers >= 1 && tapped.buttons >= 8, `cards, a tower and buttons should have been tapped: ${JSON.stringify(tapped)}`);
  assert.ok(Object.keys(catalogue('en')).some((key) => key.startsWith('lesson.')), 'the words of the lesson should be in the catalogue');

  await newcomer.tap(end, 'a room of one’s own');
  await shows(page.getByRole('textbox', { name: say('join.name') }), 'the new room should ask for a name');
  assert.match(page.url(), /\/r\/[0-9A-Z]{6}$/, 'the lesson should end at the door of a real room');
});
