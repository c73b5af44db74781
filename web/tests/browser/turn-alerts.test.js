// Turn alerts, flying cards and the count of the scores, and that all of them can be turned off.

import assert from 'node:assert/strict';
import { shows, story, PHONE } from './support/stage.js';
import { layTable } from './support/moments.js';
import { playToTheEnd } from './support/player.js';
import { say } from './support/words.js';

/** Runs in the page first: counts what is set in motion, and how. */
function countFlights() {
  window.flights = { moved: 0, faded: 0 };
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, how) {
    window.flights[frames.some((frame) => 'transform' in frame) ? 'moved' : 'faded'] += 1;
    return animate.call(this, frames, how);
  };
}

/** Runs in the page first: notices whether the line that names the winner ever says this. */
function noticeWords(words) {
  window.noticed = false;
  const look = () => {
    window.noticed ||= document.querySelector('.winner')?.textContent === words;
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

story('the player’s turn is marked in the title and the icon, unless that is turned off', async (stage) => {
  const context = await stage.device(PHONE);
  const { page, player } = await layTable(stage, context, stage.server.url, 'auction');
  const marked = () =>
    page.evaluate(() => document.title.startsWith('●') && document.getElementById('icon').href.includes('icon-turn'));
  assert.ok(
    await marked(),
    `on one's turn the title and the icon should carry a mark, but the title is “${await page.title()}”`,
  );
  assert.ok((await page.title()).includes((await player.see()).sentence), 'the title should say what is asked');

  await player.tap(player.button('menu'), 'Menu');
  await player.tap(
    page.locator('dialog[open]').getByRole('button', { name: say('settings'), exact: true }),
    'Settings',
  );
  await page
    .locator('dialog[open]')
    .getByRole('switch', { name: say('settings.mark') })
    .tap();
  await page.waitForFunction(() => !document.title.startsWith('●'));
  await page.reload();
  await shows(page.locator('main.asked'), 'after a reload the same seat should be asked');
  assert.ok(!(await page.title()).startsWith('●'), 'turned off, the mark should stay off after a reload');
});

story('cards fly and scores count up, and with less motion they only fade', async (stage) => {
  for (const [reducedMotion, moves] of [
    ['no-preference', true],
    ['reduce', false],
  ]) {
    const context = await stage.device(PHONE, { reducedMotion });
    await context.addInitScript(countFlights);
    await context.addInitScript(noticeWords, say('end.counting'));
    const { page, player } = await layTable(stage, context, stage.server.url, 'auction');
    await page.evaluate(() => {
      window.flights = { moved: 0, faded: 0 };
    });
    await player.andSee('bid 5', () => player.pressNumber(5));
    const plan = { bid: (lit, mayPass) => (mayPass ? null : lit[0]), undo: () => false, demolish: () => false };
    await playToTheEnd([player], plan);
    const flights = await page.evaluate(() => window.flights);
    assert.equal(
      flights.moved > 0,
      moves,
      `with motion “${reducedMotion}” cards should ${moves ? 'fly' : 'not fly'}, but ${JSON.stringify(flights)}`,
    );
    assert.ok(moves || flights.faded > 0, 'with less motion a card that came should fade in');

    const counting = await page.evaluate(() => window.noticed);
    assert.equal(
      counting,
      moves,
      `with motion “${reducedMotion}” the scores should ${moves ? 'be counted up' : 'stand there at once'}`,
    );
    const heard = await page.locator('#heard').textContent();
    assert.ok(
      heard.includes('Mira') && heard.includes('Ana'),
      `the result should be heard at once, but “${heard}” was`,
    );
    if (moves) await page.locator('.panorama').tap();
    await shows(page.locator('.ending.over'), 'in the end, or with a tap, the winner should be named');
    await shows(page.locator('.decided:not(:empty)'), 'what decided the game should be said');
    assert.equal(
      (await page.locator('.confetti').count()) > 0,
      moves,
      `with motion “${reducedMotion}” there should be ${moves ? 'confetti' : 'none'}`,
    );
    assert.equal(
      await page.locator('#heard').textContent(),
      heard,
      'the result should be heard once, and not the counting',
    );
    await page.close();
  }
});

/** Runs in the page first: counts what is begun to be heard, and knows whether anything can be. */
function countSounds() {
  window.begun = 0;
  const contexts = [];
  window.AudioContext = class extends AudioContext {
    constructor(...how) {
      super(...how);
      contexts.push(this);
    }
  };
  const loaded = () => performance.getEntriesByType('resource').some(({ name }) => /\/sounds\.\w*\.?js/.test(name));
  window.canSound = () => contexts.some(({ state }) => state === 'running') && loaded();
  for (const kind of [OscillatorNode, AudioBufferSourceNode]) {
    const { start } = kind.prototype;
    kind.prototype.start = function (...when) {
      window.begun += 1;
      return start.apply(this, when);
    };
  }
}

/** Runs in the page: each sound at full volume, rendered as fast as the machine can. */
async function listen() {
  const main = document.querySelector('script[type=module]').src;
  const { SOUNDS, play } = await import(new URL('sounds.js', main).href);
  const heard = {};
  for (const name of Object.keys(SOUNDS)) {
    const audio = new OfflineAudioContext(1, 48000 * 1.5, 48000);
    play(audio, [name], 100);
    const values = (await audio.startRendering()).getChannelData(0);
    heard[name] = {
      peak: values.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
      until: values.findLastIndex((value) => Math.abs(value) > 0.002) / 48000,
    };
  }
  return heard;
}

story('sounds are played only after the first tap, at a saved volume', async (stage) => {
  const context = await stage.device(PHONE);
  await context.addInitScript(countSounds);
  const { page, player } = await layTable(stage, context, stage.server.url, 'lobby');
  // What cannot sound yet is not made up for later.
  await page.waitForFunction(() => window.canSound());
  await player.tap(player.button('lobby.start'), 'Start');
  await shows(page.locator('main.asked .bids'), 'a bid should be asked for');
  const begun = () => page.evaluate(() => window.begun);
  await page
    .waitForFunction(() => window.begun > 0)
    .catch(() => assert.fail('after some taps it should be heard that it is one’s turn'));

  for (const [name, { peak, until }] of Object.entries(await page.evaluate(listen))) {
    assert.ok(
      peak > 0.05 && peak < 1,
      `${name} should be neither silent nor clipped at full volume, but peaks at ${peak.toFixed(3)}`,
    );
    assert.ok(until > 0.02 && until < 1, `${name} should be short, but rings for ${until.toFixed(2)} s`);
  }

  await player.tap(player.button('menu'), 'Menu');
  await player.tap(
    page.locator('dialog[open]').getByRole('button', { name: say('settings'), exact: true }),
    'Settings',
  );
  const volume = page.locator('dialog[open]').getByRole('slider', { name: say('settings.sound') });
  await volume.fill('0');
  await page.keyboard.press('Escape');
  const before = await begun();
  await player.andSee('bid 5', () => player.pressNumber(5));
  assert.equal(await begun(), before, 'turned down to nothing, nothing should be heard');
  await page.reload();
  await shows(page.locator('main.asked'), 'after a reload the table should be there');
  assert.equal(await begun(), 0, 'before the first tap nothing should be heard');
  await player.tap(player.button('menu'), 'Menu');
  await player.tap(
    page.locator('dialog[open]').getByRole('button', { name: say('settings'), exact: true }),
    'Settings',
  );
  assert.equal(await volume.inputValue(), '0', 'the volume should be remembered');
  await volume.fill('80');
  await page
    .waitForFunction(() => window.begun > 0)
    .catch(() => assert.fail('turned up, it should be heard how loud that is'));
});
