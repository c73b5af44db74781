import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8');

// The server joins modules and styles: named one by one they would be asked for one by one.
test('the page begins with two chunks and one stylesheet, and nothing beside them but how it looks before it is there', () => {
  const named = [...html.matchAll(/(?:preload" href|stylesheet" href|script [^>]*src)="\{\{assets\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(named, ['theme.js', 'styles/page.chunk.css', 'early.chunk.js', 'main.chunk.js']);
});

test('the page has nothing inline that the security policy would refuse', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});

test('the page names nothing of a game up front', () => {
  assert.doesNotMatch(html, /games\/\w+\//);
});
