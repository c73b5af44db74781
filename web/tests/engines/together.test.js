// Three people, each in another engine, play a whole game by taps alone, and the next one. A player who watches the
// replay when the table is opened stays there, is told, and can join when it begins.

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

story(
  'three people in three engines play a whole game, and nobody is interrupted by a rematch',
  async (stage) => {
    const players = await Promise.all(
      ENGINES.map(async (engine, i) => new Tapper(await stage.phone(engine), NAMES[i])),
    );
    const [ana, mira, tomas] = players;
    await ana.page.goto(stage.server.url);
    await ana.tap(ana.page.getByRole('button', { name: say('front.new', { game: say('game.towers') }) }), 'New room');
    await sitDown(ana);
    const code = await ana.page.evaluate(() => location.pathname.split('/').at(-1));
    for (const friend of [mira, tomas]) {
      await friend.page.goto(`${stage.server.url}/r/${code}`);
      await sitDown(friend);
    }
    for (const name of NAMES)
      await shows(ana.page.locator('.seats').getByText(name, { exact: true }), `Ana should see ${name} at the table`);
    await ana.tap(ana.button('lobby.start'), 'Start');
    for (const player of players) {
      await shows(player.page.locator('main.game'), `the game should begin for ${player.name}`);
      await player.page.evaluate(() => {
        window.neverReloaded = true;
      });
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
      assert.equal(
        await player.page.locator('.winner').textContent(),
        alone ? say('end.you_win') : say(winners.length > 1 ? 'end.shared' : 'end.wins', { name: names }),
        `the end should name the winners to ${player.name}`,
      );
    }

    // Mira looks back at the game while the others want another.
    await mira.tap(mira.button('end.replay'), 'Replay');
    await shows(mira.page.locator('main.past .scrub'), 'the game should begin again for Mira');
    await mira.tap(mira.button('moment.pause'), 'Pause');
    const place = await mira.page.locator('.scrub .place').textContent();
    const undisturbed = async (when) => {
      await shows(mira.page.locator('main.past .scrub'), `${when} Mira should still be in the replay`);
      assert.equal(
        await mira.page.locator('.scrub .place').textContent(),
        place,
        `${when} Mira should look at the same moment`,
      );
    };
    await tomas.tap(tomas.page.locator('.bar .hand-up'), 'Again!');
    for (const player of [ana, tomas])
      await shows(player.page.locator('.ending .raised').first(), `${player.name} should see the hand of Tomas`);
    await undisturbed('when Tomas raised his hand');

    // Ana opens the table: who looks at the result or the replay stays there, and reads it.
    await ana.tap(ana.button('end.rematch'), 'Rematch');
    await shows(ana.page.locator('main.lobby'), 'Ana should be in the lobby');
    for (const player of [mira, tomas])
      await shows(
        player.page.locator('.onward').getByText(say('onward.opened', { name: 'Ana' }), { exact: true }),
        `${player.name} should be told that the table is open`,
      );
    await shows(tomas.page.locator('.ending.over'), 'Tomas should still look at the result');
    await undisturbed('when the table was opened');
    await mira.page.screenshot({ path: shot('together-replay') });
    await tomas.page.screenshot({ path: shot('together-result') });

    // Ana begins: Tomas, who wanted it, is taken along; Mira goes when she wants to.
    await ana.tap(ana.button('lobby.start'), 'Start');
    for (const player of [ana, tomas])
      await shows(player.page.locator('main.game:not(.ended)'), `the next game should begin for ${player.name}`);
    await mira.page.waitForFunction(
      (words) => words.includes(document.querySelector('.onward p')?.textContent),
      ['onward.begun', 'onward.turn'].map((key) => say(key)),
    );
    await undisturbed('when the next game began');
    await mira.tap(mira.page.locator('.onward .main'), 'Go to table');
    await shows(mira.page.locator('main.game:not(.ended):not(.past)'), 'Mira should come to the next game');
    const next = await stage.server.room(code);
    assert.deepEqual(
      [next.phase, next.seats.map((seat) => seat.name).sort()],
      ['playing', [...NAMES].sort()],
      'all three should sit at the next game',
    );

    // And it goes on for all of them.
    const calls = () => players.map(({ done }) => done.bids + done.passes);
    const before = calls();
    while (calls().some((count, i) => count === before[i])) {
      for (const player of players) if ((await player.see()).asked) await player.takeTurn(plan);
    }
    for (const player of players)
      assert.ok(
        await player.page.evaluate(() => window.neverReloaded),
        `${player.name}'s page should have come through without a reload`,
      );
  },
  { timeout: 240000, lapse: true },
);
