// Plays Five Towers through the page: finds the lit controls and taps or presses them. It may read the document, but
// acts only by taps and keys.

import assert from 'node:assert/strict';
import { anyOf, say } from './words.js';
import { PATIENCE_MS, settled, shows } from './stage.js';

/** What a person sees of the table, from the page alone. Runs in the page. */
function seeTable() {
  const main = document.querySelector('#app > main');
  const texts = (selector) =>
    [...document.querySelectorAll(selector)].map((el) => ({
      text: el.textContent.trim(),
      lit: el.classList.contains('lit'),
    }));
  return {
    screen: main?.classList[0] ?? 'none',
    asked: main?.classList.contains('asked') ?? false,
    sending: main?.classList.contains('sending') ?? false,
    ended: main?.classList.contains('ended') ?? false,
    sentence: document.querySelector('.say span')?.textContent ?? '',
    // What a number would mean stands under it.
    numbers: texts('.bids .number').map(({ text, lit }) => ({ text: String(parseInt(text, 10)), lit })),
    pass: texts('.bids .pass')[0] ?? null,
    main: texts('.bar .main')[0] ?? null,
    steps: texts('.bar .step'),
    cards: [...document.querySelectorAll('.hand [data-card]')].map((el) => ({
      lit: el.classList.contains('lit'),
      lifted: el.getAttribute('aria-pressed') === 'true',
      name: el.querySelector('.unseen')?.textContent ?? '',
    })),
    marked: [...document.querySelectorAll('[data-tower]')].map((el) => el.classList.contains('marked')),
    toast: document.querySelector('.toast')?.textContent ?? null,
  };
}

class Player {
  constructor(page, name, language = 'en') {
    this.page = page;
    this.name = name;
    this.language = language;
    this.done = { bids: 0, passes: 0, takes: 0, builds: 0, undos: 0, demolitions: 0, finishes: 0 };
  }

  /** The words of a key in this person's language. */
  say(key, params) {
    return say(key, params, this.language);
  }

  see() {
    return this.page.evaluate(seeTable);
  }

  /** Does it and waits until the page shows that something came of it. */
  async andSee(what, act) {
    const before = await this.page.evaluate(
      () => window.moment() + (document.querySelector('.toast')?.textContent ?? ''),
    );
    await act();
    try {
      await this.page.waitForFunction(
        (was) =>
          window.moment() + (document.querySelector('.toast')?.textContent ?? '') !== was &&
          !document.querySelector('main.sending'),
        before,
      );
    } catch {
      throw new Error(`${this.name} did this and the page showed no change for ${PATIENCE_MS / 1000} s: ${what}`);
    }
  }

  /** Whatever this seat is asked for now, until it is not asked any more. */
  async takeTurn(plan) {
    for (let seen = await this.see(); seen.asked && !seen.ended; seen = await this.see()) {
      if (seen.sending) await this.page.waitForFunction(() => !document.querySelector('main.sending'));
      else if (plan.forced && isForced(seen))
        await this.page.waitForFunction(() => document.querySelectorAll('main.asked .bids .lit').length !== 1);
      else if (seen.numbers.length) await this.call(seen, plan);
      else if (seen.cards.length && isTake(seen, this.language)) await this.take(seen);
      else if (seen.main) await this.build(seen, plan);
      else return;
    }
  }

  async call(seen, plan) {
    const lit = seen.numbers.filter((each) => each.lit).map((each) => Number(each.text));
    const wish = plan.bid(lit, seen.pass?.lit ?? false, this);
    if (wish === null) {
      this.done.passes += 1;
      await this.andSee('passed', () => this.pressPass());
    } else {
      this.done.bids += 1;
      await this.andSee(`bid ${wish}`, () => this.pressNumber(wish));
    }
  }

  async take(seen) {
    if (seen.main.lit) {
      this.done.takes += 1;
      await this.andSee('took the lifted cards', () => this.pressTake());
    } else {
      const at = seen.cards.findIndex((card) => card.lit && !card.lifted);
      assert.ok(at >= 0, `${this.name} must take cards and none is lit: ${seen.sentence}`);
      await this.andSee(`lifted ${seen.cards[at].name}`, () => this.pressCard(at));
    }
  }

