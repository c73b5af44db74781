// Which sounds events make. Playing them is tested in a browser.

import test from 'node:test';
import assert from 'node:assert/strict';
import { changeSettings, settings } from '../device.js';
import { SOUNDS, play, soundsOf } from '../sounds.js';
import { gameUis } from './games.js';

const card = (value) => ({ tower: 'sand', value });
/** The sound of each event of a game. */
const HEARD = {
  towers: [
    [{ type: 'bid', seat: 1, count: 3 }, 'bid'],
    [{ type: 'take', seat: 1, cards: [card(3)] }, 'card'],
    [{ type: 'build', seat: 1, card: card(3) }, 'card'],
    [{ type: 'build', seat: 1, card: card(0) }, 'roof'],
    [{ type: 'demolish', seat: 1, tower: 'sand' }, 'demolition'],
    [{ type: 'pass', seat: 1 }, undefined],
    [{ type: 'finish', seat: 1 }, undefined],
  ],
  qwantum: [
    [{ type: 'roll', seat: 1, dice: [] }, 'dice'],
    [{ type: 'enter', seat: 1, row: 'blue', value: 9 }, 'card'],
    [{ type: 'miss', seat: 1 }, 'demolition'],
    [{ type: 'turn', seat: 1 }, undefined],
  ],
};

for (const [game, heard] of Object.entries(HEARD)) {
  test(`${game}: its gameUi says which event makes which sound, and only sounds there are`, () => {
    for (const [event, sound] of heard) {
      assert.equal(gameUis[game].sound(event), sound, event.type);
      assert.deepEqual(soundsOf([event], gameUis[game].sound), sound ? [sound] : []);
      assert.ok(!sound || sound in SOUNDS);
    }
  });
}

test('plays only the two most important of several sounds, each once', () => {
  const events = HEARD.towers.map(([event]) => event);
  assert.deepEqual(soundsOf([...events, ...events], gameUis.towers.sound), ['demolition', 'roof']);
  assert.deepEqual(soundsOf([events[1], events[2]], gameUis.towers.sound), ['card']);
});

test('makes no sound before the game is loaded', () => assert.deepEqual(soundsOf([{ type: 'bid' }], undefined), []));

/** Counts started sources, with a manual clock. */
function ear() {
  const param = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {}, value: 0 };
  const begun = [];
  const node = () => ({ gain: param, frequency: param, connect: (to) => to, start: (at) => begun.push(at), stop() {} });
  return {
    begun,
    currentTime: 1,
    sampleRate: 8,
    destination: node(),
    createGain: node,
    createOscillator: node,
    createBiquadFilter: node,
    createBufferSource: node,
    createBuffer: () => ({ getChannelData: () => [] }),
  };
}

test('does not restart a sound at once', () => {
  const audio = ear();
  play(audio, ['bid'], 50);
  const once = audio.begun.length;
  audio.currentTime = 1.05;
  play(audio, ['bid'], 50);
  assert.equal(audio.begun.length, once);
  audio.currentTime = 1.3;
  play(audio, ['bid'], 50);
  assert.equal(audio.begun.length, 2 * once);
});

test('keeps sound off from a setting before there was a volume', () => {
  const kept = new Map([['rookery.settings', JSON.stringify({ sound: false, vibration: true })]]);
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  assert.equal(settings().volume, 0);
  changeSettings({ volume: 35 });
  assert.equal(settings().volume, 35);
  kept.set('rookery.settings', JSON.stringify({ sound: true }));
  assert.ok(settings().volume > 0);
  kept.clear();
  assert.ok(settings().volume > 0, 'on the first visit only the browser keeps it silent, until the first tap');
});
