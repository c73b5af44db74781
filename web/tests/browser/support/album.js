// Every screen of the page: how it comes about, and what to touch to have it open. `feed` holds what the line tells.

import { QWANTUM } from './qwantum.js';
import { LANGUAGES, say } from './words.js';
import {
  MEANS,
  SINCE,
  bare,
  bids,
  bookOf,
  cards,
  ended,
  originOf,
  replayed,
  reviewed,
  room,
  stays,
  table,
  takes,
  welcome,
} from './scenes.js';

/** The longest names that fit a seat: 20 characters each, wide and narrow, in several scripts. */
const LONG = [
  'Wilhelmina Wunderbar',
  'Žydrūnė Vaitiekūnienė'.slice(0, 20),
  'Grzegorz Brzęczyszcz',
  'Nagyszentmiklósi Áké',
  'مريم بنت عبد العزيز',
];

/** Written from right to left, and as long as names get. */
const HEBREW = ['אביגיל בת שמעון הכהן', 'יהונתן בן עוזיאל לוי', 'מרים בת עמרם ויוכבדת', 'שלום 3 עולם', 'נעמי'];

/** No seed of any game: whatever is compared with it is wrong, and told at length. */
const RECORD = {
  server_seed: '00'.repeat(32),
  salts: [null, null, null],
  commitment: '11'.repeat(32),
  players: ['Ana', 'Mira', 'Tomas'],
};

const press = (page, key, params) => page.getByRole('button', { name: say(key, params), exact: true }).click();
const card = (page, at) => page.locator('.hand [data-card]').nth(at).click();
const sheet = (page) => page.locator('dialog[open]').waitFor();

/** Opens the menu and one of its entries. */
async function menu(page, key) {
  await press(page, 'menu');
  await sheet(page);
  if (key)
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: say(key), exact: true })
      .click();
}

/** One person among bots. */
const ALONE = { seats: { 1: { kind: 'bot', bot: 'hard' }, 2: { kind: 'bot', bot: 'easy' } } };

const auction = { table: table(3), actions: bids(0, 1, 2, 3, 4).slice(0, -1) };
/** An auction in which the server says what each number would mean. */
const aided = { ...auction, actions: bids(0, 1, 2, 3, 4), mine: { demolished: [], highest_bid: 4, means: MEANS } };
/** After two calls. */
const since = {
  calls: [
    { seat: 1, count: 2 },
    { seat: 2, count: null },
  ],
  standing: { seat: 1, count: 2 },
  starter: 1,
};
const over = {
  calls: [
    { seat: 2, count: 1 },
    { seat: 0, count: 3 },
    { seat: 1, count: null },
  ],
  standing: { seat: 0, count: 3 },
  starter: 2,
};
const taking = table(3, { phase: 'take', ...over });
const building = table(3, {
  phase: 'build',
  ...over,
  row: cards('tree-15 scrap-8'),
  hand: cards('sand-2 candy-12 spooky-3'),
});
const build = {
  table: building,
  actions: [
    ...building.hand.map((each) => ({ type: 'build', card: each })),
    ...['candy', 'spooky', 'sand'].map((tower) => ({ type: 'demolish', tower })),
    { type: 'undo' },
  ],
};

/** Somebody who knows what they demolished themselves. */
const demolisher = (laid) => ({
  table: laid,
  actions: bids(0, 1, 2),
  mine: {
    demolished: cards('spooky-4 sand-9 candy-11 tree-3 scrap-15 sand-12').slice(0, laid.players[0].demolished),
    highest_bid: 2,
  },
});

/** Everybody reacts, and one says something. */
const TALK = ['clap', 'wow', 'ouch', 'heart'].map((reaction, at) => ({ type: 'reacted', seat: at + 1, reaction }));
const talks = async (page) => {
  await page.locator('[aria-expanded]').click();
  await page.locator('.reactions button').nth(4).click();
  await page.locator('.said').nth(3).waitFor();
};
/**
 * Others say something, one of them at length; one reacts, and one answers. A bubble is for a phone: a laptop has the
 * words beside the table.
 */
