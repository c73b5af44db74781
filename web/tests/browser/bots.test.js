// Bots at the table, in one tap from the front page, in place of somebody who leaves; and a seat that moves to another device.

import assert from 'node:assert/strict';
import { shows, story, LAPTOP, PHONE } from './support/stage.js';
import { say } from './support/words.js';

const press = (page, key, params) => page.getByRole('button', { name: say(key, params), exact: true }).click();

async function sitDown(page, name) {
  await page.getByRole('textbox', { name: say('join.name') }).fill(name);
  await press(page, 'join.sit');
}

story('one tap and a name start a game against two bots, and the name is asked only once', async (stage) => {
  const page = await stage.page(await stage.device(PHONE));
  await page.goto(stage.server.url);
  await press(page, 'front.bots');
  await sitDown(page, 'Ana');
  await shows(page.locator('main.game'), 'the game should start by itself');
  assert.equal(await page.locator('.opponent .botMark').count(), 2, 'both opponents should be marked as bots');

  await page.goto(stage.server.url);
  await press(page, 'front.bots');
  await shows(page.locator('main.game'), 'the second game should start without a question');
});

story('the host seats bots of each level, sends one away and chooses the clock, and a guest reads it', async (stage) => {
  const code = await stage.server.newRoom();
  const link = `${stage.server.url}/r/${code}`;
  const host = await stage.page(await stage.device(PHONE));
  const guest = await stage.page(await stage.device(LAPTOP));
  await host.goto(link);
  await sitDown(host, 'Ana');
  for (const level of ['easy', 'normal', 'hard']) {
    await press(host, `lobby.bot.${level}`);
    await shows(host.locator('.seats').getByText(say(`bot.${level}`), { exact: true }), `the ${level} bot should sit at the table`);
  }
  const { seats } = await stage.server.room(code);
  assert.deepEqual(seats.map((seat) => seat.bot), [null, 'easy', 'normal', 'hard']);
  await press(host, 'lobby.remove', { name: seats[1].name });
  await shows(host.locator('.seats').getByText(say('lobby.free', { count: 2 })), 'a seat should be free again');

  await guest.goto(link);
  await sitDown(guest, 'Mira');
  await host.getByRole('combobox').selectOption('120');
  await shows(guest.locator('p.setting').getByText(say('lobby.clock.minutes', { count: 2 })), 'the guest should read the clock');
  assert.equal(await guest.getByRole('button', { name: say('lobby.bot.easy') }).count(), 0, 'only the host adds bots');

  await press(host, 'lobby.start');
  // It stands empty while a bot is asked.
  await shows(guest.getByRole('timer'), 'the game should have a place for the time that is left', { state: 'attached' });
});

story('a seat moves to another device by a link that works once, and leaving hands it to a bot', async (stage) => {
  const laptop = await stage.page(await stage.device(LAPTOP));
  await laptop.goto(stage.server.url);
  await press(laptop, 'front.bots');
  await sitDown(laptop, 'Ana');
  await press(laptop, 'menu');
  await press(laptop, 'menu.device');
  const link = await laptop.locator('.for-device .link').textContent();

  const phone = await stage.page(await stage.device(PHONE));
  await phone.goto(link);
  await shows(phone.locator('main.game .ownside').getByText('Ana', { exact: true }), 'the phone should have the seat');
  assert.equal(new URL(phone.url()).hash, '', 'the secret should be gone from the address');
  await phone.reload();
  await shows(phone.locator('main.game'), 'the phone should keep the seat');

  const late = await stage.page(await stage.device(PHONE));
  await late.goto(link);
  await shows(late.getByRole('alert').getByText(say('code.link_used.title')), 'the link should work once');

  await press(phone, 'menu');
  await press(phone, 'menu.leave');
  await shows(phone.locator('.for-leave').getByText(say('leave.words')), 'leaving should say that a bot plays on');
  await press(phone, 'leave.go');
  const code = new URL(link).pathname.split('/').at(-1);
  await shows(phone.locator('main.front'), 'who left should be at the front page');
  assert.equal((await stage.server.room(code)).seats[0].bot, 'normal', 'a bot should play on');
});
