// What is looked at on every screen: accessibility, sideways scrolling, text that is cut off. Each gives findings in words.

import { createRequire } from 'node:module';
import { FINGER_PX } from './player.js';

const require = createRequire(import.meta.url);
export const AXE = require.resolve('axe-core/axe.min.js');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe finds against WCAG 2.2 AA. */
export async function violations(page) {
  const found = await page.evaluate(async (tags) => {
    // What lies under an open sheet is looked at on its own screen.
    const where = document.querySelector('dialog[open]') ?? document;
    const { violations: list } = await window.axe.run(where, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], preload: false });
    return list.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.slice(0, 3).map((node) => `${node.target.join(' ')} — ${[...node.any, ...node.all, ...node.none][0]?.message ?? ''}`) }));
  }, TAGS);
  return found.map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.join(' | ')}`);
}

/** Text that is cut, and things that reach past the screen's side. */
export const cutText = (page) => page.evaluate(lookForCuts);

/** Runs in the page. */
function lookForCuts() {
  const found = new Set();
  const path = (el) => `${el.tagName.toLowerCase()}${[...el.classList].map((name) => `.${name}`).join('')}`;
  const quote = (text) => `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;
  if (document.scrollingElement.scrollWidth > innerWidth) found.add(`the page scrolls sideways: ${document.scrollingElement.scrollWidth} px wide`);
  const sheet = document.querySelector('dialog[open]');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const el = node.parentElement;
    const text = node.data.trim();
    if (!text || el.closest('.unseen, noscript, option, script, style, [data-any-length]')) continue;
    // What lies under a sheet is not looked at.
    if (sheet && !sheet.contains(el) && !el.closest('.toast')) continue;
    if (!el.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      const middle = (rect.top + rect.bottom) / 2;
      const control = el.closest('button, .card, .cell, .bubble, kbd, .column');
      if (control) {
        const box = control.getBoundingClientRect();
        if (rect.left < box.left - 1 || rect.right > box.right + 1 || middle < box.top || middle > box.bottom) found.add(`${quote(text)} reaches out of ${path(control)}`);
      }
      let inScroller = false;
      for (let box = el; box && box !== document.body; box = box.parentElement) {
        const { overflowX, overflowY, display } = getComputedStyle(box);
        if (display === 'inline' || display === 'contents') continue;
        const bounds = box.getBoundingClientRect();
        const scrolls = /auto|scroll/.test(overflowX) || /auto|scroll/.test(overflowY);
        if (overflowX !== 'visible' && (rect.left < bounds.left - 1.5 || rect.right > bounds.right + 1.5)) found.add(`${quote(text)} is cut at the side by ${path(box)}`);
        if (scrolls) {
          if (box.scrollWidth > box.clientWidth + 1) found.add(`${path(box)} scrolls sideways`);
          inScroller = true;
          break;
        }
        if (overflowY !== 'visible' && (middle < bounds.top || middle > bounds.bottom)) found.add(`${quote(text)} is cut below or above by ${path(box)}`);
      }
      if (rect.left < -1 || rect.right > innerWidth + 1) found.add(`${quote(text)} reaches past the side of the screen`);
      if (!inScroller && (middle < 0 || middle > innerHeight)) found.add(`${quote(text)} is above or below the screen, where nothing scrolls`);
    }
  }
  return [...found];
}

/** Parts of a table that do not fit where they are. */
export const tooTall = (page) => page.evaluate(() => [...document.querySelectorAll('main.game, .board:not(.atEnd), .opponents, .opponent, .middle, .ownside, .ownside .column, .bar')]
  .filter((el) => getComputedStyle(el).display !== 'contents' && (el.scrollHeight > el.clientHeight + 1 || el.getBoundingClientRect().bottom > innerHeight + 1))
  .map((el) => `.${[...el.classList].join('.')} does not fit: ${el.scrollHeight} px in ${el.clientHeight} px`));

/** What a finger is meant to hit and might miss. */
export const smallTargets = (page) => page.evaluate((least) => {
  const sheet = document.querySelector('dialog[open]');
  return [...(sheet ?? document).querySelectorAll('button, input, select, a[href]')].flatMap((el) => {
    // A switch is hit anywhere on its line.
    const target = el.matches('[type=radio], [type=checkbox]') ? el.closest('label') : el;
    if (!target.checkVisibility({ visibilityProperty: true }) || el.disabled || el.closest(':disabled')) return [];
    const { width, height } = target.getBoundingClientRect();
    return width >= least - 0.5 && height >= least - 0.5 ? [] : [`${target.tagName.toLowerCase()}.${[...target.classList].join('.')} “${target.textContent.slice(0, 20)}” should be ${least} px each way, but is ${width.toFixed(1)} × ${height.toFixed(1)}`];
  });
}, FINGER_PX);

/** Switches the page's language in place, as the settings do, and lets it be drawn. */
export async function speak(page, code) {
  await page.evaluate(async (wanted) => {
    const words = await import(new URL('./i18n.js', document.querySelector('script[type=module]').src).href);
    words.LANGUAGES[wanted] ??= 'Longest';
    await words.speak(wanted);
    dispatchEvent(new Event('resize'));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, code);
}