const SAID = [
  { type: 'chat', seat: 1, name: 'Mira', text: 'Ha!', at: 1700000000000 },
  { type: 'reacted', seat: 2, reaction: 'laugh' },
  {
    type: 'chat',
    seat: 3,
    name: 'Jūratė',
    text: 'The kettle is on, the biscuits are on the shelf, and whoever roofs my favourite tower next will do the dishes until the end of the month.',
    at: 1700000000000,
  },
  {
    type: 'chat',
    seat: 0,
    name: 'Ana',
    text: 'I would not dare to, dear; but look at that scrap tower.',
    at: 1700000000000,
  },
];
const says =
  (said) =>
  async (page, { wide }) => {
    await page.locator('[aria-expanded]').click();
    await page.locator('.reactions button').nth(4).click();
    await page
      .locator('.said')
      .nth(wide ? 0 : said - 1)
      .waitFor();
  };

/** A great table in the middle of an auction: everything that can be on the screen at once is. */
const crowd = (players, more = {}) => {
  const calls = [
    { seat: 1, count: 1 },
    { seat: 2, count: null },
    { seat: 3, count: 3 },
    { seat: 4, count: null },
  ].slice(0, players - 1);
  const standing = calls.findLast((call) => call.count !== null);
  return {
    players,
    room: more.room,
    state: {
      table: table(players, { great: true, demolished: 2, calls, standing, starter: 1, round: 19, deal: 2, draw: 5 }),
      actions: bids(...[1, 2, 3, 4, 5].filter((count) => count > standing.count)),
    },
  };
};

/** The same for somebody without a seat. */
const watched = ({ welcome: said, ...rest }) => ({
  ...rest,
  welcome: { ...said, you: { seat: null, token: null, name: 'TV' }, state: { ...said.state, mine: null, actions: [] } },
});

/** What stands on a television, where nobody has a seat. */
const TELEVISION = { path: (code) => `/r/${code}?screen`, sizes: ['laptop', 'television'], ready: 'main.big.game' };

/**
 * `game` is what was chosen last on the front page, `scene` what the line tells, `open` what is touched then; with
 * `passing` it is touched anew for every language, because what it opens goes away by itself; `tables` are also
 * photographed in a second language, and with `longNames` a person's name may be longer than its place. `settings` are
 * those of the device, and with `forced` its system has colours of its own; `sizes` and `languages` are those that
 * matter, where not all do.
 * @type {{name: string, path?: string, game?: string, seat?: boolean, expects?: RegExp[], tables?: boolean, longNames?:
 *   boolean, passing?: boolean, scene?: (code: string) => object, open?: (page: any, at: {wide: boolean}) =>
 *   Promise<void>, ready?: string, settings?: object, forced?: boolean, sizes?: string[], languages?: string[]}[]}
 */
