// Three friends with laptops play a whole game by keyboard alone, and what a screen reader hears of it.

import assert from 'node:assert/strict';
import { goes, shows, story, LAPTOP } from './support/stage.js';
import { Typist, playToTheEnd, shortGame } from './support/player.js';
import { Ear, heardTheGame } from './support/ear.js';
import { anyOf, say } from './support/words.js';

const NAMES = ['Ana', 'Mira', 'Tomas'];

/** What is heard of a game of Five Towers. */
const TOWERS = {
  log: ['row', 'bid', 'pass', 'take', 'undo', 'retract', 'demolish', 'roof', 'discard', 'reshuffle'].map((what) =>
    anyOf(`towers.log.${what}`),
  ),
  // A player must build all taken cards.
  silent: [anyOf('towers.log.build'), anyOf('towers.log.finish')],
  asks: [
    ...['your_bid', 'your_bid_over', 'only_pass', 'you_take', 'you_build', 'you_finish', 'must_demolish', 'stuck'].map(
      (what) => anyOf(`towers.say.${what}`),
    ),
    ...say('code.starter_must_bid')
      .split(/\. |\.$/)
      .filter(Boolean)
      .map((each) => new RegExp(`^${each}$`)),
  ],
  most: 16,
};

async function sitDown(player) {
  const field = player.page.getByRole('textbox', { name: say('join.name') });
  await player.tabTo(field, 'the field for the name');
  await player.page.keyboard.type(player.name);
  await player.key('Enter');
  await shows(player.page.getByRole('button', { name: say('lobby.stand') }), `${player.name} should have sat down`);
}

story(
  'three friends with laptops finish a whole game by keyboard alone',
  async (stage) => {
    const players = await Promise.all(
      NAMES.map(async (name) => {
        const context = await stage.device(LAPTOP);
        await Ear.give(context);
        return new Typist(await stage.page(context), name);
      }),
    );
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
    await shows(
      ana.page.locator('.seats').getByText('Tomas', { exact: true }),
      'the host should see the last friend sit down',
    );
    await ana.tabTo(ana.page.getByRole('button', { name: say('lobby.start') }), 'Start');
    await ana.key('Enter');
    for (const player of players)
      await shows(player.page.locator('main.game'), `the game should start for ${player.name}`);

    await keysAreShown(mira);
    await refusalIsSaid(players);

    const plan = shortGame();
    plan.players = players;
    await playToTheEnd(players, plan, async (player) => {
      const place = await player.page.evaluate(
        () => document.activeElement?.isConnected && document.activeElement !== document.body,
      );
      assert.ok(place, `after a turn ${player.name}'s focus should rest somewhere on the page, not be lost`);
    });
    const done = (what) => players.reduce((sum, player) => sum + player.done[what], 0);
    assert.ok(
      done('builds') >= 10 && done('undos') >= 1 && done('demolitions') >= 1,
      `a real game was meant to be played with keys, not ${JSON.stringify(players.map((player) => player.done))}`,
    );
    for (const player of players) {
      await shows(player.page.locator('.ending.over'), 'the scores should be counted up');
      await heardTheGame(player.page, player.name, TOWERS);
    }

    await shows(ana.page.locator('.ending.over'), 'the scores should be counted up');
    await ana.tabTo(ana.page.getByRole('button', { name: say('end.rematch') }), 'Rematch');
    await ana.key('Enter');
    for (const player of players.filter((each) => each !== ana)) {
      await player.tabTo(player.page.getByRole('button', { name: say('onward.go') }), 'Go to table');
      await player.key('Enter');
    }
    for (const player of players)
      await shows(
        player.page.locator('main.lobby .wins').first(),
        `${player.name} should be back in the lobby with the win counted`,
      );
  },
  { timeout: 240000, lapse: true },
);

/** `?` lists the keys; Escape goes back to where one was. */
async function keysAreShown(player) {
  await player.key('?');
  const sheet = player.page.getByRole('dialog', { name: say('keys') });
  await shows(sheet, '? should show the keys');
  for (const key of ['0–5', 'P', 'D', 'U', 'F', '?'])
    assert.ok(await sheet.getByText(key, { exact: true }).count(), `the sheet of keys should name ${key}`);
  await player.key('Escape');
  await goes(sheet, 'Escape should close the sheet');
}

/** The player who opens the auction may not pass, and is told so on P. */
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
