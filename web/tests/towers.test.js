import test from 'node:test';
import assert from 'node:assert/strict';
import { couldTake, reconcileChoice, noChoice, takeOf, within } from '../games/towers/choice.js';
import { measure, strips } from '../games/towers/skyline.js';
import { flights } from '../games/towers/cards.js';
import { sentence } from '../games/towers/words.js';
import { whyNot } from '../games/towers/refusals.js';
import { setCatalogues } from '../i18n.js';
import { catalogue } from './texts.js';

/** "sand-7 tree-3" as cards. */
const cards = (text) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word) => ({ tower: word.split('-')[0], value: Number(word.split('-')[1]) }));

test('counts equal cards', () => {
  assert.equal(within(cards('sand-7 sand-7'), cards('sand-7 tree-3')), false);
  assert.equal(within(cards('sand-7 sand-7'), cards('sand-7 tree-3 sand-7')), true);
});

test('finds a take in any order of its cards', () => {
  const actions = [
    { type: 'take', cards: cards('sand-7 tree-3') },
    { type: 'take', cards: cards('sand-7 candy-1') },
  ];
  assert.equal(takeOf(actions, cards('tree-3 sand-7')), actions[0]);
  assert.equal(takeOf(actions, cards('tree-3')), null);
  assert.equal(couldTake(actions, cards('tree-3')), true);
  assert.equal(couldTake(actions, cards('tree-3 candy-1')), false);
});

test('drops a choice when its situation has passed', () => {
  const state = (table, actions = []) => ({
    version: 1,
    next: 0,
    mine: null,
    events: [],
    deadline_ms: null,
    actions,
    table: { phase: 'build', round: 3, turn: 0, row: [], hand: cards('sand-7'), ...table },
  });
  const choice = { ...noChoice, lifted: cards('sand-7')[0], wrecking: true };
  assert.deepEqual(reconcileChoice(choice, state({}), state({ phase: 'auction' })), noChoice);
  assert.equal(reconcileChoice(choice, state({}), state({ hand: [] })).lifted, null);
  assert.equal(reconcileChoice(choice, state({}), state({})).wrecking, false);
  assert.equal(reconcileChoice(choice, state({}), state({}, [{ type: 'demolish', tower: 'sand' }])).wrecking, true);
});

test('lifts the cards again after an undo back to the take', () => {
  const state = (table) => ({
    version: 1,
    next: 0,
    mine: null,
    events: [],
    deadline_ms: null,
    actions: [],
    table: { round: 3, turn: 0, hand: [], ...table },
  });
  const back = reconcileChoice(
    noChoice,
    state({ phase: 'build', hand: cards('sand-7 sand-7 tree-3'), row: cards('candy-1') }),
    state({ phase: 'take', row: cards('sand-7 candy-1 tree-3 sand-7') }),
  );
  assert.deepEqual(back.picked, [0, 3, 2]);
});

test('gives equal cards different flight names', () => {
  assert.deepEqual(flights(cards('sand-7 tree-3 sand-7')), ['sand-7', 'tree-3', 'sand-7+1']);
});

test('folds strips in the middle: base, fold, most of the top', () => {
  const values = [15, 14, 13, 12, 11, 10, 9, 8, 7];
  assert.equal(strips(values, 9).length, 9);
  const folded = strips(values, 6);
  assert.equal(folded.length, 6);
  assert.deepEqual(
    folded.map((strip) => strip.value ?? `(${strip.folded})`),
    [15, '(4)', 10, 9, 8, 7],
  );
});

test('makes strips thinner down to the minimum, then shows fewer', () => {
  const size = { least: 15, most: 34, top: 12, plinth: 22 };
  assert.deepEqual(measure(236, 3, size).strip, 34);
  assert.deepEqual(measure(236, 12, size), { strip: 16, fits: 12 });
  assert.deepEqual(measure(236, 20, size), { strip: 15, fits: 13 });
});

/** The view of the active player where mistakes are allowed. */
function asked(table, actions) {
  const known = { room: { rules: { mistakes: 'allowed' }, seats: [] }, pending: null };
  return {
    known,
    seat: 0,
    actions,
    ui: { moment: null, choice: noChoice },
    now: 0,
    table: { turn: 0, row: [], hand: [], standing: null, players: [], calls: [], ...table },
  };
}

const english = () => setCatalogues('en', catalogue(), {});
const bids = (...counts) => counts.map((count) => ({ type: 'bid', count }));

test('asks for a demolition only where it helps', () => {
  english();
  const hand = cards('sand-7');
  const demolish = { type: 'demolish', tower: 'sand' };
  // On sand 6, 4 the 7 cannot be built even after a demolition: the player retracts the bid, or takes other cards.
  const hopeless = asked({ phase: 'build', hand }, [demolish, { type: 'undo' }, { type: 'retract' }]);
  assert.equal(sentence(hopeless), 'Nothing fits: Undo / Change bid');
  assert.equal(
    sentence(asked({ phase: 'build', hand }, [demolish, { type: 'undo' }])),
    'Demolish first, then it all fits',
  );
});

test('tells a stuck player the ways out', () => {
  english();
  const stuck = (...types) =>
    sentence(
      asked(
        { phase: 'build', hand: cards('sand-9') },
        types.map((type) => ({ type })),
      ),
    );
  assert.equal(stuck('undo'), 'Nothing fits: Undo');
  assert.equal(stuck('retract'), 'Nothing fits: Change bid');
});

test('names the possible bids, also after a retraction', () => {
  english();
  const row = cards('sand-7 tree-1 candy-1 scrap-1 spooky-1');
  const after = (standing, actions) =>
    asked({ phase: 'auction', row, standing: standing === null ? null : { seat: 1, count: standing } }, actions);
  assert.equal(sentence(after(2, [...bids(3, 4, 5), { type: 'pass' }])), 'Bid 3–5 or pass');
  const retracted = after(2, [...bids(3, 4), { type: 'pass' }]);
  assert.equal(sentence(retracted), 'Bid 3–4 or pass');
  assert.equal(whyNot(retracted, { type: 'bid', count: 5 }), 'Bid 3–4 or pass', 'a refusal says what is possible');
  assert.equal(sentence(after(3, [...bids(4), { type: 'pass' }])), 'Bid 4 or pass');
  const nothing = after(3, [{ type: 'pass' }]);
  assert.equal(sentence(nothing), 'You can only pass');
  assert.equal(whyNot(nothing, { type: 'bid', count: 4 }), 'You can only pass');
  assert.equal(sentence(after(null, bids(0, 1))), 'Your bid: 0 to 1', 'the starter who retracted a 2');
});
