// After the game: continuing from a moment with a bot, the same deal again, the book of the room, and all its records
// in one file. By taps on a small phone and by keys on a laptop.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goes, settled, shows, slide, story, LAPTOP } from './support/stage.js';
import { layTable } from './support/moments.js';
import { Typist, playToTheEnd } from './support/player.js';
import { BINARY, openServer } from './support/server.js';
import { say } from './support/words.js';

const SMALL = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const button = (page, key, params) => page.getByRole('button', { name: say(key, params), exact: true });
/** One with a hint below its words. */
const hinted = (page, key) =>
  page.locator('dialog[open]').getByRole('button', { name: `${say(key)} ${say(`${key}.hint`)}`, exact: true });
const json = async (url) => (await fetch(url)).json();
const codeOf = (page) => new URL(page.url()).pathname.split('/')[2];
const QUICK = {
  forced: true,
  bid: (lit, mayPass) => (mayPass ? null : lit[0]),
  undo: () => false,
  demolish: () => false,
};

/** What `rookery verify` says of these records. */
function verified(text) {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-'));
  const file = join(folder, 'records.jsonl');
  writeFileSync(file, text);
  try {
    return execFileSync(BINARY, ['verify', file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

story(
  'on a small phone: finish, replay, play on from a moment with a bot, rematch, book',
  async (stage) => {
    const { page, code, player } = await layTable(stage, await stage.device(SMALL), stage.server.url, 'end');
    const tap = async (thing, what) => {
      await shows(thing, `${what} should be there`);
      await settled(page, thing);
      await thing.tap();
    };
    const place = (name) =>
      page.getByRole('button', { name: `${say('origin.take')}: ${say('origin.chair', { name })}`, exact: true });
    await tap(button(page, 'end.replay'), 'Replay');
    await shows(page.locator('main.past .scrub'), 'the game should begin again');
    await tap(button(page, 'moment.pause'), 'Pause');
    await page.keyboard.press('Home');
    await slide(page, 90);
    const [at] = (await page.locator('.scrub .place').textContent()).match(/\d+/g).map(Number);
    const told = (await (await fetch(`${stage.server.url}/api/rooms/${code}/games/1/moments`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    await tap(button(page, 'replay.more'), 'More');
    await tap(hinted(page, 'playon'), 'Play on from here');

    await shows(page.locator('main.lobby .note.origin'), 'a new room should say where its game comes from');
    assert.notEqual(codeOf(page), code, 'it should be another room');
    assert.ok((await page.locator('.note.origin').textContent()).includes(String(at)), 'the moment should be named');
    assert.deepEqual(
      await page.locator('.seats li .name').allTextContents(),
      ['Ana', say('origin.chair', { name: 'Mira' })],
      'one should sit in one\u2019s own place',
    );
    await shows(
      page.locator('.seats .free').getByText(say('origin.chair', { name: 'Mira' }), { exact: true }),
      'the other place should be free',
    );
    // One may play the other side, and come back to one's own.
    await tap(place('Mira'), 'Sit here');
    await shows(
      page.locator('.seats .free').getByText(say('origin.chair', { name: 'Ana' }), { exact: true }),
      'one\u2019s own place should be free now',
    );
    await shows(
      page.locator('.seats li.own').getByText(say('origin.chair', { name: 'Mira' }), { exact: true }),
      'and it should be said whose place one has',
    );
    await tap(place('Ana'), 'Sit here');
    await shows(
      page.locator('.seats .free').getByText(say('origin.chair', { name: 'Mira' }), { exact: true }),
      'and taken again',
    );
    await tap(button(page, 'lobby.bot.easy'), 'a bot');
    await shows(page.locator('.seats li .icon').first(), 'the bot should sit down');
    await tap(button(page, 'lobby.start'), 'Start');
    await shows(page.locator('main.game'), 'the game should go on');
    const room = codeOf(page);
    const [first] = (await (await fetch(`${stage.server.url}/api/rooms/${room}/games/1/moments`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(first.table, told[at - 1].table, 'with the very table of that moment');
    await playToTheEnd([player], QUICK);
    await shows(page.locator('.ending.over'), 'the scores should be counted up');
    await shows(page.locator('.besides'), 'the scores of the earlier game should stand beside');
    assert.deepEqual(
      await page.locator('.besides tbody tr td:last-child').allTextContents(),
      told.at(-1).table.outcome.scores.map((score) => String(score).replace('-', '\u2212')),
    );
    const record = await json(`${stage.server.url}/api/rooms/${room}/games/1/record`);
    assert.match(verified(JSON.stringify(record)), new RegExp(`it continues after ${at - 1} of the`));

    // The deal of such a game is checked on the device as well.
    await tap(button(page, 'end.more'), 'More');
    await tap(page.locator('dialog[open]').getByRole('button', { name: say('deal'), exact: true }), 'Check the deal');
    await shows(
      page.locator('dialog[open] .verdict').getByText(say('deal.holds'), { exact: true }),
      'the deal should be found fair',
    );
    assert.deepEqual(
      await page.locator('dialog[open] .compared li').evaluateAll((lines) => lines.map((line) => line.className)),
      ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
      'all should have been compared',
    );
    await tap(button(page, 'close'), 'Close');
    await goes(page.locator('dialog[open]'), 'the sheet should close');

    await tap(button(page, 'end.rematch'), 'Rematch');
    await shows(page.locator('main.lobby'), 'the lobby should be back');
    await goes(page.locator('.note.origin'), 'a rematch should have a new deal');
    await tap(button(page, 'lobby.start'), 'Start');
    await shows(page.locator('main.game'), 'another game should begin');
    await playToTheEnd([player], QUICK);
    await shows(page.locator('.ending.over'), 'the scores should be counted up');
    await tap(button(page, 'end.more'), 'More');
    await tap(page.locator('dialog[open]').getByRole('button', { name: say('book'), exact: true }), 'the book');
    await shows(page.locator('dialog[open].for-book'), 'the book should be open');
    assert.equal(await page.locator('.for-book .gamelist li').count(), 2, 'both games should be in it');
    await shows(
      page.locator('.for-book .gamelist').getByText(say('book.went_on'), { exact: true }),
      'the one that was played on should be marked',
    );
    await shows(
      page
        .locator('.for-book .chapter')
        .getByText(say('book.count', { count: 1 }), { exact: true })
        .first(),
      'the other one should count',
    );
  },
  { botDelayMs: 0, timeout: 400000, lapse: true },
);

story(
  'on a laptop, by keys: finish, replay, play on, the same deal again, book',
  async (stage) => {
    const context = await stage.device(LAPTOP);
    const page = await stage.page(context);
    const ana = new Typist(page, 'Ana');
    const enter = async (thing, what) => {
      await ana.tabTo(thing, what);
      await ana.key('Enter');
    };
    await page.goto(stage.server.url);
    await enter(button(page, 'front.new', { game: say('game.towers') }), 'New room');
    await shows(page.getByRole('textbox', { name: say('join.name') }), 'a name should be asked for');
    await page.getByRole('textbox', { name: say('join.name') }).focus();
    await page.keyboard.type('Ana');
    await page.keyboard.press('Enter');
    await enter(button(page, 'lobby.bot.easy'), 'a bot');
    await shows(page.locator('.seats').getByText(say('bot.easy'), { exact: true }), 'the bot should sit');
    await enter(button(page, 'lobby.start'), 'Start');
    await shows(page.locator('main.game'), 'the game should begin');
    await playToTheEnd([ana], QUICK);
    await shows(page.locator('.ending.over'), 'the scores should be counted up');
    const code = codeOf(page);

    // Once more with the same deal, in the same room.
    const rows = async (number) =>
      JSON.parse(
        (await (await fetch(`${stage.server.url}/api/rooms/${code}/games/${number}/moments`)).text()).split('\n')[0],
      ).table.row;
    await enter(button(page, 'end.more'), 'More');
    await enter(hinted(page, 'same'), 'Same deal again');
    await shows(page.locator('main.lobby .note.origin'), 'everyone should be told that the deal is known');
    await enter(button(page, 'lobby.start'), 'Start');
    await shows(page.locator('main.game'), 'the game should begin');
    assert.deepEqual(await rows(2), await rows(1), 'the same cards should lie there');
    await playToTheEnd([ana], QUICK);
    await shows(page.locator('.besides'), 'the scores should stand side by side');
    const again = await json(`${stage.server.url}/api/rooms/${code}/games/2/record`);
    assert.match(verified(JSON.stringify(again)), /its deal was already known/);

    await enter(button(page, 'end.replay'), 'Replay');
    await shows(page.locator('main.past .scrub'), 'the game should begin again');
    await page.keyboard.press('p');
    await page.keyboard.press('Home');
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
    await enter(button(page, 'replay.more'), 'More');
    await enter(hinted(page, 'playon'), 'Play on from here');
    await shows(page.locator('main.lobby .note.origin'), 'a new room should be open');
    await enter(button(page, 'lobby.bot.easy'), 'a bot');
    await shows(page.locator('.seats').getByText(say('bot.easy'), { exact: true }), 'the bot should sit');
    await enter(button(page, 'lobby.start'), 'Start');
    await shows(page.locator('main.game'), 'the game should go on');
    await playToTheEnd([ana], QUICK);
    await shows(page.locator('.besides'), 'the scores should stand side by side');
    // A game from a game from a game is checked to its very beginning, by the page and by the server's program.
    const deep = await json(`${stage.server.url}/api/rooms/${codeOf(page)}/games/1/record`);
    assert.equal(deep.origin.record.origin.moment, null);
    verified(JSON.stringify(deep));
    await enter(button(page, 'end.more'), 'More');
    await enter(page.locator('dialog[open]').getByRole('button', { name: say('deal'), exact: true }), 'Check the deal');
    await shows(
      page.locator('dialog[open] .verdict').getByText(say('deal.holds'), { exact: true }),
      'the deal should be found fair',
    );
    await page.keyboard.press('Escape');
    await goes(page.locator('dialog[open]'), 'the sheet should close');
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      say('end.more'),
      'the focus should be where it was',
    );
    await enter(button(page, 'end.more'), 'More');
    await enter(page.locator('dialog[open]').getByRole('button', { name: say('book'), exact: true }), 'the book');
    await shows(page.locator('dialog[open].for-book .gamelist'), 'the book should be open');
  },
  { botDelayMs: 0, timeout: 400000, lapse: true },
);

story('all records of a room are saved in one file, and each can be replayed on another server', async (stage) => {
  const { page, code, player } = await layTable(
    stage,
    await stage.device({ ...LAPTOP, hasTouch: true }),
    stage.server.url,
    'end',
  );
  await player.tap(player.button('end.rematch'), 'Rematch');
  await shows(page.locator('main.lobby'), 'the lobby should be back');
  await player.tap(player.button('lobby.start'), 'Start');
  await shows(page.locator('main.game'), 'another game should begin');
  await playToTheEnd([player], QUICK);
  await shows(page.locator('.ending.over'), 'the scores should be counted up');
  await button(page, 'menu').click();
  await page
    .locator('dialog[open]')
    .getByRole('button', { name: say('book'), exact: true })
    .click();
  const keep = async (key) => {
    const coming = page.waitForEvent('download');
    await page
      .locator('.for-book')
      .getByRole('link', { name: say(key), exact: true })
      .click();
    return readFileSync(await (await coming).path(), 'utf8');
  };
  assert.match(await keep('book.csv'), /^number,game,[^]*"Ana"[^]*"Mira"/);
  assert.equal(JSON.parse(await keep('book.json')).games.length, 2);
  const file = await keep('book.records');
  assert.equal(file.trim().split('\n').length, 2);
  assert.match(verified(file), /line 1, is valid[^]*line 2, is valid/);

  const elsewhere = await openServer();
  stage.also(() => elsewhere.close());
  const other = await stage.page(await stage.device(SMALL));
  await other.goto(elsewhere.url);
  const chooser = other.waitForEvent('filechooser');
  await button(other, 'front.record').tap();
  await (await chooser).setFiles({ name: 'records.jsonl', mimeType: 'application/json', buffer: Buffer.from(file) });
  await shows(other.locator('dialog[open].for-records'), 'it should be asked which of them');
  await other.locator('.for-records .gamelist button').nth(1).tap();
  await shows(other.locator('main.past .scrub'), 'that game should be seen again');
  const second = JSON.parse(file.split('\n')[1]);
  assert.equal(
    (await other.locator('.scrub .place').textContent()).match(/\d+/g).map(Number)[1],
    second.acts.length + 1,
  );
  // And played on there, where nobody has ever heard of its room.
  await button(other, 'replay.more').tap();
  await settled(other);
  await hinted(other, 'same').tap();
  await shows(other.getByRole('textbox', { name: say('join.name') }), 'somebody unknown should be asked for a name');
  assert.equal(codeOf(other) === code, false);
});

story(
  'the saved picture has the chart, and sharing uses the system’s share sheet where there is one',
  async (stage) => {
    const { page, code } = await layTable(
      stage,
      await stage.device({ ...LAPTOP, hasTouch: true }),
      stage.server.url,
      'end',
    );
    await button(page, 'end.more').click();
    const coming = page.waitForEvent('download');
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say('end.picture'), exact: true })
      .click();
    const picture = readFileSync(await (await coming).path());
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    assert.equal((await coming).suggestedFilename(), `towers-${code}.png`);
    if (process.env.ROOKERY_PICTURE) writeFileSync(process.env.ROOKERY_PICTURE, picture);
    assert.ok(
      picture.readUInt32BE(20) > 500,
      `the chart should stand below the towers, but the picture is ${picture.readUInt32BE(20)} high`,
    );
    const kept = page.waitForEvent('download');
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say('replay.record'), exact: true })
      .click();
    assert.match(verified(readFileSync(await (await kept).path(), 'utf8')), /is valid/);

    // A browser that can share is given the link; one that thinks better of it copies nothing.
    await page.evaluate(() => {
      window.shared = [];
      navigator.share = async (what) => {
        window.shared.push(what.url ?? what.files?.[0].name);
      };
      navigator.canShare = () => true;
      window.matchMedia = ((real) => (query) => (query === '(pointer: coarse)' ? { matches: true } : real(query)))(
        window.matchMedia.bind(window),
      );
    });
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say('after.link'), exact: true })
      .click();
    await page.waitForFunction(() => window.shared.length === 1);
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say('replay.record'), exact: true })
      .click();
    await page.waitForFunction(() => window.shared.length === 2);
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say('end.picture'), exact: true })
      .click();
    await page.waitForFunction(() => window.shared.length === 3);
    assert.deepEqual(await page.evaluate(() => window.shared), [
      `${stage.server.url}/r/${code}/replay/1#m=0`,
      `towers-${code}-1.json`,
      `towers-${code}.png`,
    ]);
  },
);
