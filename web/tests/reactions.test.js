// Reactions and bubbles beside the seats.

import test from 'node:test';
import assert from 'node:assert/strict';
import { isHeard, mutedWith, renameMuted, changeSettings } from '../device.js';
import { setCatalogues } from '../i18n.js';
import { needed } from '../loading.js';
import { initialUi } from '../model.js';
import { reduceRoom, initialState } from '../session/room-state.js';
import { bubbles, reactionMenu, spaceAt } from '../screens/reactions.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const seats = ['Ana', 'Mira', 'Tomas'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
}));
const at = {
  ...initialState,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: { phase: 'playing', pace: 'normal', seats },
  game: {},
};
const after = (...news) => news.reduce((known, [each, when]) => reduceRoom(known, each, when), at);
const clap = (seat, when) => [{ type: 'reacted', seat, reaction: 'clap' }, when];
const chat = (seat, text, when) => [{ type: 'chat', seat, name: seats[seat]?.name ?? 'Ona', text, at: 1 }, when];
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
const text = (node) => node.text ?? node.children.map(text).join('');
const seen = (known, now, more = {}) =>
  nodes(bubbles({ known, now, wide: false, ...more }, more.isHeard ?? (() => true)))
    .filter((node) => node.props?.class?.startsWith('said'))
    .map((node) => `${node.props.id} ${text(node) || 'shows'}`)
    .sort();

test('shows the newest reaction of each seat for a while', () => {
  const known = after(
    clap(1, 1000),
    chat(2, 'Well built', 1500),
    clap(2, 500),
    chat(1, 'Hello', 2000),
    chat(null, 'From the train', 2000),
  );
  assert.deepEqual(seen(known, 2500), ['said-1 Hello', 'said-2 shows']);
  assert.deepEqual(seen(known, 5200), ['said-1 Hello', 'said-2 Well built'], 'words take longer to read');
  assert.deepEqual(seen(known, 10000), []);
  assert.deepEqual(
    seen(known, 2500, { wide: true }),
    ['said-1 shows', 'said-2 shows'],
    'on a laptop the words stand in the chat beside the table',
  );
});

test('hides muted players, who can be unmuted, and can be turned off', () => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const known = after(clap(1, 1000), clap(2, 1000));
  changeSettings(mutedWith('Mira', true));
  assert.deepEqual(seen(known, 1500, { isHeard }), ['said-2 shows']);
  for (const [was, name] of [
    ['Mira', 'Ona'],
    ['Tomas', 'Rasa'],
  ])
    renameMuted(was, name);
  assert.deepEqual(['Mira', 'Ona', 'Rasa'].map(isHeard), [false, false, true], 'another name does not help');
  changeSettings(mutedWith('Mira', false));
  assert.equal(seen(known, 1500, { isHeard }).length, 2);
  changeSettings({ talk: false });
  assert.deepEqual(seen(known, 1500, { isHeard }), []);
});

test('places a bubble beside, below or above a name, never over it or in another seat', () => {
  const box = (left, top, right, bottom) => ({ left, top, right, bottom });
  assert.deepEqual(spaceAt(box(0, 100, 360, 144), box(8, 104, 80, 140), box(320, 110, 350, 130)), {
    line: true,
    ...box(84, 100, 316, 144),
  });
  assert.deepEqual(spaceAt(box(0, 100, 110, 210), box(8, 104, 80, 120), box(90, 104, 108, 120)), {
    line: false,
    ...box(4, 124, 106, 206),
  });
  assert.deepEqual(
    spaceAt(box(0, 100, 110, 210), box(8, 190, 80, 206), undefined),
    { line: false, ...box(4, 104, 106, 186) },
    'at the end names stand below',
  );
});

test('opens six reactions with a button; each sends itself and closes the row', () => {
  const done = [];
  const commands = { send: (message) => done.push(message.reaction), show: ({ reacting }) => done.push(reacting) };
  const buttons = (reacting) =>
    nodes(reactionMenu({ ui: { reacting }, commands })).filter((node) => node.tag === 'button');
  assert.deepEqual(
    buttons(false).map((node) => node.props['aria-label']),
    ['React'],
  );
  buttons(false)[0].props.onclick();
  const row = buttons(true);
  assert.deepEqual(
    row.map((node) => node.props['aria-label']),
    ['React', 'Clap', 'Laugh', 'Wow', 'Let me think', 'Ouch', 'Love it', 'Close'],
  );
  row[6].props.onclick();
  assert.deepEqual(done, [true, 'heart', false]);
});

test('is loaded when other people are at the table and the server supports it', () => {
  const wants = (more) =>
    needed({
      known: { ...at, room: { ...at.room, ...more } },
      ui: { ...initialUi('towers'), place: { name: 'room', code: 'K7QF3M' } },
    }).talk;
  assert.deepEqual([wants({}), wants({ seats: [seats[0], { ...seats[1], kind: 'bot' }] })], [true, false]);
  const { pace, ...older } = at.room;
  assert.equal(
    needed({ known: { ...at, room: older }, ui: { ...initialUi('towers'), place: { name: 'room', code: 'K7QF3M' } } })
      .talk,
    false,
    pace,
  );
});
