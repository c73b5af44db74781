// Every screen in five languages, at two sizes, and in a language 40 % longer: looked at by axe, measured, photographed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { shot, shows, story, PHONE, LAPTOP } from './support/stage.js';
import { ALBUM } from './support/album.js';
import { feedScenes } from './support/scenes.js';
import { AXE, cutText, smallTargets, speak, tooTall, violations } from './support/sights.js';
import { LANGUAGES, catalogue, stretched } from './support/words.js';

/** No language on earth: it only takes more room. */
const LONGEST = 'xx';
/** Tables are also kept in a language whose words are long. */
const SECOND = 'lt';

/** While working on a few screens: `SCREENS=end,lobby`. Without it, all of them. */
const wanted = () => ALBUM.filter((screen) => (process.env.SCREENS ?? '').split(',').some((part) => screen.name.includes(part)));

/** Goes through the whole album on one device and gives everything that is wrong, in words. */
async function leafThrough(stage, kind, size) {
  const wide = size === 'laptop';
  const code = await stage.server.newRoom();
  const context = await stage.device(kind);
  await context.addInitScript(readFileSync(AXE, 'utf8'));
  const page = await stage.page(context);
  await page.route(`**/i18n/${LONGEST}.json`, (route) => route.fulfill({ json: stretched(catalogue('en')) }));
  const feed = await feedScenes(page, code);
  await page.goto(stage.server.url);
  const findings = [];
  for (const screen of wanted()) {
    const note = (language) => (what) => findings.push(`${screen.name}, ${size}, ${language}: ${what}`);
    try {
      await show(stage, page, feed, screen, { code, wide });
    } catch (error) {
      await page.screenshot({ path: shot(`failed-${screen.name}-${size}`) }).catch(() => {});
      note('en')(`could not be shown: ${error.message.split('\n')[0]}`);
      continue;
    }
    await page.screenshot({ path: shot(`${screen.name}-${size}`), animations: 'disabled' });
    for (const language of [...LANGUAGES, LONGEST]) {
      await speak(page, language);
      // A seat's own name may be longer than its place; everything that is ours may not.
      if (screen.longNames) await page.evaluate(() => document.querySelectorAll('.name').forEach((el) => el.setAttribute('data-any-length', '')));
      const cuts = [...await cutText(page), ...(screen.tables || /five/.test(screen.name) ? await tooTall(page) : []), ...(wide ? [] : await smallTargets(page))];
      cuts.forEach(note(language));
      if (cuts.length) await page.screenshot({ path: shot(`cut-${screen.name}-${size}-${language}`), animations: 'disabled' });
      if (language !== LONGEST) (await violations(page)).forEach(note(language));
      if (language === SECOND && screen.tables) await page.screenshot({ path: shot(`${screen.name}-${size}-${SECOND}`), animations: 'disabled' });
    }
  }
  await page.close();
  return findings;
}

/** Brings one screen about. */
async function show(stage, page, feed, screen, { code, wide }) {
  feed.scene = screen.scene?.(code) ?? {};
  feed.sockets = 0;
  stage.complaints.expect(...(screen.expects ?? []));
  await page.evaluate(([room, seated]) => {
    localStorage.clear();
    localStorage.setItem('rookery.name', '"Ana"');
    if (seated) localStorage.setItem('rookery.seats', JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Ana', at: Date.now() } }));
  }, [code, screen.seat ?? false]);
  await page.goto(`${stage.server.url}${screen.path ?? `/r/${code}`}`);
  await shows(page.locator(screen.path === '/' ? 'main.front' : screen.ready).first(), `the screen ${screen.name} should come about`);
  await screen.open?.(page, { wide });
  if (screen.path === '/' && screen.ready) await shows(page.locator(screen.ready).first(), `the screen ${screen.name} should open`);
}

story('every screen is whole, readable and open to all, in every language and at both sizes', async (stage) => {
  const findings = (await Promise.all([leafThrough(stage, PHONE, 'phone'), leafThrough(stage, LAPTOP, 'laptop')])).flat();
  assert.equal(findings.length, 0, `nothing should be cut, scroll sideways or be closed to anyone, but ${findings.length} times:\n${findings.join('\n')}`);
}, { timeout: 600000 });
