// Presses that were not meant: the second half of a double tap, and a key that is held down. The table is laid by hand and answers
// each act at once, so that what changes under the finger is known.

import assert from 'node:assert/strict';
import { settled, shows, story, LAPTOP } from './support/stage.js';
import { bids, cards, ended, room, table } from './support/scenes.js';
import { say } from './support/words.js';

const QWANTUM = {
  phase: 'choose', turn: 0, round: 3, rolls: 2, used: null, decided: [false, false], outcome: null,
  dice: ['white', 'yellow', 'blue', 'red', 'violet', 'blue', 'blue'].map((color) => ({ color, value: 3 })), totals: { violet: 6, blue: 12, red: 6, yellow: 6 },
  players: [0, 1].map((seat) => ({ seat, rows: { violet: [], blue: [], red: [], yellow: [] }, misses: 0, score: { columns: Array(6).fill(null), misses: 0, total: 0 } })),
};
const ENTER = [...['violet', 'blue', 'red', 'yellow'].map((row) => ({ type: 'enter', row })), { type: 'skip' }];

/** A room at which Ana sits, with a server played by hand: it keeps what it is told, and `answer` says what the table becomes. */
async function laidTable(stage, game, first, answer) {
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(LAPTOP));
  const told = [];
  const seated = room(2, { code, game, max: 4 });
  await page.routeWebSocket(/\/ws\//, (socket) => {
    let state = { version: 1, next: 0, mine: { choice: null, demolished: [], highest_bid: 3 }, events: [], deadline_ms: null, ...first };
    // Ana must act whenever there is something she can do, until she has chosen in the step in which all choose at once.
    const asked = () => (state.actions?.length && !(state.table.phase === 'share' && state.table.decided[0]) ? [0] : []);
    const tell = (message) => socket.send(JSON.stringify(message));
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'join') {
        const welcomed = { ...seated, ...first.room };
        return tell({ type: 'welcome', protocol: 1, you: { seat: 0, token: 't', name: 'Ana' }, room: welcomed, state: first.table ? { ...state, asked: asked() } : null, history: [], chat: [] });
      }
      if (message.type === 'ping') return;
      told.push(message.type === 'act' ? message.action.type : message.type);
      const change = answer(message.action ?? message, state);
      if (change?.room) return tell({ type: 'room', room: { ...seated, ...change.room } });
      state = { ...state, ...change, version: state.version + 1, next: state.next + 1, table: { ...state.table, ...change?.table } };
      tell({ type: 'state', state: { ...state, asked: asked() } });
    });
  });
  await page.addInitScript((room) => localStorage.setItem('rookery.seats', JSON.stringify({ [room]: { token: 't', name: 'Ana', at: 1 } })), code);
  await page.goto(`${stage.server.url}/r/${code}`);
  await shows(page.locator('#app > main.game, #app > main.lobby'), 'the table should be there');
  await settled(page);
  return { page, told };
}

/** Presses what `where` finds, and again the very moment the page shows these words. Runs in the page: no finger is faster. */
const pressTwice = (page, where, words) => page.evaluate(([selector, text]) => new Promise((resolve) => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector('#app > main').textContent.includes(text)) return;
    watch.disconnect();
    document.querySelector(selector).click();
    resolve();
  });
  watch.observe(document.getElementById('app'), { subtree: true, childList: true, characterData: true, attributeFilter: ['class', 'aria-pressed'] });
  document.querySelector(selector).click();
}), [where, words]);

/** Holds a key: it goes down once, and then comes again and again, each time after the page has settled. */
async function hold(page, key) {
  for (let times = 0; times < 4; times += 1) {
    await page.keyboard.down(key);
    await settled(page);
    await settled(page, page.locator(':focus, body:not(:has(:focus))'));
  }
  await page.keyboard.up(key);
}

