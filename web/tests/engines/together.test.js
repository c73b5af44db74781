// Three people, each in a browser with another engine: a whole game together by taps alone, and the next one. Who watches the replay when
// somebody wants another game stays there, is told calmly, and comes when it begins.

import assert from 'node:assert/strict';
import { Tapper, playToTheEnd, shortGame } from '../browser/support/player.js';
import { ENGINES, shot, shows, story } from '../browser/support/stage.js';
import { say } from '../browser/support/words.js';

const NAMES = ['Ana', 'Mira', 'Tomas'];

async function sitDown(player) {
  await player.tap(player.page.getByRole('textbox', { name: say('join.name') }), 'the field for the name');
  await player.page.keyboard.type(player.name);
  await player.tap(player.button('join.sit'), 'Sit down');
  await shows(player.button('lobby.stand'), `${player.name} should have sat down`);
}

story('three people in three engines play a whole game, and nobody is interrupted by the wish for another', async (stage) => {
  const players = await Promise.all(ENGINES.map(async (engine, i) => new Tapper(await stage.phone(engine), NAMES[i])));
  const [ana, mira, tomas] = players;
  await ana.page.goto(stage.server.url);
  await ana.tap(ana.page.getByRole('button', { name: say('front.new', { game: say('game.towers') }) }), 'New room');
  await sitDown(ana);
  const code = await ana.page.evaluate(() => location.pathname.split('/').at(-1));
  for (const friend of [mira, tomas]) {
    await friend.page.goto(`${stage.server.url}/r/${code}`);
    await sitDown(friend);
  }
  for (const name of NAMES) await shows(ana.page.locator('.seats').getByText(name, { exact: true }), `Ana should see ${name} at the table`);
  await ana.tap(ana.button('lobby.start'), 'Start');
  for (const player of players) {
    await shows(player.page.locator('main.game'), `the game should begin for ${player.name}`);
    await player.page.evaluate(() => { window.neverReloaded = true; });
  }

  const plan = shortGame({ builds: 6 });
  plan.players = players;
  await playToTheEnd(players, plan);
  const room = await stage.server.room(code);
  assert.equal(room.phase, 'finished', 'the server should say that the game is over');
  const winners = room.seats.filter((seat) => seat.wins > 0).map((seat) => seat.name);
  for (const player of players) {
    await shows(player.page.locator('.ending.over'), `the scores should be counted up for ${player.name}`);
    const alone = winners.length === 1 && winners[0] === player.name;
    const names = new Intl.ListFormat('en').format(winners);
    assert.equal(await player.page.locator('.winner').textContent(), alone ? say('end.you_win') : say(winners.length > 1 ? 'end.shared' : 'end.wins', { name: names }), `the end should name the winners to ${player.name}`);
  }

  // Mira looks back while Ana wants another game.
  await mira.tap(mira.button('end.replay'), 'Replay');
  await shows(mira.page.locator('main.past .scrub'), 'the game should begin again for Mira');
  await mira.tap(mira.button('moment.pause'), 'Pause');
}, { timeout: 240000, lapse: true });
