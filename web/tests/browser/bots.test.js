// Bots: a game in one tap from the home page, and a bot in place of a player who leaves. And moving a seat to another
// device.

import assert from 'node:assert/strict';
import { scan } from './support/camera.js';
import { layTable } from './support/moments.js';
import { Tapper, playToTheEnd } from './support/player.js';
import { press as pressOn, settled, shows, story, until, LAPTOP, PATIENCE_MS, PHONE } from './support/stage.js';
import { say } from './support/words.js';

const press = (page, key, params) => pressOn(page.getByRole('button', { name: say(key, params), exact: true }));

async function sitDown(page, name) {
  await page.getByRole('textbox', { name: say('join.name') }).fill(name);
  await press(page, 'join.sit');
  // A bot that sits down first may take the name.
  await shows(page.locator('.seats .own').getByText(name, { exact: true }), `${name} should sit`);
}

/**
 * The host wants no act played for anybody, and the server knows. The switch shows what the server says, so it is not
 * asked.
 */
async function playNoForcedActs(stage, page, code) {
  await page.getByRole('switch', { name: say('lobby.forced') }).click();
  await until(async () => (await stage.server.room(code)).forced === 'ask', 'forced acts should be left to people');
}

/** From the front page to the first decision of one's own. */
const SOON_MS = 3000;

for (const game of ['towers', 'qwantum']) {
  story(
    `one tap leads from the front page to the first own decision in a game of ${game} with two bots`,
    async (stage) => {
      // Who begins is chance, and a machine may be busy for a moment: one of a few newcomers must come as soon as all
      // do on a quiet one.
      const took = [];
      let page;
      while (took.length < 20 && !took.some((ms) => ms < SOON_MS)) {
        const context = await stage.device(PHONE);
        await context.addInitScript((chosen) => {
          localStorage.setItem('rookery.game', JSON.stringify(chosen));
          window.taps = 0;
          addEventListener(
            'pointerdown',
            () => {
              window.taps += 1;
              window.tapped = performance.now();
            },
            true,
          );
          new MutationObserver(() => {
            if (document.querySelector('main.asked')) window.decides ??= performance.now();
          }).observe(document, { subtree: true, childList: true, attributeFilter: ['class'] });
        }, game);
        page = await stage.page(context);
        const newcomer = new Tapper(page, 'Somebody');
        await page.goto(stage.server.url);
        await newcomer.tap(newcomer.button('front.bots'), 'Play against bots');
        await shows(page.locator('main.asked'), 'a decision should be asked for, without a question before');
        assert.equal(await page.evaluate(() => window.taps), 1, 'one tap should do');
        took.push(await page.evaluate(() => Math.round(window.decides - window.tapped)));
      }
      console.log(`one tap to the first own decision in ${game}: ${took.join(', ')} ms`);
      assert.ok(
        Math.min(...took) < SOON_MS,
        `the first own decision should come within ${SOON_MS} ms, but took ${took.join(', ')}`,
      );
      const { seats } = await stage.server.room(new URL(page.url()).pathname.split('/').at(-1));
      assert.deepEqual(
        seats.map((seat) => seat.bot),
        [null, 'normal', 'normal'],
        'two normal bots should sit there',
      );
      assert.ok(
        say('names').split(', ').includes(seats[0].name),
        `the name should be one of those that are given, not ${seats[0].name}`,
      );
    },
    { botDelayMs: 700, timeout: 300000 },
  );
}

