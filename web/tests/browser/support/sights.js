// Checks of every screen: accessibility, text that is cut, covered or overlapping, tap targets, unreachable controls.
// Each returns its findings as text.

import { createRequire } from 'node:module';
import { FINGER_PX } from './player.js';

const require = createRequire(import.meta.url);
export const AXE = require.resolve('axe-core/axe.min.js');

/** A pointer hits less than a finger does; WCAG 2.2 AA asks for this. */
const POINTER_PX = 24;

/** What axe finds against WCAG 2.2 AA. */
export const violations = (page) => page.evaluate(lookWithAxe);

/**
 * Runs in the page. With `measured` axe leaves the size of targets to `lookAtTargets`, which is stricter. With `spoken`
 * it checks only what other words in the same places can change: whether everything that needs a name has one, and
 * whether what scrolls now can be reached. Structure and colours are the same in every language, and take most of its
 * time.
 */
async function lookWithAxe(spoken = false, measured = false) {
  // With reduced motion cards fade in: until they have, their colours are none that anybody reads.
  for (const each of document.getAnimations()) if (each.effect.getComputedTiming().endTime !== Infinity) each.finish();
  const rules = window.axe
    .getRules(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .filter(({ tags }) => !tags.includes('experimental') && !tags.includes('deprecated'))
    .filter(({ ruleId }) => !(measured && ruleId === 'target-size'))
    .filter(({ ruleId }) => !spoken || /name|label|alt|title|lang|scroll/.test(ruleId));
  // What lies under an open sheet is looked at on its own screen.
  const where = document.querySelector('dialog[open]') ?? document;
  const { violations: found } = await window.axe.run(where, {
    runOnly: { type: 'rule', values: rules.map(({ ruleId }) => ruleId) },
    resultTypes: ['violations'],
    preload: false,
  });
  return found.map(
    ({ id, help, nodes }) =>
      `axe ${id}: ${help}: ${nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(' ')} — ${[...node.any, ...node.all, ...node.none][0]?.message ?? ''}`)
        .join(' | ')}`,
  );
}

/** Text that is cut, covered, too near to other text or to the edge, and things that reach past the screen's side. */
export const cutText = (page) => page.evaluate(lookAtText);

/**
 * Runs in the page. Numbers are the same in every language: `known` says that nothing lay over them, and hundreds need
 * not be asked again.
 */
function lookAtText(known = false) {
  /** Nearer to the edge of the screen than this, letters look cut off even when they are whole. */
  const EDGE_PX = 5;
  /** Text closer together than this reads as one; numbers need the width of a space. */
  const APART_PX = 3;
  const SPACE_EM = 0.25;
  /** Of something that scrolls at least so much must be seen, or nobody finds out that it scrolls. */
  const WINDOW_PX = 88;
  const found = new Set();
  const path = (el) => `${el.tagName.toLowerCase()}${[...el.classList].map((name) => `.${name}`).join('')}`;
  const quote = (text) => `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;
  const styles = new Map();
  const styleOf = (el) => styles.get(el) ?? styles.set(el, getComputedStyle(el)).get(el);
  const bounds = new Map();
  const boundsOf = (el) => bounds.get(el) ?? bounds.set(el, el.getBoundingClientRect()).get(el);
  const scrolls = (el) => /auto|scroll/.test(styleOf(el).overflowX) || /auto|scroll/.test(styleOf(el).overflowY);

  if (document.scrollingElement.scrollWidth > innerWidth)
    found.add(`the page scrolls sideways: ${document.scrollingElement.scrollWidth} px wide`);

  /** The boxes around an element that cut what reaches out of them, from the inside out. */
  const frames = new Map();
  const framesOf = (el) => {
    if (frames.has(el)) return frames.get(el);
    const outer = el.parentElement && el !== document.body ? framesOf(el.parentElement) : [];
    const { overflowX, overflowY, display } = styleOf(el);
    const own =
      el !== document.body &&
      display !== 'inline' &&
      display !== 'contents' &&
      (overflowX !== 'visible' || overflowY !== 'visible');
    return frames.set(el, own ? [el, ...outer] : outer).get(el);
  };

  const sheet = document.querySelector('dialog[open]');
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const el = node.parentElement;
    const text = node.data.trim();
    if (!text || el.closest('.unseen, noscript, option, script, style')) continue;
    // What lies under a sheet is not looked at.
    if (sheet && !sheet.contains(el) && !el.closest('.toast')) continue;
    if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const em = parseFloat(styleOf(el).fontSize);
    // A line's box has room for accents and descenders; without them the ink ends earlier.
    const high = /\p{Lu}\p{M}|[\u0590-\u08ff]/u.test(text.normalize('NFD'));
    const deep = /[gjpqyQ,;()[\]ąęįų\u0590-\u08ff]/.test(text);
    const range = document.createRange();
    range.selectNodeContents(node);
    // The last line of the log may end early too, and so may what was said beside a seat: the whole is one tap away.
    const anyLength = el.closest('[data-any-length], .latest, .said');
    if (anyLength) {
      // A long name may be cut at its end, but its beginning must be visible.
      range.setEnd(node, node.data.search(/\S/) + 1);
      const first = range.getBoundingClientRect();
      const box = boundsOf(anyLength);
      if (first.width && (first.left < box.left - 1 || first.right > box.right + 1))
        found.add(`${quote(text)} loses its beginning in ${path(anyLength)}`);
      if (
        anyLength.matches('.name') &&
        styleOf(anyLength.parentElement).overflowX === 'visible' &&
        box.right > boundsOf(anyLength.parentElement).right + 1
      )
        found.add(`${quote(text)} reaches out of ${path(anyLength.parentElement)}`);
      continue;
    }
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      lines.push({
        node,
        el,
        text,
        em,
        left: rect.left,
        right: rect.right,
        top: rect.top + (high ? 0 : 0.17 * em),
        bottom: rect.bottom - (deep ? 0 : 0.2 * em),
        seen: true,
      });
    }
  }

  for (const line of lines) {
    const { el, text } = line;
    const control = el.closest('button, .card, .cell, .change, .bubble, kbd, .column, .box');
    if (control) {
      const box = boundsOf(control);
      if (
        line.left < box.left - 1 ||
        line.right > box.right + 1 ||
        line.top < box.top - 1 ||
        line.bottom > box.bottom + 1
      )
        found.add(`${quote(text)} reaches out of ${path(control)}`);
    }
    let scroller = null;
    for (const frame of framesOf(el)) {
      const box = boundsOf(frame);
      if (scroller) {
        line.seen &&= line.top >= box.top && line.bottom <= box.bottom;
        continue;
      }
      const { overflowX, overflowY } = styleOf(frame);
      if (overflowX !== 'visible' && (line.left < box.left - 1 || line.right > box.right + 1))
        found.add(`${quote(text)} is cut at the side by ${path(frame)}`);
      if (scrolls(frame)) {
        scroller = frame;
        const from = line.top - box.top + frame.scrollTop;
        if (from < -1 || line.bottom - box.top + frame.scrollTop > frame.scrollHeight + 1)
          found.add(`${quote(text)} cannot be scrolled to in ${path(frame)}`);
        // What is half behind the edge is scrolled to, and looked at there.
        line.seen = line.top >= box.top && line.bottom <= box.bottom;
      } else if (overflowY !== 'visible' && (line.top < box.top - 1 || line.bottom > box.bottom + 1)) {
        found.add(`${quote(text)} is cut below or above by ${path(frame)}`);
      }
    }
    if (line.left < -1 || line.right > innerWidth + 1) found.add(`${quote(text)} reaches past the side of the screen`);
    else if (line.left < EDGE_PX || line.right > innerWidth - EDGE_PX)
      found.add(
        `${quote(text)} stands ${Math.min(line.left, innerWidth - line.right).toFixed(1)} px from the side of the screen`,
      );
    if (!scroller && (line.top < 0 || line.bottom > innerHeight))
      found.add(`${quote(text)} is above or below the screen, where nothing scrolls`);
    else if (!scroller && (line.top < EDGE_PX || line.bottom > innerHeight - EDGE_PX))
      found.add(
        `${quote(text)} stands ${Math.min(line.top, innerHeight - line.bottom).toFixed(1)} px from the edge of the screen`,
      );
    line.seen &&= line.bottom > 0 && line.top < innerHeight;
  }

  for (const el of new Set(lines.flatMap((line) => framesOf(line.el)))) {
    if (!scrolls(el)) continue;
    if (el.scrollWidth > el.clientWidth + 1) found.add(`${path(el)} scrolls sideways`);
    if (el.scrollHeight <= el.clientHeight + 1) continue;
    const box = boundsOf(el);
    // Nobody scrolls in two places to read one thing, unless the inner one is a list of its own.
    const inner = framesOf(el).slice(1).find(scrolls);
    const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    if (inner ? el.clientHeight < WINDOW_PX : seen < WINDOW_PX)
      found.add(
        `${path(el)} scrolls, and shows only ${Math.round(inner ? el.clientHeight : seen)} px of ${el.scrollHeight}`,
      );
  }

  const shown = lines.filter((line) => line.seen);

  // What is nothing but text hides nothing; whether it runs into other text is asked below.
  const paints = (el) =>
    el.matches('svg, svg *, img, canvas, input, progress') ||
    styleOf(el).backgroundImage !== 'none' ||
    styleOf(el).backgroundColor !== 'rgba(0, 0, 0, 0)';
  const digits = /^[−–+\d]+$/;
  for (const { el, text, left, right, top, bottom } of shown) {
    const number = digits.test(text);
    if (el.closest('.toast') || (number && known)) continue;
    const across = (left + right) / 2;
    const down = (top + bottom) / 2;
    const ends = [
      [left + 1, down],
      [right - 1, down],
    ];
    for (const [x, y] of number ? ends : [...ends, [across, down], [across, top + 1], [across, bottom - 1]]) {
      const hit = document.elementFromPoint(x, y);
      if (!hit || hit === el || el.contains(hit)) continue;
      if (hit.contains(el)) {
        if (styleOf(el).pointerEvents !== 'none') found.add(`${quote(text)} is cut by a shape in ${path(hit)}`);
        continue;
      }
      let cover = hit;
      while (!cover.contains(el) && !paints(cover)) cover = cover.parentElement;
      // What somebody opened for a moment, over what cannot be done anything with now, may lie there.
      if (!cover.contains(el) && !cover.closest('.reactions')) found.add(`${quote(text)} is covered by ${path(cover)}`);
    }
  }

  // Only what stands on the same lines can touch: sorted by its left side, each is compared with those that begin near
  // its end.
  shown.sort((a, b) => a.left - b.left);
  const paragraph = (el) => {
    for (let box = el; ; box = box.parentElement) if (styleOf(box).display !== 'inline') return box;
  };
  shown.forEach((a, i) => {
    for (let j = i + 1; j < shown.length && shown[j].left < a.right + Math.max(APART_PX, SPACE_EM * a.em); j += 1) {
      const b = shown[j];
      if (a.node === b.node || a.el.closest('.toast') !== b.el.closest('.toast')) continue;
      const together = paragraph(a.el) === paragraph(b.el);
      const beside = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const gap = b.left - a.right;
      const near =
        digits.test(a.text) && digits.test(b.text) ? Math.max(APART_PX, SPACE_EM * Math.min(a.em, b.em)) : APART_PX;
      if (beside > 1 && gap < -1) found.add(`${quote(a.text)} lies over ${quote(b.text)}`);
      else if (
        beside > 0.3 * Math.min(a.em, b.em) &&
        gap < near &&
        !(together && (/\s$/.test(a.node.data) || /^\s/.test(b.node.data)))
      )
        found.add(`${quote(a.text)} and ${quote(b.text)} are ${gap.toFixed(1)} px apart`);
      else if (!together && gap < -1 && beside > -1)
        found.add(`${quote(a.text)} and ${quote(b.text)} are ${(-beside).toFixed(1)} px apart, one under the other`);
    }
  });

  // A star beside a number reads as a minus or a point.
  const starry = (el) => !el.matches('.storey') && styleOf(el).backgroundImage.includes('%3Ccircle');
  const solid = (el) => styleOf(el).backgroundColor.startsWith('rgb(') || styleOf(el).backgroundImage !== 'none';
  for (const { el, text } of shown) {
    let plate = /\d/.test(text) ? el : null;
    while (plate && !starry(plate) && !solid(plate)) plate = plate.parentElement;
    if (plate && starry(plate)) found.add(`${quote(text)} stands among the stars of ${path(plate)}`);
  }
  return [...found];
}

