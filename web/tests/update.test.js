// What messages do to the page: each reducer alone, and the effects that follow once.

import test from 'node:test';
import assert from 'node:assert/strict';
import {
  failPendingSheet,
  clearBusy,
  followRename,
  followToNextGame,
  updateChoice,
  PRESENT,
  leaveReplay,
  recordPresence,
  closeSheetOnStart,
  stayOnResult,
} from '../page-state.js';
import { createDispatch } from '../session/update.js';
import { setCatalogues } from '../i18n.js';
import { Model, initialUi } from '../model.js';
import { initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const gameUi = {
  noChoice: () => 'none',
  reconcileChoice: (choice, before, after) => `${choice} ${before?.version}-${after?.version}`,
  whyRefused: () => null,
};
const seats = ['Ana', 'Mira'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
}));
const room = (more = {}) => ({
  code: 'K7QF3M',
  game: 'towers',
  phase: 'playing',
  seats,
  host: 0,
  fair: { commitment: '' },
  ...more,
});
const game = (version, asked = []) => ({
  version,
  next: 0,
  asked,
  table: {},
  mine: null,
  actions: [],
  events: [],
  deadline_ms: null,
});
const at = (more = {}) => ({
  ...initialState,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: room(),
  game: game(1),
  ...more,
});
const ROOM = { name: 'room', code: 'K7QF3M' };
const ui = (more = {}) => ({ ...initialUi('towers', ROOM), ...more });
const RESULT = { table: 'result', past: null };
const THEN = { table: 'moment', of: 'present', past: { moments: [0, 1, 2, 3], number: null }, at: 3, playing: false };
const change = (before, known, input = { type: 'state' }) => ({ before, known, input, gameUi });

test('a choice begins empty, and only the game keeps it', () => {
  assert.equal(updateChoice(ui(), change(initialState, at())).choice, 'none');
  assert.equal(updateChoice(ui({ choice: 'picked' }), change(at(), at({ game: game(2) }))).choice, 'picked 1-2');
  const same = at();
  assert.equal(
    updateChoice(ui({ choice: 'picked' }), change(same, same)).choice,
    'picked',
    'nothing happened at the table',
  );
  assert.equal(
    updateChoice(ui({ choice: 'old' }), { ...change(at(), at({ game: game(2) })), gameUi: null }).choice,
    'old',
    'without its code nobody can say',
  );
});

test('records who comes and goes during a game', () => {
  const gone = at({ room: room({ seats: [seats[0], { ...seats[1], connected: false }] }) });
  assert.deepEqual(recordPresence(ui(), change(at(), gone)).people, [
    { name: 'Mira', change: 'away', own: false, at: 0 },
  ]);
});

test('shows a refusal in the sheet that waits for the answer, and in no other', () => {
  const refused = change(at(), at(), { type: 'error', code: 'busy' });
  assert.deepEqual(failPendingSheet(ui({ sheet: { name: 'review', asking: true } }), refused).sheet, {
    name: 'review',
    asking: false,
    why: 'busy',
  });
  for (const sheet of [null, { name: 'log' }, { name: 'review', review: {} }])
    assert.deepEqual(failPendingSheet(ui({ sheet }), refused).sheet, sheet);
  assert.equal(
    failPendingSheet(ui({ sheet: { name: 'hint', asking: true } }), change(at(), at())).sheet.asking,
    true,
    'other messages are no answer',
  );
});

test('a starting game closes sheets over the lobby; a reconnect does not', () => {
  const open = ui({ sheet: { name: 'chat' }, shown: THEN });
  const begun = closeSheetOnStart(open, change(at({ game: null }), at()));
  assert.deepEqual([begun.sheet, begun.shown], [null, PRESENT]);
  assert.equal(closeSheetOnStart(open, change(at({ game: null }), at(), { type: 'welcome' })), open);
  assert.equal(closeSheetOnStart(open, change(at(), at({ game: game(2) }))), open);
});

