import test from 'node:test';
import assert from 'node:assert/strict';
import { setCatalogues } from '../i18n.js';
import { listedAction, playOrExplain, whyBlocked } from '../games/legal-actions.js';
import { initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const view = (more = {}, known = {}) => ({
  seat: 0,
  ui: { moment: null },
  known: { ...initialState, room: { phase: 'playing' }, ...known },
  ...more,
});

test('plays listed actions, and answers anything else with the reason', () => {
  const done = [];
  const here = { commands: { act: (action) => done.push(action.type), say: (words) => done.push(words) } };
  const actions = [{ type: 'bid', count: 1 }, { type: 'pass' }];
  for (const type of ['pass', 'undo']) playOrExplain(here, listedAction(actions, type), () => `no ${type}`);
  assert.deepEqual(done, ['pass', 'no undo']);
  assert.equal(listedAction(actions, 'bid'), actions[0]);
});

test('plays nothing in an earlier moment, while sending, after the end or as a watcher', () => {
  assert.equal(whyBlocked(view()), null);
  const reasons = [
    view({ ui: { moment: 3 } }),
    view({}, { pending: { n: 0 } }),
    view({}, { room: { phase: 'finished' } }),
    view({ seat: null }),
  ].map(whyBlocked);
  assert.equal(new Set(reasons).size, 4, 'each has words of its own');
  assert.ok(reasons.every(Boolean));
});
