// The size of the page, where it loads from, how soon it can be used, and its Content-Security-Policy.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { goes, settled, shows, story, PHONE } from './support/stage.js';
import { layTable } from './support/moments.js';
import { LANGUAGES, catalogue, say } from './support/words.js';

/** The page, compressed: all that a session of one person fetches, in one language. */
const MOST_BYTES = 100 * 1024;
/**
 * Rarely used parts, in addition: continuing a game, the review, the book of the room, saving and sharing. They are
 * loaded when one of them is opened.
 */
const MOST_MORE_BYTES = 12 * 1024;
/** Code of the picture of the end, loaded when it is saved. */
const MOST_PICTURE_BYTES = 3 * 1024;
/**
 * From the front page to the table of one game, compressed. On a slow phone line (400 kbit/s) that takes 1.2 seconds:
 * what a table that explains itself may weigh.
 */
const MOST_FIRST_BYTES = 57 * 1024;
/** The language with the heaviest texts. */
const HEAVIEST = LANGUAGES.map((code) => [gzipSync(JSON.stringify(catalogue(code))).length, code]).sort(
  ([a], [b]) => b - a,
)[0][1];

/** Code, texts and styles of the rarely used parts. */
const MORE = /\/i18n\/more\/|\/replay\/(after-game|origin-check)\./;

const PICTURE = /\/(picture|picture-canvas)\.chunk\.js$/;

/** Everything a context loads, by address, with the transferred size of its body. */
function weigh(context) {
  const fetched = new Map();
  const pending = [];
  context.on('requestfinished', (request) => {
    if (!/^https?:/.test(request.url())) return;
    pending.push(
      request.sizes().then(
        ({ responseBodySize }) => {
          fetched.set(request.url(), Math.max(responseBodySize, fetched.get(request.url()) ?? 0));
        },
        () => {},
      ),
    );
  });
  const asked = [];
  context.on('request', (request) => asked.push(request.url()));
  return {
    asked,
    async all() {
      await Promise.all(pending);
      return [...fetched].sort(([, a], [, b]) => b - a);
    },
  };
}

const sum = (sizes) => sizes.reduce((bytes, [, size]) => bytes + size, 0);
const table = (sizes) =>
  sizes.map(([url, bytes]) => `${String(bytes).padStart(7)}  ${new URL(url).pathname}`).join('\n');

