// Several servers: one is killed in the middle of a game, and the page is at the same moment on another.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { layTable } from './support/moments.js';
import { openSeveral } from './support/several.js';
import { say } from './support/words.js';

const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource/];

story('a game continues at the same moment on another server when its own is killed', async (stage) => {
  stage.complaints.expect(...BROKEN);
  const several = await openSeveral();
  stage.also(() => several.close());
  const [first, second] = several.servers;
  // The room is the first one's, the friend is at the second, which stays.
  const table = { ...stage, server: { ...second, newRoom: () => first.newRoom() } };
  const { page, player, code } = await layTable(table, await stage.device(PHONE), several.url, 'take');
  const lifted = () => page.locator('.hand [data-card][aria-pressed="true"]').count();
  const cards = () => page.locator('.hand [data-card]').evaluateAll((cards) => cards.map((card) => card.dataset.fly));
  const before = { cards: await cards(), lifted: await lifted() };

  await first.kill();
  await shows(
    page.locator('.say small.line').filter({ hasText: say('line.reconnecting') }),
    'the page should say that its line is gone',
  );
  await page.locator('.say small.line').waitFor({ state: 'detached', timeout: 40000 });
  assert.deepEqual({ cards: await cards(), lifted: await lifted() }, before, 'it should be the same moment');
  assert.ok(await page.evaluate(() => window.neverReloaded), 'without a reload');
  const seats = (await second.room(code)).seats.map((seat) => seat.name);
  assert.deepEqual(seats, ['Ana', 'Mira'], 'nobody should have lost a seat');

  await player.andSee('lifted card 5', () => player.pressCard(4));
  await player.andSee('took them', () => player.pressTake());
  await shows(page.locator('main.asked'), 'and the game should go on');
});
