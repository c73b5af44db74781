// Every screen in five languages, at five sizes, and in a language 40 % longer: looked at by axe, measured,
// photographed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { shot, shows, story, PATIENCE_MS, PHONE, LAPTOP } from './support/stage.js';
import { ALBUM } from './support/album.js';
import { feedScenes } from './support/scenes.js';
import { AXE, SIGHTS, glance, speak, words } from './support/sights.js';
import { LANGUAGES, catalogue, stretched } from './support/words.js';

// Most of what the browsers have to do is done here, and nothing of it is pressing: the other stories, which wait more
// than they work, go first.
setPriority(5);

/** No language on earth: it only takes more room. */
const LONGEST = 'xx';
const CATALOGUES = {
  ...Object.fromEntries(LANGUAGES.map((code) => [code, catalogue(code)])),
  [LONGEST]: stretched(catalogue('en')),
};
/** Tables are also kept in a language whose words are long. */
const SECOND = 'lt';

/**
 * A screen comes about once on each device, which is then held in all its ways: turning it is quicker than starting
 * again.
 */
const DEVICES = [
  {
    kind: PHONE,
    sizes: {
      phone: PHONE.viewport,
      small: { width: 360, height: 640 },
      side: { width: 844, height: 390 },
      tablet: { width: 820, height: 1180 },
    },
  },
  { kind: LAPTOP, sizes: { laptop: LAPTOP.viewport, television: { width: 1920, height: 1080 } } },
];
/** How often the album says how far it is, in screens. */
const PROGRESS = 10;
/** Where axe listens in every language; at the other sizes English will do. */
const AXE_SPEAKS_ALL = ['phone', 'laptop'];

/** While working on a few screens: `SCREENS=end,lobby`, `SIZES=side,tablet`. Without them, all. */
const wanted = () =>
  ALBUM.filter((screen) => (process.env.SCREENS ?? '').split(',').some((part) => screen.name.includes(part)));
/**
 * Pictures are for people: of these screens in English, of tables in a second language too, or in any with
 * `PICTURES=lt,pl`; `PICTURES=en` alone is the whole album. What is wrong is photographed in any case.
 */
const photographed = (screen, language) =>
  (process.env.PICTURES ?? '').split(',').includes(language) ||
  (Boolean(process.env.SCREENS) && (language === 'en' || (language === SECOND && screen.tables)));
const wantedSize = (size) => (process.env.SIZES ?? size).split(',').includes(size);

/**
 * Somebody who looks at one screen after the other, as long as there are any, and notes everything that is wrong, in
 * words.
 */
async function leafThrough(stage, album, findings) {
  const pages = [];
  for (const { kind } of DEVICES) pages.push(await openAlbum(stage, kind));
  for (let next = album.shift(); next; next = album.shift()) {
    await lookAt(stage, pages[DEVICES.indexOf(next.device)], next, findings);
    if (album.length % PROGRESS === 0) console.log(`album: ${album.length} screens to go, ${findings.length} findings`);
  }
  await Promise.all(pages.map(({ page }) => page.close()));
}

/**
 * Runs in the page first: what goes away by itself stays four times as long, because the album may be slow to measure
 * it.
 */
function linger() {
  const now = Date.now.bind(Date);
  const begun = now();
  Date.now = () => begun + (now() - begun) / 4;
  const later = window.setTimeout.bind(window);
  window.setTimeout = (then, ms = 0, ...more) => later(then, ms < 2000 ? ms : ms * 4, ...more);
}

/** A page on this device whose server tells it scenes. */
async function openAlbum(stage, kind) {
  const code = await stage.server.newRoom();
  const context = await stage.device(kind);
  // Who lets others go first may have to wait.
  context.setDefaultTimeout(4 * PATIENCE_MS);
  await context.addInitScript(readFileSync(AXE, 'utf8'));
  await context.addInitScript(SIGHTS);
  await context.addInitScript(linger);
  await context.addInitScript(words(CATALOGUES));
  const page = await stage.page(context);
  const feed = await feedScenes(page, code);
  await page.goto(stage.server.url);
  return { page, code, feed };
}

