// Qwantum through the page and a real server: a whole game by taps between two people and a bot, and one by keyboard
// alone.

import assert from 'node:assert/strict';
import { goes, press, shows, story, until, LAPTOP, PHONE } from './support/stage.js';
import { Tapper, Typist } from './support/player.js';
import { Ear, heardTheGame } from './support/ear.js';
import { tooTall } from './support/sights.js';
import { anyOf, say } from './support/words.js';

const ROWS = ['violet', 'blue', 'red', 'yellow'];

/** What one's own dice come to. */
const TOTALS = /^violet \d+, blue \d+, red \d+, and yellow \d+$/;

/** What is heard of a game of Qwantum. */
const QWANTUM = {
  log: ['roll', 'keep', 'enter', 'skip', 'miss'].map((what) => anyOf(`qwantum.log.${what}`)),
  silent: [],
  asks: [
    ...['you_roll', 'you_again', 'you_enter', 'you_share', 'none_fits', 'you_miss'].map((what) =>
      anyOf(`qwantum.say.${what}`),
    ),
    TOTALS,
  ],
  most: 12,
};

/** What a person sees of the table, from the page alone. Runs in the page. */
function seeTable() {
  const main = document.querySelector('#app > main');
  const lit = (selector) => [...document.querySelectorAll(selector)].map((el) => el.classList.contains('lit'));
  const bar = (at) => document.querySelector(`.bar .steps > button:nth-child(${at})`);
  return {
    asked: main?.matches('.asked:not(.sending)') ?? false,
    ended: main?.classList.contains('ended') ?? false,
    active: document.querySelector('.ownhead.acting') !== null,
    rolled: document.querySelector('.dice button') !== null,
    dice: lit('.dice button'),
    rows: lit('.ownside .lane[data-card]'),
    skip: bar(2)?.classList.contains('main') && !document.querySelector('.chartButton') ? bar(1).textContent : null,
    sentence: document.querySelector('.say span')?.textContent ?? '',
  };
}

/**
 * How somebody plays, whatever they touch: `eager` people roll twice and enter what they can, others let their own
 * turns pass.
 */
const playing = (Kind) =>
  class extends Kind {
    done = { rolls: 0, rerolls: 0, keeps: 0, entries: 0, skips: 0 };

    /** Whatever this seat is asked for now, until it is not asked any more; `instead` may do something else first. */
    async takeTurn(eager, instead = async () => false) {
      for (
        let seen = await this.page.evaluate(seeTable);
        seen.asked && !seen.ended;
        seen = await this.page.evaluate(seeTable)
      ) {
        if (await instead()) return;
        if (seen.dice.includes(true)) await this.reroll(eager);
        else if (seen.skip === null) await this.act('rolls', 'rolled', () => this.pressRoll());
        else if (seen.rows.includes(true) && (eager || !seen.active)) await this.enter(seen.rows.indexOf(true));
        else await this.act('skips', 'skipped', () => this.pressSkip());
      }
    }

    async act(what, words, doIt) {
      this.done[what] += 1;
      await this.andSee(words, doIt);
    }

    async reroll(eager) {
      if (!eager) return this.act('keeps', 'kept all dice', () => this.pressKeep());
      for (const die of [1, 4]) await this.andSee(`let go of die ${die + 1}`, () => this.pressDie(die));
      return this.act('rerolls', 'rolled two dice again', () => this.pressRoll());
    }

    async enter(row) {
      await this.andSee(`picked ${ROWS[row]}`, () => this.pressRow(row));
      await this.act('entries', `entered ${ROWS[row]}`, () => this.pressRow(row));
    }
  };

class Roller extends playing(Tapper) {
  row = (at) => this.page.locator('.ownside .lane[data-card]').nth(at);
  pressRoll = () => this.tap(this.page.locator('.bar .main'), 'Roll');
  pressKeep = () => this.tap(this.button('qwantum.keep'), 'Keep all');
  pressSkip = () => this.tap(this.page.locator('.bar .steps > .step').first(), 'Skip');
  pressDie = (at) => this.tap(this.page.locator('.dice button').nth(at), `die ${at + 1}`);
  pressRow = (at) => this.tap(this.row(at), `the ${ROWS[at]} row`);
}

class KeyRoller extends playing(Typist) {
  pressRoll = () => this.key('r');
  pressKeep = () => this.key('k');
  pressSkip = () => this.key('s');
  pressDie = (at) => this.key(String(at + 1));
  pressRow = (at) => this.key(String(at + 1));
}

async function fitsTheScreen(player, where) {
  const scrolls = await player.page.evaluate(
    () => document.scrollingElement.scrollHeight > innerHeight || document.scrollingElement.scrollWidth > innerWidth,
  );
  assert.equal(scrolls, false, `${where}: the page should not scroll for ${player.name}`);
  assert.deepEqual(await tooTall(player.page), [], `${where}: every part of ${player.name}'s table should fit`);
}

