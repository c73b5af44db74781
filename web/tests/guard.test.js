import test from 'node:test';
import assert from 'node:assert/strict';
import { Guard, STEADY_MS, isDecision, meaningOfAct, meaningOfMessage } from '../guard.js';

/** A page on which the clock is moved by hand. */
function page() {
  let time = 1000;
  const marked = [];
  const guard = new Guard((control) => marked.push(control), () => time);
  return {
    guard, marked,
    wait(ms) {
      time += ms;
    },
    /** A press of this control that would play this act. */
    act(control, action) {
      guard.press(control);
      return guard.allows(meaningOfAct(action));
    },
    send(control, message) {
      guard.press(control);
      return guard.allows(meaningOfMessage(message));
    },
    pick(control) {
      guard.press(control);
      guard.chose();
    },
  };
}

const seats = (...names) => names.map((name, seat) => ({ seat, name }));
/** The table as it is shown: its stage, and the kinds of acts listed. */
const shown = (phase, kinds, more = {}) => ({
  seat: 0, ui: { code: 'K7QF3M', sheet: null, moment: null, ...more.ui },
  known: { room: { phase: 'playing', host: 0, seats: seats('Ana', 'Mira') }, game: { table: { phase, round: 1, turn: 0, ...more.table }, actions: kinds.map((type) => ({ type })) } },
});
const inLobby = (...names) => ({ seat: 0, ui: { code: 'K7QF3M', sheet: null, moment: null }, known: { room: { phase: 'lobby', host: 0, seats: seats(...names) }, game: null } });
const atEnd = { ...inLobby('Ana', 'Mira'), known: { room: { phase: 'finished', host: 0, seats: seats('Ana', 'Mira') }, game: { table: { phase: 'finished' }, actions: [] } } };

test('the second half of a double tap on Skip does not skip the step that follows', () => {
  const ana = page();
  ana.guard.drew(shown('choose', ['enter', 'skip']));
  ana.wait(2000);
  assert.ok(ana.act('Skip', { type: 'skip' }));
  ana.wait(20);
  ana.guard.drew(shown('share', ['enter', 'skip']));
  ana.wait(STEADY_MS - 50);
  assert.ok(!ana.act('Skip', { type: 'skip' }), 'the same button, but another decision');
  ana.wait(50);
  assert.ok(ana.act('Skip', { type: 'skip' }), 'a moment later it is meant');
});

test('it is the same for a key', () => {
  const ana = page();
  ana.guard.drew(shown('choose', ['skip']));
  ana.guard.drew(shown('share', ['skip']));
  assert.ok(!ana.act('s', { type: 'skip' }));
  ana.wait(STEADY_MS);
  assert.ok(ana.act('s', { type: 'skip' }));
});

test('a button that stays what it is may be pressed as fast as one can', () => {
  const ana = page();
  ana.guard.drew(shown('build', ['build', 'undo']));
  ana.wait(1000);
  for (const kinds of [['build', 'undo', 'demolish'], ['build', 'undo']]) {
    assert.ok(ana.act('Undo', { type: 'undo' }));
    ana.wait(60);
    ana.guard.drew(shown('build', kinds));
  }
  assert.ok(ana.act('Undo', { type: 'undo' }));
});

test('what others do does not hold up one’s own decision', () => {
  const ana = page();
  ana.guard.drew(shown('share', ['enter', 'skip'], { table: { decided: [false, false] } }));
  ana.wait(1000);
  ana.guard.drew(shown('share', ['enter', 'skip'], { table: { decided: [false, true] } }));
  assert.ok(ana.act('Skip', { type: 'skip' }));
});

test('Finish does not come under a finger that placed the last card', () => {
  const ana = page();
  ana.guard.drew(shown('build', ['build', 'undo']));
  ana.wait(1000);
  ana.guard.drew(shown('build', ['finish', 'undo']));
  assert.ok(!ana.act('main', { type: 'finish' }));
  assert.ok(ana.act('Undo', { type: 'undo' }), 'while Undo is what it was');
});

test('a tap that picks is not at once the tap that enters; another control is', () => {
  const ana = page();
  ana.guard.drew(shown('choose', ['enter', 'skip']));
  ana.wait(1000);
  ana.pick('blue row');
  ana.wait(100);
  assert.ok(!ana.act('blue row', { type: 'enter', row: 'blue' }));
  assert.ok(ana.act('Enter', { type: 'enter', row: 'blue' }), 'whoever goes over to the button means it');
  ana.wait(STEADY_MS);
  assert.ok(ana.act('blue row', { type: 'enter', row: 'blue' }));
});

test('a sheet that closes, or the return from an earlier moment, leaves nothing to the finger that did it', () => {
  const ana = page();
  for (const over of [{ sheet: { name: 'leave' } }, { moment: 3 }]) {
    ana.guard.drew(shown('roll', ['roll'], { ui: over }));
    ana.wait(1000);
    ana.guard.drew(shown('roll', ['roll']));
    assert.ok(!ana.act('Roll', { type: 'roll' }));
    ana.wait(STEADY_MS);
    assert.ok(ana.act('Roll', { type: 'roll' }));
  }
});

test('what was on the screen for only a moment in between counts too', () => {
  const ana = page();
  ana.guard.drew(shown('roll', ['roll']));
  ana.wait(1000);
  ana.guard.drew(shown('share', ['skip']));
  ana.wait(100);
  ana.guard.drew(shown('roll', ['roll']));
  ana.wait(STEADY_MS - 150);
  assert.ok(!ana.act('Roll', { type: 'roll' }));
});

test('Rematch twice does not start the next game; Remove twice does not remove whoever moved up', () => {
  const ana = page();
  ana.guard.drew(atEnd);
  ana.wait(1000);
  assert.ok(ana.send('main', { type: 'rematch' }));
  ana.guard.drew(inLobby('Ana', 'Mira', 'Tomas'));
  assert.ok(!ana.send('main', { type: 'start' }));
  ana.wait(STEADY_MS);
  assert.ok(ana.send('×', { type: 'remove', seat: 1 }));
  ana.guard.drew(inLobby('Ana', 'Tomas'));
  assert.ok(!ana.send('×', { type: 'remove', seat: 1 }));
  assert.ok(ana.send('Easy', { type: 'add_bot', level: 'easy' }), 'bots may be added as fast as one can');
});

test('words and switches are no decisions', () => {
  for (const type of ['chat', 'configure', 'handover', 'review', 'hint']) assert.equal(isDecision({ type }), false, type);
  for (const type of ['start', 'rematch', 'remove', 'leave', 'sit', 'stand', 'substitute', 'add_bot']) assert.equal(isDecision({ type }), true, type);
});

test('only what changes a meaning is marked as new', () => {
  const ana = page();
  ana.guard.drew(shown('share', ['skip']));
  ana.guard.drew(shown('share', ['skip'], { table: { decided: [true] } }));
  assert.equal(ana.marked.length, 1);
  ana.guard.drew(shown('roll', ['roll']));
  assert.equal(ana.marked.length, 2);
});
