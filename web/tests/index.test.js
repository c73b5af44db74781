import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const here = new URL('..', import.meta.url);
const html = readFileSync(new URL('index.html', here), 'utf8');

/** What `main.js` imports, and what that imports. What is only fetched when it is wanted, like the lesson, is not among it. */
function modules(path = 'main.js', found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(new URL(path, here), 'utf8').matchAll(/^import .*from '(.+)';$/gm)) {
    modules(new URL(name, new URL(path, here)).href.slice(here.href.length), found);
  }
  return found;
}

// Modules that import modules that import modules cost a round trip each; named up front they come together.
test('the page names all its modules up front', () => {
  const named = [...html.matchAll(/(?:modulepreload" href|module" src)="\{\{assets\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(named.sort(), [...modules()].sort());
});

test('the page has nothing inline that the security policy would refuse', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});