async function sitDown(player) {
  await player.page.getByRole('textbox', { name: say('join.name') }).fill(player.name);
  await player.page.getByRole('button', { name: say('join.sit'), exact: true }).click();
  await shows(player.page.locator('main.lobby'), `${player.name} should sit in the lobby`);
}

/** Seats a bot, lets nothing be played for anybody else, and starts. */
async function startWithBot(stage, page) {
  await press(page.getByRole('button', { name: say('lobby.bot.easy'), exact: true }));
  await shows(page.locator('.seats').getByText(say('bot.easy'), { exact: true }), 'the bot should sit at the table');
  const forced = page.getByRole('switch', { name: say('lobby.forced') });
  if (await forced.isChecked()) await forced.click();
  await until(async () => (await roomOf(stage, page)).forced === 'ask', 'forced acts should be left to people');
  await press(page.getByRole('button', { name: say('lobby.start'), exact: true }));
}

const roomOf = (stage, page) => stage.server.room(new URL(page.url()).pathname.split('/').at(-1));

story(
  'two friends with phones and a bot finish a game of Qwantum by taps alone, and play again',
  async (stage) => {
    const [ana, mira] = await Promise.all(
      ['Ana', 'Mira'].map(async (name) => new Roller(await stage.page(await stage.device(PHONE)), name)),
    );
    await ana.page.goto(stage.server.url);
    await ana.tap(ana.button('game.qwantum'), 'Qwantum');
    await ana.tap(ana.page.getByRole('button', { name: say('front.new', { game: say('game.qwantum') }) }), 'New room');
    await sitDown(ana);
    await mira.page.goto(ana.page.url());
    await sitDown(mira);
    await shows(ana.page.locator('.seats').getByText('Mira', { exact: true }), 'the host should see the friend');
    await startWithBot(stage, ana.page);
    for (const player of [ana, mira])
      await shows(player.page.locator('main.game'), `the game should start for ${player.name}`);
    assert.equal(await ana.page.locator('.rival .botMark').count(), 1, 'the bot should be marked');

    await chartIsOneTapAway(ana);
    let changed = false;
    const onceOtherwise = async () => !changed && (changed = await changesMind(ana, mira));
    for (let ended = false; !ended;) {
      for (const player of [ana, mira]) {
        await player.takeTurn(player === ana, onceOtherwise);
        if (!(await player.page.evaluate(seeTable)).ended) await fitsTheScreen(player, 'at the table');
      }
      ended = (await roomOf(stage, ana.page)).phase === 'finished';
    }
    assert.ok(changed, 'Ana should have changed her mind once while Mira was still thinking');
    assert.ok(
      ana.done.rolls >= 3 && ana.done.rerolls >= 3 && ana.done.entries >= 6,
      `a real game was meant to be played, not ${JSON.stringify(ana.done)}`,
    );
    assert.ok(
      mira.done.keeps >= 3 && mira.done.skips >= 6,
      `Mira was meant to let her turns pass, not ${JSON.stringify(mira.done)}`,
    );

    const { seats } = await roomOf(stage, ana.page);
    const winners = seats.filter((seat) => seat.wins > 0).map((seat) => seat.name);
    assert.ok(winners.length >= 1, 'somebody should have won');
    for (const player of [ana, mira])
      await sameEnding(
        player,
        seats.map((seat) => seat.name),
        winners,
      );

    await ana.tap(ana.button('end.rematch'), 'Rematch');
    await mira.tap(mira.button('onward.go'), 'Go to table');
    for (const player of [ana, mira])
      await shows(
        player.page.locator('main.lobby .wins').first(),
        `${player.name} should be back in the lobby with the win counted`,
      );
  },
  { botDelayMs: 0, timeout: 300000, lapse: true },
);

/** The faces of the dice, from the status line. */
async function chartIsOneTapAway(player) {
  await player.tap(player.page.locator('.say button'), 'the status line');
  const chart = player.page.getByRole('dialog', { name: say('qwantum.chart') });
  await shows(chart, 'the chart of the dice should open');
  assert.equal(await chart.getByRole('img').count(), 42, 'seven dice have six faces each');
  await player.tap(chart.getByRole('button', { name: say('close') }), 'Close');
  await goes(chart, 'the chart should close');
}

/**
 * While Mira still thinks, Ana chooses, is shown her choice and nobody else is, and chooses otherwise. False when there
 * is no such moment now.
 */
