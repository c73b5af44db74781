// The bidding aid shows what the server says about bids, on the row, the towers and the bids, unless it is turned off.

import test from 'node:test';
import assert from 'node:assert/strict';
import { changeSettings } from '../device.js';
import { fitOf, meaningSaid, rests, rowSaid } from '../games/towers/bidding-aid.js';
import { idle } from '../games/towers/words.js';
import { setCatalogues } from '../i18n.js';
import { initialState } from '../session/room-state.js';
import { gameUis } from './games.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const cards = (text) =>
  text.split(' ').map((word) => ({ tower: word.split('-')[0], value: Number(word.split('-')[1]) }));
const ROW = cards('sand-2 candy-12 spooky-3 tree-15 scrap-8');
const MEANS = {
  fits: [0, 1, 4],
  after: [2],
  bids: [{ cards: [1] }, { cards: [1, 4] }, { cards: [0, 1, 4] }, { cards: [0, 1, 2, 4], demolish: 'spooky' }],
};
const seats = ['Ana', 'Mira'].map((name, seat) => ({
  seat,
  name,
  kind: 'human',
  connected: true,
  away_ms: 0,
  wins: 0,
  bot: null,
}));

/** Ana's view of an auction, and what she did. */
function auction(mine, choice = {}) {
  const did = [];
  const commands = {
    say: (words) => did.push(words),
    choose: (now) => did.push(now.tried),
    act: (action) => did.push(action),
  };
  const table = {
    phase: 'auction',
    round: 1,
    deal: 1,
    turn: 0,
    starter: 0,
    row: ROW,
    draw: 40,
    discard: [],
    calls: [],
    standing: null,
    hand: [],
    demolished_now: null,
    outcome: null,
    players: [0, 1].map((seat) => ({
      seat,
      towers: { candy: [14], spooky: [11, 2], tree: [9, 0], scrap: [], sand: [3] },
      demolished: 1,
      score: { towers: 0, tallest: 0, demolition: 0, total: 0 },
    })),
  };
  return {
    did,
    table,
    mine,
    actions: [0, 1, 2, 3, 4].map((count) => ({ type: 'bid', count })),
    seat: 0,
    wide: false,
    now: 0,
    commands,
    known: {
      ...initialState,
      room: { game: 'towers', phase: 'playing', seats, rules: {} },
      you: { seat: 0, token: 't', name: 'Ana' },
    },
    ui: { place: { name: 'room' }, moment: null, rooms: {}, choice: { ...gameUis.towers.noChoice(), ...choice } },
  };
}
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
const rowOf = (view) => nodes(gameUis.towers.board(view)).filter((node) => node.props && 'data-card' in node.props);
/** The descriptions of the bids, from their titles. */
const labels = (view) =>
  nodes(gameUis.towers.bar(view))
    .filter((node) => node.props?.['aria-label'] && node.tag === 'button')
    .map((node) => node.props.title ?? node.props['aria-label']);

test('describes a card of the row to screen readers in full sentences', () => {
  assert.equal(rowSaid(MEANS, ROW[1], 1), 'Candy 12. It fits. Needed for your highest bid.');
  assert.equal(rowSaid(MEANS, ROW[3], 3), 'Tree 15. It can’t be built.');
});

test('says during the others’ bids how many cards the player could build', () => {
  const says = (highest_bid) => idle(auction({ highest_bid }));
  assert.deepEqual([3, 1, 0].map(says), [
    'You could build up to 3 of these.',
    'You could build 1 of these.',
    'You can’t build any of these.',
  ]);
});

test('says for each bid which cards it takes or leaves, and which tower loses its top', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((count) => meaningSaid(MEANS, ROW, count)),
    [
      null,
      'only Candy 12',
      'only Candy 12 and Scrap 8',
      'without Spooky 3 and Tree 15',
      'without Tree 15, after demolishing the top of Spooky',
      null,
    ],
  );
  assert.equal(meaningSaid({ ...MEANS, bids: [{ cards: [0] }] }, ROW.slice(0, 1), 1), 'all');
});

test('describes each bid, and marks the cards of the highest bid in the row', () => {
  const view = auction({ demolished: [], highest_bid: 4, means: MEANS });
  assert.deepEqual(labels(view).slice(3, 6), [
    'without Spooky 3 and Tree 15',
    'without Tree 15, after demolishing the top of Spooky',
    'Bid 5 cards',
  ]);
  assert.deepEqual(
    ROW.map((_, at) => [fitOf(MEANS, at), rests(MEANS, at)]),
    [
      ['fits', true],
      ['fits', true],
      ['after', true],
      ['never', false],
      ['fits', true],
    ],
  );
  assert.deepEqual(
    rowOf(view).map((node) => node.props['aria-disabled']),
    [false, false, false, true, false],
  );
});

test('shows where a tapped card would go, or says why it fits nowhere', () => {
  const view = auction({ demolished: [], highest_bid: 4, means: MEANS });
  for (const node of rowOf(view)) node.props.onclick();
  assert.deepEqual(view.did, [
    0,
    1,
    'The 3 fits once the 2 is demolished.',
    2,
    'This card doesn’t fit on your towers, even after demolishing.',
    null,
    4,
  ]);
  const ghosts = (tried) =>
    nodes(gameUis.towers.board(auction(view.mine, { tried })))
      .filter((node) => /ghost|doomed/.test(node.props?.class ?? ''))
      .map((node) =>
        node.props.class
          .split(' ')
          .filter((name) => ['ghost', 'doomed', 'candy', 'spooky'].includes(name))
          .sort()
          .join(' '),
      );
  assert.deepEqual([ghosts(1), ghosts(2), ghosts(null)], [['candy ghost'], ['doomed spooky'], []]);
  const again = auction(view.mine, { tried: 1 });
  rowOf(again)[1].props.onclick();
  assert.deepEqual(again.did, [null], 'a second tap puts it back, and places nothing');
});

test('is off with an older server, and can be turned off', () => {
  assert.deepEqual(rowOf(auction({ demolished: [], highest_bid: 4 })), []);
  const view = auction({ demolished: [], highest_bid: 4, means: MEANS });
  changeSettings({ aid: false });
  assert.deepEqual([rowOf(view).length, labels(view)[3]], [0, 'Bid 3 cards']);
  changeSettings({ aid: true });
});
