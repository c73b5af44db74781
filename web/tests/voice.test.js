import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { teach } from '../i18n.js';
import { nothing } from '../store.js';
import { Voice } from '../voice.js';

teach('en', JSON.parse(readFileSync(new URL('../i18n/en.json', import.meta.url), 'utf8')), {});

const playing = (version, left) => ({
  ...nothing, you: { seat: 0, token: 't', name: 'Ana' }, room: { phase: 'playing', seats: [] }, gameAt: 0,
  game: { version, asked: [0], deadline_ms: left, table: {}, actions: [], mine: null },
});

function listening() {
  const heard = [];
  return { heard, voice: new Voice((said) => heard.push(said)) };
}

test('news that comes together is heard together, and once', () => {
  const { heard, voice } = listening();
  const at = (line) => ({ ...nothing, line });
  voice.tell(at('open'), { known: at('waiting'), face: null }, false);
  voice.tell(at('waiting'), { known: at('open'), face: null }, false);
  voice.speak();
  voice.speak();
  assert.deepEqual(heard, [['Reconnecting…', 'Connected again'], []]);
});

test('the last seconds of a decision are announced once, and only to whom they are for', () => {
  const { heard, voice } = listening();
  voice.warn(playing(3, 30000), 0);
  voice.warn(playing(3, 30000), 21000);
  voice.warn(playing(3, 30000), 22000);
  voice.warn({ ...playing(4, 5000), you: { seat: 1, token: 't', name: 'Mira' } }, 0);
  voice.warn(playing(5, null), 0);
  voice.speak();
  assert.deepEqual(heard, [['Time left: 0:09']]);
});
