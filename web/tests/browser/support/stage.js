// The environment of one browser test: a server, a browser, devices, and all errors that the pages report. When a test
// fails, screenshots of all open pages are taken.

import test from 'node:test';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { openFirefox } from './firefox.js';
import { PATIENCE_MS } from './page.js';
import { openServer } from './server.js';
import { openWebkit } from './webkit.js';

/** A name for this machine as in a home network: unlike 127.0.0.1 it is no secure context. */
export const HOME = 'home.test';
const ARGS = [
  `--host-resolver-rules=MAP ${HOME} 127.0.0.1`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The engines that Playwright drives only in builds of its own: Debian's are what people have. */
const OTHERS = {
  firefox: { program: process.env.FIREFOX || '/usr/bin/firefox-esr', open: openFirefox },
  webkit: { program: process.env.WEBKIT_DRIVER || '/usr/bin/WebKitWebDriver', open: openWebkit },
};
export const ENGINES = ['chromium', ...Object.keys(OTHERS)];
const SHOTS = new URL('../shots/', import.meta.url);
export { PATIENCE_MS };

export const PHONE = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
export const LAPTOP = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };

/** Where a picture of this name goes. The folder is not committed. */
export function shot(name) {
  mkdirSync(SHOTS, { recursive: true });
  return fileURLToPath(new URL(`${fileName(name)}.png`, SHOTS));
}

const fileName = (name) => name.replace(/[^\w-]+/g, '-');

/** Pictures of an earlier failure would only mislead. */
function forget(name) {
  mkdirSync(SHOTS, { recursive: true });
  for (const file of readdirSync(SHOTS)) if (file.startsWith(fileName(name))) rmSync(new URL(file, SHOTS));
}

/** Waits until it is there, and says in words what should have been when it never is. */
export async function shows(locator, what, options = {}) {
  try {
    await locator.waitFor(options);
  } catch (error) {
    throw new Error(
      `${what}, but that was waited for in vain (${error.message.split('\n').slice(0, 3).join(' ').trim()})`,
      { cause: error },
    );
  }
}

/** The same, for what should go away. */
export const goes = (locator, what, options = {}) => shows(locator, what, { state: 'detached', ...options });

/** Waits until `thing` is there and a press would count on any control, which the page shows. */
export const settled = (page, thing = page.locator('#app')) =>
  thing.evaluate(
    () =>
      new Promise((resolve) => {
        const watch = new MutationObserver(look);
        watch.observe(document, {
          subtree: true,
          childList: true,
          attributes: true,
          attributeFilter: ['data-settling'],
        });
        look();
        function look() {
          if (document.querySelector('[data-settling]')) return;
          watch.disconnect();
          resolve();
        }
      }),
  );

/** Presses a control once it is there and a press on it counts. */
export async function press(control) {
  await settled(control.page(), control);
  await control.click();
}

/**
 * Taps the slider of a replay at `x` and waits until the browser has moved it, which may be after the tap has returned.
 */
export async function slide(page, x) {
  const input = page.locator('.scrub input');
  const moved = input.evaluate(
    (el) =>
      new Promise((resolve) => {
        el.addEventListener('input', () => resolve(), { once: true });
      }),
  );
  await input.tap({ position: { x, y: 22 } });
  await moved;
}

/** Asks again and again until the answer is yes. */
export async function until(holds, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error(`${what}, but not within ${PATIENCE_MS / 1000} s`);
}

/**
 * A test told as a story, with everything it needs cleared away afterwards. With `lapse` whatever its pages wait for by
 * themselves for less than a second takes a tenth of that.
 */
export function story(name, tell, { timeout = 150000, ...how } = {}) {
  test(name, async () => {
    forget(`failed-${name}`);
    const stage = await openStage(how);
    try {
      await inTime(tell(stage), timeout);
      stage.complaints.check();
    } catch (error) {
      const pictures = await stage.photograph(`failed-${name}`);
      if (pictures.length) error.message += `\npictures of every open page:\n${pictures.join('\n')}`;
      if (stage.complaints.list.length)
        error.message += `\nmeanwhile the pages complained:\n${stage.complaints.list.join('\n')}`;
      throw error;
    } finally {
      await stage.close();
    }
  });
}