story(
  'bot settings and a name given at the table are remembered, and running games are listed first',
  async (stage) => {
    const page = await stage.page(await stage.device(PHONE));
    await page.goto(stage.server.url);
    await page.getByRole('combobox', { name: say('front.bots.count') }).selectOption('4');
    await page.getByRole('combobox', { name: say('front.bots.level') }).selectOption('easy');
    await page.reload();
    await press(page, 'front.bots');
    await shows(page.locator('main.game'), 'the game should start by itself');
    assert.equal(await page.locator('.opponent .botMark').count(), 4, 'all opponents should be marked as bots');
    const roomOf = async () => stage.server.room(new URL(page.url()).pathname.split('/').at(-1));
    const first = await roomOf();
    assert.deepEqual(
      first.seats.map((seat) => seat.bot),
      [null, 'easy', 'easy', 'easy', 'easy'],
    );

    await press(page, 'menu');
    await press(page, 'settings');
    const field = page.getByRole('textbox', { name: say('join.name') });
    assert.equal(await field.inputValue(), first.seats[0].name, 'the settings should say what one is called');
    await field.fill('x'.repeat(25));
    await field.blur();
    await shows(page.getByText(say('code.bad_name')), 'a name nobody could read should be refused');
    await field.fill(' Ona ');
    await field.blur();
    await shows(page.getByText(say('people.named_you', { name: 'Ona' })), 'it should say what one is called now');

    await page.goto(stage.server.url);
    const back = page.locator('.front > .running button');
    await shows(back.locator('.name', { hasText: /^Ona,/ }), 'the running game should stand first');
    await shows(back.locator('.turn'), 'it should say whose turn it is');
    await page.getByRole('button', { name: say('game.qwantum'), exact: true }).click();
    assert.equal(
      await page.getByRole('combobox', { name: say('front.bots.count') }).inputValue(),
      '3',
      'no more bots should be offered than can play',
    );
    await press(page, 'front.bots');
    await shows(page.locator('main.game'), 'the second game should start without a question');
    assert.deepEqual(
      (await roomOf()).seats.map((seat) => seat.bot ?? seat.name),
      ['Ona', 'easy', 'easy', 'easy'],
    );

    await page.goto(stage.server.url);
    await settled(page);
    await back.filter({ hasText: say('game.towers') }).click();
    await shows(page.locator('main.game .ownside').getByText('Ona', { exact: true }), 'one tap should lead back to it');
    assert.equal(new URL(page.url()).pathname.split('/').at(-1), first.code);
  },
);

story(
  'a player in a one-tap game with bots changes their name, which watchers see and which is kept',
  async (stage) => {
    const page = await stage.page(await stage.device(PHONE));
    await page.goto(stage.server.url);
    await press(page, 'front.bots');
    await shows(page.locator('main.game'), 'the game should start by itself');
    const code = new URL(page.url()).pathname.split('/').at(-1);
    const given = (await stage.server.room(code)).seats[0].name;
    const guest = await stage.page(await stage.device(LAPTOP));
    await guest.goto(`${stage.server.url}/r/${code}`);
    await guest.getByRole('textbox', { name: say('join.name') }).fill('Wil');
    await press(guest, 'join.watch');
    await shows(
      guest.locator('main.game').getByText(given, { exact: true }).first(),
      'the guest should see the given name',
    );

    const rename = async (name) => {
      await press(page, 'menu');
      await press(page, 'settings');
      await page.getByRole('textbox', { name: say('join.name') }).fill(name);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
    };
    await rename('Ona');
    await shows(page.getByText(say('people.named_you', { name: 'Ona' })), 'it should say what one is called now');
    await shows(page.locator('main.game .ownside').getByText('Ona', { exact: true }), 'and so should the own seat');
    await guest.waitForFunction(
      (words) => document.getElementById('heard').textContent.includes(words),
      say('people.named', { was: given, name: 'Ona' }),
    );
    await shows(
      guest.locator('main.game').getByText('Ona', { exact: true }).first(),
      'the guest should see the new name',
    );
    await shows(
      guest.locator('.log .person').getByText(say('people.named', { was: given, name: 'Ona' })),
      'and read in the log who that is',
    );
    // A bot has that name already.
    const bot = (await stage.server.room(code)).seats[1].name;
    await rename(bot);
    await shows(
      guest.locator('main.game').getByText(`${bot} 2`, { exact: true }).first(),
      'a name that is taken should get a number, as at joining',
    );
    await page.reload();
    await shows(
      page.locator('main.game .ownside').getByText(`${bot} 2`, { exact: true }),
      'it should outlive a reload',
    );
  },
);

story(
  'the join screen of a link names the host and the game, and offers watching only during a game',
  async (stage) => {
    const { page: host, code } = await layTable(stage, await stage.device(PHONE), stage.server.url, 'lobby');
    const guest = await stage.page(await stage.device(PHONE));
    await guest.goto(`${stage.server.url}/r/${code}`);
    await shows(
      guest.getByRole('heading', { name: say('join.invites', { name: 'Ana', game: say('game.towers') }) }),
      'it should say who invites to what',
    );
    await shows(guest.getByRole('button', { name: say('join.sit'), exact: true }), 'a seat should be offered');
    const watch = guest.getByRole('button', { name: say('join.watch'), exact: true });
    assert.equal(await watch.count(), 0, 'there is nothing to watch yet');
    await press(host, 'lobby.start');
    await shows(host.locator('main.game'), 'the game should start');
    await guest.reload();
    await shows(watch, 'a game that is on can be watched');
  },
);