  async build(seen, plan) {
    const step = (key) => seen.steps.find((each) => each.text === this.say(key));
    if (!seen.cards.length) {
      if (!seen.main.lit) return;
      this.done.finishes += 1;
      await this.andSee('finished the build', () => this.pressFinish());
    } else if (seen.marked.includes(true)) {
      this.done.demolitions += 1;
      await this.andSee('demolished a top card', () => this.pressTower(seen.marked.indexOf(true)));
    } else if (step('towers.demolish')?.lit && (plan.demolish(this) || !seen.cards.some((card) => card.lit))) {
      await this.andSee('marked the towers for demolition', () => this.pressDemolish());
    } else if (step('towers.undo')?.lit && plan.undo(this) && !seen.cards.some((card) => card.lifted)) {
      this.done.undos += 1;
      await this.andSee('undid a step', () => this.pressUndo());
    } else {
      const lifted = seen.cards.findIndex((card) => card.lifted);
      const at = lifted >= 0 ? lifted : seen.cards.findIndex((card) => card.lit);
      assert.ok(at >= 0, `${this.name} must build and no card is lit: ${seen.sentence}`);
      if (lifted >= 0) this.done.builds += 1;
      await this.andSee(`${lifted >= 0 ? 'placed' : 'lifted'} ${seen.cards[at].name}`, () => this.pressCard(at));
    }
  }
}

/** Whether there is only one call to make, which the server makes where the plan says that acts are `forced`. */
const isForced = (seen) =>
  seen.numbers.length > 0 && [...seen.numbers, seen.pass].filter((each) => each?.lit).length === 1;

const isTake = (seen, language) =>
  seen.main !== null && ['towers.take', 'towers.take_of'].some((key) => anyOf(key, language).test(seen.main.text));

/** The least a finger hits without looking twice. */
export const FINGER_PX = 44;

export class Tapper extends Player {
  card = (at) => this.page.locator('.hand [data-card]').nth(at);
  button = (key) => this.page.getByRole('button', { name: this.say(key), exact: true });

  /** A finger on the middle of something that is on the screen as it is: nothing is scrolled to. */
  async tap(locator, what) {
    await shows(locator, `${what} should be there for ${this.name} to tap`);
    await settled(this.page, locator);
    const spot = await locator.evaluate(async (el) => {
      // A finger waits for a card that is still on its way.
      await Promise.all(el.getAnimations().map((flight) => flight.finished.catch(() => {})));
      const { x, y, width, height } = el.getBoundingClientRect();
      const at = { x: x + width / 2, y: y + height / 2 };
      return {
        ...at,
        width,
        height,
        top: y,
        left: x,
        free: el.contains(document.elementFromPoint(at.x, at.y)),
        sight: [innerWidth, innerHeight],
      };
    });
    assert.ok(
      spot.width >= FINGER_PX - 0.5 && spot.height >= FINGER_PX - 0.5,
      `${what} should be at least ${FINGER_PX} px each way, but is ${spot.width.toFixed(1)} × ${spot.height.toFixed(1)}`,
    );
    assert.ok(
      spot.left >= -1 &&
        spot.top >= -1 &&
        spot.left + spot.width <= spot.sight[0] + 1 &&
        spot.top + spot.height <= spot.sight[1] + 1,
      `${what} should be on the screen without scrolling, but is at ${JSON.stringify(spot)}`,
    );
    assert.ok(spot.free, `${what} should be free to tap, but something lies over it`);
    await this.page.touchscreen.tap(spot.x, spot.y);
  }

