// A table with a scripted server, which answers each act at once or never, so that a test knows what changes under the
// finger.

import { settled, shows, LAPTOP } from './stage.js';
import { room } from './scenes.js';

export const QWANTUM = {
  phase: 'choose',
  turn: 0,
  round: 3,
  rolls: 2,
  used: null,
  decided: [false, false],
  outcome: null,
  dice: ['white', 'yellow', 'blue', 'red', 'violet', 'blue', 'blue'].map((color) => ({ color, value: 3 })),
  totals: { violet: 6, blue: 12, red: 6, yellow: 6 },
  players: [0, 1].map((seat) => ({
    seat,
    rows: { violet: [], blue: [], red: [], yellow: [] },
    misses: 0,
    score: { columns: Array(6).fill(null), misses: 0, total: 0 },
  })),
};
export const ENTER = [...['violet', 'blue', 'red', 'yellow'].map((row) => ({ type: 'enter', row })), { type: 'skip' }];

/**
 * A room at which Ana sits. `told` lists what the server hears; `answer` returns what the table becomes, or null for no
 * answer.
 */
export async function laidTable(stage, game, first, answer, device = LAPTOP) {
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(device));
  const told = [];
  const seated = room(2, { code, game, max: 4 });
  await page.routeWebSocket(/\/ws\//, (socket) => {
    let state = {
      version: 1,
      next: 0,
      mine: { choice: null, demolished: [], highest_bid: 3 },
      events: [],
      deadline_ms: null,
      ...first,
    };
    // Ana must act whenever there is something she can do, until she has chosen in the step in which all choose at
    // once.
    const asked = () =>
      state.actions?.length && !(state.table.phase === 'share' && state.table.decided[0]) ? [0] : [];
    const tell = (message) => socket.send(JSON.stringify(message));
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'join') {
        const welcomed = { ...seated, ...first.room };
        return tell({
          type: 'welcome',
          protocol: 1,
          you: { seat: 0, token: 't', name: 'Ana' },
          room: welcomed,
          state: first.table ? { ...state, asked: asked() } : null,
          history: [],
          chat: [],
        });
      }
      if (message.type === 'ping') return;
      told.push(message.type === 'act' ? message.action.type : message.type);
      const change = answer(message.action ?? message, state);
      if (change === null) return;
      if (change?.room) return tell({ type: 'room', room: { ...seated, ...change.room } });
      state = {
        ...state,
        ...change,
        version: state.version + 1,
        next: state.next + 1,
        table: { ...state.table, ...change?.table },
      };
      tell({ type: 'state', state: { ...state, asked: asked() } });
    });
  });
  await page.addInitScript(
    (room) => localStorage.setItem('rookery.seats', JSON.stringify({ [room]: { token: 't', name: 'Ana', at: 1 } })),
    code,
  );
  await page.goto(`${stage.server.url}/r/${code}`);
  // The bar of a game that is over is empty until its ending has been loaded.
  await shows(page.locator('#app > main.game > .bar > *, #app > main.lobby').first(), 'the table should be there');
  await settled(page);
  return { page, told };
}
