// Where the page is: the front page, a room, or the guided first round, and which line goes with it.

import test from 'node:test';
import assert from 'node:assert/strict';
import { Model, opened } from '../model.js';
import { nothing } from '../store.js';

// The page's address, which the modules read when they are loaded.
globalThis.document = { querySelector: () => null };
globalThis.location = new URL('http://table.test/');
const { Entering } = await import('../entering.js');
const { Refused } = await import('../base.js');

/** A page with sessions that only note what becomes of them. */
function page({ ready = false, answer = () => ({ code: 'K7QF3M', game: 'towers' }) } = {}) {
  const done = [];
  const model = new Model(opened('towers'), () => {});
  const sessions = [];
  const wanted = [];
  const entering = new Entering({
    model, learn: (news) => done.push(news.type), wantLobby: () => wanted.push('the lobby'), go: (code) => done.push(`go ${code}`), open: (sheet) => model.show({ sheet }),
    ask: async (path) => answer(path),
    visit: (options) => {
      const session = { options, ready, bots: options.bots, connect: () => done.push(`connect ${options.code}`), close: () => done.push(`close ${options.code}`), join: (name, watch) => done.push(`join ${name} ${watch}`), send: () => true };
      sessions.push(session);
      return session;
    },
  });
  return { done, model, entering, sessions, wanted };
}

test('a link opens the join screen with what can be seen of the room', async () => {
  const { done, model, entering, wanted } = page({ answer: () => ({ code: 'K7QF3M', game: 'qwantum' }) });
  await entering.enter('K7QF3M');
  assert.equal(model.ui.preview.game, 'qwantum');
  assert.deepEqual(wanted, ['the lobby'], 'it comes while the name is typed');
  assert.deepEqual(done, []);
  entering.join('Ana', false);
  assert.deepEqual(done, ['join Ana false']);
  assert.deepEqual([model.ui.busy, model.known.line], [true, 'connecting']);
});

test('who has a seat here goes straight back to it', async () => {
  const { done, model, entering, wanted } = page({ ready: true });
  await entering.enter('K7QF3M', 2);
  assert.deepEqual(done, ['connect K7QF3M']);
  assert.equal(model.ui.busy, true);
  assert.deepEqual(wanted, [], 'against bots the game starts without a lobby');
});

test('what is asked for an earlier page is not shown on the next', async () => {
  const answers = [];
  const { model, entering } = page({ answer: () => new Promise((resolve) => { answers.push(resolve); }) });
  const first = entering.enter('AAAAAA');
  const second = entering.enter('BBBBBB');
  answers[1]({ code: 'BBBBBB', game: 'qwantum' });
  answers[0]({ code: 'AAAAAA', game: 'towers' });
  await Promise.all([first, second]);
  assert.equal(model.ui.preview.code, 'BBBBBB');
});

test('a room that cannot be seen is trouble, by its code', async () => {
  for (const [problem, what] of [[new Refused('no_such_room', 404), 'no_such_room'], [new Error('?'), 'unreachable']]) {
    const { model, entering } = page({ answer: () => { throw problem; } });
    await entering.enter('K7QF3M');
    assert.equal(model.ui.trouble, what);
  }
});

test('going elsewhere closes the line and forgets the room', async () => {
  const { done, model, entering } = page({ ready: true });
  await entering.enter('K7QF3M');
  model.known = { ...nothing, room: { game: 'qwantum' } };
  model.show({ sheet: { name: 'menu' }, moment: 3 });
  await entering.enter(null);
  assert.deepEqual(done, ['connect K7QF3M', 'close K7QF3M']);
  assert.deepEqual([model.known, model.ui.sheet, model.ui.moment, model.ui.code], [nothing, null, null, null]);
  assert.equal(entering.send({ type: 'ping' }), false);
});

test('a refused name is asked for again, with the room before one’s eyes', async () => {
  const { model, entering, sessions } = page({ ready: true });
  await entering.enter('K7QF3M');
  sessions[0].options.onRefused('name_taken');
  await Promise.resolve();
  assert.deepEqual([model.ui.why, model.ui.busy], ['name_taken', false]);
  await new Promise(setImmediate);
  assert.equal(model.ui.preview.code, 'K7QF3M');
});

test('the guided first round has a line of its own', async () => {
  const { done, model, entering } = page({ ready: true });
  await entering.enter('K7QF3M');
  const sent = [];
  entering.rehearse(() => ({ send: (message) => sent.push(message) > 0, close: () => done.push('close lesson') }));
  assert.equal(entering.send({ type: 'ping' }), true);
  assert.equal(entering.session, null);
  assert.equal(model.ui.code, '');
  await entering.enter(null);
  assert.deepEqual(done, ['connect K7QF3M', 'close K7QF3M', 'line', 'close lesson']);
});
