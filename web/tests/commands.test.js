// What taps and keys do: what is sent, what stays on the page, and what the player is told.

import test from 'node:test';
import assert from 'node:assert/strict';
import { setCatalogues, t } from '../i18n.js';
import { Model, initialUi } from '../model.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

// The page's address, which the modules read when they are loaded, and the focused element.
globalThis.document = { querySelector: () => null, activeElement: null };
globalThis.location = new URL('http://table.test/');
globalThis.history = { pushState: () => {} };
const { createCommands } = await import('../commands.js');
const { RequestError } = await import('../urls.js');

setCatalogues('en', catalogue(), {});

const BID = { type: 'bid', count: 3 };
const game = { version: 1, next: 4, asked: [0], table: {}, mine: null, actions: [BID], events: [], deadline_ms: null };
const atTable = {
  ...initialState,
  connection: 'open',
  you: { seat: 0, token: 't', name: 'Ana' },
  room: { game: 'towers', phase: 'playing', seats: [] },
  game,
};

/** A page with a fake connection, guard and server, and what it sent. */
function page({
  known = atTable,
  line = true,
  steady = true,
  answer = () => ({ code: 'K7QF3M' }),
  session = null,
} = {}) {
  const sent = [];
  const gone = [];
  const model = new Model(initialUi('towers'), () => {});
  model.ui = initialUi('towers', { name: 'room', code: 'K7QF3M' });
  model.known = known;
  const router = {
    session,
    enter: async (code, bots) => gone.push([code, bots]),
    send: (message) => {
      sent.push(message);
      return line;
    },
  };
  const commands = createCommands({
    model,
    router,
    look: () => ({ gameUi: null }),
    loadGameUi: () => {},
    onSettingsChange: () => {},
    ask: async (...asked) => answer(...asked),
    dispatch: (news) => {
      model.known = reduceRoom(model.known, news, 0);
    },
    guard: { allows: () => steady },
  });
  return { commands, model, sent, gone };
}

/** Toasts disappear after a while; no test waits for that. */
const timed = (story) => (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return story(context.mock.timers);
};

test('sends an act with the number of its decision and keeps it pending', () => {
  const { commands, model, sent } = page();
  commands.act(BID);
  assert.deepEqual(sent, [{ type: 'act', n: 4, action: BID }]);
  assert.deepEqual([model.known.pending.n, model.known.pending.action], [4, BID]);
});

test('plays nothing twice, in an earlier moment, without a game, or by a tap that came too soon', () => {
  const twice = page();
  twice.commands.act(BID);
  twice.commands.act(BID);
  assert.equal(twice.sent.length, 1);
  const past = page();
  past.model.apply({ type: 'past', past: { moments: [1, 2, 3], number: null } });
  past.model.apply({ type: 'moment', at: 2 });
  for (const { commands, sent } of [past, page({ known: { ...atTable, game: null } }), page({ steady: false })]) {
    commands.act(BID);
    assert.deepEqual(sent, []);
  }
});

test(
  'keeps an act pending while disconnected without an error, but reports other messages as not sent',
  timed(() => {
    const { commands, model } = page({ line: false });
    commands.act(BID);
    assert.deepEqual([model.known.pending.n, model.ui.toast], [4, null]);
    commands.send({ type: 'start' });
    assert.equal(model.ui.toast.text, t('line.reconnecting'));
  }),
);

test('ignores a press on a control that is still settling, but sends chat', () => {
  const { commands, model, sent } = page({ steady: false });
  assert.equal(commands.send({ type: 'start' }), false);
  assert.equal(commands.rematch('rematch'), false);
  assert.equal(model.ui.onward, false, 'a refused rematch takes nobody along later');
  commands.send({ type: 'chat', text: 'hello' });
  assert.deepEqual(sent, [{ type: 'chat', text: 'hello' }]);
});

test(
  'shows the last toast for its full time',
  timed((timers) => {
    const { commands, model } = page();
    commands.say('first');
    timers.tick(3000);
    commands.say('second');
    timers.tick(300);
    assert.equal(model.ui.toast.text, 'second', 'the end of the first does not take it away');
    timers.tick(3000);
    assert.equal(model.ui.toast, null);
  }),
);

test('opens a room with the defaults of its game, and enters it', async () => {
  const asked = [];
  const { commands, gone } = page({
    answer: (...what) => {
      asked.push(what);
      return { code: 'K7QF3M' };
    },
  });
  commands.chooseGame('qwantum');
  await commands.create(2);
  assert.deepEqual([asked, gone], [[['rooms', { game: 'qwantum', forced: 'ask' }]], [['K7QF3M', 2]]]);
});

test(
  'says why no room could be opened, and stops waiting',
  timed(async () => {
    const { commands, model, gone } = page({
      answer: () => {
        throw new RequestError('too_many_rooms', 429);
      },
    });
    await commands.create();
    assert.deepEqual([model.ui.busy, model.ui.toast.text, gone], [false, t('code.too_many_rooms'), []]);
  }),
);

test(
  'sends a leave or says that it waits; the guided first round has no server to tell',
  timed(() => {
    const alone = page();
    alone.commands.leave();
    assert.deepEqual(alone.gone, [[null, undefined]]);
    const heard = page({ session: { leave: () => true } });
    heard.commands.leave();
    assert.deepEqual([heard.model.ui.toast, heard.gone], [null, []]);
    const cut = page({ session: { leave: () => false } });
    cut.commands.leave();
    assert.equal(cut.model.ui.toast.text, t('leave.waiting'));
  }),
);

test('marks the chat as read when it is opened', () => {
  const { commands, model } = page({ known: { ...atTable, unread: 3 } });
  commands.open({ name: 'chat' });
  assert.deepEqual([model.known.unread, model.ui.sheet.name], [0, 'chat']);
});