  pressNumber = (count) => this.tap(this.button0(count), `the bid ${count}`);
  button0 = (count) => this.page.getByRole('button', { name: this.say('towers.bid', { count }), exact: true });
  pressPass = () => this.tap(this.button('towers.pass'), 'Pass');
  pressTake = () => this.tap(this.page.locator('.bar .main'), 'Take');
  pressFinish = () => this.tap(this.button('towers.finish'), 'Finish');
  pressUndo = () => this.tap(this.button('towers.undo'), 'Undo');
  pressDemolish = () => this.tap(this.button('towers.demolish'), 'Demolish');
  pressCard = (at) => this.tap(this.card(at), `card ${at + 1}`);
  pressTower = (at) => this.tap(this.page.locator('[data-tower]').nth(at), `tower ${at + 1}`);
}

export class Typist extends Player {
  /** Presses a key and checks that the focus is visible. */
  async key(name) {
    if (!/^(Tab|Arrow.*|Escape)$/.test(name))
      await settled(this.page, this.page.locator(':focus, body:not(:has(:focus))'));
    await this.page.keyboard.press(name);
    const focus = await this.page.evaluate(() => {
      const el = document.activeElement;
      // The title of a sheet that just opened holds the focus for screen readers; it is no place to press anything.
      if (!el || el === document.body || el.matches('h2[tabindex="-1"]')) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(el);
      const box = el.getBoundingClientRect();
      return {
        what: `${el.tagName.toLowerCase()}.${el.className}`,
        ring: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
        marked: el.matches(':focus-visible'),
        seen: box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
      };
    });
    if (focus)
      assert.ok(
        focus.ring && focus.marked && focus.seen,
        `after ${name} the focus should be plain to see, but is ${JSON.stringify(focus)}`,
      );
    return focus;
  }

  /** Walks with Tab until the thing with this name has the focus. */
  async tabTo(locator, what) {
    await shows(locator, `${what} should be there for ${this.name}`);
    for (let presses = 0; presses < 40; presses += 1) {
      if (await locator.evaluate((el) => el === document.activeElement)) return;
      await this.key('Tab');
    }
    assert.fail(`${what} should be reached with Tab, but was not in 40 presses`);
  }

  /** Walks with the arrows to the place in this row of things. */
  async walkTo(selector, at) {
    for (let presses = 0; presses < 8; presses += 1) {
      const now = await this.page.evaluate(
        (where) => [...document.querySelectorAll(where)].indexOf(document.activeElement),
        selector,
      );
      if (now === at) return;
      await this.key('ArrowRight');
    }
    assert.fail(`place ${at + 1} of ${selector} should be reached with the arrows, but was not`);
  }

  pressNumber = (count) => this.key(String(count));
  pressPass = () => this.key('p');
  pressTake = () => this.key('f');
  pressFinish = () => this.key('f');
  pressUndo = () => this.key('u');
  pressDemolish = () => this.key('d');
  async pressCard(at) {
    await this.walkTo('[data-group] [data-card]', at);
    await this.key('Enter');
  }
  async pressTower(at) {
    await this.walkTo('.ownside [data-tower]', at);
    await this.key('Enter');
  }
}

/**
 * Plays until the game is over on every page. `each` is called with a player after each of their turns.
 */
export async function playToTheEnd(players, plan, each = async () => {}) {
  const ended = new Set();
  while (ended.size < players.length) {
    let asked = false;
    for (const player of players) {
      const seen = await player.see();
      if (seen.ended) ended.add(player);
      else if (seen.asked) {
        asked = true;
        await player.takeTurn(plan);
        await each(player);
      }
    }
    // Others act meanwhile, on the same processor.
    if (!asked)
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
  }
}

/** Builds in the first rounds and lets the rest of the cards go by, so that a whole game stays short. */
export function shortGame({ builds = 10 } = {}) {
  const all = (what) => plan.players.reduce((sum, player) => sum + player.done[what], 0);
  const plan = {
    players: [],
    bid: (lit, mayPass) => {
      if (all('builds') < builds || all('demolitions') < 1) return lit.at(-1) ?? null;
      return mayPass ? null : lit[0];
    },
    undo: (player) => player.done.undos < 1 && player.done.builds > 0,
    demolish: () => all('demolitions') < 1,
  };
  return plan;
}