const PLAIN = [
  {
    name: 'front',
    path: '/',
    seat: true,
    scene: (code) => ({ preview: room(3, { code, phase: 'finished' }) }),
    ready: '.stillOpen',
  },
  {
    name: 'front-running',
    path: '/',
    seat: true,
    scene: (code) => ({ preview: room(3, { code, asked: [0] }) }),
    ready: '.running .turn',
  },
  {
    name: 'front-running-theirs',
    path: '/',
    seat: true,
    scene: (code) => ({ preview: room(5, { code, asked: [1, 2, 3, 4] }) }),
    ready: '.running .turn',
  },
  { name: 'front-qwantum', path: '/', open: (page) => press(page, 'game.qwantum'), ready: '.front .qw' },
  {
    name: 'front-rules',
    path: '/',
    open: async (page) => {
      await press(page, 'rules');
      await sheet(page);
      await page.locator('.rulebook').waitFor();
    },
  },
  {
    name: 'front-settings',
    path: '/',
    open: async (page) => {
      await press(page, 'settings');
      await sheet(page);
    },
  },
  { name: 'lesson-hello', path: '/', open: (page) => press(page, 'front.guide'), ready: '.coach' },
  {
    name: 'lesson-bid',
    path: '/',
    open: async (page) => {
      await press(page, 'front.guide');
      await press(page, 'lesson.go');
    },
    ready: '.number.glow',
  },
  { name: 'lesson-demolish', path: '/#learn=12', ready: '.step.glow' },
  { name: 'lesson-end', path: '/#learn=99', ready: '.lesson .steps' },
  ...Object.entries({ hello: 0, again: 2, share: 4, theirs: 5, columns: 11, skip: 12, end: 99 }).map(([name, at]) => ({
    name: `lesson-qwantum-${name}`,
    game: 'qwantum',
    tables: true,
    path: `/#learn=${at}`,
    ready: '.lesson .glow, .lesson .steps',
  })),

  { name: 'join', scene: (code) => ({ preview: room(2, { code, phase: 'lobby' }) }), ready: '#name' },
  { name: 'join-first', scene: (code) => ({ preview: room(0, { code, phase: 'lobby', host: null }) }), ready: '#name' },
  { name: 'join-full', scene: (code) => ({ preview: room(5, { code, phase: 'lobby' }) }), ready: '#name' },
  { name: 'join-playing', scene: (code) => ({ preview: room(3, { code }) }), ready: '#name' },
  { name: 'join-over', scene: (code) => ({ preview: room(5, { code, phase: 'finished' }) }), ready: '#name' },

  {
    name: 'lobby-host',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { players: 4, room: { seats: { 3: { connected: false, away_ms: 42000 } } } }),
    }),
    ready: 'main.lobby',
  },
  {
    name: 'lobby-alone',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 1 }) }),
    ready: 'main.lobby',
  },
  {
    name: 'lobby-guest',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3, seat: 2 }) }),
    ready: 'main.lobby',
  },
  {
    name: 'lobby-watcher',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3, seat: null }) }),
    ready: 'main.lobby',
  },
  {
    name: 'lobby-chat',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3 }) }),
    ready: 'main.lobby',
    open: async (page) => {
      await press(page, 'chat');
      await sheet(page);
    },
  },

  {
    name: 'auction-mine',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
  },
  ...[2, 3, 5].map((players) => ({
    name: `first-round-${players}`,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players,
        history: [],
        state: { table: bare(players), actions: bids(0, 1, 2, 3, 4, 5) },
      }),
    }),
    ready: '.bids',
  })),
  {
    name: 'aid',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: aided }) }),
    ready: '.told',
  },
  {
    name: 'aid-where',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: aided }) }),
    ready: '.told',
    open: (page) => card(page, 1),
  },
  {
    name: 'aid-after',
    passing: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: aided }) }),
    ready: '.told',
    open: async (page) => {
      await card(page, 2);
      await page.locator('.toast').waitFor();
    },
  },
  {
    name: 'aid-never',
    passing: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: aided }) }),
    ready: '.told',
    open: async (page) => {
      await page.locator('.hand [data-card]').nth(3).click({ force: true });
      await page.locator('.toast').waitFor();
    },
  },
  {
    name: 'news',
    tables: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { history: SINCE, state: { table: table(3, since), actions: bids(3, 4) } }),
    }),
    ready: '.bids',
  },
  {
    name: 'news-five',
    seat: true,
    longNames: true,
    scene: (code) => ({ welcome: welcome(code, { ...crowd(5, { room: { names: LONG } }), history: SINCE }) }),
    ready: '.bids',
  },
  {
    name: 'news-watching',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        seat: null,
        history: SINCE.slice(0, -3),
        state: { table: table(3, { turn: 2, phase: 'build', standing: { seat: 2, count: 2 } }) },
      }),
    }),
    ready: '.new',
  },
  {
    name: 'auction-theirs',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: { table: table(3, { turn: 1, calls: [{ seat: 0, count: 2 }], standing: { seat: 0, count: 2 } }) },
        room: { seats: { 1: { connected: false, away_ms: 75000 } } },
      }),
    }),
    ready: 'main.game',
  },
  {
    name: 'take',
    tables: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: { table: taking, actions: takes(taking.row, 3).map((each) => ({ type: 'take', cards: each })) },
      }),
    }),
    ready: '[data-card]',
    open: async (page) => {
      await card(page, 0);
      await card(page, 2);
    },
  },
  {
    name: 'build',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: build }) }),
    ready: '[data-card]',
    open: (page) => card(page, 2),
  },
  {
    name: 'build-finish',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: {
          table: { ...building, hand: [], demolished_now: 'sand' },
          actions: [{ type: 'finish' }, { type: 'undo' }, { type: 'retract' }],
        },
      }),
    }),
    ready: 'main.asked',
  },
  {
    name: 'demolish',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: build }) }),
    ready: '[data-card]',
    open: (page) => press(page, 'towers.demolish'),
  },
  {
    name: 'refusal',
    passing: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.pass').click({ force: true });
      await page.locator('.toast').waitFor();
    },
  },
  {
    name: 'watching',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { seat: null, state: { table: table(3, { turn: 1 }) } }) }),
    ready: 'main.game',
  },
  {
    name: 'opponent',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.opponent').nth(1).click();
      await sheet(page);
    },
  },
  {
    name: 'own-sheet',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: demolisher(table(3, { demolished: 3 })) }) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.ownside [data-tower]').nth(1).click();
      await sheet(page);
    },
  },
  {
    name: 'own-sheet-great',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: demolisher(table(3, { great: true, demolished: 6 })) }) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.ownside [data-tower]').nth(1).click();
      await sheet(page);
    },
  },
  {
    name: 'piles',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.say button').click();
      await sheet(page);
    },
  },
  {
    name: 'log',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page, { wide }) => {
      if (!wide) {
        await press(page, 'log_chat');
        await sheet(page);
      }
    },
  },
  {
    name: 'moment',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page, { wide }) => {
      if (!wide) await press(page, 'log_chat');
      await page.locator('.log .moment').nth(6).click();
      await page.locator('.steps.past').waitFor();
    },
  },
  {
    name: 'chat',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page, { wide }) => {
      if (wide) return;
      await press(page, 'log_chat');
      await press(page, 'chat');
      await page.locator('.lines').waitFor();
    },
  },
  {
    name: 'menu',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: (page) => menu(page),
  },
  {
    name: 'keys',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await menu(page, 'keys');
      await page.locator('.keys').waitFor();
    },
  },
  {
    name: 'share',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await menu(page, 'lobby.bring');
      await page.locator('.qr').waitFor();
    },
  },
  {
    name: 'copy',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, {}) }),
    ready: 'main.lobby',
    open: async (page) => {
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await press(page, 'share.copy');
      await page.locator('.for-copy').waitFor();
    },
  },
  {
    name: 'leave',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await menu(page, 'menu.leave');
      await page.locator('.for-leave').waitFor();
    },
  },

  {
    name: 'two-players-great',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(2)) }),
    ready: '.bids',
  },
  {
    name: 'five-players-great',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5)) }),
    ready: '.bids',
  },
  {
    name: 'five-players-build',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 5,
        state: {
          ...build,
          table: {
            ...table(5, { great: true }),
            phase: 'build',
            ...over,
            row: cards('tree-15 scrap-8'),
            hand: cards('sand-2 candy-1 spooky-2'),
          },
          actions: [
            ...cards('sand-2 candy-1 spooky-2').map((each) => ({ type: 'build', card: each })),
            { type: 'undo' },
          ],
        },
      }),
    }),
    ready: '[data-card]',
    open: (page) => card(page, 0),
  },
  {
    name: 'five-long-names',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5, { room: { names: LONG } })) }),
    ready: '.bids',
  },
  {
    name: 'hebrew-front',
    path: '/',
    longNames: true,
    seat: true,
    scene: (code) => ({ preview: room(3, { code, names: HEBREW }) }),
    ready: '.stillOpen',
  },
  {
    name: 'hebrew-join',
    scene: (code) => ({ preview: room(2, { code, phase: 'lobby', names: HEBREW }) }),
    ready: '#name',
  },
  {
    name: 'hebrew-lobby',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 4, room: { names: HEBREW } }) }),
    ready: 'main.lobby',
  },
  {
    name: 'hebrew-table',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5, { room: { names: HEBREW } })) }),
    ready: '.bids',
  },
  {
    name: 'hebrew-log',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5, { room: { names: HEBREW } })) }),
    ready: '.bids',
    open: async (page, { wide }) => {
      if (!wide) {
        await press(page, 'log_chat');
        await sheet(page);
      }
    },
  },
  {
    name: 'hebrew-sheet',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5, { room: { names: HEBREW } })) }),
    ready: '.bids',
    open: async (page) => {
      await page.locator('.opponent').nth(1).click();
      await sheet(page);
    },
  },
  {
    name: 'hebrew-end',
    longNames: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { players: 5, state: { table: ended(5) }, room: { phase: 'finished', names: HEBREW } }),
    }),
    ready: '.ending.over',
  },
  {
    name: 'end',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: { table: ended(3) }, room: { phase: 'finished' } }) }),
    ready: '.ending.over',
  },
  {
    name: 'end-hands',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 4,
        state: { table: ended(4) },
        room: { phase: 'finished', seats: { 1: { ready: true }, 3: { ready: true } } },
      }),
    }),
    ready: '.ending.over .raised',
  },
  {
    name: 'end-countdown',
    longNames: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 4,
        state: { table: ended(4) },
        room: {
          phase: 'finished',
          names: LONG,
          seats: { 0: { ready: true }, 1: { ready: true }, 2: { ready: true }, 3: { ready: true } },
          starts_in_ms: 600_000,
        },
      }),
    }),
    ready: '.ending.over .raised',
  },
  {
    name: 'end-hands-guest',
    longNames: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 5,
        seat: 1,
        state: { table: ended(5) },
        room: { phase: 'finished', names: LONG, seats: { 1: { ready: true }, 3: { ready: true } } },
      }),
    }),
    ready: '.ending.over .raised',
  },
  {
    name: 'end-stay',
    seat: true,
    scene: stays,
    ready: '.ending.over',
    open: async (page) => {
      await page.locator('.hand-up').click();
      await page.locator('.onward').waitFor();
    },
  },
  {
    name: 'end-stay-turn',
    longNames: true,
    seat: true,
    scene: (code) => stays(code, LONG, auction),
    ready: '.ending.over',
    open: async (page) => {
      await page.locator('.hand-up').click();
      await page.locator('.onward.turn').waitFor();
    },
  },
  {
    name: 'replay-stay',
    seat: true,
    scene: stays,
    ready: '.ending.over',
    open: async (page) => {
      await press(page, 'end.replay');
      await page.locator('.scrub').waitFor();
      await press(page, 'moment.pause');
      await press(page, 'moment.now');
      await page.locator('.hand-up').click();
      await page.locator('.onward').waitFor();
      await press(page, 'end.replay');
      await page.locator('.scrub').waitFor();
      await press(page, 'moment.pause');
    },
  },
  {
    name: 'lobby-again',
    seat: true,
    scene: stays,
    ready: '.ending.over',
    open: async (page) => {
      await page.locator('.hand-up').click();
      await press(page, 'onward.go');
      await page.locator('main.lobby .last').waitFor();
    },
  },
  {
    name: 'lobby-settings',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 2 }) }),
    ready: 'main.lobby',
    sizes: ['small', 'laptop'],
    open: async (page) => {
      await press(page, 'menu');
      await press(page, 'settings');
      await sheet(page);
    },
  },
  {
    name: 'lobby-remove',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3 }) }),
    ready: 'main.lobby',
    open: async (page) => {
      await press(page, 'lobby.remove', { name: 'Mira' });
      await page.locator('.for-remove').waitFor();
    },
  },
  {
    name: 'talk-row',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }) }),
    ready: '.bids',
    open: async (page) => {
      await press(page, 'react');
      await page.locator('.reactions').waitFor();
    },
  },
  {
    name: 'talk',
    passing: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5)), answers: { react: TALK } }),
    ready: '.bids',
    open: talks,
  },
  {
    name: 'talk-words',
    passing: true,
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, crowd(5, { room: { names: LONG } })), answers: { react: SAID } }),
    ready: '.bids',
    open: says(4),
  },
  {
    name: 'talk-two',
    passing: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 2,
        state: { table: table(2, { turn: 1, calls: [{ seat: 0, count: 2 }], standing: { seat: 0, count: 2 } }) },
      }),
      answers: {
        react: [
          { ...SAID[2], seat: 1 },
          { type: 'reacted', seat: 0, reaction: 'think' },
        ],
      },
    }),
    ready: '.opponent',
    open: says(2),
  },
  {
    name: 'talk-end',
    passing: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { players: 4, state: { table: ended(4) }, room: { phase: 'finished' } }),
      answers: { react: SAID },
    }),
    ready: '.ending.over',
    open: says(4),
  },
  ...QWANTUM.flatMap(({ scene, ...screen }) =>
    screen.name === 'qwantum-share'
      ? [
          {
            ...screen,
            name: 'qwantum-talk',
            passing: true,
            tables: false,
            scene: (code) => ({ ...scene(code), answers: { react: SAID } }),
            open: says(4),
          },
        ]
      : [],
  ),
  {
    name: 'end-two',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { players: 2, state: { table: ended(2, { great: true }) }, room: { phase: 'finished' } }),
    }),
    ready: '.ending.over',
  },
  {
    name: 'end-five-shared',
    tables: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 5,
        state: { table: ended(5, { great: true, shared: true }) },
        room: { phase: 'finished' },
      }),
    }),
    ready: '.ending.over',
  },

  ...QWANTUM,

  {
    ...TELEVISION,
    name: 'screen-lobby',
    ready: 'main.big.waits',
    scene: (code) => ({
      welcome: welcome(code, { players: 4, seat: null, room: { seats: { 3: { kind: 'bot', bot: 'hard' } } } }),
    }),
  },
  { ...TELEVISION, name: 'screen-towers', scene: (code) => ({ welcome: welcome(code, { ...crowd(5), seat: null }) }) },
  {
    ...TELEVISION,
    name: 'screen-build',
    scene: (code) => ({
      welcome: welcome(code, {
        players: 2,
        seat: null,
        state: {
          table: {
            ...table(2, {
              phase: 'build',
              ...over,
              calls: [{ seat: 0, count: 3 }],
              row: cards('tree-15 scrap-8'),
              hand: cards('sand-2 candy-12 spooky-3'),
            }),
          },
        },
      }),
    }),
  },
  {
    ...TELEVISION,
    name: 'screen-end',
    ready: '.big .ending.over',
    scene: (code) => ({
      welcome: welcome(code, {
        players: 5,
        seat: null,
        state: { table: ended(5, { great: true }) },
        room: { phase: 'finished' },
      }),
    }),
  },
  ...QWANTUM.filter(({ name }) => ['qwantum-watching', 'qwantum-four-full', 'qwantum-end-4'].includes(name)).map(
    ({ name, scene }) => ({
      ...TELEVISION,
      name: `screen-${name}`,
      ...(name.includes('end') && { ready: '.big .ending.over' }),
      scene: (code) => watched(scene(code)),
    }),
  ),

  {
    name: 'replay',
    tables: true,
    path: (code) => `/r/${code}/replay/1#m=11`,
    scene: () => replayed(3),
    ready: '.scrub',
  },
  {
    name: 'replay-five',
    longNames: true,
    path: (code) => `/r/${code}/replay/1#m=16`,
    scene: () => replayed(5, HEBREW),
    ready: '.scrub',
  },
  {
    name: 'replay-more',
    longNames: true,
    path: (code) => `/r/${code}/replay/1#m=16`,
    scene: () => replayed(5),
    ready: '.scrub',
    open: async (page) => {
      await press(page, 'replay.more');
      await sheet(page);
      await page.locator('.unveiled').waitFor();
    },
  },
  {
    name: 'replay-keys',
    path: (code) => `/r/${code}/replay/1#m=3`,
    scene: () => replayed(2),
    ready: '.scrub',
    open: async (page) => {
      await menu(page, 'keys');
      await page.locator('.keys').waitFor();
    },
  },
  {
    name: 'review',
    longNames: true,
    path: (code) => `/r/${code}/replay/1#m=11`,
    scene: () => ({ ...replayed(5, LONG), review: reviewed(5) }),
    ready: '.scrub',
    open: async (page) => {
      await press(page, 'replay.more');
      await press(page, 'review');
      await page.locator('.mistake .done').first().waitFor();
    },
  },
  {
    name: 'review-mistakes',
    path: (code) => `/r/${code}/replay/1#m=11`,
    scene: () => ({ ...replayed(3), review: reviewed(3) }),
    ready: '.scrub',
    open: async (page) => {
      await press(page, 'replay.more');
      await press(page, 'review');
      await page.locator('.mistake .done').first().waitFor();
      await page.locator('.for-review .body').evaluate((body) => {
        body.scrollTop = body.querySelector('.reviewed').offsetTop - 60;
      });
    },
  },
  {
    name: 'review-working',
    seat: true,
    expects: [/Failed to load resource.*404/],
    scene: (code) => ({
      welcome: welcome(code, { state: { table: ended(3) }, room: { phase: 'finished' } }),
      answers: { review: { type: 'review', done: 94, of: 231, ready: false } },
    }),
    ready: '.ending.over',
    open: async (page) => {
      await press(page, 'end.more');
      await page
        .locator('.for-after')
        .getByRole('button', { name: say('review') })
        .click();
      await page.locator('.working progress').waitFor();
    },
  },
  {
    name: 'review-busy',
    seat: true,
    expects: [/Failed to load resource.*404/],
    scene: (code) => ({
      welcome: welcome(code, { state: { table: ended(3) }, room: { phase: 'finished' } }),
      answers: { review: { type: 'error', code: 'busy', detail: '' } },
    }),
    ready: '.ending.over',
    open: async (page) => {
      await press(page, 'end.more');
      await page
        .locator('.for-after')
        .getByRole('button', { name: say('review') })
        .click();
      await page.locator('.for-review .missing [role=alert]').waitFor();
    },
  },
  {
    name: 'review-none',
    expects: [/Failed to load resource.*404/],
    path: (code) => `/r/${code}/replay/1#m=3`,
    scene: () => replayed(2),
    ready: '.scrub',
    open: async (page) => {
      await press(page, 'replay.more');
      await press(page, 'review');
      await page.locator('.for-review [role=alert]').waitFor();
    },
  },
  {
    name: 'alone',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction, room: ALONE }) }),
    ready: '.bids',
  },
  {
    name: 'bots-play',
    tables: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: { table: table(3, { turn: 1, calls: [{ seat: 0, count: 2 }], standing: { seat: 0, count: 2 } }) },
        room: ALONE,
      }),
    }),
    ready: '.idle',
  },
  {
    name: 'bots-build',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: {
          table: table(3, {
            turn: 1,
            phase: 'build',
            standing: { seat: 1, count: 3 },
            hand: cards('sand-2 candy-12'),
            row: cards('tree-15 scrap-8'),
          }),
        },
        room: ALONE,
      }),
    }),
    ready: '.idle',
  },
  {
    name: 'hint',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, { state: auction, room: ALONE }),
      answers: {
        hint: {
          type: 'hint',
          n: 12,
          acts: [
            { action: { type: 'bid', count: 3 }, chance: 431 },
            { action: { type: 'bid', count: 4 }, chance: 402 },
            { action: { type: 'bid', count: 0 }, chance: 117 },
          ],
        },
      },
    }),
    ready: '.bids',
    open: async (page) => {
      await press(page, 'hint');
      await page.locator('.hints').waitFor();
    },
  },
  {
    name: 'deal',
    path: (code) => `/r/${code}/replay/1#m=16`,
    scene: () => ({ ...replayed(3), record: RECORD }),
    ready: '.scrub',
    open: async (page) => {
      await press(page, 'replay.more');
      await press(page, 'deal');
      await page.locator('.compared').waitFor();
    },
  },
  {
    name: 'doubt',
    path: '/',
    ready: 'dialog[open]',
    open: async (page) => {
      const chooser = page.waitForEvent('filechooser');
      await press(page, 'front.record');
      await (
        await chooser
      ).setFiles({ name: 'record.json', mimeType: 'application/json', buffer: Buffer.from('{"cut') });
      await sheet(page);
    },
  },

  {
    name: 'lobby-played-on',
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 2,
        room: {
          min: 4,
          max: 4,
          origin: originOf(56, ['Ana', 'Mira', 'Tomas', 'Zsófi'], [25, 18, 7, -2]),
          seats: { 0: { chair: 0 }, 1: { chair: 2, kind: 'bot', bot: 'normal' } },
        },
      }),
    }),
    ready: '.note.origin',
  },
  {
    name: 'lobby-known-deal',
    longNames: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        players: 4,
        room: {
          names: LONG,
          min: 5,
          max: 5,
          origin: originOf(null, LONG, [25, 18, 7, -2, 0]),
          seats: { 0: { chair: 0 }, 1: { chair: 1 }, 2: { chair: 2 }, 3: { chair: 4 } },
        },
      }),
    }),
    ready: '.note.origin',
  },
  {
    name: 'end-beside',
    longNames: true,
    seat: true,
    scene: (code) => ({
      welcome: welcome(code, {
        state: { table: ended(3) },
        room: { phase: 'finished', origin: originOf(null, LONG.slice(0, 3), [25, 18, -7]) },
      }),
    }),
    ready: '.besides',
  },
  {
    name: 'after',
    seat: true,
    scene: (code) => ({
      ...replayed(3),
      welcome: welcome(code, { state: { table: ended(3) }, room: { phase: 'finished' } }),
    }),
    ready: '.ending.over',
    open: async (page) => {
      await press(page, 'end.more');
      await sheet(page);
    },
  },
  {
    name: 'book',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3 }), book: bookOf() }),
    ready: 'main.lobby',
    open: async (page) => {
      await menu(page, 'book');
      await page.locator('.for-book').waitFor();
    },
  },
  {
    name: 'book-long-names',
    longNames: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3 }), book: bookOf(LONG) }),
    ready: 'main.lobby',
    open: async (page) => {
      await menu(page, 'book');
      await page.locator('.for-book').waitFor();
    },
  },
  {
    name: 'book-empty',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { players: 3 }), book: { games: [], chapters: [] } }),
    ready: 'main.lobby',
    open: async (page) => {
      await menu(page, 'book');
      await page.locator('.for-book').waitFor();
    },
  },
  {
    name: 'records',
    path: '/',
    ready: 'dialog[open]',
    open: async (page) => {
      const chooser = page.waitForEvent('filechooser');
      await press(page, 'front.record');
      await (
        await chooser
      ).setFiles({
        name: 'records.jsonl',
        mimeType: 'application/json',
        buffer: Buffer.from(
          bookOf()
            .games.map((game) => JSON.stringify(game))
            .join('\n'),
        ),
      });
      await page.locator('.for-records').waitFor();
    },
  },

  { name: 'no-such-room', path: '/r/ZZZZZZ', expects: [/Failed to load resource.*404/], ready: '.plain [role=alert]' },
  ...[4001, 4002, 4003, 4010, 4011].map((closed) => ({
    name: `closed-${closed}`,
    seat: true,
    scene: () => ({ closed }),
    ready: '.plain [role=alert]',
  })),
  {
    name: 'unreachable',
    scene: () => ({ unreachable: true }),
    expects: [/Failed to load resource/],
    ready: '.plain [role=alert]',
  },
  {
    name: 'restarting',
    tables: true,
    seat: true,
    scene: (code) => ({ welcome: welcome(code, { state: auction }), closed: 1012 }),
    ready: '.say small.line',
  },
  {
    name: 'restarting-lobby',
    seat: true,
    scene: (code) => ({ welcome: welcome(code, {}), closed: 1012 }),
    ready: '.say small.line',
  },
];

/** The main screens, once more for each way the page can look. */
const MAIN = [
  'front',
  'front-running',
  'front-settings',
  'join',
  'lobby-host',
  'auction-mine',
  'auction-theirs',
  'aid',
  'news',
  'build',
  'demolish',
  'opponent',
  'log',
  'end',
  'replay-five',
  'qwantum-again',
  'qwantum-choose',
  'qwantum-decided',
  'qwantum-end-4',
  'lesson-qwantum-share',
];
const inOther = (kind, how) =>
  MAIN.flatMap((name) =>
    PLAIN.filter((screen) => screen.name === name).map((screen) => ({
      ...screen,
      name: `${kind}-${name}`,
      tables: false,
      ...how,
    })),
  );

export const ALBUM = [
  ...PLAIN,
  // Nothing stands elsewhere by day, or in a system's own colours.
  ...inOther('light', { settings: { theme: 'light' }, sizes: ['phone', 'laptop'], languages: ['en'] }),
  ...inOther('forced', { forced: true, sizes: ['phone', 'laptop'], languages: ['en'] }),
  // A language 40 % longer than any, in larger letters, is not what anybody reads.
  ...inOther('large', { settings: { type: 'large' }, languages: LANGUAGES }),
];
