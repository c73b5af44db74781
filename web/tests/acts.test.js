// What taps and keys do: what is sent, what stays here, and what the person is told.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { teach, t } from '../i18n.js';
import { Model, opened } from '../model.js';
import { fold, nothing } from '../store.js';

// The page's address, which the modules read when they are loaded, and where the focus is.
globalThis.document = { querySelector: () => null, activeElement: null };
globalThis.location = new URL('http://table.test/');
globalThis.history = { pushState: () => {} };
const { actsOf } = await import('../acts.js');
const { Refused } = await import('../base.js');

teach('en', JSON.parse(readFileSync(new URL('../i18n/en.json', import.meta.url), 'utf8')), {});

const BID = { type: 'bid', count: 3 };
const game = { version: 1, next: 4, asked: [0], table: {}, mine: null, actions: [BID], events: [], deadline_ms: null };
const atTable = { ...nothing, line: 'open', you: { seat: 0, token: 't', name: 'Ana' }, room: { game: 'towers', phase: 'playing', seats: [] }, game };

/** A page whose line, guard and server are as the test wants them, and what went out of it. */
function page({ known = atTable, line = true, steady = true, answer = () => ({ code: 'K7QF3M' }), session = null } = {}) {
  const sent = [];
  const gone = [];
  const model = new Model(opened('towers'), () => {});
  model.known = known;
  const entering = {
    session, enter: async (code, bots) => gone.push([code, bots]), send: (message) => {
      sent.push(message);
      return line;
    },
  };
  const acts = actsOf({
    model, entering, look: () => ({ face: null }), want: () => {}, settled: () => {}, ask: async (...asked) => answer(...asked),
    learn: (news) => {
      model.known = fold(model.known, news, 0);
    },
    guard: { allows: () => steady },
  });
  return { acts, model, sent, gone };
}

/** What is said goes away after a while; no test waits for that. */
const timed = (story) => (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return story(context.mock.timers);
};

test('an act goes out with the number of its decision and is pending', () => {
  const { acts, model, sent } = page();
  acts.act(BID);
  assert.deepEqual(sent, [{ type: 'act', n: 4, action: BID }]);
  assert.deepEqual([model.known.pending.n, model.known.pending.action], [4, BID]);
});

test('nothing is played twice, in the past, without a game, or by a tap that came too soon', () => {
  const twice = page();
  twice.acts.act(BID);
  twice.acts.act(BID);
  assert.equal(twice.sent.length, 1);
  const past = page();
  past.model.show({ moment: 2 });
  for (const { acts, sent } of [past, page({ known: { ...atTable, game: null } }), page({ steady: false })]) {
    acts.act(BID);
    assert.deepEqual(sent, []);
  }
});

test('without a line an act stays pending and nobody is scolded, but a message is said not to have gone', timed(() => {
  const { acts, model } = page({ line: false });
  acts.act(BID);
  assert.deepEqual([model.known.pending.n, model.ui.toast], [4, null]);
  acts.send({ type: 'start' });
  assert.equal(model.ui.toast.text, t('line.reconnecting'));
}));

test('a press on a control that still settles decides nothing, but words are sent', () => {
  const { acts, model, sent } = page({ steady: false });
  assert.equal(acts.send({ type: 'start' }), false);
  assert.equal(acts.rematch('rematch'), false);
  assert.equal(model.ui.onward, false, 'a refused rematch takes nobody along later');
  acts.send({ type: 'chat', text: 'hello' });
  assert.deepEqual(sent, [{ type: 'chat', text: 'hello' }]);
});

test('what was said last stays for its whole time', timed((timers) => {
  const { acts, model } = page();
  acts.say('first');
  timers.tick(3000);
  acts.say('second');
  timers.tick(300);
  assert.equal(model.ui.toast.text, 'second', 'the end of the first does not take it away');
  timers.tick(3000);
  assert.equal(model.ui.toast, null);
}));

test('a room is opened as its game likes it, and entered', async () => {
  const asked = [];
  const { acts, gone } = page({ answer: (...what) => {
    asked.push(what);
    return { code: 'K7QF3M' };
  } });
  acts.pick('qwantum');
  await acts.create(2);
  assert.deepEqual([asked, gone], [[['rooms', { game: 'qwantum', forced: 'ask' }]], [['K7QF3M', 2]]]);
});

test('why no room is opened is said, and the page is free again', timed(async () => {
  const { acts, model, gone } = page({ answer: () => {
    throw new Refused('too_many_rooms', 429);
  } });
  await acts.create();
  assert.deepEqual([model.ui.busy, model.ui.toast.text, gone], [false, t('code.too_many_rooms'), []]);
}));

test('leaving is told to the server, or said to be waiting; the guided round has nobody to tell', timed(() => {
  const alone = page();
  alone.acts.leave();
  assert.deepEqual(alone.gone, [[null, undefined]]);
  const heard = page({ session: { leave: () => true } });
  heard.acts.leave();
  assert.deepEqual([heard.model.ui.toast, heard.gone], [null, []]);
  const cut = page({ session: { leave: () => false } });
  cut.acts.leave();
  assert.equal(cut.model.ui.toast.text, t('leave.waiting'));
}));

test('who opens the chat has read it', () => {
  const { acts, model } = page({ known: { ...atTable, unread: 3 } });
  acts.open({ name: 'chat' });
  assert.deepEqual([model.known.unread, model.ui.sheet.name], [0, 'chat']);
});
