import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { toSay } from '../announce.js';
import { games } from '../games/index.js';
import { teach } from '../i18n.js';
import { fold, nothing } from '../store.js';

teach('en', JSON.parse(readFileSync(new URL('../i18n/en.json', import.meta.url), 'utf8')), {});

const NAMES = ['Ana', 'Mira', 'Tomas'];
const seats = (given = {}) => NAMES.map((name, seat) => ({ seat, name, kind: 'human', connected: true, away_ms: 0, wins: 0, bot: null, ...given[seat] }));
const room = (more = {}) => ({
  code: 'K7QF3M', game: 'qwantum', phase: 'playing', rules: {}, clock: null, forced: 'ask', min: 2, max: 4, host: 0, watchers: 0,
  fair: { commitment: '' }, keep_days: 30, seats: seats(), ...more,
});
const player = (seat, misses = 0) => ({ seat, rows: { violet: [], blue: [], red: [], yellow: [] }, misses, score: { columns: [], misses: 0, total: 0 } });
const table = (more = {}) => ({
  phase: 'roll', turn: 1, round: 1, rolls: 0, dice: null, totals: null, used: null, decided: [false, false, false], players: [0, 1, 2].map((seat) => player(seat)), outcome: null, ...more,
});
const state = (version, more = {}) => ({ version, next: 0, table: table(), mine: { choice: null }, actions: [], events: [], deadline_ms: null, ...more });
const welcome = (more = {}) => ({ type: 'welcome', protocol: 1, you: { seat: 0, token: 't', name: 'Ana' }, room: room(), state: state(5), history: [], chat: [], ...more });
const line = (status) => ({ type: 'line', status, code: null });

/** Ana's page, which hears one thing after the other; each time it gives what is said aloud. */
function anasPage(...already) {
  let known = nothing;
  const hear = (news) => {
    const before = known;
    known = fold(known, news, 1000);
    const face = games[known.room?.game ?? ''];
    if (!face || known === before) return [];
    const view = { known, ui: { choice: face.noChoice(), moment: null }, acts: {}, wide: false, now: 1000, seat: known.you?.seat ?? null, table: known.game?.table ?? null, actions: known.game?.actions ?? [], mine: known.game?.mine ?? null };
    return toSay(before, view, face, news.type === 'chat');
  };
  for (const news of already) hear(news);
  return hear;
}

test('what the others do is said, and what is asked then', () => {
  const hear = anasPage(line('open'), welcome());
  const events = [{ type: 'skip', seat: 1 }, { type: 'turn', seat: 0 }];
  assert.deepEqual(hear({ type: 'state', state: state(6, { events, table: table({ turn: 0 }), actions: [{ type: 'roll' }] }) }), ['Mira skips', 'Roll the dice']);
});

test('what one does oneself is not repeated', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(hear({ type: 'state', state: state(6, { events: [{ type: 'keep', seat: 0 }] }) }), []);
});

test('chat is said with its speaker, one’s own is not', () => {
  const hear = anasPage(line('open'), welcome());
  const chat = (seat) => ({ type: 'chat', seat, name: NAMES[seat] ?? 'Ona', text: 'Tea?', at: 1 });
  assert.deepEqual(hear(chat(1)), ['Mira says: Tea?']);
  assert.deepEqual(hear(chat(null)), ['Ona says: Tea?']);
  assert.deepEqual(hear(chat(0)), []);
});

test('that a bot took the seat over is said to its owner, once', () => {
  const hear = anasPage(line('open'), welcome());
  const played = { type: 'room', room: room({ seats: seats({ 0: { bot: 'normal' } }) }) };
  assert.deepEqual(hear(played), ['A bot plays for you']);
  assert.deepEqual(hear({ ...played }), []);
});

test('a line that is lost and comes back is said', () => {
  const hear = anasPage(line('open'), welcome());
  assert.deepEqual(hear(line('waiting')), ['Reconnecting…']);
  assert.deepEqual(hear(line('connecting')), []);
  assert.deepEqual(hear(line('open')), ['Connected again']);
});
