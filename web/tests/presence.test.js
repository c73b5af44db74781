import test from 'node:test';
import assert from 'node:assert/strict';
import { changeWords, changesBetween, changesFor, withChanges } from '../session/presence.js';
import { setCatalogues } from '../i18n.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

/**
 * Parses "Ana Mira~ Rook*": `~` is away, `*` a bot, `+` a player for whom a bot plays. The first human is host unless
 * given.
 */
function room(people, more = {}) {
  const seats = people
    .split(' ')
    .filter(Boolean)
    .map((word, seat) => ({
      seat,
      name: word.replace(/[~*+]/g, ''),
      kind: word.includes('*') ? 'bot' : 'human',
      connected: !word.includes('~'),
      away_ms: 0,
      wins: 0,
      bot: /[*+]/.test(word) ? 'normal' : null,
    }));
  return {
    code: 'K7QF3M',
    phase: 'playing',
    host: seats.find((info) => info.kind === 'human')?.seat ?? null,
    seats,
    ...more,
  };
}
const lobby = (people, more = {}) => room(people, { phase: 'lobby', ...more });

/** The words for other players. */
const told = (before, after) => changesBetween(before, after).map((each) => changeWords({ ...each, own: false }));

test('reports in the lobby who joins and leaves, people and bots', () => {
  assert.deepEqual(told(lobby('Ana'), lobby('Ana Mira')), ['Mira joins the table']);
  assert.deepEqual(told(lobby('Ana Mira'), lobby('Ana Mira Rook*')), ['Rook joins the table']);
  assert.deepEqual(
    told(lobby('Ana Mira Rook*'), lobby('Ana Rook*')),
    ['Mira leaves the table'],
    'a player who moves up a seat has not come',
  );
});

test('reports the new host when the host leaves', () => {
  assert.deepEqual(told(lobby('Ana Mira Tomas'), lobby('Mira Tomas')), [
    'Ana leaves the table',
    'Mira is now the host',
  ]);
  assert.deepEqual(told(room('Ana~ Mira'), room('Ana~ Mira', { host: 1 })), ['Mira is now the host']);
  assert.deepEqual(told(lobby(''), lobby('Ana')), ['Ana joins the table', 'Ana is now the host']);
});

test('reports in a game who is away, back, played by a bot or gone', () => {
  assert.deepEqual(told(room('Ana Mira'), room('Ana Mira~')), ['Mira is away']);
  assert.deepEqual(told(room('Ana Mira~'), room('Ana Mira')), ['Mira is back']);
  assert.deepEqual(told(room('Ana Mira~'), room('Ana Mira~+')), ['A bot is playing for Mira']);
  assert.deepEqual(told(room('Ana Mira'), room('Ana Mira*')), ['Mira left; a bot takes over']);
});

test('reports a player who takes the seat back from a bot once, over several messages', () => {
  assert.deepEqual(told(room('Ana Mira~+'), room('Ana Mira+')), []);
  assert.deepEqual(told(room('Ana Mira+'), room('Ana Mira')), ['Mira is back']);
  assert.deepEqual(told(room('Ana Mira~+'), room('Ana Mira')), ['Mira is back']);
});

test('reports nothing for the first state of a room or another room', () => {
  assert.deepEqual(changesBetween(null, room('Ana Mira')), []);
  assert.deepEqual(changesBetween(room('Ana'), room('Mira', { code: 'ZZZZZZ' })), []);
});

test('tells a player only of changes by others', () => {
  const own = (change) => changeWords({ name: 'Ana', change, own: true });
  assert.equal(own('host'), 'You’re now the host');
  assert.equal(own('played'), 'A bot is playing for you');
  for (const change of ['came', 'left', 'away', 'back']) assert.equal(own(change), null, change);
});

/** The state of a game after this number of events. */
const known = (people, events = 3, more = {}) => ({
  ...initialState,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: room(people),
  game: {},
  history: Array(events).fill({ type: 'pass' }),
  ...more,
});
/** The log after these states of the room. */
const log = (...looks) =>
  looks
    .reduce(([notes, before], now) => [withChanges(notes, before, now), now], [[], initialState])[0]
    .map(({ name, change, at }) => `${name} ${change} ${at}`);

test('the log keeps changes where they happened', () => {
  assert.deepEqual(log(known('Ana Mira', 3), known('Ana Mira~', 3), known('Ana Mira~', 5), known('Ana Mira', 5)), [
    'Mira away 3',
    'Mira back 5',
  ]);
});

test('the log omits a player who is away and back before the next event', () => {
  assert.deepEqual(log(known('Ana Mira'), known('Ana Mira~'), known('Ana Mira'), known('Ana Mira*')), ['Mira gone 3']);
});

test('the next game begins with an empty log', () => {
  const played = [known('Ana Mira', 9), known('Ana Mira*', 9)];
  assert.deepEqual(log(...played), ['Mira gone 9']);
  assert.deepEqual(log(...played, known('Ana Mira*', 0, { game: null }), known('Ana Mira*', 1)), []);
  assert.deepEqual(log(...played, known('Ana Mira*', 1)), [], 'also when it was dealt while the line was down');
});

test('an unstable connection does not fill the log', () => {
  const looks = Array.from({ length: 1000 }, (_, i) => known(i % 2 ? 'Ana Mira~' : 'Ana Mira', 3 + i));
  assert.equal(log(...looks).length, 200);
});

test('reports a raised hand, but not one that stays up or goes down', () => {
  const hands = (...up) => ({
    ...lobby('Ana Mira'),
    seats: lobby('Ana Mira').seats.map((info) => (up.includes(info.name) ? { ...info, ready: true } : info)),
  });
  assert.deepEqual(told(hands(), hands('Mira')), ['Mira wants another game']);
  assert.deepEqual(told(hands('Mira'), hands('Ana', 'Mira')), ['Ana wants another game']);
  assert.deepEqual(told(hands('Mira'), hands()), []);
});

test('reports a new name at once, and in a game also to players who missed the message', () => {
  const called = (before, name) => reduceRoom(before, { type: 'renamed', seat: 1, was: 'Mira', name }, 0);
  const words = (before, now) => changesFor(before, now).map(changeWords);
  for (const phase of ['lobby', 'playing', 'finished']) {
    const before = known('Ana Mira', 3, { room: room('Ana Mira', { phase }) });
    const after = called(before, 'Ona');
    assert.deepEqual(words(before, after), ['Mira is now called Ona'], phase);
    const shown = reduceRoom(after, { type: 'room', room: room('Ana Ona', { phase }) }, 0);
    assert.deepEqual(words(after, shown), [], 'the room that follows is no news');
    assert.deepEqual(
      words(
        { ...before, you: { seat: 1, token: 't', name: 'Mira' } },
        called({ ...before, you: { seat: 1, token: 't', name: 'Mira' } }, 'Ona'),
      ),
      [null],
      'to whom it happened something else is said',
    );
  }
  assert.deepEqual(
    told(room('Ana Mira'), room('Ana Ona~')),
    ['Mira is now called Ona', 'Ona is away'],
    'nobody comes or goes in a game',
  );
  assert.deepEqual(
    told(lobby('Ana Mira'), lobby('Ana Ona')),
    ['Mira leaves the table', 'Ona joins the table'],
    'in the lobby they do',
  );
  assert.deepEqual(log(known('Ana Mira'), known('Ana Ona')), ['Ona named 3']);
});
