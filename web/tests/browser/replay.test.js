// Replays: from the end of a game and from its log, by a link to a moment, and from a file on another server. By taps
// on a phone and by keys on a laptop.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dealer as dice } from '../../games/qwantum/deal.js';
import { dealer as cards } from '../../games/towers/deal.js';
import { bytesOf, compareDeal, hexOf, sha256 } from '../../replay/deal-check.js';
import { checkOrigin } from '../../replay/origin-check.js';
import { readMoments } from '../../replay/moments.js';
import { goes, shows, slide, story, LAPTOP, PHONE } from './support/stage.js';
import { Friend, modest } from './support/friend.js';
import { layTable } from './support/moments.js';
import { openServer } from './support/server.js';
import { say } from './support/words.js';

const press = (page, key, params) => page.getByRole('button', { name: say(key, params), exact: true }).click();
const place = (page) => page.locator('.scrub .place').textContent();
/** Which moment is shown, counted from 1, and of how many. */
const where = async (page) => (await place(page)).match(/\d+/g).map(Number);
const until = (page, at, count) =>
  shows(
    page.locator('.scrub .place').getByText(say('replay.at', { at, count }), { exact: true }),
    `moment ${at} should be shown`,
  );
const json = async (url) => (await fetch(url)).json();

/** What the board shows, in words. */
const board = (page) => page.locator('main.game > .board').innerText();