/** Parts of a table that do not fit where they are. */
export const tooTall = (page) => page.evaluate(lookForTall);

/** Runs in the page. */
function lookForTall() {
  return [
    ...document.querySelectorAll(
      'main.game, .board:not(.atEnd), .opponents, .opponent, .rival, .middle, .ownside, .ownside .column, .bar',
    ),
  ]
    .filter(
      (el) =>
        getComputedStyle(el).display !== 'contents' &&
        (el.scrollHeight > el.clientHeight + 1 || el.getBoundingClientRect().bottom > innerHeight + 1),
    )
    .map((el) => `.${[...el.classList].join('.')} does not fit: ${el.scrollHeight} px in ${el.clientHeight} px`);
}

/** What a finger is meant to hit and might miss: too small, or with something over it. */
export const smallTargets = (page) => page.evaluate(lookAtTargets, FINGER_PX);

/** Runs in the page. */
function lookAtTargets(least) {
  const sheet = document.querySelector('dialog[open]');
  const name = (el) => `${el.tagName.toLowerCase()}.${[...el.classList].join('.')} “${el.textContent.slice(0, 20)}”`;
  return [...(sheet ?? document).querySelectorAll('button, input, select, a[href]')].flatMap((el) => {
    // A switch is hit anywhere on its line.
    const target = el.matches('[type=radio], [type=checkbox]') ? el.closest('label') : el;
    if (!target.checkVisibility({ visibilityProperty: true }) || el.disabled || el.closest(':disabled')) return [];
    const { width, height, left, top } = target.getBoundingClientRect();
    if (width < least - 0.5 || height < least - 0.5)
      return [`${name(target)} should be ${least} px each way, but is ${width.toFixed(1)} × ${height.toFixed(1)}`];
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    // What is scrolled away has its list, or the bar below that, where it would be.
    const away = [
      ...document.querySelectorAll('main, .board.atEnd, dialog[open] .leaf, .content, .body, .log, .lines'),
    ].some((list) => {
      const box = list.getBoundingClientRect();
      return list.contains(target) && (top + height / 2 < box.top || top + height / 2 > box.bottom);
    });
    return hit && !away && !hit.closest('.reactions') && !target.contains(hit) && !hit.contains(target)
      ? [`${name(target)} should be free to tap, but ${name(hit)} lies over it`]
      : [];
  });
}

