// A newcomer goes through the guided first round of each game by tapping the highlighted controls, and ends in a real
// game; and once more by keyboard alone, with everything that a screen reader announces.

import assert from 'node:assert/strict';
import { shows, story, LAPTOP, PHONE } from './support/stage.js';
import { Ear } from './support/ear.js';
import { Tapper, Typist } from './support/player.js';
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
  story(
    `a newcomer is led through the guided first round of ${game} by what glows, and on to a real game`,
    async (stage) => {
      const device = await stage.device(PHONE);
      await device.addInitScript(() => localStorage.setItem('rookery.name', '"Ana"'));
      const newcomer = new Tapper(await stage.page(device), 'a newcomer');
      const { page } = newcomer;
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(stage.server.url);
      await newcomer.tap(page.getByRole('button', { name: say(`game.${game}`), exact: true }), 'the game');
      assert.deepEqual(
        asked.filter((path) => path.includes('lesson')),
        [],
        'nothing of a lesson should be fetched before somebody wants it',
      );
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
        assert.deepEqual(
          [...(await cutText(page)), ...(await tooTall(page))],
          [],
          `the lesson should fit the screen at “${step}”`,
        );
        if (await end.isVisible()) break;
        // A phone may forget a page that is in its pocket: it goes on where it was.
        if (taps === 9) {
          await page.reload();
          await shows(next, 'something should glow again after a reload');
          assert.equal(await page.locator('.coach .do').textContent(), step, 'the lesson should go on where it was');
        }
        const kind = await next.evaluate((el) =>
          'card' in el.dataset ? 'cards' : 'tower' in el.dataset ? 'towers' : 'buttons',
        );
        tapped[kind] += 1;
        await newcomer.andSee('tapped what glows', () => newcomer.tap(next, 'what glows'));
      }
      assert.ok(
        await end.isVisible(),
        `the lesson should come to its end by tapping what glows, in fewer than ${MOST_TAPS} taps`,
      );
      assert.ok(told.size >= least.told, `every rule should have its own words, but only ${told.size} were said`);
      for (const [kind, count] of Object.entries(tapped))
        assert.ok(count >= least[kind], `cards, towers and buttons should have been tapped: ${JSON.stringify(tapped)}`);

      await newcomer.tap(end, 'a real game');
      await shows(
        page.locator('main.game:not(.lesson) .ownside'),
        'the lesson should end at a real table, with one tap',
      );
      assert.match(page.url(), /\/r\/[0-9A-Z]{6}$/, 'the table should have an address of its own');
      assert.equal(await page.locator('.opponents button').count(), 2, 'two bots should sit there');
    },
    { lapse: true },
  );
}

/**
 * What Rook does, as it is heard: all of it, once and in this order. Which dice he rolls is in the words of the game.
 */
const ROOK = {
  towers: ['Rook bids 2', 'Rook bids 3', 'Rook bids 3', 'Rook bids 2', 'Rook takes Sand 14 and Sand 5'],
  qwantum: [
    'Rook enters 9 in blue',
    'Rook rolls: violet 9, blue 10, red 8, and yellow 6',
    'Rook keeps the dice',
    'Rook enters 8 in red',
    'Rook enters 9 in violet',
    'Rook enters 19 in red',
    'Rook rolls: violet 17, blue 4, red 3, and yellow 7',
    'Rook rolls: violet 19, blue 4, red 3, and yellow 2',
    'Rook skips',
    'Rook skips',
    'Rook marks a miss',
  ],
};

/** What one's own dice come to; nobody rolls in Five Towers. */
const OWN = {
  towers: [],
  qwantum: [
    'violet 9, blue 13, red 15, and yellow 11',
    'violet 5, blue 9, red 11, and yellow 7',
    'violet 18, blue 5, red 19, and yellow 5',
  ],
};

