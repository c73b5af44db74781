import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

const here = new URL('..', import.meta.url);
const html = readFileSync(new URL('index.html', here), 'utf8');

function modules(folder = here, path = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return ['tests', 'node_modules'].includes(entry.name) ? [] : modules(new URL(`${entry.name}/`, folder), `${path}${entry.name}/`);
    return entry.name.endsWith('.js') ? [`${path}${entry.name}`] : [];
  });
}

// Modules that import modules that import modules cost a round trip each; named up front they come together.
test('the page names all its modules up front', () => {
  const named = [...html.matchAll(/(?:modulepreload" href|module" src)="\{\{assets\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(named.sort(), modules().sort());
});

test('the page has nothing inline that the security policy would refuse', () => {
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
});
