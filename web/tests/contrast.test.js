// Text has a contrast of at least 4.8 on all backgrounds of both themes.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const LEAST = 4.8;
const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8').replace(/\/\*[^]*?\*\//g, '');
/** The tokens of a theme, with its value of each `light-dark(light, dark)`. */
const tokens = (which) =>
  Object.fromEntries(
    [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [
      name,
      value.replace(/light-dark\(((?:[^(),]|\([^()]*\))+),\s*((?:[^(),]|\([^()]*\))+)\)/g, which),
    ]),
  );

/** `#abcdef`, `#fff` or `rgb(1 2 3 / 0.4)`, as red, green, blue and opacity. */
function colour(text) {
  const hex = /^#(\w\w)(\w\w)(\w\w)$/.exec(text.replace(/^#(\w)(\w)(\w)$/, '#$1$1$2$2$3$3'));
  if (hex) return [...hex.slice(1).map((part) => parseInt(part, 16)), 1];
  return /^rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)\)$/.exec(text).slice(1).map(Number);
}
const over = ([r, g, b, a], under) => [r, g, b].map((part, i) => part * a + under[i] * (1 - a));
const luminance = (rgb) =>
  rgb
    .slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const night = tokens('$2');
const day = tokens('$1');

for (const [when, theme] of [
  ['night', night],
  ['day', day],
]) {
  test(`text stands out by ${when}`, () => {
    const sky = [...theme['--sky'].matchAll(/#\w{6}/g)].map((found) => colour(found[0]));
    assert.equal(sky.length, 4, 'the sky should be found');
    for (const below of sky) {
      for (const ground of [below, over(colour(theme['--surface']), below)]) {
        for (const name of ['--text', '--dim', '--accent', '--alert']) {
          const found = contrast(colour(theme[name]), ground);
          assert.ok(found >= LEAST, `${name} by ${when} should stand out by ${LEAST}, but does by ${found.toFixed(2)}`);
        }
      }
    }
    for (const name of ['--paper', '--paper-shade'])
      assert.ok(contrast(colour(theme['--ink']), colour(theme[name])) >= LEAST, `ink on ${name}`);
  });
}

test('text on bright fills has enough contrast', () => {
  const fills = [night, day].flatMap((theme) => [theme['--accent-fill'], theme['--alert-fill']]);
  for (const fill of fills) assert.ok(contrast(colour(night['--ink']), colour(fill)) >= LEAST, fill);
});