/** The key that does what glows; none where one walks there with Tab. Runs in the page. */
function keyOf(el, letters) {
  const at = (selector) => String([...document.querySelectorAll(selector)].indexOf(el) + 1);
  if (el.matches('.number')) return el.textContent;
  if (el.matches('.dice .slot')) return at('.dice .slot');
  if (el.matches('.ownside .lane')) return at('.ownside .lane[data-card]');
  if (el.matches('.hand [data-card]')) return at('.hand [data-card]');
  return letters[el.textContent.trim()] ?? null;
}

for (const game of Object.keys(LESSONS)) {
  story(
    `the guided first round of ${game} is gone through by keyboard alone, and a screen reader hears it`,
    async (stage) => {
      const device = await stage.device(LAPTOP);
      await Ear.give(device);
      await device.addInitScript((chosen) => {
        localStorage.setItem('rookery.name', '"Ana"');
        localStorage.setItem('rookery.game', JSON.stringify(chosen));
      }, game);
      const newcomer = new Typist(await stage.page(device), 'a newcomer');
      const { page } = newcomer;
      const ear = new Ear(page);
      await page.goto(stage.server.url);
      const button = (key, params) => page.getByRole('button', { name: say(key, params), exact: true });
      await newcomer.tabTo(button('front.guide'), 'Learn by playing');
      await newcomer.key('Enter');

      const letters = Object.fromEntries(
        Object.entries({
          'towers.pass': 'p',
          'towers.finish': 'f',
          'towers.demolish': 'd',
          'qwantum.roll': 'r',
          'qwantum.keep': 'k',
          'qwantum.skip': 's',
        })
          .map(([key, letter]) => [say(key), letter])
          .concat([[say('qwantum.again', { count: 1 }), 'r']]),
      );
      const end = button('lesson.real');
      const next = page
        .locator('.board .glow:not(.feet), .bar .glow')
        .first()
        .or(button('lesson.go'))
        .or(button('lesson.next'))
        .or(end)
        .first();
      const told = [];
      for (let presses = 0; presses < MOST_TAPS; presses += 1) {
        await shows(next, 'something should glow, or the end be reached');
        const step = (await page.locator('.coach p').allTextContents()).join('. ');
        if (told.at(-1) !== step) told.push(step);
        assert.ok(
          await page.evaluate(() => document.activeElement !== document.body),
          `the focus should rest somewhere on the page at “${step}”, not be lost`,
        );
        if (await end.isVisible()) break;
        await newcomer.andSee(`did what glows at “${step}”`, async () => {
          const key = await next.evaluate(keyOf, letters);
          if (!key) await newcomer.tabTo(next, 'what glows');
          await newcomer.key(key ?? 'Enter');
        });
      }
      assert.ok(await end.isVisible(), `the lesson should come to its end by keys, in fewer than ${MOST_TAPS} presses`);

      const said = await ear.all();
      const by = (where) => said.filter((each) => each.where === where).map((each) => each.text);
      assert.deepEqual(
        by('coach').filter((text) => text !== say('lesson.watch')),
        told,
        'everything the coach says should be heard, once and in order',
      );
      const heard = by('heard').flatMap((text) => text.split('. '));
      assert.deepEqual(
        heard.filter((line) => line.startsWith('Rook')),
        ROOK[game],
        'everything Rook does should be heard, once and in order',
      );
      assert.deepEqual(
        heard.filter((line) => line.startsWith('violet')),
        OWN[game],
        'one’s own dice should be heard',
      );
      // What the table does is heard too; what is asked, only the coach says.
      assert.deepEqual(
        heard.filter((line) => !/^(Rook |The row: |Discarded: |violet )/.test(line)),
        [],
        'and nothing else',
      );
      const longest = await ear.longest();
      assert.ok(longest.length <= 12, `nobody should be flooded:\n${longest.join('\n')}`);

      await newcomer.tabTo(end, 'a real game');
      await newcomer.key('Enter');
      await shows(page.locator('main.game:not(.lesson) .ownside'), 'the lesson should end at a real table');
    },
    { lapse: true },
  );
}