/** The one thing to do, where it cannot be seen without scrolling. Runs in the page. */
function lookForMain() {
  const main = (document.querySelector('dialog[open]') ?? document).querySelector('.main');
  if (!main?.checkVisibility()) return [];
  const { top, bottom, left, width } = main.getBoundingClientRect();
  const seen =
    top >= 0 &&
    bottom <= innerHeight &&
    [top + 2, bottom - 2].every((y) => main.contains(document.elementFromPoint(left + width / 2, y)));
  return seen
    ? []
    : [
        `the main button “${main.textContent}” should be seen without scrolling, but is at ${Math.round(top)} to ${Math.round(bottom)} px of ${innerHeight}`,
      ];
}

/** Switches the page's language in place, as the settings do, and lets it be drawn. Runs in the page. */
async function speakIn(wanted) {
  // The page's own copy, which is in the chunk it begins with.
  window.sights.i18n ??= (await import(document.querySelector('script[type=module]').src)).$i18n;
  const spoken = window.sights.i18n;
  // A language that is none is on offer only while it is spoken.
  const offered = wanted in spoken.LANGUAGES;
  if (!offered) spoken.LANGUAGES[wanted] = 'Longest';
  spoken.setCatalogues(wanted, window.catalogues[wanted], window.catalogues[wanted]);
  document.documentElement.lang = wanted;
  dispatchEvent(new Event('resize'));
  // Drawing waits for the end of this task and no longer; what is measured needs no frame, and a pause would have one
  // painted.
  await null;
  if (!offered) delete spoken.LANGUAGES[wanted];
}

