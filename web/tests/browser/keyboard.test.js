// Three friends with laptops play a whole game by keyboard alone, and what a screen reader hears of it.

import assert from 'node:assert/strict';
import { goes, shows, story, LAPTOP } from './support/stage.js';
import { Typist, playToTheEnd, shortGame } from './support/player.js';
import { anyOf, say } from './support/words.js';

const NAMES = ['Ana', 'Mira', 'Tomas'];

/** Runs in the page first: keeps everything the live region ever said. */
function keepWhatIsSaid() {
  window.said = [];
  addEventListener('DOMContentLoaded', () => {
    const region = document.getElementById('heard');
    new MutationObserver(() => region.textContent && window.said.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
  });
}

const said = (player) => player.page.evaluate(() => window.said);

async function sitDown(player) {
  const field = player.page.getByRole('textbox', { name: say('join.name') });
  await player.tabTo(field, 'the field for the name');
  await player.page.keyboard.type(player.name);
  await player.key('Enter');
  await shows(player.page.getByRole('button', { name: say('lobby.stand') }), `${player.name} should have sat down`);
}

story('three friends with laptops finish a whole game by keyboard alone', async (stage) => {
  const players = await Promise.all(NAMES.map(async (name) => {
    const context = await stage.device(LAPTOP);
    await context.addInitScript(keepWhatIsSaid);
    return new Typist(await stage.page(context), name);
  }));
  const [ana, mira, tomas] = players;

  await ana.page.goto(stage.server.url);
  await ana.tabTo(ana.page.getByRole('button', { name: say('front.new', { game: say('game.towers') }) }), 'New room');
  await ana.key('Enter');
  await sitDown(ana);
  const link = ana.page.url();
  for (const friend of [mira, tomas]) {
    await friend.page.goto(link);
    await sitDown(friend);
  }
  await shows(ana.page.locator('.seats').getByText('Tomas', { exact: true }), 'the host should see the last friend sit down');
  await ana.tabTo(ana.page.getByRole('button', { name: say('lobby.start') }), 'Start');
  await ana.key('Enter');
  for (const player of players) await shows(player.page.locator('main.game'), `the game should start for ${player.name}`);

  await keysAreShown(mira);
  await refusalIsSaid(players);

  const plan = shortGame();
  plan.players = players;
  await playToTheEnd(players, plan, async (player) => {
    const place = await player.page.evaluate(() => document.activeElement?.isConnected && document.activeElement !== document.body);
    assert.ok(place, `after a turn ${player.name}'s focus should rest somewhere on the page, not be lost`);
  });
  const done = (what) => players.reduce((sum, player) => sum + player.done[what], 0);
  assert.ok(done('builds') >= 10 && done('undos') >= 1 && done('demolitions') >= 1, `a real game was meant to be played with keys, not ${JSON.stringify(players.map((player) => player.done))}`);
  for (const player of players) await heardTheGame(player, players);

  await shows(ana.page.locator('.ending.over'), 'the scores should be counted up');
  await ana.tabTo(ana.page.getByRole('button', { name: say('end.rematch') }), 'Rematch');
  await ana.key('Enter');
  for (const player of players) await shows(player.page.locator('main.lobby .wins').first(), `${player.name} should be back in the lobby with the win counted`);
}, { timeout: 240000 });

/** `?` lists the keys; Escape goes back to where one was. */
async function keysAreShown(player) {
  await player.key('?');
  const sheet = player.page.getByRole('dialog', { name: say('keys') });
  await shows(sheet, '? should show the keys');
  for (const key of ['0–5', 'P', 'D', 'U', 'F', '?']) assert.ok(await sheet.getByText(key, { exact: true }).count(), `the sheet of keys should name ${key}`);
  await player.key('Escape');
  await goes(sheet, 'Escape should close the sheet');
}

/** Whoever opens the auction may not pass, and is told so when they press P. */
async function refusalIsSaid(players) {
  for (const player of players) {
    const seen = await player.see();
    if (!seen.asked || seen.pass?.lit) continue;
    await player.key('p');
    const alert = player.page.getByRole('alert');
    await shows(alert, 'a key that cannot be should be answered');
    assert.equal(await alert.textContent(), say('code.starter_must_bid'), 'a key that cannot be should say why');
    return;
  }
  assert.fail('somebody should be asked for the first bid');
}

/** What happened and what is asked is said, each with its own words. */
async function heardTheGame(player, players) {
  const lines = (await said(player)).flatMap((text) => text.split('. '));
  const others = players.filter((each) => each !== player);
  const did = (what) => others.some((each) => each.done[what] > 0);
  const should = (pattern, what) => assert.ok(lines.some((line) => pattern.test(line)), `a screen reader at ${player.name}'s laptop should hear ${what} (${pattern}), but heard only:\n${lines.join('\n')}`);
  should(anyOf('towers.log.bid'), 'what the others bid');
  should(anyOf('towers.log.pass'), 'who passes');
  if (did('takes')) should(anyOf('towers.log.take'), 'which cards the others take');
  if (did('builds')) should(anyOf('towers.log.build'), 'what the others build');
  if (did('undos')) should(anyOf('towers.log.undo'), 'that a step was undone');
  if (did('demolitions')) should(anyOf('towers.log.demolish'), 'what the others demolish');
  should(new RegExp(`${anyOf('towers.say.your_bid').source}|${anyOf('towers.say.your_bid_over').source}`), 'that it is one’s own turn to bid');
  if (player.done.takes) should(anyOf('towers.say.you_take'), 'how many cards to take');
  if (player.done.builds) should(anyOf('towers.say.you_build'), 'how many cards to build');
  should(new RegExp(`${anyOf('end.wins').source}|${anyOf('end.shared').source}`), 'who won');
  should(anyOf('end.score'), 'how many points everybody has');
}
