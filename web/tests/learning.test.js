// What news do to the page: each reducer alone, and the steps that follow once.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { endQuestion, endWait, followName, goAlong, keepChoice, learner, leavePast, notePeople, openTable, stayThere } from '../learning.js';
import { teach } from '../i18n.js';
import { Model, opened } from '../model.js';
import { nothing } from '../store.js';

teach('en', JSON.parse(readFileSync(new URL('../i18n/en.json', import.meta.url), 'utf8')), {});

const face = { noChoice: () => 'none', keepChoice: (choice, before, after) => `${choice} ${before?.version}-${after?.version}`, whyRefused: () => null };
const seats = ['Ana', 'Mira'].map((name, seat) => ({ seat, name, kind: 'human', connected: true, away_ms: 0, wins: 0, bot: null }));
const room = (more = {}) => ({ code: 'K7QF3M', game: 'towers', phase: 'playing', seats, host: 0, fair: { commitment: '' }, ...more });
const game = (version, asked = []) => ({ version, next: 0, asked, table: {}, mine: null, actions: [], events: [], deadline_ms: null });
const at = (more = {}) => ({ ...nothing, you: { seat: 0, token: 't', name: 'Ana' }, room: room(), game: game(1), ...more });
const ui = (more = {}) => ({ ...opened('towers'), ...more });
const change = (before, known, news = { type: 'state' }) => ({ before, known, news, face });

test('a choice is kept only by the game, and begins empty', () => {
  assert.equal(keepChoice(ui(), change(nothing, at())).choice, 'none');
  assert.equal(keepChoice(ui({ choice: 'picked' }), change(at(), at({ game: game(2) }))).choice, 'picked 1-2');
  const same = at();
  assert.equal(keepChoice(ui({ choice: 'picked' }), change(same, same)).choice, 'picked', 'nothing happened at the table');
  assert.equal(keepChoice(ui({ choice: 'old' }), { ...change(at(), at({ game: game(2) })), face: null }).choice, 'old', 'without its code nobody can say');
});

test('whoever comes and goes during a game is noted', () => {
  const gone = at({ room: room({ seats: [seats[0], { ...seats[1], connected: false }] }) });
  assert.deepEqual(notePeople(ui(), change(at(), gone)).people, [{ name: 'Mira', change: 'away', own: false, at: 0 }]);
});

test('an answer that will not come is told in the sheet that waits for it, and in no other', () => {
  const refused = change(at(), at(), { type: 'error', code: 'busy' });
  assert.deepEqual(endQuestion(ui({ sheet: { name: 'review', asking: true } }), refused).sheet, { name: 'review', asking: false, why: 'busy' });
  for (const sheet of [null, { name: 'log' }, { name: 'review', review: {} }]) assert.deepEqual(endQuestion(ui({ sheet }), refused).sheet, sheet);
  assert.equal(endQuestion(ui({ sheet: { name: 'hint', asking: true } }), change(at(), at())).sheet.asking, true, 'other news are no answer');
});

test('a game that begins closes what lay over the lobby; coming back to one does not', () => {
  const open = ui({ sheet: { name: 'chat' }, moment: 3 });
  const begun = openTable(open, change(at({ game: null }), at()));
  assert.deepEqual([begun.sheet, begun.moment], [null, null]);
  assert.equal(openTable(open, change(at({ game: null }), at(), { type: 'welcome' })), open);
  assert.equal(openTable(open, change(at(), at({ game: game(2) }))), open);
});

test('the past goes with its game', () => {
  assert.equal(leavePast(ui({ moment: 3 }), change(at(), at({ game: null }))).moment, null);
  assert.equal(leavePast(ui({ moment: 3 }), change(at(), at())).moment, 3);
});

test('waiting ends with a game or a refusal', () => {
  assert.equal(endWait(ui({ busy: true }), change(nothing, at())).busy, false);
  assert.equal(endWait(ui({ busy: true }), change(nothing, { ...nothing, refused: { code: 'x', action: null } })).busy, false);
  assert.equal(endWait(ui({ busy: true }), change(nothing, at({ game: null }))).busy, true);
});

/** Ana's page, with what happened on it. */
function anasPage(known, chatIsRead = false) {
  const done = [];
  const model = new Model(ui(), () => done.push('drawn'));
  model.known = known;
  const look = () => ({ known: model.known, ui: model.ui, face, seat: 0 });
  const note = (what) => (value) => done.push([what, value].filter((part) => part !== undefined).join(' '));
  const means = {
    model, look, chatIsRead: () => chatIsRead, hears: (name) => name !== 'Tomas', callToTurn: note('called'), soundEvents: (events) => done.push(`sounds ${events.length}`), countUp: note('counts'), say: note('says'),
    voice: { tell: (before, view, spoken) => done.push(`tells${spoken ? ' what was said' : ''}`) },
  };
  return { done, model, learn: learner(means, () => 1000) };
}

test('what nobody has to know changes nothing', () => {
  const page = anasPage(at());
  page.learn({ type: 'pong' });
  assert.deepEqual(page.done, []);
});

test('a turn that comes calls once', () => {
  const page = anasPage(at());
  page.learn({ type: 'state', state: game(2, [0]) });
  page.learn({ type: 'state', state: game(3, [0]) });
  assert.deepEqual(page.done, ['drawn', 'called', 'tells', 'drawn', 'tells']);
});