/** The moments as the server tells them. */
const moments = async (stage, code) =>
  (await (await fetch(`${stage.server.url}/api/rooms/${code}/games/1/moments`)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

story('on a phone a game is replayed by slider, chart and link', async (stage) => {
  const { page, code } = await layTable(stage, await stage.device(PHONE), stage.server.url, 'end');
  const told = await moments(stage, code);
  await press(page, 'end.replay');
  await shows(page.locator('main.past .scrub'), 'the game should begin again');
  await press(page, 'moment.pause');
  await slide(page, 60);
  const [early, count] = await where(page);
  assert.equal(count, told.length, 'there should be as many moments as the server tells of');
  assert.ok(early > 1 && early < count / 2, `a tap on the slider's left should go to an early moment, not ${early}`);
  await press(page, 'moment.next');
  await until(page, early + 1, count);
  await press(page, 'moment.back');
  await until(page, early, count);

  await press(page, 'replay.more');
  const chart = page.locator('dialog[open] .points > svg');
  await shows(chart, 'the points over time should be shown');
  const { width, height } = await chart.boundingBox();
  await chart.tap({ position: { x: width - 2, y: height / 2 } });
  await until(page, count, count);
  assert.equal(
    await page.locator('dialog[open] .legend b').first().textContent(),
    String(told.at(-1).table.players[0].score.total).replace('-', '−'),
    'the legend should tell the points at the end',
  );
  await shows(
    page.locator('dialog[open]').getByRole('button', { name: say('replay.copy') }),
    'there should be a link to this moment',
  );
  // This device was there before the game, and its salt went in.
  await press(page, 'deal');
  await shows(
    page.locator('dialog[open] .verdict').getByText(say('deal.holds'), { exact: true }),
    'the deal should be found fair',
  );
  assert.deepEqual(
    await page.locator('dialog[open] .compared li').evaluateAll((lines) => lines.map((line) => line.className)),
    ['yes', 'yes', 'yes', 'yes', 'yes'],
    'all should have been compared',
  );
  await page.keyboard.press('Escape');
  await goes(page.locator('dialog[open]'), 'the sheet should close');
  await press(page, 'moment.now');
  await shows(page.locator('.ending.over'), 'the end of the game should be back');

  // Somebody else opens the link, has no seat and takes none.
  const other = await stage.page(await stage.device(PHONE));
  await other.goto(`${stage.server.url}/r/${code}/replay/1#m=7`);
  await until(other, 8, count);
  assert.equal(
    (await json(`${stage.server.url}/api/rooms/${code}`)).watchers,
    0,
    'looking at a game that is over should not enter its room',
  );
  const { table } = told[7];
  for (const player of table.players)
    assert.ok(
      (await board(other)).includes(String(player.score.total).replace('-', '−')),
      'the points of that moment should be on the board',
    );
  // A moment that does not exist is the last one; a game that does not exist is said.
  await other.goto(`${stage.server.url}/r/${code}/replay/1#m=99999`);
  await other.reload();
  await until(other, count, count);
  stage.complaints.expect(/Failed to load resource.*404/);
  await other.goto(`${stage.server.url}/r/${code}/replay/7`);
  await shows(
    other.getByRole('alert').getByText(say('code.no_such_game')),
    'it should be said that there is no such game',
  );
  await other.goto(`${stage.server.url}/r/ZZZZZZ/replay/1`);
  await shows(
    other.getByRole('alert').getByText(say('code.no_such_room')),
    'it should be said that there is no such room',
  );
});

story('on a laptop: a line of the log shows its moment, and keys go through the game', async (stage) => {
  const { page, code } = await layTable(
    stage,
    await stage.device({ ...LAPTOP, hasTouch: true }),
    stage.server.url,
    'build',
  );
  await page.locator('.log button.moment').first().click();
  await shows(page.locator('main.past .scrub'), 'the first moment should be shown');
  const [first, count] = await where(page);
  assert.equal(first, 1);
  const told = await moments(stage, code);
  assert.equal(count, told.length);
  await page.locator('main').click({ position: { x: 5, y: 5 } });
  for (const [key, at] of [
    ['ArrowRight', 2],
    ['ArrowRight', 3],
    ['ArrowLeft', 2],
    ['End', count],
    ['Home', 1],
    ['PageDown', count],
    ['PageUp', 1],
  ]) {
    await page.keyboard.press(key);
    await until(page, at, count);
  }
  await page.keyboard.press('p');
  await until(page, 2, count);
  await page.keyboard.press('p');
  await page.keyboard.press('+');
  await shows(
    page.getByRole('button', { name: say('replay.speed', { speed: 2 }), exact: true }),
    'it should go twice as fast',
  );
  // What is hidden stays so while the game is on.
  await press(page, 'replay.more');
  await shows(
    page.locator('dialog[open]').getByText(say('replay.open.later')),
    'nothing should be unveiled before the end',
  );
  await page.keyboard.press('Escape');
  await goes(page.locator('dialog[open]'), 'the sheet should close');
  await page.keyboard.press('Escape');
  await goes(page.locator('main.past'), 'Escape should return to the game');
});

story('from a replay to the room, to the last result, and Back to the replay', async (stage) => {
  const code = await stage.server.newRoom();
  const [ana, mira] = [
    await Friend.join(stage.server, code, 'Ana', modest),
    await Friend.join(stage.server, code, 'Mira', modest),
  ];
  for (const friend of [ana, mira]) stage.also(() => friend.leave());
  ana.send({ type: 'start' });
  await ana.until(({ room }) => room.phase === 'finished', 'the end of the game');
  ana.send({ type: 'rematch' });
  await mira.until(({ room }) => room.phase === 'lobby', 'the lobby');
  const count = (await moments(stage, code)).length;

  const context = await stage.device(PHONE);
  await context.addInitScript(
    ([room, token]) =>
      localStorage.setItem('rookery.seats', JSON.stringify({ [room]: { token, name: 'Mira', at: Date.now() } })),
    [code, mira.token],
  );
  const page = await stage.page(context);
  await page.goto(`${stage.server.url}/r/${code}/replay/1#m=7`);
  await until(page, 8, count);
  await press(page, 'replay.room');
  await shows(page.locator('main.lobby'), 'the room should be there');
  await press(page, 'lobby.last');
  await shows(page.locator('.ending.over'), 'the last result should be shown');
  await page.goBack();
  await until(page, 8, count);
  assert.match(page.url(), /\/replay\/1#m=7$/);
  await goes(page.locator('.ending'), 'the result should be gone');
  await goes(page.locator('.onward'), 'and nothing should be said about a next game');
  await page.goForward();
  await shows(page.locator('main.lobby'), 'Forward should lead to the room, not to the result');
});

story(
  'a record is replayed on a server without its room, and a changed one is refused with the reason',
  async (stage) => {
    const { code } = await layTable(stage, await stage.device({ ...LAPTOP, hasTouch: true }), stage.server.url, 'end');
    const record = await json(`${stage.server.url}/api/rooms/${code}/games/1/record`);
    const elsewhere = await openServer();
    stage.also(() => elsewhere.close());
    const page = await stage.page(await stage.device(LAPTOP));
    await page.goto(elsewhere.url);
    const open = async (text) => {
      const chooser = page.waitForEvent('filechooser');
      await press(page, 'front.record');
      await (await chooser).setFiles({ name: 'record.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    };
    stage.complaints.expect(/Failed to load resource.*400/);
    const doubted = async (text, key, params = {}) => {
      await open(text);
      await shows(
        page.locator('dialog[open]').getByText(say(key, params), { exact: true }),
        `it should be said: ${key}`,
      );
      await page.keyboard.press('Escape');
      await goes(page.locator('dialog[open]'), 'what was said should go');
    };
    const whole = JSON.stringify(record);
    await doubted(whole.slice(0, -9), 'doubt.unreadable');
    await doubted('x'.repeat(10 << 20), 'doubt.too_large');
    await doubted(JSON.stringify({ ...record, record_version: 4 }), 'doubt.version');
    await doubted(JSON.stringify({ ...record, players: ['Eva', ...record.players.slice(1)] }), 'doubt.changed', {
      part: say('doubt.changed.players'),
    });
    await doubted(
      JSON.stringify({ ...record, acts: record.acts.map((act, n) => (n === 4 ? { ...act, at: act.at + 1 } : act)) }),
      'doubt.changed',
      { part: say('doubt.changed.act', { n: 5 }) },
    );
    // Like a record from before there were digests.
    const { digest, ...bare } = { ...record, record_version: 1 };
    assert.ok(digest, 'records should have a digest');
    await doubted(
      JSON.stringify({
        ...bare,
        outcome: { ...record.outcome, scores: record.outcome.scores.map((score) => score + 1) },
      }),
      'doubt.outcome',
    );
    await doubted(
      JSON.stringify({
        ...bare,
        acts: record.acts.map((act, n) => (n === 4 ? { ...act, action: { type: 'fly' } } : act)),
      }),
      'doubt.act',
      { n: 5, name: record.players[record.acts[4].seat] },
    );
    await open(whole);
    await shows(page.locator('main.past .scrub'), 'the game should be seen again');
    assert.equal((await where(page))[1], record.acts.length + 1);
    await page.keyboard.press('End');
    await press(page, 'replay.more');
    await shows(page.locator('dialog[open] .points'), 'its points should be shown');
    await page.keyboard.press('Escape');
    await goes(page.locator('dialog[open]'), 'the sheet should close');
    // Here nobody saw the beginning of the game; the rest can be computed all the same.
    await press(page, 'replay.more');
    await press(page, 'deal');
    await shows(
      page.locator('dialog[open] .verdict').getByText(say('deal.holds'), { exact: true }),
      'the deal should be found fair',
    );
    assert.deepEqual(
      await page.locator('dialog[open] .compared li').evaluateAll((lines) => lines.map((line) => line.className)),
      ['yes', 'yes', 'open', 'open', 'yes'],
      'what cannot be compared should not be called wrong',
    );
    await page.keyboard.press('Escape');
    await goes(page.locator('dialog[open]'), 'the sheet should close');
    await press(page, 'home');
    await shows(page.locator('main.front'), 'the front page should be back');
  },
);

story('the page and the server agree about the deals of recorded and forged games', async (stage) => {
  const folder = new URL('../../../crates/room/tests/data/games/', import.meta.url);
  const files = readdirSync(folder);
  assert.ok(files.length >= 12, 'a dozen games should be kept');
  const post = (record) => fetch(`${stage.server.url}/api/moments`, { method: 'POST', body: JSON.stringify(record) });
  for (const file of files) {
    const { record } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    const dealer = { towers: cards, qwantum: dice }[record.game];
    const answer = await post(record);
    assert.equal(answer.status, 200, file);
    const past = readMoments(await answer.text());
    const told = (forged) => compareDeal({ ...record, ...forged }, past, dealer, null).map(({ holds }) => holds);
    assert.deepEqual(told({}), [record.digest ? true : null, true, null, null, true], file);
    const another = (hex) => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`;
    for (const forged of [
      { server_seed: another(record.server_seed) },
      { commitment: another(record.commitment) },
      { salts: record.salts.map((salt) => salt && another(salt)) },
      { salts: record.salts.map(() => null) },
      // What nothing but a digest shows.
      ...(record.digest
        ? [
            { players: [...record.players].reverse() },
            { acts: record.acts.map((act, n) => (n === 7 ? { ...act, at: act.at + 1 } : act)) },
            { digest: { ...record.digest, whole: another(record.digest.whole) } },
          ]
        : []),
    ]) {
      assert.ok(told(forged).includes(false), `${file}: the page should notice ${Object.keys(forged)}`);
      const refused = await post({ ...record, ...forged });
      assert.equal((await refused.json()).error?.code, 'bad_record', `${file}: so should the server`);
    }
    // The same deal with another server seed and commitment: the same acts lead to the same end.
    const own = '05'.repeat(32);
    // Like a record from before there were digests, because the tests cannot compute one.
    const { digest: _, ...bare } = { ...record, record_version: 1 };
    const again = {
      ...bare,
      server_seed: own,
      commitment: hexOf(sha256(bytesOf(own))),
      origin: { moment: null, record },
    };
    const found = async (origin) => {
      const whole = { ...again, origin: { ...again.origin, ...origin } };
      return compareDeal(whole, past, dealer, null, await checkOrigin(whole, dealer, async () => past)).map(
        ({ holds }) => holds,
      );
    };
    assert.deepEqual(await found({}), [null, true, null, true, true], `${file}: a known deal`);
    assert.equal((await post(again)).status, 200, `${file}: and to the server`);
    for (const forged of [
      { server_seed: another(record.server_seed) },
      { salts: record.salts.map((salt) => (salt ? another(salt) : '00'.repeat(16))) },
    ]) {
      assert.ok(
        (await found({ record: { ...record, ...forged } })).includes(false),
        `${file}: the page should notice ${Object.keys(forged)} of the earlier game`,
      );
      const refused = await post({ ...again, origin: { moment: null, record: { ...record, ...forged } } });
      assert.equal((await refused.json()).error?.doubt?.type, 'origin', `${file}: so should the server`);
    }
  }
});