async function changesMind(ana, mira) {
  const [hers, others] = [await ana.page.evaluate(seeTable), await mira.page.evaluate(seeTable)];
  const lit = hers.rows.flatMap((each, at) => (each ? [at] : []));
  if (!hers.asked || !others.asked || lit.length < 2) return false;
  const rival = mira.page
    .locator('.rival')
    .filter({ has: mira.page.locator('.name').getByText('Ana', { exact: true }) });
  const before = await rival.locator('.box.full').count();
  await ana.enter(lit[0]);
  await shows(ana.row(lit[0]).locator('.chosen'), 'her own choice should be shown to Ana');
  const tick = rival.getByRole('img', { name: say('qwantum.decided') });
  await shows(tick, 'Mira should see that Ana has decided');
  assert.equal(await rival.locator('.box.full').count(), before, 'and nothing more');
  await ana.enter(lit[1]);
  await shows(ana.row(lit[1]).locator('.chosen'), 'Ana’s new choice should stand');
  assert.equal(await ana.row(lit[0]).locator('.chosen').count(), 0, 'and the old one not');
  return true;
}

/** The end as this page shows it: winners named, scores that add up and put the winners on top. */
async function sameEnding({ page, name }, names, winners) {
  await shows(page.locator('.ending.over'), `the scores should be counted up for ${name}`);
  const title =
    winners.length === 1 && winners[0] === name
      ? say('end.you_win')
      : say(winners.length > 1 ? 'end.shared' : 'end.wins', { name: new Intl.ListFormat('en').format(winners) });
  assert.equal(await page.locator('.winner').textContent(), title, `the end should name the winners to ${name}`);
  const lines = await page.locator('.scores tbody tr').evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.querySelector('.name').textContent,
      won: row.classList.contains('won'),
      numbers: [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-'))),
    })),
  );
  assert.deepEqual(
    lines.map((line) => line.name).sort(),
    [...names].sort(),
    'everybody should be in the table of scores',
  );
  for (const {
    name: whose,
    numbers: [columns, misses, total],
  } of lines)
    assert.equal(columns + misses, total, `the parts of ${whose}'s score should add up`);
  const best = Math.max(...lines.map((line) => line.numbers[2]));
  assert.deepEqual(
    lines
      .filter((line) => line.numbers[2] === best)
      .map((line) => line.name)
      .sort(),
    [...winners].sort(),
    'the highest total should be the winners’',
  );
  assert.deepEqual(
    lines
      .filter((line) => line.won)
      .map((line) => line.name)
      .sort(),
    [...winners].sort(),
    'the winners’ lines should be marked',
  );
}

story(
  'a game of Qwantum against a bot is played by keyboard alone, and a screen reader hears it',
  async (stage) => {
    const context = await stage.device(LAPTOP);
    await Ear.give(context);
    const ana = new KeyRoller(await stage.page(context), 'Ana');
    await ana.page.goto(`${stage.server.url}/r/${await stage.server.newRoom('qwantum')}`);
    await sitDown(ana);
    await startWithBot(stage, ana.page);
    await shows(ana.page.locator('main.game'), 'the game should start');
    await ana.key('?');
    const keys = ana.page.getByRole('dialog', { name: say('keys') });
    for (const key of ['R', '1–7', 'K', '1–4', 'S', '?'])
      await shows(keys.getByText(key, { exact: true }), `the sheet of keys should name ${key}`);
    await ana.key('Escape');
    await goes(keys, 'Escape should close the sheet');
    while (!(await ana.page.evaluate(seeTable)).ended) {
      await ana.page.waitForFunction(() => document.querySelector('main.asked:not(.sending), main.ended'));
      await ana.takeTurn(ana.done.rolls < 4);
      assert.ok(
        await ana.page.evaluate(() => document.activeElement?.isConnected && document.activeElement !== document.body),
        'the focus should rest somewhere on the page, not be lost',
      );
    }
    assert.ok(
      ana.done.rerolls >= 3 && ana.done.entries >= 3,
      `a real game was meant to be played with keys, not ${JSON.stringify(ana.done)}`,
    );
    await shows(ana.page.locator('.ending.over'), 'the scores should be counted up');
    await heardTheGame(ana.page, 'Ana', QWANTUM);
    const sentences = await new Ear(ana.page).sentences();
    const rolls = sentences.filter((line) => TOTALS.test(line));
    assert.equal(
      rolls.length,
      ana.done.rolls + ana.done.rerolls,
      `each of one’s own rolls should be said once: ${rolls.join(' | ')}`,
    );
    for (const key of ['you_roll', 'you_again', 'you_miss'])
      assert.ok(
        sentences.some((line) => anyOf(`qwantum.say.${key}`).test(line)),
        `a screen reader should hear ${key}`,
      );
  },
  { botDelayMs: 0, timeout: 240000, lapse: true },
);