/** How high what stands above and below a table is. Runs in the page. */
const lookAtFrame = () =>
  [...document.querySelectorAll('main.game:not(.past, .ended) > :is(.status, .bar)')]
    .map((el) => Math.round(el.offsetHeight))
    .join();

/** For a page that is looked at often: all that is asked of it is there before its own scripts. */
export const SIGHTS = `window.sights = { text: ${lookAtText}, tall: ${lookForTall}, targets: ${lookAtTargets}, main: ${lookForMain}, frame: ${lookAtFrame}, axe: ${lookWithAxe}, speak: ${speakIn} };`;

/** @param {string} code */
export const speak = (page, code) => page.evaluate((wanted) => window.sights.speak(wanted), code);

/**
 * All of that at once, and in one language after the other without asking in between; for `fingers` targets are larger,
 * and with `anyName` a person's name may be longer than its place. Numbers lie where they lay in languages that are
 * `alike` to the first. Axe listens in the languages of `heard`: to everything in the first, and to what words can
 * change in the others. Gives, for each language, what is cut, what axe found and how high the frame is.
 */
export const glance = (page, languages, how) =>
  page.evaluate(
    async ({ each, anyName, alike, heard, least }) => {
      const { text, tall, targets, main, frame, axe, speak: say } = window.sights;
      const seen = [];
      // The page learns of its new size with the next frame.
      await new Promise((framed) => requestAnimationFrame(framed));
      for (const language of each) {
        await say(language);
        if (anyName) for (const el of document.querySelectorAll('.name')) el.setAttribute('data-any-length', '');
        const cuts = [...text(alike.includes(language)), ...tall(), ...main(), ...targets(least)];
        seen.push({
          language,
          cuts,
          frame: frame(),
          closed: heard.includes(language) ? await axe(language !== heard[0], true) : [],
        });
      }
      return seen;
    },
    { ...how, each: languages, least: how.fingers ? FINGER_PX : POINTER_PX },
  );

/**
 * For a page that is spoken to in many languages: their words are there before its own scripts, so that nothing is
 * fetched for them.
 * @param {Record<string, object>} catalogues
 */
export const words = (catalogues) => `window.catalogues = ${JSON.stringify(catalogues)};`;
