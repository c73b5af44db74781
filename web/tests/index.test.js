import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { GAMES } from '../games/index.js';
import { modules } from './modules.js';

const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8');

/** What every game has of the shell comes with the shell. */
const shell = ['main.js', ...Object.keys(GAMES).map((id) => `games/${id}/index.js`)].flatMap((path) => [...modules(path)]).filter((path) => !/^games\/\w+\//.test(path));

// Modules that import modules that import modules cost a round trip each; named up front they come together.
test('the page names all its modules up front', () => {
  const named = [...html.matchAll(/(?:modulepreload" href|module" src)="\{\{assets\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(named.sort(), [...new Set(shell)].sort());
});

test('the page has nothing inline that the security policy would refuse', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});

test('the page names nothing of a game up front', () => {
  assert.doesNotMatch(html, /games\/\w+\//);
});
