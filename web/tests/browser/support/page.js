// A page in a browser that Playwright cannot drive. It has the part of Playwright's interface that the players of the
// tests need, over a driver that can open an address, run a script, perform actions and take a screenshot. It is
// independent of the engine.

import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';

/** How long a page may take for anything at all, on a busy machine. */
export const PATIENCE_MS = 15000;
/** How often a page is looked at while something is waited for. */
export const LOOK_MS = 30;

/** Runs in the page before its own scripts, and keeps what it complains about until it is asked. */
export function listen() {
  const complaints = [];
  window.complaints = complaints;
  for (const type of ['error', 'warn']) {
    const say = console[type];
    console[type] = (...words) => {
      complaints.push({ type: type === 'warn' ? 'warning' : type, text: words.map(String).join(' ') });
      say.apply(console, words);
    };
  }
  const failed = (event) =>
    event.error
      ? `${event.error}\n${event.error.stack}`
      : (event.message ?? `${event.target.src ?? event.target.href} could not be loaded`);
  addEventListener('error', (event) => complaints.push({ type: 'uncaught', text: failed(event) }), true);
  addEventListener('unhandledrejection', (event) =>
    complaints.push({ type: 'uncaught', text: `${event.reason}\n${event.reason?.stack}` }),
  );
}

/** Everything in the document that these steps lead to. Runs in the page. */
function find(steps) {
  const roles = {
    button: 'button, [role=button], summary',
    textbox: 'input:not([type]), input[type=text], textarea',
    switch: '[role=switch]',
  };
  const plain = (text) => text.replace(/\s+/g, ' ').trim();
  // The accessible name, as far as this page gives any: what is hidden from those who listen is left out.
  const nameOf = (el) => {
    const copy = (el.labels?.[0] ?? el).cloneNode(true);
    for (const silent of copy.querySelectorAll('[aria-hidden=true]')) silent.remove();
    return plain(el.getAttribute('aria-label') ?? copy.textContent);
  };
  let found = [document];
  for (const step of steps) {
    const inside = (css) => [...new Set(found.flatMap((el) => [...el.querySelectorAll(css)]))];
    if (step.css) found = inside(step.css);
    else if (step.role)
      found = inside(roles[step.role]).filter(
        (el) => nameOf(el) === plain(step.name) && el.getClientRects().length > 0,
      );
    else if (step.text)
      found = inside('*')
        .filter((el) => plain(el.textContent) === plain(step.text))
        .filter((el, _, all) => !all.some((other) => other !== el && el.contains(other)));
    else if (step.hasText) found = found.filter((el) => plain(el.textContent).includes(plain(step.hasText)));
    else found = found.slice(step.nth).slice(0, 1);
  }
  return found;
}

class Locator {
  constructor(page, steps) {
    this.page = page;
    this.steps = steps;
  }

  locator = (css) => this.then_({ css });
  getByText = (text) => this.then_({ text });
  getByRole = (role, { name }) => this.then_({ role, name });
  filter = ({ hasText }) => this.then_({ hasText });
  nth = (nth) => this.then_({ nth });
  first = () => this.nth(0);
  then_ = (step) => new Locator(this.page, [...this.steps, step]);

  /** Waits until one is to be seen, or until none is there any more. */
  async waitFor({ state = 'visible', timeout } = {}) {
    const look = `(steps) => { const found = (${find})(steps); return ${state === 'detached' ? '!found.length' : 'found.some((el) => el.getClientRects().length > 0)'}; }`;
    await this.page.waitForFunction(look, this.steps, { timeout }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(this.steps)} ${state}`);
    });
  }

  /** Waits for it and hands it to a function in the page. */
  async evaluate(act) {
    await this.waitFor();
    return this.page.evaluate(`(steps) => (${act})((${find})(steps)[0])`, this.steps);
  }

  textContent = () => this.evaluate((el) => el.textContent);
  count = () => this.page.evaluate(`(steps) => (${find})(steps).length`, this.steps);
  allTextContents = () => this.page.evaluate(`(steps) => (${find})(steps).map((el) => el.textContent)`, this.steps);
}

export class Page extends EventEmitter {
  /** `pointer` is what the engine lets a driver touch the screen with. */
  constructor(driver, pointer) {
    super();
    this.driver = driver;
    this.touchscreen = {
      tap: (x, y) =>
        driver.perform([
          {
            type: 'pointer',
            id: 'finger',
            parameters: { pointerType: pointer },
            actions: [
              { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
              { type: 'pointerDown', button: 0 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ]),
    };
    const strokes = (value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ];
    this.keyboard = {
      type: (text) => driver.perform([{ type: 'key', id: 'keys', actions: [...text].flatMap(strokes) }]),
    };
  }

  locator = (css) => new Locator(this, [{ css }]);
  getByText = (text) => new Locator(this, [{ text }]);
  getByRole = (role, { name }) => new Locator(this, [{ role, name }]);

  goto = (url) => this.driver.go(url);

  /** A function, or its source, with one argument; what it comes to must be plain enough for JSON. */
  async evaluate(act, arg) {
    const answer = await this.driver.run(
      `async () => JSON.stringify({ value: await (${act})(${JSON.stringify(arg)}), complaints: window.complaints?.splice(0) ?? [] })`,
    );
    const { value, complaints } = JSON.parse(answer);
    for (const { type, text } of complaints) {
      if (type === 'uncaught') this.emit('pageerror', { message: text });
      else this.emit('console', { type: () => type, text: () => text, location: () => ({ url: 'the page' }) });
    }
    return value;
  }

  /** Looks again and again until it holds; a look that finds the page on its way to another address is no answer. */
  async waitForFunction(act, arg, { timeout = PATIENCE_MS } = {}) {
    const end = Date.now() + timeout;
    let failure = '';
    while (Date.now() < end) {
      try {
        const value = await this.evaluate(act, arg);
        if (value) return value;
        failure = '';
      } catch (error) {
        failure = `; the last look failed: ${error.message}`;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
    }
    throw new Error(`nothing came of it in ${timeout / 1000} s${failure}`);
  }

  /** A page that hangs is not waited for. */
  async screenshot({ path, timeout = PATIENCE_MS }) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no picture came in ${timeout / 1000} s`)), timeout);
    });
    try {
      writeFileSync(path, Buffer.from(await Promise.race([this.driver.picture(), late]), 'base64'));
    } finally {
      clearTimeout(timer);
    }
  }

  close = () => this.driver.close();
}