test('drops the moments with their game', () => {
  assert.equal(leaveReplay(ui({ shown: THEN }), change(at(), at({ game: null }))).shown, PRESENT);
  assert.equal(leaveReplay(ui({ shown: THEN }), change(at(), at())).shown, THEN);
});

test('stops waiting with a game or a refusal', () => {
  assert.equal(clearBusy(ui({ busy: true }), change(initialState, at())).busy, false);
  assert.equal(
    clearBusy(ui({ busy: true }), change(initialState, { ...initialState, refused: { code: 'x', action: null } })).busy,
    false,
  );
  assert.equal(clearBusy(ui({ busy: true }), change(initialState, at({ game: null }))).busy, true);
});

/** Ana's page, with the effects that ran. */
function anasPage(known, chatIsRead = false) {
  const done = [];
  const model = new Model(ui(), () => done.push('drawn'));
  model.known = known;
  const look = () => ({ known: model.known, ui: model.ui, gameUi, seat: 0 });
  const note = (what) => (value) => done.push([what, value].filter((part) => part !== undefined).join(' '));
  const context = {
    model,
    look,
    gameUiOf: () => gameUi,
    chatIsRead: () => chatIsRead,
    isHeard: (name) => name !== 'Tomas',
    alertTurn: note('called'),
    playEventSounds: (events) => done.push(`sounds ${events.length}`),
    countUp: note('counts'),
    say: note('says'),
    liveRegion: { announce: (before, view, spoken) => done.push(`tells${spoken ? ' what was said' : ''}`) },
  };
  return { done, model, dispatch: createDispatch(context, () => 1000) };
}

test('changes nothing for messages that do not concern the page', () => {
  const page = anasPage(at());
  page.dispatch({ type: 'pong' });
  assert.deepEqual(page.done, []);
});

test('alerts once per turn', () => {
  const page = anasPage(at());
  page.dispatch({ type: 'state', state: game(2, [0]) });
  page.dispatch({ type: 'state', state: game(3, [0]) });
  assert.deepEqual(page.done, ['drawn', 'called', 'tells', 'drawn', 'tells']);
});

test('plays the sounds of new events once', () => {
  const page = anasPage(at());
  page.dispatch({ type: 'state', state: { ...game(2), events: [{ type: 'pass', seat: 1 }] } });
  page.dispatch({ type: 'state', state: game(3) });
  page.dispatch({ type: 'room', room: room({ watchers: 1 }) });
  assert.deepEqual(
    page.done.filter((each) => each.startsWith('sounds')),
    ['sounds 1'],
  );
});

test('counts scores up at the end, and at once for a player who comes later', () => {
  const there = anasPage(at());
  there.dispatch({ type: 'room', room: room({ phase: 'finished' }) });
  there.dispatch({ type: 'room', room: room({ phase: 'finished' }) });
  assert.deepEqual(
    there.done.filter((each) => each.startsWith('counts')),
    ['counts false'],
  );
  const later = anasPage(initialState);
  later.dispatch({
    type: 'welcome',
    you: { seat: 0, token: 't', name: 'Ana' },
    room: room({ phase: 'finished' }),
    state: game(9),
    history: [],
    chat: [],
  });
  assert.deepEqual(
    later.done.filter((each) => each.startsWith('counts')),
    ['counts true'],
  );
});

test('marks visible chat as read', () => {
  const line = { type: 'chat', seat: 1, name: 'Mira', text: 'Hello', at: 5 };
  const [closed, open] = [anasPage(at()), anasPage(at(), true)];
  for (const page of [closed, open]) page.dispatch(line);
  assert.deepEqual([closed.model.known.unread, open.model.known.unread], [1, 0]);
  assert.ok(closed.done.includes('tells what was said'));
});