story('the host adds bots of each level, removes one and sets the clock, and a guest sees it', async (stage) => {
  const code = await stage.server.newRoom();
  const link = `${stage.server.url}/r/${code}`;
  const host = await stage.page(await stage.device(PHONE));
  const guest = await stage.page(await stage.device(LAPTOP));
  await host.goto(link);
  await sitDown(host, 'Ana');
  for (const level of ['easy', 'casual', 'normal', 'hard']) {
    await shows(host.getByText(say(`lobby.bot.${level}.suits`)), `it should say whom a ${level} bot suits`);
    await press(host, `lobby.bot.${level}`);
    await shows(
      host.locator('.seats').getByText(say(`bot.${level}`), { exact: true }),
      `the ${level} bot should sit at the table`,
    );
  }
  const { seats } = await stage.server.room(code);
  assert.deepEqual(
    seats.map((seat) => seat.bot),
    [null, 'easy', 'casual', 'normal', 'hard'],
  );
  await press(host, 'lobby.remove', { name: seats[1].name });
  await shows(host.locator('.seats').getByText(say('lobby.free', { count: 1 })), 'a seat should be free again');

  await guest.goto(link);
  await sitDown(guest, 'Mira');
  await host.getByRole('combobox', { name: say('lobby.clock') }).selectOption('120');
  await shows(
    guest.locator('p.setting').getByText(say('lobby.clock.minutes', { count: 2 })),
    'the guest should read the clock',
  );
  assert.equal(await guest.getByRole('button', { name: say('lobby.bot.easy') }).count(), 0, 'only the host adds bots');

  await press(host, 'lobby.start');
  // It stands empty while a bot is asked.
  await shows(guest.getByRole('timer'), 'the game should have a place for the time that is left', {
    state: 'attached',
  });
});

story(
  'a seat moves from laptop to phone by its QR code, which works once, and leaving hands it to a bot',
  async (stage) => {
    const laptop = await stage.page(await stage.device(LAPTOP));
    await laptop.goto(stage.server.url);
    await laptop.evaluate(() => localStorage.setItem('rookery.name', '"Ana"'));
    await press(laptop, 'front.bots');
    await press(laptop, 'menu');
    await press(laptop, 'menu.device');
    const link = await scan(laptop.locator('.for-device .qr'), 'the QR code for the other device');
    assert.equal(
      link,
      await laptop.locator('.for-device .link').textContent(),
      'the picture and the link should say the same',
    );

    const phone = await stage.page(await stage.device(PHONE));
    await phone.goto(link);
    await shows(
      phone.locator('main.game .ownside').getByText('Ana', { exact: true }),
      'the phone should have the seat',
    );
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
  },
);

/** Bids what the bots leave over and builds it; without a wish of its own it passes. */
const modest = {
  bid: (lit, mayPass) => (mayPass && (lit[0] ?? 9) > 2 ? null : (lit[0] ?? null)),
  undo: () => false,
  demolish: () => false,
};

story(
  'one person plays a whole game against two hard bots',
  async (stage) => {
    const page = await stage.page(await stage.device(PHONE));
    const code = await stage.server.newRoom();
    await page.goto(`${stage.server.url}/r/${code}`);
    await sitDown(page, 'Ana');
    await press(page, 'lobby.bot.hard');
    await press(page, 'lobby.bot.hard');
    await shows(page.locator('.seats').getByText(say('bot.hard'), { exact: true }).nth(1), 'both bots should sit');
    // Forced acts would be played before a finger is there.
    await playNoForcedActs(stage, page, code);
    await press(page, 'lobby.start');
    await shows(page.locator('main.game'), 'the game should start');
    const ana = new Tapper(page, 'Ana');
    await playToTheEnd([ana], modest);
    assert.ok(
      ana.done.bids + ana.done.passes >= 16,
      `Ana should have been asked in every round of the first deal: ${JSON.stringify(ana.done)}`,
    );
    const room = await stage.server.room(code);
    assert.deepEqual(
      [room.phase, room.forced, ...room.seats.map((seat) => seat.bot)],
      ['finished', 'ask', null, 'hard', 'hard'],
    );
    assert.ok(
      room.seats.some((seat) => seat.wins === 1),
      'somebody should have won',
    );
    await shows(page.getByRole('button', { name: say('end.rematch') }), 'another game should be offered');
  },
  { botDelayMs: 0, timeout: 400000, lapse: true },
);

