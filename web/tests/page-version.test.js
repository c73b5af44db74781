// Whether the server has been updated since the page was loaded.

import test from 'node:test';
import assert from 'node:assert/strict';

globalThis.location = { href: 'http://home.test/' };
globalThis.document = { querySelector: () => null };
const { PageVersion } = await import('../page-version.js');

const HTML = '<script src="/a/new/theme.js"></script>';

test('a page is outdated if the welcome names another version', () => {
  const version = new PageVersion({ own: 'old' });
  assert.deepEqual(
    ['old', 'new', null].map((welcomed) => version.isOutdated(welcomed)),
    [false, true, false],
    'a server from before the versions names none',
  );
  assert.equal(new PageVersion({ own: null }).isOutdated('new'), false, 'a page that does not know its own never is');
});

test('after a failure the server is asked, once at a time, and again after the next failure', async () => {
  const answers = [];
  const version = new PageVersion({
    own: 'old',
    ask: () =>
      new Promise((resolve, reject) => {
        answers.push({ resolve, reject });
      }),
  });
  const both = Promise.all([version.check(), version.check()]);
  assert.equal(answers.length, 1);
  answers[0].reject(new Error('no network'));
  await both;
  assert.equal(version.isOutdated(null), false, 'without an answer nothing is known');
  const next = version.check();
  answers[1].resolve('new');
  await next;
  assert.equal(version.isOutdated('old'), true);
});

test('the version is read from the address of the files in the HTML of the server', async (t) => {
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (...request) => {
    asked.push([request[0], request[1].cache]);
    return { ok: true, text: async () => HTML };
  });
  const version = new PageVersion({ own: 'old' });
  await version.check();
  assert.deepEqual([version.heard, asked], ['new', [['http://home.test/', 'no-store']]]);
});
