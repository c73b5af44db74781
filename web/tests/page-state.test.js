// The reducer of the page: what each place begins with, and which table is shown.

import test from 'node:test';
import assert from 'node:assert/strict';
import { initialUi, reducePage, PRESENT } from '../page-state.js';
import { initialState } from '../session/room-state.js';

const ROOM = { name: 'room', code: 'K7QF3M' };
const REPLAY = { name: 'replay', code: 'K7QF3M', game: 'towers', players: ['Ana', 'Mira'] };
const past = { moments: [0, 1, 2, 3], number: 1 };
const last = { you: null, room: { phase: 'finished' }, game: { version: 9 }, history: [] };

const after = (state, ...events) => events.reduce(reducePage, state);
const begun = { known: initialState, ui: initialUi('towers') };
/** A page in a room, with everything open. */
const busyRoom = () =>
  after(
    begun,
    { type: 'enter', place: ROOM, known: { ...initialState, room: { phase: 'lobby' } } },
    { type: 'to_result', last, past },
    { type: 'moment', at: 2, playing: true },
    {
      type: 'show',
      change: { busy: true, choice: 'picked', counting: true, reacting: true, onward: true, why: 'bad_name' },
    },
    { type: 'open', sheet: { name: 'past' } },
  );

test('a place inherits nothing from the previous one', () => {
  const settings = { game: 'qwantum', speed: 2, rooms: { own: 90 }, toast: { text: 'Hello', id: 1 } };
  const room = after(busyRoom(), { type: 'show', change: settings });
  for (const place of [
    { name: 'home', code: null },
    { name: 'joining', code: 'ABCDEF' },
    { name: 'opening', code: 'K7QF3M' },
    REPLAY,
    { name: 'lesson', code: null },
    { name: 'trouble', code: 'K7QF3M', what: '4001' },
  ]) {
    const { known, ui } = after(room, { type: 'enter', place });
    assert.equal(known, initialState);
    assert.deepEqual(ui, { ...initialUi('qwantum', place), ...settings }, place.name);
  }
});

test('a replay that is opened from the last result shows the replay', () => {
  const known = { ...initialState, room: { phase: 'finished' }, game: { version: 4 } };
  const room = after(
    begun,
    { type: 'enter', place: ROOM, known: { ...initialState, room: { phase: 'lobby' } } },
    { type: 'to_result', last, past },
  );
  const { ui } = after(
    room,
    { type: 'enter', place: { name: 'opening', code: 'K7QF3M' } },
    { type: 'enter', place: REPLAY, known, with: { shown: { table: 'present', past } } },
    { type: 'moment', at: 0, playing: true },
  );
  assert.deepEqual(ui.shown, { table: 'moment', of: 'present', past, at: 0, playing: true });
});

test('a moment leads back to the game it belongs to', () => {
  const at = (state) => [state.ui.shown.table, state.ui.shown.past];
  const result = after(begun, { type: 'enter', place: ROOM }, { type: 'to_result', last, past });
  const moment = after(result, { type: 'moment', at: 1 });
  assert.deepEqual(moment.ui.shown, { table: 'moment', of: 'result', past, at: 1, playing: false });
  assert.deepEqual(at(after(moment, { type: 'leave_moment' })), ['result', past]);
  assert.equal(after(moment, { type: 'to_room' }).ui.shown, PRESENT);
  const present = after(
    begun,
    { type: 'enter', place: ROOM },
    { type: 'past', past },
    { type: 'moment', at: 1 },
    { type: 'leave_moment' },
  );
  assert.deepEqual(at(present), ['present', past]);
});

test('the welcome leads only from joining into the room', () => {
  const message = {
    type: 'message',
    now: 0,
    gameUiOf: () => null,
    input: {
      type: 'welcome',
      you: { seat: 0, token: 't', name: 'Ana' },
      room: { phase: 'lobby', seats: [], fair: { commitment: '' } },
      state: null,
      history: [],
      chat: [],
    },
  };
  const welcomed = (place) => after(begun, { type: 'enter', place }, message).ui.place;
  assert.deepEqual(welcomed({ name: 'joining', code: 'K7QF3M' }), ROOM);
  const lesson = { name: 'lesson', code: null };
  assert.equal(welcomed(lesson), lesson);
});

test('an event that changes nothing leaves the state as it is', () => {
  const state = busyRoom();
  const ping = { type: 'message', now: 0, gameUiOf: () => null, input: { type: 'pong' } };
  assert.equal(reducePage(state, ping), state);
});