story('a session fetches at most 100 KB, all from the server itself', async (stage) => {
  const context = await stage.device(PHONE, { locale: HEAVIEST });
  const own = (key, params) => say(key, params, HEAVIEST);
  const scales = weigh(context);
  const sockets = [];
  context.on('page', (page) => page.on('websocket', (socket) => sockets.push(socket.url())));

  // What most people do: the front page with everything it offers, then a room, a game and its end, with every sheet
  // opened on the way, the game seen again and its deal checked. What few do is weighed by a story of its own below.
  const page = await stage.page(context);
  await page.goto(stage.server.url);
  const press = (key) => page.getByRole('button', { name: own(key), exact: true }).click();
  for (const key of ['rules', 'settings']) {
    await press(key);
    await shows(page.locator('dialog[open]'), `${key} should open`);
    if (key === 'rules') await shows(page.locator('.rulebook'), 'the rules should come');
    await page.keyboard.press('Escape');
  }
  // The other game comes too, and a lesson.
  await press('game.qwantum');
  await press('rules');
  await shows(page.locator('.rulebook .qw').first(), 'the rules of the other game should come');
  await page.keyboard.press('Escape');
  await press('game.towers');
  await press('front.guide');
  await shows(page.locator('.coach'), 'the lesson should open');
  await page.close();
  const { page: game } = await layTable(stage, context, stage.server.url, 'end', 'Ana', HEAVIEST);
  for (const key of ['rules', 'lobby.bring', 'settings', 'keys']) {
    await game.getByRole('button', { name: own('menu'), exact: true }).click();
    await game
      .locator('dialog[open]')
      .getByRole('button', { name: own(key), exact: true })
      .click();
    await shows(game.locator('dialog[open] header'), `${key} should open from the menu`);
    await game.keyboard.press('Escape');
    await goes(game.locator('dialog[open]'), `${key} should close with Escape`);
  }
  // The game is seen again, and its deal checked.
  await game.getByRole('button', { name: own('end.replay'), exact: true }).click();
  await shows(game.locator('.scrub'), 'the game should be seen again');
  await game.getByRole('button', { name: own('replay.more'), exact: true }).click();
  await shows(game.locator('.unveiled, .for-past .note').first(), 'what was hidden should come');
  await game.getByRole('button', { name: own('deal'), exact: true }).click();
  await shows(game.locator('.compared'), 'the deal should be checked');
  assert.deepEqual(
    scales.asked.filter((url) => MORE.test(url)),
    [],
    'what few open should not come before it is opened',
  );

  const sizes = await scales.all();
  const parts = sizes.filter(([url]) => !new URL(url).pathname.startsWith('/api/'));
  const languages = parts.filter(([url]) => /\/i18n\/\w+\.json$/.test(url)).map(([url]) => url.slice(-7, -5));
  assert.deepEqual(
    languages,
    [HEAVIEST],
    'the own language should be fetched, and no other: its catalogue is whole, so nothing needs to stand in for it',
  );
  const bytes = sum(parts);
  console.log(`a session in ${HEAVIEST} fetches ${bytes} bytes`);
  assert.ok(
    bytes <= MOST_BYTES,
    `everything a session fetches should be at most ${MOST_BYTES} bytes compressed, but is ${bytes}:\n${table(parts)}`,
  );
  assert.ok(parts.length > 10 && bytes > 10000, 'the scales should have weighed the whole page');

  const { host } = new URL(stage.server.url);
  const strangers = [...scales.asked, ...sockets].filter(
    (url) => !/^(data|blob):/.test(url) && new URL(url).host !== host,
  );
  assert.deepEqual(strangers, [], 'nothing should be fetched from elsewhere');
});

