import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { modules } from './modules.js';

const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8');

// Modules that import modules that import modules cost a round trip each; named up front they come together.
test('the page names all its modules up front', () => {
  const named = [...html.matchAll(/(?:modulepreload" href|module" src)="\{\{assets\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(named.sort(), [...modules('main.js')].sort());
});

test('the page has nothing inline that the security policy would refuse', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});

test('the page names nothing of a game up front', () => {
  assert.doesNotMatch(html, /games\/\w+\//);
});
