// Where the page is: the home page, a room, or the guided first round, and the connection that belongs to it.

import test from 'node:test';
import assert from 'node:assert/strict';
import { Model, initialUi } from '../model.js';
import { initialState } from '../session/room-state.js';

// The page's address, which the modules read when they are loaded.
globalThis.document = { querySelector: () => null };
globalThis.location = new URL('http://table.test/');
const { Router } = await import('../router.js');
const { RequestError } = await import('../urls.js');

/** A page with sessions that only record their calls. */
function page({ ready = false, answer = () => ({ code: 'K7QF3M', game: 'towers' }) } = {}) {
  const done = [];
  const model = new Model(initialUi('towers'), () => {});
  const sessions = [];
  const wanted = [];
  const router = new Router({
    model,
    dispatch: (news) => done.push(news.type),
    loadLobby: () => wanted.push('the lobby'),
    go: (code) => done.push(`go ${code}`),
    open: (sheet) => model.show({ sheet }),
    ask: async (path) => answer(path),
    visit: (options) => {
      const session = {
        options,
        ready,
        bots: options.bots,
        connect: () => done.push(`connect ${options.code}`),
        close: () => done.push(`close ${options.code}`),
        join: (name, watch) => done.push(`join ${name} ${watch}`),
        send: () => true,
      };
      sessions.push(session);
      return session;
    },
  });
  return { done, model, router, sessions, wanted };
}

test('a link opens the join screen with the visible part of the room', async () => {
  const { done, model, router, wanted } = page({ answer: () => ({ code: 'K7QF3M', game: 'qwantum' }) });
  await router.enter('K7QF3M');
  assert.equal(model.ui.preview.game, 'qwantum');
  assert.deepEqual(wanted, ['the lobby'], 'it comes while the name is typed');
  assert.deepEqual(done, []);
  router.join('Ana', false);
  assert.deepEqual(done, ['join Ana false']);
  assert.deepEqual([model.ui.busy, model.known.connection], [true, 'connecting']);
});

test('a device with a seat rejoins at once', async () => {
  const { done, model, router, wanted } = page({ ready: true });
  await router.enter('K7QF3M', 2);
  assert.deepEqual(done, ['connect K7QF3M']);
  assert.equal(model.ui.busy, true);
  assert.deepEqual(wanted, [], 'against bots the game starts without a lobby');
});

test('an answer for an earlier place is not shown at the next', async () => {
  const answers = [];
  const { model, router } = page({
    answer: () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }),
  });
  const first = router.enter('AAAAAA');
  const second = router.enter('BBBBBB');
  answers[1]({ code: 'BBBBBB', game: 'qwantum' });
  answers[0]({ code: 'AAAAAA', game: 'towers' });
  await Promise.all([first, second]);
  assert.equal(model.ui.preview.code, 'BBBBBB');
});

test('a room that cannot be loaded shows the trouble screen with its code', async () => {
  for (const [problem, what] of [
    [new RequestError('no_such_room', 404), 'no_such_room'],
    [new Error('?'), 'unreachable'],
  ]) {
    const { model, router } = page({
      answer: () => {
        throw problem;
      },
    });
    await router.enter('K7QF3M');
    assert.equal(model.ui.place.what, what);
  }
});

test('leaving a place closes the connection and forgets the room', async () => {
  const { done, model, router } = page({ ready: true });
  await router.enter('K7QF3M');
  model.known = { ...initialState, room: { game: 'qwantum' } };
  model.show({ sheet: { name: 'menu' } });
  model.apply({ type: 'past', past: { moments: [1, 2, 3, 4], number: 1 } });
  model.apply({ type: 'moment', at: 3 });
  await router.enter(null);
  assert.deepEqual(done, ['connect K7QF3M', 'close K7QF3M']);
  assert.deepEqual([model.known, model.ui], [initialState, initialUi('towers')]);
  assert.equal(router.send({ type: 'ping' }), false);
});

test('a refused name returns to the join screen with the room', async () => {
  const { model, router, sessions } = page({ ready: true });
  await router.enter('K7QF3M');
  sessions[0].options.onRefused('name_taken');
  await Promise.resolve();
  assert.deepEqual([model.ui.why, model.ui.busy], ['name_taken', false]);
  await new Promise(setImmediate);
  assert.equal(model.ui.preview.code, 'K7QF3M');
});

test('the guided first round has its own connection', async () => {
  const { done, model, router } = page({ ready: true });
  await router.enter('K7QF3M');
  const sent = [];
  router.rehearse(() => ({
    server: { send: (message) => sent.push(message) > 0, close: () => done.push('close lesson') },
    show: () => 'the coach',
  }));
  assert.equal(router.send({ type: 'ping' }), true);
  assert.equal(router.session, null);
  assert.equal(model.ui.place.name, 'lesson');
  await router.enter(null);
  assert.deepEqual(done, ['connect K7QF3M', 'close K7QF3M', 'connection', 'close lesson']);
});
