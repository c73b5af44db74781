// Three friends with phones play a whole game by taps alone, from the front page to the rematch.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { Tapper, playToTheEnd, shortGame } from './support/player.js';
import { say } from './support/words.js';

const NAMES = ['Ana', 'Mira', 'Tomas'];

/** What is on the screen should be the whole page: nothing below, nothing beside. */
async function fitsTheScreen(player, where) {
  const size = await player.page.evaluate(() => {
    const { scrollHeight, scrollWidth, scrollTop } = document.scrollingElement;
    const scrolls = [
      ...document.querySelectorAll('main.game, .board:not(.atEnd), .opponents, .middle, .ownside, .bar'),
    ].filter((el) => el.scrollHeight > el.clientHeight + 1 || el.scrollWidth > el.clientWidth + 1);
    return {
      scrollHeight,
      scrollWidth,
      scrollTop,
      innerWidth,
      innerHeight,
      scrolls: scrolls.map(
        (el) => `${el.className} ${el.scrollWidth}×${el.scrollHeight} in ${el.clientWidth}×${el.clientHeight}`,
      ),
    };
  });
  assert.ok(
    size.scrollHeight <= size.innerHeight && size.scrollWidth <= size.innerWidth && size.scrollTop === 0,
    `${where}: the page should not scroll for ${player.name}, but ${JSON.stringify(size)}`,
  );
  assert.deepEqual(size.scrolls, [], `${where}: every part of ${player.name}'s table should fit`);
}

/** Types a name and sits down: the only keys of this story. */
async function sitDown(player) {
  const field = player.page.getByRole('textbox', { name: say('join.name') });
  await player.tap(field, 'the field for the name');
  await player.page.keyboard.type(player.name);
  await player.tap(player.button('join.sit'), 'Sit down');
  await shows(player.page.getByRole('button', { name: say('lobby.stand') }), `${player.name} should have sat down`);
}

story(
  'three friends with phones finish a whole game by taps alone, and play again',
  async (stage) => {
    const players = await Promise.all(
      NAMES.map(async (name) => new Tapper(await stage.page(await stage.device(PHONE)), name)),
    );
    const [ana, mira, tomas] = players;

    await ana.page.goto(stage.server.url);
    await ana.tap(ana.page.getByRole('button', { name: say('front.new', { game: say('game.towers') }) }), 'New room');
    await sitDown(ana);
    await shows(ana.page.getByText(say('lobby.missing', { count: 1 })).first(), 'the lobby should say who is missing');
    const start = ana.button('lobby.start');
    assert.equal(
      await start.getAttribute('aria-disabled'),
      'true',
      'alone at the table, Start should say that it cannot',
    );
    await ana.tap(start, 'Start');
    await shows(
      ana.page.getByRole('alert').filter({ hasText: say('code.too_few_players') }),
      'Start should say why it cannot',
    );

    const link = ana.page.url();
    const code = link.split('/').at(-1);
    assert.match(
      await ana.page.locator('.link').textContent(),
      new RegExp(`/r/${code}$`),
      'the lobby should show the link that is in the address',
    );
    for (const friend of [mira, tomas]) {
      await friend.page.goto(link);
      await sitDown(friend);
    }
    for (const player of players) {
      for (const name of NAMES)
        await shows(
          player.page.locator('.seats').getByText(name, { exact: true }),
          `${player.name} should see ${name} at the table`,
        );
      await fitsTheScreen(player, 'in the lobby');
    }

    await ana.tap(start, 'Start');
    for (const player of players)
      await shows(player.page.locator('main.game'), `the game should start for ${player.name}`);

    const plan = shortGame();
    plan.players = players;
    await playToTheEnd(players, plan, async (player) => {
      if (!(await player.see()).ended) await fitsTheScreen(player, 'at the table');
    });
    const done = (what) => players.reduce((sum, player) => sum + player.done[what], 0);
    assert.ok(
      done('builds') >= 10,
      `a real game was meant to be played, with ten cards built at least, not ${done('builds')}`,
    );
    assert.ok(
      done('undos') >= 1 && done('demolitions') >= 1,
      `an undo and a demolition were meant to be tapped, not ${done('undos')} and ${done('demolitions')}`,
    );
    assert.ok(done('passes') >= 1 && done('takes') >= 3, 'passes and takes belong to a real game');

    const room = await stage.server.room(code);
    assert.equal(room.phase, 'finished', 'the server should say that the game is finished');
    const winners = room.seats.filter((seat) => seat.wins > 0).map((seat) => seat.name);
    assert.ok(winners.length >= 1, 'somebody should have won');
    for (const player of players) await sameEnding(player, winners);

    await ana.tap(ana.button('end.rematch'), 'Rematch');
    for (const player of players) {
      // A player who did not open the table stays at the result.
      if (player !== ana) await player.tap(player.button('onward.go'), 'Go to table');
      await shows(player.page.locator('main.lobby'), `${player.name} should be back in the lobby`);
      const stars = await player.page.locator('.seats li:has(.wins) .name').allTextContents();
      assert.deepEqual(stars, winners, `after the rematch ${player.name}'s lobby should count the win`);
      await fitsTheScreen(player, 'back in the lobby');
    }
    await ana.tap(start, 'Start');
    for (const player of players)
      await shows(player.page.locator('main.game:not(.ended)'), `the second game should start for ${player.name}`);
  },
  { timeout: 240000, lapse: true },
);

/** The end as this page shows it: winners named, scores that add up and put the winners on top. */
async function sameEnding(player, winners) {
  await shows(player.page.locator('.ending.over'), `the scores should be counted up for ${player.name}`);
  const title = await player.page.locator('.winner').textContent();
  const alone = winners.length === 1 && winners[0] === player.name;
  const names = new Intl.ListFormat('en').format(winners);
  assert.equal(
    title,
    alone ? say('end.you_win') : say(winners.length > 1 ? 'end.shared' : 'end.wins', { name: names }),
    `the end should name the winners to ${player.name}`,
  );
  const lines = await player.page.locator('.scores tbody tr').evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.querySelector('.name').textContent,
      won: row.classList.contains('won'),
      numbers: [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-'))),
    })),
  );
  assert.deepEqual(
    lines.map((line) => line.name).sort(),
    [...NAMES].sort(),
    'everybody should be in the table of scores',
  );
  for (const { name, numbers } of lines) {
    assert.equal(
      numbers.slice(0, 3).reduce((sum, value) => sum + value, 0),
      numbers[3],
      `the parts of ${name}'s score should add up to its total`,
    );
  }
  const best = Math.max(...lines.map((line) => line.numbers[3]));
  const top = lines.filter((line) => line.numbers[3] === best).map((line) => line.name);
  assert.deepEqual(top.sort(), [...winners].sort(), 'the highest total should be the winners’');
  assert.deepEqual(
    lines
      .filter((line) => line.won)
      .map((line) => line.name)
      .sort(),
    [...winners].sort(),
    'the winners’ lines should be marked',
  );
}