test('what happened sounds once, and what was heard before does not sound again', () => {
  const page = anasPage(at());
  page.learn({ type: 'state', state: { ...game(2), events: [{ type: 'pass', seat: 1 }] } });
  page.learn({ type: 'state', state: game(3) });
  page.learn({ type: 'room', room: room({ watchers: 1 }) });
  assert.deepEqual(page.done.filter((each) => each.startsWith('sounds')), ['sounds 1']);
});

test('scores count up at the end, and at once for who comes later', () => {
  const there = anasPage(at());
  there.learn({ type: 'room', room: room({ phase: 'finished' }) });
  there.learn({ type: 'room', room: room({ phase: 'finished' }) });
  assert.deepEqual(there.done.filter((each) => each.startsWith('counts')), ['counts false']);
  const later = anasPage(nothing);
  later.learn({ type: 'welcome', you: { seat: 0, token: 't', name: 'Ana' }, room: room({ phase: 'finished' }), state: game(9), history: [], chat: [] });
  assert.deepEqual(later.done.filter((each) => each.startsWith('counts')), ['counts true']);
});

test('chat that is before the eyes is read', () => {
  const line = { type: 'chat', seat: 1, name: 'Mira', text: 'Hello', at: 5 };
  const [closed, open] = [anasPage(at()), anasPage(at(), true)];
  for (const page of [closed, open]) page.learn(line);
  assert.deepEqual([closed.model.known.unread, open.model.known.unread], [1, 0]);
  assert.ok(closed.done.includes('tells what was said'));
});

test('a refusal is worded once: by the game where it knows more, else by its code', () => {
  const page = anasPage(at({ pending: { n: 0, action: { type: 'bid' } } }));
  page.learn({ type: 'rejected', n: 0, code: 'not_your_turn', detail: '' });
  assert.equal(page.done.filter((each) => each.startsWith('says')).length, 1);
  assert.equal(page.model.known.refused, null);
  const strange = anasPage(at({ pending: { n: 0, action: {} } }));
  strange.learn({ type: 'rejected', n: 0, code: 'never_heard_of', detail: '' });
  assert.ok(strange.done.includes('says Something unexpected happened.'));
});

const finished = at({ room: room({ phase: 'finished' }) });
const opened_ = at({ room: room({ phase: 'lobby' }), game: null });

test('whoever looks at a result stays there when the table is opened, except for who opened it', () => {
  assert.equal(stayThere(ui(), change(finished, opened_)).stay, true);
  assert.deepEqual((({ stay, onward }) => [stay, onward])(stayThere(ui({ onward: true }), change(finished, opened_))), [false, false]);
  assert.equal(stayThere(ui(), change(at(), opened_)).stay, false, 'a game that was not over has no result');
  const looking = ui({ stay: true, moment: 3, sheet: { name: 'past' } });
  assert.equal(leavePast(looking, change(finished, opened_)).moment, 3, 'nor is anybody taken out of the past');
  assert.equal(openTable(looking, change(opened_, at())).sheet.name, 'past');
});

test('when the next game begins, only who had raised their hand and does nothing else goes along', () => {
  const up = at({ room: room({ phase: 'lobby', seats: [{ ...seats[0], ready: true }, seats[1]] }), game: null });
  const goes = (more, before = up) => !goAlong(ui({ stay: true, reveal: Infinity, ...more }), change(before, at())).stay;
  assert.deepEqual([goes({}), goes({}, opened_), goes({ moment: 3 }), goes({ sheet: { name: 'log' } }), goes({ counting: true })], [true, false, false, false, false]);
});

test('what somebody shows or says is told, unless they are muted', () => {
  const page = anasPage(at({ room: room({ seats: [...seats, { ...seats[1], seat: 2, name: 'Tomas' }] }) }));
  const tells = (news) => { page.done.length = 0; page.learn(news); return page.done.includes('tells what was said'); };
  assert.deepEqual([1, 2].map((seat) => tells({ type: 'reacted', seat, reaction: 'clap' })), [true, false]);
  assert.deepEqual([tells({ type: 'chat', seat: 2, name: 'Tomas', text: 'Hm', at: 5 }), tells({ type: 'chat', seat: null, name: 'Ona', text: 'Hm', at: 6 })], [false, true]);
});

test('whoever is called otherwise is told what they are called now, and is still meant by who asks whether to remove them', () => {
  const page = anasPage(at());
  page.learn({ type: 'renamed', seat: 1, was: 'Mira', name: 'Ona' });
  assert.ok(!page.done.some((each) => each.startsWith('says')), 'others hear it as they hear who comes');
  page.learn({ type: 'renamed', seat: 0, was: 'Ana', name: 'Ona 2' });
  assert.ok(page.done.includes('says You are now called Ona 2'));
  const renamed = change(at(), at(), { type: 'renamed', seat: 1, was: 'Mira', name: 'Ona' });
  assert.equal(followName(ui({ sheet: { name: 'remove', text: 'Mira' } }), renamed).sheet.text, 'Ona');
  assert.equal(followName(ui({ sheet: { name: 'remove', text: 'Tomas' } }), renamed).sheet.text, 'Tomas');
});