/** One screen on one device, at all its sizes and in all languages. */
async function lookAt(stage, { page, code, feed }, { screen, device }, findings) {
  const wide = device.kind === LAPTOP;
  await page.setViewportSize(device.kind.viewport);
  try {
    await show(stage, page, feed, screen, { code, wide });
  } catch (error) {
    const path = shot(`failed-${screen.name}`);
    const picture = await page.screenshot({ path }).then(
      () => `, see ${path}`,
      () => '',
    );
    findings.push(`${screen.name} could not be shown: ${error.message.split('\n')[0]}${picture}`);
    return;
  }
  for (const [size, viewport] of Object.entries(device.sizes).filter(
    ([name]) => wantedSize(name) && (screen.sizes?.includes(name) ?? name !== 'television'),
  )) {
    await page.setViewportSize(viewport);
    const languages = screen.languages ?? [...LANGUAGES, LONGEST];
    const heard = AXE_SPEAKS_ALL.includes(size) ? languages.filter((language) => language !== LONGEST) : ['en'];
    const note = (language, what) => findings.push(`${screen.name}, ${size}, ${language}: ${what}`);
    const seen = await lookIn(page, screen, languages, { heard, wide });
    for (const { language, cuts, closed } of seen) for (const what of [...cuts, ...closed]) note(language, what);
    // Nothing moves when a sentence gets longer: what stands above and below the table is as high in every language.
    for (const { language, frame } of seen)
      if (frame !== seen[0].frame)
        note(language, `the status line and the bar should stay ${seen[0].frame} px high, but are ${frame}`);
    // One picture of what is wrong will do: other languages mostly have the same.
    const cut = seen.find(({ cuts }) => cuts.length)?.language;
    const pictures = languages.flatMap((language) => [
      ...(photographed(screen, language)
        ? [[language, language === 'en' ? screen.name : `${screen.name}-${language}`]]
        : []),
      ...(language === cut ? [[language, `cut-${screen.name}-${language}`]] : []),
    ]);
    for (const [language, name] of pictures) {
      await speak(page, language);
      // What was said in passing is said again, in this language.
      if (screen.passing) await screen.open(page, { wide });
      // Pictures are only for later inspection: a failed one is no fault of the screen.
      await page.screenshot({ path: shot(`${name}-${size}`), animations: 'disabled' }).catch(() => {});
    }
  }
}

/** What is cut, covered or closed to anyone, in every language. */
async function lookIn(page, screen, languages, { heard, wide }) {
  // A seat's own name may be longer than its place; everything that is ours may not.
  const how = {
    anyName: screen.longNames,
    fingers: !wide,
    heard,
    alike: LANGUAGES.filter((language) => language !== 'en'),
  };
  if (!screen.passing) return glance(page, languages, how);
  const seen = [];
  for (const language of languages) {
    await speak(page, language);
    await screen.open(page, { wide });
    seen.push(...(await glance(page, [language], how)));
  }
  return seen;
}

/** Brings one screen about. */
async function show(stage, page, feed, screen, { code, wide }) {
  feed.scene = screen.scene?.(code) ?? {};
  feed.sockets = 0;
  stage.complaints.expect(...(screen.expects ?? []));
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: screen.forced ? 'active' : null });
  await page.evaluate(
    ([room, seated, settings, game]) => {
      localStorage.clear();
      if (game) localStorage.setItem('rookery.game', JSON.stringify(game));
      localStorage.setItem('rookery.name', '"Ana"');
      if (settings) localStorage.setItem('rookery.settings', JSON.stringify(settings));
      if (seated)
        localStorage.setItem(
          'rookery.seats',
          JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Ana', at: Date.now() } }),
        );
    },
    [code, screen.seat ?? false, screen.settings, screen.game],
  );
  const path = typeof screen.path === 'function' ? screen.path(code) : (screen.path ?? `/r/${code}`);
  // Two moments of one game differ in what no browser asks a server for: it would stay on the page.
  if (path.includes('#')) await page.goto('about:blank');
  await page.goto(`${stage.server.url}${path}`);
  await shows(
    page.locator(screen.path === '/' ? 'main.front' : screen.ready).first(),
    `the screen ${screen.name} should come about`,
  );
  await screen.open?.(page, { wide });
  if (screen.path === '/' && screen.ready)
    await shows(page.locator(screen.ready).first(), `the screen ${screen.name} should open`);
}

story(
  'every screen is complete, readable and accessible, in every language and at every size',
  async (stage) => {
    const album = wanted().flatMap((screen) =>
      DEVICES.filter(({ sizes }) => Object.keys(sizes).some(wantedSize)).map((device) => ({ screen, device })),
    );
    const findings = [];
    await Promise.all([1, 2].map(() => leafThrough(stage, album, findings)));
    assert.equal(
      findings.length,
      0,
      `nothing should be cut, covered, run together, out of reach or closed to anyone, but ${findings.length} times:\n${findings.join('\n')}`,
    );
  },
  { timeout: 1800000 },
);