/** Ends a story that hangs, while its pages can still be photographed. */
async function inTime(telling, timeout) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the story should end within ${timeout / 1000} s, but did not`)),
      timeout,
    );
  });
  try {
    await Promise.race([telling, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function openStage(how) {
  const server = await openServer(how);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ARGS });
  const complaints = new Complaints();
  const closers = [];
  const others = [];
  return {
    server,
    browser,
    complaints,
    /** Closed with the stage, in reverse order. */
    also(closer) {
      closers.push(closer);
    },
    /** Somebody's own device, with nothing remembered. */
    async device(kind, options = {}) {
      // Twice the pixels each way would take four times as long to paint, and nothing here looks at them.
      const context = await browser.newContext({
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...kind,
        deviceScaleFactor: 1,
        ...options,
      });
      context.setDefaultTimeout(PATIENCE_MS);
      await context.addInitScript(listenForViolations);
      await context.addInitScript(`window.moment = ${moment}`);
      if (how.lapse) await context.addInitScript(lapse);
      return context;
    },
    async page(context) {
      const page = await context.newPage();
      complaints.hear(page);
      return page;
    },
    /** A page on somebody's own phone, in a browser with this engine, where things move as they do for most. */
    async phone(engine) {
      if (engine === 'chromium') return this.page(await this.device(PHONE, { reducedMotion: 'no-preference' }));
      const { program, open } = OTHERS[engine];
      const page = await open(program, PHONE, [
        listenForViolations,
        `() => { window.moment = ${moment}; }`,
        ...(how.lapse ? [lapse] : []),
      ]);
      others.push(page);
      complaints.hear(page);
      return page;
    },
    /** Photographs every open page and returns the paths of the pictures; a page that hangs has none. */
    async photograph(name) {
      const pages = [...browser.contexts().flatMap((context) => context.pages()), ...others];
      const paths = await Promise.all(
        pages.map(async (page, i) => {
          const path = shot(`${name}-${i + 1}`);
          return page.screenshot({ path, timeout: 5000 }).then(
            () => path,
            () => null,
          );
        }),
      );
      return paths.filter(Boolean);
    },
    async close() {
      await Promise.all([browser, ...others].map((opened) => opened.close()));
      for (const closer of closers.reverse()) await closer();
      await server.close();
    },
  };
}

/** Runs in the page before its own scripts: a refused script or style must not go unseen. */
function listenForViolations() {
  addEventListener('securitypolicyviolation', (event) =>
    console.error(
      `security policy: ${event.violatedDirective} refused ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`,
    ),
  );
}

/**
 * Time-lapse, run in the page before its own scripts: shortens every pause of less than a second, for stories that are
 * not about pauses.
 */
function lapse() {
  const now = performance.now.bind(performance);
  performance.now = () => now() * 10;
  const later = window.setTimeout.bind(window);
  window.setTimeout = (then, ms = 0, ...more) => later(then, ms < 1000 ? ms / 10 : ms, ...more);
}

/** Everything pages complained about, except what a story announced. */
class Complaints {
  list = [];
  expected = [];

  hear(page) {
    const note = (text) => this.expected.some((pattern) => pattern.test(text)) || this.list.push(text);
    page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error.message}`));
    page.on(
      'console',
      (message) =>
        ['error', 'warning'].includes(message.type()) &&
        note(`${message.type()}: ${message.text()} (${message.location().url})`),
    );
    page.on('dialog', (dialog) => {
      note(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** What the browser itself logs about a line that this story cuts on purpose. */
  expect(...patterns) {
    this.expected.push(...patterns);
  }

  check() {
    if (this.list.length)
      throw new Error(
        `no error, warning or security violation was expected in the console, but:\n${[...new Set(this.list)].join('\n')}`,
      );
  }
}

/**
 * Two looks at the same moment give the same text. Runs in the page, as `window.moment`; how the line is doing is left
 * out.
 */
function moment() {
  const main = document.querySelector('#app > main');
  if (!main) return 'nothing';
  const marks = [...main.querySelectorAll('[aria-pressed], .lit, .marked, input')].map(
    (el) => `${el.className}${el.getAttribute('aria-pressed') ?? ''}${el.checked ?? ''}`,
  );
  const copy = main.cloneNode(true);
  for (const line of copy.querySelectorAll('.say small')) line.remove();
  return `${main.className.replace(' sending', '')}|${copy.textContent}|${marks.join(',')}`;
}