story('a player who is away for half a minute is replaced by a bot and takes the seat back', async (stage) => {
  const code = await stage.server.newRoom();
  const [ana, mira] = [await stage.page(await stage.device(PHONE)), await stage.page(await stage.device(LAPTOP))];
  for (const [page, name] of [
    [ana, 'Ana'],
    [mira, 'Mira'],
  ]) {
    await page.goto(`${stage.server.url}/r/${code}`);
    await sitDown(page, name);
  }
  await press(ana, 'lobby.bot.hard');
  await press(ana, 'lobby.start');
  await shows(mira.locator('main.game'), 'the game should start');
  const link = mira.url();
  await mira.goto('about:blank');

  // Half a minute is the server's to count; the offer appears by itself where Ana looks at Mira's towers.
  const seat = ana.locator('.opponent[data-seat="1"]');
  await seat.click();
  const offer = ana
    .locator('dialog[open]')
    .getByRole('button', { name: say('bot.let', { name: 'Mira' }), exact: true });
  await shows(offer, 'Ana should be offered a bot for Mira', { timeout: 60000 });
  await pressOn(offer);
  await shows(seat.locator('.botMark'), 'Mira should be marked as played by a bot');
  assert.equal((await stage.server.room(code)).seats[1].bot, 'normal');

  await mira.goto(link);
  await shows(mira.locator('main.game .ownside').getByText('Mira', { exact: true }), 'Mira should be back in her seat');
  await shows(seat.locator('.botMark'), 'the bot should be gone', { state: 'detached' });
  assert.equal((await stage.server.room(code)).seats[1].bot, null);
});

/** A pause nobody waits for in a story; hurried bots take a twentieth of it. */
const LONG_PAUSE_MS = 16000;

story(
  'bots are hurried by a tap, the bar and a key, and the host sets their pace',
  async (stage) => {
    const code = await stage.server.newRoom();
    const page = await stage.page(await stage.device(PHONE));
    await page.goto(`${stage.server.url}/r/${code}`);
    await sitDown(page, 'Ana');
    await press(page, 'lobby.bot.easy');
    await shows(page.locator('.seats').getByText(say('bot.easy'), { exact: true }), 'the bot should sit');
    await page.getByRole('combobox', { name: say('lobby.pace') }).selectOption('calm');
    await until(async () => (await stage.server.room(code)).pace === 'calm', 'the server should know of the pace');
    await playNoForcedActs(stage, page, code);
    await press(page, 'lobby.start');
    await shows(page.locator('main.game'), 'the game should begin');
    const hurry = page.getByRole('button', { name: say('hurry') });
    const ways = [
      () => hurry.click(),
      () => page.keyboard.press('h'),
      () => page.locator('.middle').click({ position: { x: 4, y: 4 } }),
    ];
    let hurried = 0;
    while (hurried < ways.length) {
      const waits = page.locator('main.game:not(.asked):not(.sending) .idle, main.asked:not(.sending)');
      await shows(waits, 'either should be waited for');
      if (await page.locator('main.asked').count()) {
        await settled(page, page.locator('.bar .lit').first());
        const number = page.locator('.number.lit').first();
        const pass = page.locator('.pass.lit');
        await (
          (await pass.count()) ? pass : (await number.count()) ? number : page.locator('.bar .lit').last()
        ).click();
        await shows(page.locator('main.game:not(.sending) .idle, main.asked:not(.sending)'), 'the act should be taken');
        continue;
      }
      await hurry.waitFor();
      const before = Date.now();
      await ways[hurried++]();
      await shows(page.locator('main.asked'), `way ${hurried}: the bot should be done long before its pause is over`, {
        timeout: 2 * PATIENCE_MS,
      });
      assert.ok(Date.now() - before < LONG_PAUSE_MS, 'it should have been hurried');
    }
    await page.keyboard.press('?');
    await shows(page.locator('.keys', { hasText: say('hurry') }), 'the key should be among those that are shown');
  },
  { botDelayMs: LONG_PAUSE_MS },
);