test('explains a refusal once, by the game or by its code', () => {
  const page = anasPage(at({ pending: { n: 0, action: { type: 'bid' } } }));
  page.dispatch({ type: 'rejected', n: 0, code: 'not_your_turn', detail: '' });
  assert.equal(page.done.filter((each) => each.startsWith('says')).length, 1);
  assert.equal(page.model.known.refused, null);
  const strange = anasPage(at({ pending: { n: 0, action: {} } }));
  strange.dispatch({ type: 'rejected', n: 0, code: 'never_heard_of', detail: '' });
  assert.ok(strange.done.includes('says Something unexpected happened.'));
});

const finished = at({ room: room({ phase: 'finished' }) });
const opened_ = at({ room: room({ phase: 'lobby' }), game: null });

test('keeps players at the result when the table is opened, except the one who opened it', () => {
  assert.equal(stayOnResult(ui(), change(finished, opened_)).shown.table, 'result');
  assert.deepEqual(
    (({ shown, onward }) => [shown, onward])(stayOnResult(ui({ onward: true }), change(finished, opened_))),
    [PRESENT, false],
  );
  assert.equal(stayOnResult(ui(), change(at(), opened_)).shown, PRESENT, 'a game that was not over has no result');
  const looking = stayOnResult(ui({ shown: THEN, sheet: { name: 'past' } }), change(finished, opened_));
  assert.deepEqual(
    leaveReplay(looking, change(finished, opened_)).shown,
    { ...THEN, of: 'result' },
    'nor is anybody taken out of the past',
  );
  assert.equal(closeSheetOnStart(looking, change(opened_, at())).sheet.name, 'past');
});

test('takes only players with a raised hand and nothing else open to the next game', () => {
  const up = at({ room: room({ phase: 'lobby', seats: [{ ...seats[0], ready: true }, seats[1]] }), game: null });
  const goes = (more, before = up) =>
    followToNextGame(ui({ shown: RESULT, countedMs: Infinity, ...more }), change(before, at())).shown === PRESENT;
  assert.deepEqual(
    [
      goes({}),
      goes({}, opened_),
      goes({ shown: { ...THEN, of: 'result' } }),
      goes({ sheet: { name: 'log' } }),
      goes({ counting: true }),
    ],
    [true, false, false, false, false],
  );
});

test('announces reactions and chat of players who are not muted', () => {
  const page = anasPage(at({ room: room({ seats: [...seats, { ...seats[1], seat: 2, name: 'Tomas' }] }) }));
  const tells = (input) => {
    page.done.length = 0;
    page.dispatch(input);
    return page.done.includes('tells what was said');
  };
  assert.deepEqual(
    [1, 2].map((seat) => tells({ type: 'reacted', seat, reaction: 'clap' })),
    [true, false],
  );
  assert.deepEqual(
    [
      tells({ type: 'chat', seat: 2, name: 'Tomas', text: 'Hm', at: 5 }),
      tells({ type: 'chat', seat: null, name: 'Ona', text: 'Hm', at: 6 }),
    ],
    [false, true],
  );
});

test('tells a renamed player the new name, and updates an open removal sheet', () => {
  const page = anasPage(at());
  page.dispatch({ type: 'renamed', seat: 1, was: 'Mira', name: 'Ona' });
  assert.ok(!page.done.some((each) => each.startsWith('says')), 'others hear it as they hear who comes');
  page.dispatch({ type: 'renamed', seat: 0, was: 'Ana', name: 'Ona 2' });
  assert.ok(page.done.includes('says You’re now called Ona 2'));
  const renamed = change(at(), at(), { type: 'renamed', seat: 1, was: 'Mira', name: 'Ona' });
  assert.equal(followRename(ui({ sheet: { name: 'remove', text: 'Mira' } }), renamed).sheet.text, 'Ona');
  assert.equal(followRename(ui({ sheet: { name: 'remove', text: 'Tomas' } }), renamed).sheet.text, 'Tomas');
});
