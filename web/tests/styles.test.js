// All stylesheets: the same few breakpoints, and colours of a theme only as tokens.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

const WEB = new URL('../', import.meta.url);
const sheets = readdirSync(WEB, { recursive: true }).filter(
  (path) => path.endsWith('.css') && !/node_modules|tests/.test(path),
);
const read = (path) => readFileSync(new URL(path, WEB), 'utf8').replace(/\/\*[^]*?\*\//g, '');
/** Listed in `styles/tokens.css`. */
const BREAKPOINTS = [
  'width < 360px',
  'width < 390px',
  'width <= 400px',
  'width < 600px',
  'width >= 600px',
  'width < 1200px',
  'height < 660px',
  'height < 700px',
  '600px <= width < 900px and height >= 560px',
  'width >= 600px and height < 560px',
  'width >= 600px and height >= 560px',
  'width >= 900px and height >= 560px',
];

test('media queries use only a few sizes', () => {
  assert.ok(sheets.length > 15, 'the stylesheets should have been found');
  for (const sheet of sheets) {
    for (const [, query] of read(sheet).matchAll(/@media ([^{]+?)\s*\{/g)) {
      for (const part of query.split(/,\s*/)) {
        if (/width|height/.test(part)) assert.ok(BREAKPOINTS.includes(part.replace(/[()]/g, '')), `${sheet}: ${part}`);
      }
    }
  }
});

test('every shared custom property is defined in the tokens', () => {
  const defined = new Set([...read('styles/tokens.css').matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  for (const name of ['--text', '--accent', '--type-16', '--space-2', '--radius-m', '--quick', '--shadow'])
    assert.ok(defined.has(name), name);
  const scripts = readdirSync(WEB, { recursive: true })
    .filter((path) => path.endsWith('.js') && !/node_modules|tests/.test(path))
    .map((path) => readFileSync(new URL(path, WEB), 'utf8'))
    .join('');
  const everywhere = sheets.map(read).join('');
  for (const [, name] of everywhere.matchAll(/var\((--[\w-]+)\)/g)) {
    assert.ok(everywhere.includes(`${name}:`) || scripts.includes(`'${name}'`), `${name} is used but not defined`);
  }
  for (const name of defined) assert.ok(everywhere.includes(`var(${name})`), `${name} is defined but not used`);
});

test('no shared stylesheet names the pieces of a game', () => {
  for (const sheet of [
    'forced-colors',
    'larger-type',
    'tokens',
    'base',
    'controls',
    'sheets',
    'front',
    'status',
    'log',
    'table',
  ]) {
    assert.doesNotMatch(read(`styles/${sheet}.css`), /\.(qw|storey|cell|card|die|rival|skyline|plinth)\b/, sheet);
  }
});
