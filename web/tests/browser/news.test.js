// Changes are highlighted until the player's next decision, also after a reload. On a phone the last line of the log is
// shown on the table and opens the log.

import assert from 'node:assert/strict';
import { goes, press, shows, story, PHONE } from './support/stage.js';
import { SINCE, bids, feedScenes, table, welcome } from './support/scenes.js';
import { say } from './support/words.js';

/** Ana's bid, and the table after it. */
const answer = (state) => ({
  type: 'state',
  state: {
    ...state,
    version: 61,
    next: 13,
    asked: [1],
    actions: [],
    events: [{ type: 'bid', seat: 0, count: 3 }],
    table: { ...state.table, turn: 1 },
  },
});

story(
  'changes by others are highlighted until the player’s next act, and the last log line opens the log',
  async (stage) => {
    const code = await stage.server.newRoom();
    const page = await stage.page(await stage.device(PHONE));
    const feed = await feedScenes(page, code);
    const hello = welcome(code, {
      history: SINCE,
      state: {
        table: table(3, {
          starter: 1,
          calls: [
            { seat: 1, count: 2 },
            { seat: 2, count: null },
          ],
          standing: { seat: 1, count: 2 },
        }),
        actions: bids(3, 4),
      },
    });
    feed.scene = { welcome: hello, answers: { act: answer(hello.state) } };
    await page.addInitScript(
      (room) =>
        localStorage.setItem(
          'rookery.seats',
          JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Ana', at: Date.now() } }),
        ),
      code,
    );
    const changes = () => page.locator('.opponents .cell .change').allTextContents();
    for (const way of ['goto', 'reload']) {
      await (way === 'goto' ? page.goto(`${stage.server.url}/r/${code}`) : page.reload());
      await shows(page.locator('.opponents .new').first(), `what others did should glow after ${way}`);
      assert.deepEqual(
        await changes(),
        ['+1', '+2', '−1', '+1', '+1'],
        'every tower that grew or fell should say by how much',
      );
      assert.equal(await page.locator('.opponents .score.new').count(), 2, 'both scores should glow');
      assert.equal(await page.locator('.opponents .bubble.new').count(), 2, 'both calls should glow');
    }
    const heard = await page.locator('.opponent[data-seat="1"]').textContent();
    assert.match(
      heard,
      /New: .*Mira demolishes the top of Sand.*Mira builds Scrap 6/,
      'what is new should be heard with who did it',
    );

    await page.locator('.latest').click();
    await shows(page.locator('dialog[open] .log'), 'the last line should open the log');
    await page.keyboard.press('Escape');
    const bid = page.getByRole('button', { name: say('towers.bid', { count: 3 }), exact: true });
    await press(bid);
    await goes(page.locator('.opponents .new').first(), 'once Ana has bid nothing should be new');
    assert.equal(await page.locator('.latest').textContent(), 'Ana bids 3', 'her bid should be the last line');
  },
);
