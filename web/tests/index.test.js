import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { LANGUAGES } from '../i18n.js';

const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8');

// The server joins modules and styles; separate ones would need a request each.
test('the page first loads two chunks, a stylesheet and the theme script', () => {
  const named = [...html.matchAll(/(?:preload" href|stylesheet" href|script [^>]*src)="\{\{assets\}\}\/([^"]+)"/g)].map(
    (match) => match[1],
  );
  assert.deepEqual(named, ['theme.js', 'styles/page.chunk.css', 'preload.chunk.js', 'main.chunk.js']);
});

test('the page has nothing inline that the security policy refuses', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});

test('the page loads no part of a game in advance', () => {
  assert.doesNotMatch(html, /games\/\w+\//);
});

test('the server fills in every placeholder of the page', () => {
  const server = readFileSync(new URL('../../crates/server/src/page.rs', import.meta.url), 'utf8');
  for (const [value] of html.matchAll(/\{\{\w+\}\}/g)) assert.ok(server.includes(`"${value}"`), value);
});

test('every language has a manifest that differs only in its description', () => {
  const [first, ...others] = Object.keys(LANGUAGES).map((code) => {
    const manifest = JSON.parse(readFileSync(new URL(`../manifest.${code}.webmanifest`, import.meta.url), 'utf8'));
    assert.equal(manifest.lang, code);
    return manifest;
  });
  for (const { lang, description, ...same } of others) {
    assert.notEqual(description, first.description, lang);
    assert.deepEqual({ ...same, lang: 'en', description: first.description }, first, lang);
  }
});
