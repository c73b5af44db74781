// Brings tables to a moment of a game through the page: the lobby, an auction, a take, a build, the end. A player
// without a browser has the other seat and records the events.

import { Friend, modest } from './friend.js';
import { Tapper, playToTheEnd } from './player.js';
import { shows } from './stage.js';

export const MOMENTS = ['lobby', 'auction', 'take', 'build', 'end'];

/** Sits down in a new room at this address and goes on to the moment. */
export async function layTable(stage, context, url, moment, name = 'Ana', language = 'en') {
  const code = await stage.server.newRoom();
  const player = new Tapper(await stage.page(context), name, language);
  const { page } = player;
  await page.goto(`${url}/r/${code}`);
  await page.getByRole('textbox', { name: player.say('join.name') }).fill(name);
  await player.tap(player.button('join.sit'), 'Sit down');
  await shows(page.locator('main.lobby'), `${name} should sit in the lobby`);
  const friend = await Friend.join(stage.server, code, 'Mira', modest);
  stage.also(() => friend.leave());
  await shows(page.locator('.seats').getByText('Mira', { exact: true }), 'the friend should sit there too');
  // A reload would lose it.
  await page.evaluate(() => {
    window.neverReloaded = true;
  });
  const table = { moment, code, page, player, friend };
  if (moment !== 'lobby') await playOn(table);
  return table;
}

async function playOn({ moment, page, player }) {
  await player.tap(player.button('lobby.start'), 'Start');
  if (moment === 'end') {
    await shows(page.locator('main.game'), 'the game should start');
    await playToTheEnd([player], {
      bid: (lit, mayPass) => (mayPass ? null : lit[0]),
      undo: () => false,
      demolish: () => false,
    });
    await shows(page.locator('.ending.over'), 'the scores should be counted up');
    return;
  }
  await shows(page.locator('main.asked .bids'), 'a bid should be asked for');
  if (moment === 'auction') return;
  await player.andSee('bid 3', () => player.pressNumber(3));
  // During the auction the cards of the row are lit too, to try what a bid would mean.
  await shows(
    page.locator('main.asked:has(.bar .main) .hand .lit[data-card]').first(),
    'the row should be there to take from',
  );
  const lift = (at) => player.andSee(`lifted card ${at + 1}`, () => player.pressCard(at));
  await lift(0);
  await lift(2);
  if (moment === 'take') return;
  await lift(4);
  await player.andSee('took them', () => player.pressTake());
  const lit = async () => (await player.see()).cards.findIndex((card) => card.lit);
  const first = await lit();
  await lift(first);
  await player.andSee('placed it', () => player.pressCard(first));
  await lift(await lit());
}