story('rarely used parts are loaded when they are opened, and are at most 12 KB', async (stage) => {
  const context = await stage.device(PHONE);
  const scales = weigh(context);
  const { page } = await layTable(stage, context, stage.server.url, 'end');
  const press = async (name, within = page) => {
    const control = within.getByRole('button', { name, exact: true });
    await settled(page, control);
    await control.click();
  };
  const dialog = page.locator('dialog[open]');
  // All that most people fetch with it does not count here.
  await press(say('end.replay'));
  await shows(page.locator('.scrub'), 'the game should be seen again');
  await press(say('replay.more'));
  await shows(page.locator('.unveiled, .for-past .note').first(), 'what was hidden should come');
  await press(say('deal'));
  await shows(page.locator('.compared'), 'the deal should be checked');
  await press(say('close'));
  await press(say('moment.now'));
  await page.waitForLoadState('networkidle');
  const before = new Set((await scales.all()).map(([url]) => url));

  await press(say('end.more'));
  await press(say('book'), dialog);
  await shows(page.locator('.for-book .gamelist'), 'the book should open');
  await press(say('close'));
  await press(say('end.more'));
  const saved = page.waitForEvent('download');
  await press(say('end.picture'), dialog);
  await saved;
  await press(say('close'));
  stage.complaints.expect(/Failed to load resource.*404/);
  await press(say('end.more'));
  await press(`${say('review')} ${say('review.hint')}`, dialog);
  await shows(page.locator('.mistake .done').first(), 'the review should come', { timeout: 60000 });
  await press(say('close'));
  await press(say('end.replay'));
  await press(say('replay.more'));
  await press(`${say('playon')} ${say('playon.hint')}`, dialog);
  await shows(page.locator('main.lobby .note.origin'), 'a room should open to play on in');
  await page.waitForLoadState('networkidle');

  const parts = (await scales.all()).filter(([url]) => !before.has(url) && /\/a\/\w+\//.test(url));
  // The lobby is loaded with every room, so it does not count here.
  const more = parts.filter(([url]) => !/\/screens\//.test(url) && !PICTURE.test(url));
  const picture = parts.filter(([url]) => PICTURE.test(url));
  assert.ok(
    ['/replay/after-game.chunk.js', '/replay/after-game.css', '/i18n/more/'].every((part) =>
      more.some(([url]) => url.includes(part)),
    ),
    `code, words and styles should have come:\n${table(parts)}`,
  );
  console.log(`what few open is ${sum(more)} bytes, and the picture ${sum(picture)}`);
  assert.ok(
    sum(more) <= MOST_MORE_BYTES,
    `what few open should be at most ${MOST_MORE_BYTES} bytes compressed, but is ${sum(more)}:\n${table(more)}`,
  );
  assert.ok(
    picture.length && sum(picture) <= MOST_PICTURE_BYTES,
    `the picture should be at most ${MOST_PICTURE_BYTES} bytes compressed, but is ${sum(picture)}:\n${table(picture)}`,
  );
});

for (const [game, other] of [
  ['towers', 'qwantum'],
  ['qwantum', 'towers'],
]) {
  story(`the first load of ${game} is light, and holds nothing of another game`, async (stage) => {
    const context = await stage.device(PHONE);
    const scales = weigh(context);
    await context.addInitScript((chosen) => localStorage.setItem('rookery.game', JSON.stringify(chosen)), game);
    const page = await stage.page(context);
    await page.goto(stage.server.url);
    await page.getByRole('button', { name: say('front.bots'), exact: true }).click();
    await shows(page.locator('main.game .ownside'), 'the table should be laid');
    await page.waitForLoadState('networkidle');

    const parts = (await scales.all()).filter(([url]) => !new URL(url).pathname.startsWith('/api/'));
    const strangers = scales.asked.filter((url) => new RegExp(`/(games|i18n)/${other}/`).test(url));
    assert.deepEqual(strangers, [], `nothing of ${other} should be fetched`);
    const bytes = sum(parts);
    console.log(`the first load of ${game} is ${bytes} bytes`);
    assert.ok(
      bytes <= MOST_FIRST_BYTES,
      `the first load of ${game} should be at most ${MOST_FIRST_BYTES} bytes compressed, but is ${bytes}:\n${table(parts)}`,
    );
    assert.ok(
      parts.some(([url]) => url.includes(`/games/${game}/`)) && bytes > 10000,
      'the scales should have weighed the game',
    );
  });
}

story('the page runs under a policy that allows nothing but its own files', async (stage) => {
  const page = await stage.page(await stage.device(PHONE));
  const answer = await page.goto(stage.server.url);
  const header = answer.headers()['content-security-policy'];
  const policy = Object.fromEntries(
    header.split(';').map((part) =>
      part
        .trim()
        .split(/\s+(.*)/s)
        .slice(0, 2),
    ),
  );
  assert.equal(policy['default-src'], "'none'", 'whatever is not named should be refused');
  for (const part of ['script-src', 'style-src', 'connect-src'])
    assert.equal(policy[part], "'self'", `${part} should allow the server's own files and nothing else`);
  assert.equal(policy['require-trusted-types-for'], "'script'", 'no text should become markup');
  assert.equal(answer.headers()['cache-control'], 'no-cache', 'the HTML should be asked for each time');
  await shows(page.getByRole('heading', { level: 1 }), 'the page should draw itself under its policy');

  // The policy is in force, not only announced: text that would become markup or script is refused.
  stage.complaints.expect(/security policy|Trusted(HTML|Script)|Content Security Policy/i);
  const ways = await page.evaluate(() =>
    Object.fromEntries(
      Object.entries({
        markup: () => {
          document.body.innerHTML += '<b>markup</b>';
        },
        handler: () => document.createElement('img').setAttribute('onerror', 'window.ran = true'),
        script: () => {
          document.createElement('script').text = 'window.ran = true';
        },
      }).map(([way, attempt]) => {
        try {
          attempt();
          return [way, 'let through'];
        } catch {
          return [way, 'refused'];
        }
      }),
    ),
  );
  assert.deepEqual(
    ways,
    { markup: 'refused', handler: 'refused', script: 'refused' },
    'every way from text to script should be refused',
  );
});
