// One player's whole visit in each engine of phones: from the home page into a game against a bot, by taps alone,
// through a lost connection, to the end. Every iPhone runs WebKit, and some friends use Firefox.

import assert from 'node:assert/strict';
import { Tapper, playToTheEnd } from '../browser/support/player.js';
import { openProxy } from '../browser/support/proxy.js';
import { ENGINES, goes, shot, shows, story } from '../browser/support/stage.js';
import { say } from '../browser/support/words.js';

/** What the browsers themselves say about a line that is cut on purpose. */
const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource: net::ERR_/];
/** Takes all it can get in the first rounds and lets the rest go by. */
const plan = {
  forced: true,
  bid: (lit, mayPass, { done }) => (done.builds < 4 ? (lit.at(-1) ?? null) : mayPass ? null : lit[0]),
  undo: ({ done }) => done.undos < 1 && done.builds > 0,
  demolish: () => false,
};
/** Somebody whose line drops before this call for a bid. */
const DROPS_AT = 5;
class Guest extends Tapper {
  calls = 0;
  async call(seen, plan) {
    this.calls += 1;
    if (this.calls === DROPS_AT) await this.inTheMiddle();
    await super.call(seen, plan);
  }
}

for (const engine of ENGINES) {
  story(
    `${engine}: from the front page through a dropped line to the end of a game`,
    async (stage) => {
      stage.complaints.expect(...BROKEN);
      const proxy = await openProxy(stage.server.port);
      stage.also(() => proxy.close());
      const page = await stage.phone(engine);
      const look = async (name) => {
        await page.evaluate(atRest);
        assert.deepEqual(await page.evaluate(sideways), [], `${name}: nothing should scroll sideways`);
        await page.screenshot({ path: shot(`engine-${engine}-${name}`) });
      };
      const ana = new Guest(page, 'Ana');

      await page.goto(proxy.url);
      await shows(ana.button('front.bots'), 'the front page should offer a game against bots');
      await look('1-front');
      await page.locator('.against select').first().evaluate(chooseOne);
      await ana.tap(ana.button('front.bots'), 'Play against bots');
      await shows(page.locator('main.game'), 'the game should begin');
      await page.evaluate(() => {
        window.neverReloaded = true;
      });

      ana.inTheMiddle = async () => {
        await look('2-table');
        await dropTheLine(page, proxy);
      };
      await playToTheEnd([ana], plan);
      assert.ok(
        ana.calls >= 10 && ana.done.builds >= 4,
        `a real game should have been played: ${JSON.stringify(ana.done)}`,
      );
      await shows(page.locator('.ending.over'), 'the scores should be counted up');
      await look('3-end');
      const code = await page.evaluate(() => location.pathname.split('/').at(-1));
      const room = await stage.server.room(code);
      assert.equal(room.seats.length, 2, 'one bot should have been the opponent');
      assert.equal(room.phase, 'finished', 'the server should say that the game is over');
      const [winner] = room.seats.filter((seat) => seat.wins > 0);
      assert.ok((await page.locator('.winner').textContent()).length > 0 && winner, 'the winner should be named');
      assert.ok(await page.evaluate(() => window.neverReloaded), 'the page should have come through without a reload');
    },
    { botDelayMs: 0, lapse: true },
  );
}

/** One bot: a phone shows a list of its own for this, which no driver reaches. Runs in the page. */
function chooseOne(list) {
  list.value = '1';
  list.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Waits until nothing moves that will ever stop. Runs in the page. */
async function atRest() {
  const moving = document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime !== Infinity);
  await Promise.all(moving.map((each) => each.finished.catch(() => {})));
}

/** What a finger could push aside. Engines differ in what they count as wider than its box. Runs in the page. */
const sideways = () =>
  [...document.querySelectorAll('body *')]
    .filter((el) => el.scrollWidth > el.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(el).overflowX))
    .map((el) => `${el.tagName} ${el.className} ${el.scrollWidth} in ${el.clientWidth}`);

/**
 * The server is out of reach in the middle of the game; the page says so, comes back to the same moment, and nothing is
 * lost.
 */
async function dropTheLine(page, proxy) {
  const reconnecting = page.locator('.say small.line').filter({ hasText: say('line.reconnecting') });
  const before = await page.evaluate(() => window.moment());
  proxy.cut();
  await shows(reconnecting, 'without a line the page should say that it is reconnecting');
  proxy.resume();
  await goes(reconnecting, 'the page should come back by itself');
  await page.waitForFunction((was) => window.moment() === was, before);
}