story('a held key and a double tap pick a row of Qwantum but do not enter it, and skip one step, not two', async (stage) => {
  const { page, told } = await laidTable(stage, 'qwantum', { table: QWANTUM, actions: ENTER }, (action, { table: { phase } }) => (
    phase === 'choose' ? { table: { phase: 'share' } } : { table: { decided: [true, false] }, mine: { choice: action } }));
  const picked = (row) => shows(page.locator(`.ownside .lane.${row}[aria-pressed=true]`), `${row} should be picked`);

  await hold(page, '2');
  await picked('blue');
  assert.deepEqual(told, [], 'a held key should pick and not enter');
  await page.locator('.ownside .lane.red').focus();
  await hold(page, 'Enter');
  await picked('red');
  await pressTwice(page, '.ownside .lane.yellow', say('qwantum.say.tap_again'));
  await picked('yellow');
  assert.deepEqual(told, [], 'what was only picked should not be entered');

  await pressTwice(page, '.bar .step', say('qwantum.say.you_share'));
  await settled(page);
  assert.deepEqual(told, ['skip'], 'a double tap on Skip should skip the first step alone');
  await hold(page, 's');
  await shows(page.locator('.bar').getByText(say('qwantum.chosen', { choice: say('qwantum.skip') })), 'the next press should count');
  assert.deepEqual(told, ['skip', 'skip'], 'a key that is held should count once');
});

story('a held Enter bids in Five Towers and no more, Finish waits for its own tap, and Undo is as fast as the finger', async (stage) => {
  const row = cards('sand-10 candy-15 tree-13');
  const building = (hand) => ({ table: { phase: 'build', hand, row: [] }, actions: [...hand.map((card) => ({ type: 'build', card })), ...(hand.length ? [] : [{ type: 'finish' }]), { type: 'undo' }] });
  const { page, told } = await laidTable(stage, 'towers', { table: table(2, { row }), actions: bids(0, 1, 2, 3) }, (action, { table: { hand } }) => {
    if (action.type === 'bid') return { table: { phase: 'take', standing: { seat: 0, count: 3 } }, actions: [{ type: 'take', cards: row }] };
    if (action.type === 'take') return building(row);
    return building(action.type === 'undo' ? row.slice(0, hand.length + 1) : hand.slice(0, -1));
  });
  await page.locator('.bids .number').nth(3).focus();
  await hold(page, 'Enter');
  await page.locator('.bar .main').focus();
  await hold(page, 'Enter');
  assert.deepEqual(told, ['bid', 'take'], 'a held Enter should bid, another take, and neither build');
  await page.locator('.hand [data-card]').first().focus();
  await hold(page, 'Enter');
  await shows(page.locator('.hand .lifted'), 'a held Enter should lift a card');
  assert.deepEqual(told, ['bid', 'take'], 'and not place it');
  await page.keyboard.press('Enter');
  await settled(page);
  for (let left = 2; left > 0; left -= 1) {
    await shows(page.getByText(say('towers.say.you_build', { count: left })).first(), `${left} should be left to build`);
    await page.locator('.hand [data-card]').nth(left - 1).click();
    await settled(page);
    if (left > 1) await page.locator('.bar .main').click();
  }
  await pressTwice(page, '.bar .main', say('towers.finish'));
  assert.deepEqual(told.slice(2), ['build', 'build', 'build'], 'the second half of a double tap on the last card’s button should not finish');
  await pressTwice(page, '.bar .step', say('towers.say.you_build', { count: 1 }));
  await shows(page.getByText(say('towers.say.you_build', { count: 2 })).first(), 'two cards should be back in the hand');
  assert.deepEqual(told.slice(5), ['undo', 'undo'], 'Undo stays what it is, so it may be pressed as fast as one can');
});

story('a double tap on Rematch does not start the next game, nor one on Remove send the next person away', async (stage) => {
  const names = ['Ana', 'Mira', 'Tomas'];
  const lobby = (...people) => ({ room: { phase: 'lobby', seats: room(people.length, { names: people }).seats } });
  const { page, told } = await laidTable(stage, 'towers', { table: ended(2), actions: [], room: { phase: 'finished' } }, ({ type }) => {
    if (type === 'rematch') return lobby(...names);
    // Somebody comes to watch: the page shows that Start was heard.
    return type === 'remove' ? lobby('Ana', 'Tomas') : { room: { ...lobby('Ana', 'Tomas').room, watchers: 3 } };
  });
  await pressTwice(page, '.bar .main', say('lobby.start'));
  await settled(page);
  await page.locator('.seats li:nth-child(2) button').click();
  await settled(page, page.locator('.for-remove .danger'));
  await page.locator('.for-remove .danger').click();
  await shows(page.getByText(say('lobby.free', { count: 2 })), 'a seat should be free');
  await settled(page);
  assert.deepEqual(told, ['rematch', 'remove']);
  await page.locator('.bar .main').click();
  await shows(page.getByText(say('watchers', { count: 3 })), 'a tap of its own should be heard');
  assert.deepEqual(told, ['rematch', 'remove', 'start']);
});
