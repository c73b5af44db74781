import test from 'node:test';
import assert from 'node:assert/strict';
import { fakeTime } from './fake-socket.js';
import { catalogueIn } from './texts.js';

const good = (body) => ({ ok: true, status: 200, json: async () => body });
/** The error page of a proxy while its server is replaced. */
const foreign = (status) => ({ ok: status === 200, status, json: async () => JSON.parse('<html>404</html>') });
/** Never answers, and rejects only when it is aborted. */
const hanging = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')));
  });

/** Runs everything that needs no time. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await null;
};

/** Lets time pass, with answers to requests in between. */
async function wait(tick, ms) {
  for (let left = ms; left > 0; left -= 500) {
    tick(Math.min(500, left));
    await settle();
  }
}

let copies = 0;
/** A new page with its own texts. */
async function freshWords() {
  globalThis.document = { documentElement: { lang: '' }, querySelector: () => null };
  globalThis.location = { href: 'http://rookery.test/' };
  return import(`../i18n.js?${copies++}`);
}

test('retries a catalogue that fails or hangs', async (t) => {
  const { tick } = fakeTime(t);
  const { setLanguage, t: say } = await freshWords();
  const replies = [
    async () => foreign(503),
    async () => {
      throw new Error('no line');
    },
    hanging,
    async () => good(catalogueIn('', 'lt')),
  ];
  let asked = 0;
  t.mock.method(globalThis, 'fetch', (url, init) =>
    String(url).endsWith('lt.json') ? replies[asked++](init) : hanging(init),
  );
  void setLanguage('lt');
  await settle();
  assert.equal(say('lobby.add_bot'), 'add bot', 'without any words the page can still nearly be read');
  await wait(tick, 40000);
  assert.equal(say('again'), catalogueIn('', 'lt').again);
  assert.equal(asked, 4);
});

test('uses English while the chosen language is not loaded', async (t) => {
  const { tick } = fakeTime(t);
  const { setLanguage, onFallbackLoaded, t: say } = await freshWords();
  let drawn = 0;
  onFallbackLoaded(() => {
    drawn += 1;
  });
  t.mock.method(globalThis, 'fetch', async (url, init) =>
    String(url).endsWith('en.json') ? good(catalogueIn('', 'en')) : hanging(init),
  );
  void setLanguage('hu');
  say('again');
  await wait(tick, 1000);
  assert.deepEqual([say('again'), drawn], [catalogueIn('', 'en').again, 1]);
});

test('stops loading a language when another is chosen', async (t) => {
  const { tick } = fakeTime(t);
  const { setLanguage, t: say } = await freshWords();
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (url) => {
    asked.push(String(url).split('/').at(-1));
    return String(url).endsWith('de.json') ? good(catalogueIn('', 'de')) : foreign(503);
  });
  void setLanguage('pl');
  await settle();
  await setLanguage('de');
  await wait(tick, 60000);
  assert.deepEqual([say('again'), asked], [catalogueIn('', 'de').again, ['pl.json', 'de.json']]);
});

test('a game’s texts are fetched beside those that are there, and in the language that is wanted by then', async (t) => {
  fakeTime(t);
  const { loadPartCatalogue, setLanguage, t: say } = await freshWords();
  const asked = [];
  let answer = () => {};
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  t.mock.method(globalThis, 'fetch', async (url) => {
    const [, folder, code] = /i18n\/(.*?)(\w+)\.json$/.exec(String(url));
    asked.push(folder + code);
    if (folder + code === 'towers/lt') await held;
    return good(catalogueIn(folder, code));
  });
  await setLanguage('lt');
  const loading = loadPartCatalogue('towers');
  await settle();
  assert.equal(say('again'), catalogueIn('', 'lt').again, 'what is there stays');
  await setLanguage('pl');
  assert.equal(say('towers.pass'), catalogueIn('towers/', 'pl')['towers.pass']);
  answer();
  await loading;
  await loadPartCatalogue('towers');
  assert.equal(say('towers.pass'), catalogueIn('towers/', 'pl')['towers.pass'], 'a late answer changes nothing');
  assert.deepEqual(asked, ['lt', 'towers/lt', 'pl', 'towers/pl'], 'and nothing is asked for twice');
});

/** The page's requests to the server. */
async function questions() {
  await freshWords();
  return import('../urls.js');
}

test('trusts only the server itself that a room is gone', async (t) => {
  const { ask } = await questions();
  const refused = (reply) => {
    t.mock.method(globalThis, 'fetch', async () => reply);
    return ask('rooms/K7QF3M')
      .then(
        () => 'an answer',
        (problem) => problem.code,
      )
      .finally(() => t.mock.restoreAll());
  };
  const ours = { ok: false, status: 404, json: async () => ({ error: { code: 'no_such_room', detail: '' } }) };
  assert.equal(await refused(ours), 'no_such_room');
  assert.equal(await refused(foreign(404)), 'unreachable');
  assert.equal(await refused({ ok: false, status: 404, json: async () => ({ message: 'not found' }) }), 'unreachable');
  assert.equal(await refused(foreign(200)), 'unreachable', 'the page of a hotel’s network is no room');
});

test('times out a request without an answer', async (t) => {
  const { ask } = await questions();
  const { tick } = fakeTime(t);
  t.mock.method(globalThis, 'fetch', (url, init) => hanging(init));
  const answer = ask('rooms/K7QF3M').catch((problem) => problem.code);
  tick(10000);
  assert.equal(await answer, 'unreachable');
});

test('keeps the seats of rooms without an answer, and retries them', async (t) => {
  globalThis.localStorage = undefined;
  const { tick } = fakeTime(t);
  const device = await import('../device.js');
  const { watchOpenRooms } = await import('../session/open-rooms.js');
  for (const code of ['AAAAAA', 'BBBBBB', 'CCCCCC']) device.saveSeat(code, 'secret', 'Ana');
  const problem = (code) => Object.assign(new Error(code), { code });
  let proxy = true;
  let shown = [];
  void watchOpenRooms(
    async (code) => {
      if (code === 'AAAAAA') throw problem('no_such_room');
      if (code === 'BBBBBB' && proxy) throw problem('unreachable');
      return { code };
    },
    (open) => {
      shown = open.map((each) => each.code);
    },
    () => true,
  );
  await settle();
  assert.deepEqual(shown, ['CCCCCC'], 'what is known is shown');
  assert.deepEqual(
    Object.keys(device.savedSeats()),
    ['AAAAAA', 'BBBBBB', 'CCCCCC'],
    'one 404 does not cost anybody a seat',
  );
  proxy = false;
  await wait(tick, 1000);
  assert.deepEqual(shown.sort(), ['BBBBBB', 'CCCCCC']);
});

test('forgets a seat whose room is still missing after ten minutes', async (t) => {
  globalThis.localStorage = undefined;
  t.mock.timers.enable({ apis: ['Date'] });
  const device = await import('../device.js');
  const { watchOpenRooms } = await import('../session/open-rooms.js');
  for (const code of Object.keys(device.savedSeats())) device.forgetSeat(code);
  device.saveSeat('AAAAAA', 'secret', 'Ana');
  const visit = () =>
    watchOpenRooms(
      async () => {
        throw Object.assign(new Error(), { code: 'no_such_room' });
      },
      () => {},
      () => true,
    );
  await visit();
  t.mock.timers.tick(599999);
  await visit();
  assert.equal(device.tokenFor('AAAAAA'), 'secret');
  t.mock.timers.tick(1);
  await visit();
  assert.equal(device.tokenFor('AAAAAA'), null);
});
