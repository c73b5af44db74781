// Records everything that the live regions of a page announce, in order, and the keys pressed in between.

import assert from 'node:assert/strict';
import { anyOf } from './words.js';

/** Runs in the page before its own scripts. */
function listen() {
  const REGIONS = '[aria-live]:not([aria-live=off]), [role=status], [role=alert]';
  /** What each region said last: the same words are news again only after something else. */
  const last = new WeakMap();
  window.heard = [];
  const regionOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest(REGIONS);
  const hear = (region) => {
    const text = region.textContent;
    if (text === (last.get(region) ?? '')) return;
    last.set(region, text);
    // Paragraphs of one region are read one after the other.
    const parts = [...region.querySelectorAll('p')].map((part) => part.textContent);
    if (text.trim())
      window.heard.push({
        where: region.id || region.getAttribute('role') || 'coach',
        text: (parts.length ? parts.filter(Boolean).join('. ') : text).trim(),
      });
  };
  addEventListener('DOMContentLoaded', () =>
    new MutationObserver((changes) => {
      const regions = new Set();
      for (const { target, addedNodes } of changes) {
        regions.add(regionOf(target));
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          regions.add(regionOf(node));
          for (const region of node.querySelectorAll(REGIONS)) regions.add(region);
        }
      }
      for (const region of regions) if (region?.isConnected) hear(region);
    }).observe(document, { subtree: true, childList: true, characterData: true }),
  );
  addEventListener('keydown', ({ key }) => window.heard.push({ key }), true);
}

export class Ear {
  /** Before the first page of this device opens. */
  static give = (context) => context.addInitScript(listen);

  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page;
  }

  /** Everything so far: `{where, text}` for what was said, `{key}` for what was pressed. */
  all = () => this.page.evaluate(() => window.heard);

  /** What was said so far, sentence by sentence. */
  async sentences() {
    return (await this.all()).flatMap(({ text }) => (text ? sentencesOf(text) : []));
  }

  /** The longest stretch of sentences that nobody pressed a key in. */
  async longest() {
    const stretches = [[]];
    for (const { text, key } of await this.all()) {
      if (key !== undefined) stretches.push([]);
      else stretches.at(-1).push(...sentencesOf(text));
    }
    return stretches.reduce((most, each) => (each.length > most.length ? each : most));
  }
}

/** A region says several things at once with a stop between them. */
const sentencesOf = (text) =>
  text
    .split(/[.!?]\s+|\.$/)
    .map((each) => each.trim())
    .filter(Boolean);

/**
 * What was heard of a game is just what happened in it: every line of the log that is somebody else's, once and in
 * order; what is asked; the end. Nothing is left out, said twice or said for nothing, and nobody is flooded.
 * @param {import('playwright-core').Page} page with the log beside the table, the game being over
 * @param {object} of
 * @param {RegExp[]} of.log how lines of the log look that are said
 * @param {RegExp[]} of.silent and those that are not
 * @param {RegExp[]} of.asks what may be asked, or is said to the person alone
 * @param {number} of.most sentences between two presses
 */
export async function heardTheGame(page, who, { log, silent, asks, most }) {
  const ear = new Ear(page);
  const some = (patterns, line) => patterns.some((pattern) => pattern.test(line));
  const all = await ear.all();
  const sentences = await ear.sentences();
  const lines = await page
    .locator('.log li:not(.chapter, .person)')
    .evaluateAll((items) => items.map((item) => ({ text: item.textContent, own: item.classList.contains('own') })));
  assert.ok(lines.length > 20, `the log beside ${who}'s table should have been read`);
  const END = [anyOf('end.wins'), anyOf('end.shared'), anyOf('end.you_win')];
  const news = lines.filter((line) => !line.own && !some(silent, line.text)).map((line) => line.text);
  for (const line of news)
    assert.ok(some([...log, ...END], line), `the log should hold only what is known here, but has “${line}”`);
  assert.deepEqual(
    sentences.filter((line) => some([...log, ...END], line)),
    news,
    `${who} should hear every line of the log that somebody else wrote, once and in order`,
  );
  assert.deepEqual(
    sentences.filter((line) => some(silent, line)),
    [],
    `${who} should not hear what goes without saying`,
  );

  const scores = sentences.filter((line) => anyOf('end.score').test(line));
  assert.equal(
    scores.length,
    await page.locator('.scores tbody tr').count(),
    `${who} should hear everybody's points once: ${scores.join(', ')}`,
  );
  assert.deepEqual(sentences.slice(-scores.length), scores, `the points should be the last that ${who} hears`);

  const rest = sentences.filter(
    (line) => !some([...log, ...END, ...asks, anyOf('end.score'), anyOf('people.came')], line),
  );
  assert.deepEqual([...new Set(rest)], [], `${who} should hear nothing else`);
  // What is asked is asked once for each decision: with the same words again only after something was pressed.
  all.forEach(({ text }, at) =>
    assert.ok(!text || text !== all[at + 1]?.text, `${who} should not hear twice in a row: ${text}`),
  );
  const longest = await ear.longest();
  assert.ok(
    longest.length <= most,
    `${who} should hear at most ${most} sentences between two presses, but heard ${longest.length}:\n${longest.join('\n')}`,
  );
}
