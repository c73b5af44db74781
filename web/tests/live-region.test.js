import test from 'node:test';
import assert from 'node:assert/strict';
import { setCatalogues } from '../i18n.js';
import { initialState } from '../session/room-state.js';
import { initialUi } from '../model.js';
import { LiveRegion } from '../live-region.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const playing = (version, left) => ({
  ...initialState,
  you: { seat: 0, token: 't', name: 'Ana' },
  room: { phase: 'playing', seats: [] },
  gameAt: 0,
  game: { version, asked: [0], deadline_ms: left, table: {}, actions: [], mine: null },
});

function listening() {
  const heard = [];
  return { heard, liveRegion: new LiveRegion((said) => heard.push(said)) };
}

test('announces simultaneous news together, once', () => {
  const { heard, liveRegion } = listening();
  const at = (connection) => ({ ...initialState, connection });
  liveRegion.announce(at('open'), { known: at('waiting'), ui: initialUi('towers'), gameUi: null }, false);
  liveRegion.announce(at('waiting'), { known: at('open'), ui: initialUi('towers'), gameUi: null }, false);
  liveRegion.flush();
  liveRegion.flush();
  assert.deepEqual(heard, [['Reconnecting…', 'Connected again'], []]);
});

test('announces the last seconds of a decision once, and only to the player it is for', () => {
  const { heard, liveRegion } = listening();
  liveRegion.announceClock(playing(3, 30000), 0);
  liveRegion.announceClock(playing(3, 30000), 21000);
  liveRegion.announceClock(playing(3, 30000), 22000);
  liveRegion.announceClock({ ...playing(4, 5000), you: { seat: 1, token: 't', name: 'Mira' } }, 0);
  liveRegion.announceClock(playing(5, null), 0);
  liveRegion.flush();
  assert.deepEqual(heard, [['Time left: 0:09']]);
});
