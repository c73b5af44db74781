// The starting player is random unless the host chooses one in the lobby.

import assert from 'node:assert/strict';
import { layTable } from './support/moments.js';
import { playToTheEnd } from './support/player.js';
import { LAPTOP, PHONE, shot, goes, shows, story } from './support/stage.js';
import { say } from './support/words.js';

const choice = (page) => page.getByRole('combobox', { name: say('lobby.starter'), exact: true });
const chosen = (page) => choice(page).evaluate((select) => select.selectedOptions[0].textContent);

for (const game of ['towers', 'qwantum']) {
  story(`the host of ${game} chooses who begins, and a guest reads it`, async (stage) => {
    for (const [seat, name] of ['Ana', 'Mira'].entries()) {
      const { page, player, friend, code } = await layTable(
        stage,
        await stage.device(PHONE),
        stage.server.url,
        'lobby',
      );
      if (game !== 'towers') await page.locator(`input[name="game"][value="${game}"]`).click();
      await page.locator(`input[name="game"][value="${game}"]:checked`).waitFor();
      assert.equal(await chosen(page), say('lobby.starter.random'), 'chance decides unless the host does');
      const guest = await stage.page(await stage.device(PHONE));
      await guest.goto(`${stage.server.url}/r/${code}`);
      await guest.getByRole('textbox', { name: say('join.name') }).fill('Tomas');
      await guest.getByRole('button', { name: say('join.sit'), exact: true }).click();
      const read = guest.locator('p.setting', { hasText: say('lobby.starter') });
      await shows(
        read.getByText(say('lobby.starter.random'), { exact: true }),
        'a guest should read that chance decides',
      );

      await choice(page).selectOption({ label: name });
      await shows(read.getByText(name, { exact: true }), 'a guest should read who begins');
      assert.equal((await stage.server.room(code)).starter, seat);
      await player.tap(player.button('lobby.start'), 'Start');
      const first = (each) => each.history.find((event) => event.type === (game === 'towers' ? 'round' : 'turn'));
      await friend.until(first, 'the game to begin');
      assert.equal(first(friend).starter ?? first(friend).seat, seat, `${name} should begin`);
    }
  });
}

story('the starter is random again when the chosen player leaves or after a rematch', async (stage) => {
  const { page, player, friend, code } = await layTable(
    stage,
    await stage.device({ ...LAPTOP, hasTouch: true }),
    stage.server.url,
    'lobby',
  );
  await player.tap(player.button('lobby.bot.easy'), 'Add an easy bot');
  const bots = page.locator('.seats').getByText(say('bot.easy'), { exact: true });
  await shows(bots, 'a bot should sit there');
  const bot = (await stage.server.room(code)).seats[2].name;
  await choice(page).selectOption({ label: bot });
  await friend.until((each) => each.room.starter === 2, 'the bot to be chosen');
  await page.screenshot({ path: shot('lobby-starter-laptop') });
  await player.tap(page.getByRole('button', { name: say('lobby.remove', { name: bot }), exact: true }), 'Remove');
  await friend.until((each) => each.room.seats.length === 2, 'the bot to go');
  assert.equal(friend.room.starter, null, 'who was chosen has left');
  await goes(bots, 'the bot should go from the host’s page');
  assert.equal(await chosen(page), say('lobby.starter.random'));

  await choice(page).selectOption({ label: 'Mira' });
  await friend.until((each) => each.room.starter === 1, 'Mira to be chosen');
  await page.setViewportSize({ width: 360, height: 640 });
  await choice(page).scrollIntoViewIfNeeded();
  await page.screenshot({ path: shot('lobby-starter-phone') });
  await page.setViewportSize(LAPTOP.viewport);
  await player.tap(player.button('lobby.start'), 'Start');
  await shows(page.locator('main.game'), 'the game should start');
  await playToTheEnd([player], {
    bid: (lit, mayPass) => (mayPass ? null : lit[0]),
    undo: () => false,
    demolish: () => false,
  });
  await shows(page.locator('.ending.over'), 'the scores should be counted up');
  const record = await (await fetch(`${stage.server.url}/api/rooms/${code}/record`)).json();
  assert.equal(record.starter, 1, 'the record says who was chosen');
  await player.tap(player.button('end.replay'), 'Watch again');
  await shows(page.locator('.scrub'), 'the game should be seen again');
  await player.tap(player.button('replay.more'), 'More');
  await player.tap(player.button('deal'), 'Check the deal');
  await shows(page.locator('.compared'), 'the deal should be checked');
  await shows(page.getByText(say('deal.holds'), { exact: true }), 'and hold');
  await player.tap(player.button('close'), 'Close');
  await player.tap(player.button('moment.now'), 'Back to now');
  await player.tap(player.button('end.rematch'), 'Rematch');
  await shows(page.locator('main.lobby'), 'the lobby should be back');
  assert.equal(await chosen(page), say('lobby.starter.random'), 'the choice was for one game');
});
