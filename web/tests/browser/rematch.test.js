// Another game: players raise a hand, the host opens the table, and nobody is taken away from the result.

import assert from 'node:assert/strict';
import { Friend, modest } from './support/friend.js';
import { goes, press as pressOn, settled, shows, story, PHONE } from './support/stage.js';
import { bids, feedScenes, stays, table, welcome } from './support/scenes.js';
import { say } from './support/words.js';

/** Mira's page, at a result of which Ana is the host. */
async function atTheResult(stage) {
  const code = await stage.server.newRoom();
  const context = await stage.device(PHONE);
  await context.addInitScript(
    (room) =>
      localStorage.setItem(
        'rookery.seats',
        JSON.stringify({ [room]: { token: 'a-token-of-this-scene', name: 'Mira', at: Date.now() } }),
      ),
    code,
  );
  const page = await stage.page(context);
  const feed = await feedScenes(page, code);
  const {
    welcome: first,
    answers: {
      ready: [lobby, playing, state],
    },
  } = stays(code, undefined, { table: table(3), actions: bids(0, 1, 2) });
  feed.scene = { welcome: first };
  await page.goto(`${stage.server.url}/r/${code}`);
  await shows(page.locator('.ending.over'), 'the result should be there');
  const press = async (key) => {
    const control = page.getByRole('button', { name: say(key), exact: true });
    await pressOn(control);
  };
  const hears = (words) =>
    page.waitForFunction((wanted) => document.getElementById('heard').textContent.includes(wanted), words);
  return { page, feed, first, lobby, playing, state, press, hears };
}

story('a player at the result or the replay is told about the next game, and stays', async (stage) => {
  const { page, feed, first, lobby, playing, state, press, hears } = await atTheResult(stage);
  feed.tell({
    type: 'room',
    room: { ...first.room, seats: first.room.seats.map((info) => (info.seat === 2 ? { ...info, ready: true } : info)) },
  });
  await shows(page.locator('.side .raised'), 'everyone should see who wants another game');
  await hears(say('people.ready', { name: 'Tomas' }));
  await shows(page.locator('.hand-up', { hasText: say('end.hands', { count: 1, of: 3 }) }), 'and how many do');

  await press('end.replay');
  await shows(page.locator('.scrub'), 'the game should be seen again');
  feed.tell(lobby);
  await shows(
    page.locator('.onward').getByText(say('onward.opened', { name: 'Ana' })),
    'that the table is open should be said',
  );
  await hears(say('onward.opened', { name: 'Ana' }));
  assert.ok(await page.locator('.scrub').isVisible(), 'the replay should stay');
  await press('moment.now');
  await shows(page.locator('.ending.over'), 'and so should the result');

  await press('onward.go');
  await shows(page.locator('main.lobby'), 'with a tap one is in the lobby');
  await shows(page.locator('.seats .raised'), 'which shows who is ready');
  await press('lobby.last');
  await shows(page.locator('.ending.over'), 'the last result should be one tap away');

  await press('end.replay');
  await shows(page.locator('.scrub'), 'the game should be seen again');
  feed.tell(playing, state);
  await shows(page.locator('.onward.turn'), 'that it is one’s turn in the next game should be said');
  assert.ok(await page.locator('.scrub').isVisible(), 'the replay should stay, whatever begins');
  assert.ok((await page.title()).startsWith('●'), 'the usual sign should call to one’s turn');
  await press('onward.go');
  await shows(page.locator('main.asked .bids'), 'with a tap one is at the table, and asked');
});

story('a player at the result with a raised hand is taken to the next game when it begins', async (stage) => {
  const { page, feed, lobby, playing, state, hears } = await atTheResult(stage);
  feed.tell({ ...lobby, room: { ...lobby.room, seats: lobby.room.seats.map((info) => ({ ...info, ready: true })) } });
  await shows(page.locator('.onward'), 'that the table is open should be said');
  assert.equal(await page.locator('.hand-up').getAttribute('aria-pressed'), 'true', 'the hand should be up');
  feed.tell(playing, state);
  await shows(page.locator('main.asked .bids'), 'the table should be there');
  await goes(page.locator('.onward'), 'and nothing of the last game');
  await hears(say('towers.say.your_bid', { most: 2 }));
});

story('the next game starts by itself when everyone wants it, unless a player stops it', async (stage) => {
  const { page, feed, first, lobby, playing, state, hears } = await atTheResult(stage);
  const withHands = (hands, more) => ({
    type: 'room',
    room: {
      ...first.room,
      seats: first.room.seats.map((info) => ({ ...info, ready: hands.includes(info.seat) })),
      ...more,
    },
  });
  const countdown = (count) => page.getByText(say('end.starts', { count }), { exact: true });
  feed.scene.answers = { ready: withHands([0, 1, 2], { starts_in_ms: 3000 }) };
  await pressOn(page.locator('.hand-up'));
  await shows(countdown(3), 'the countdown should be shown');
  await hears(say('end.starts', { count: 3 }));
  await shows(countdown(2), 'it should count down');
  feed.scene.answers = { ready: withHands([0, 2]) };
  await shows(page.locator('.hand-up', { hasText: say('end.stop') }), 'the button should stop it');
  await pressOn(page.locator('.hand-up'));
  await hears(say('end.stopped'));
  await shows(page.locator('.hand-up', { hasText: say('end.hands', { count: 2, of: 3 }) }), 'a hand should be down');
  for (const count of [3, 2, 1, 0]) assert.equal(await countdown(count).count(), 0, 'nothing should count down');
  feed.tell(withHands([0, 1, 2], { starts_in_ms: 3000 }), lobby, playing, state);
  await shows(page.locator('main.asked .bids'), 'the player should be at the table of the next game');
});

story('the last result can be opened in the lobby, after a reload and during another game', async (stage) => {
  const code = await stage.server.newRoom();
  const [ana, mira] = [
    await Friend.join(stage.server, code, 'Ana', modest),
    await Friend.join(stage.server, code, 'Mira', modest),
  ];
  for (const friend of [ana, mira]) stage.also(() => friend.leave());
  ana.send({ type: 'start' });
  await ana.until(({ room }) => room.phase === 'finished', 'the end of the game');
  ana.send({ type: 'rematch' });
  ana.send({ type: 'configure', game: 'qwantum' });
  await mira.until(({ room }) => room.phase === 'lobby' && room.game === 'qwantum', 'the lobby of another game');

  const context = await stage.device(PHONE);
  await context.addInitScript(
    ([room, token]) =>
      localStorage.setItem('rookery.seats', JSON.stringify({ [room]: { token, name: 'Mira', at: Date.now() } })),
    [code, mira.token],
  );
  const page = await stage.page(context);
  const press = async (key) => {
    const control = page.getByRole('button', { name: say(key), exact: true });
    await pressOn(control);
  };
  await page.goto(`${stage.server.url}/r/${code}`);
  await shows(page.locator('main.lobby .hand-up'), 'who comes to the lobby may say that they want another game');
  for (const time of ['at first', 'and again']) {
    await press('lobby.last');
    await shows(
      page.locator('.ending.over').getByText('Ana', { exact: true }).first(),
      `the result should be there, ${time}`,
    );
    await shows(
      page.locator('.onward').getByText(say('onward.opened', { name: 'Ana' })),
      'with the way back to the table',
    );
    await press('onward.go');
    await shows(page.locator('main.lobby'), 'which leads there');
  }
  await press('lobby.last');
  await press('end.replay');
  await shows(page.locator('.scrub'), 'the game can be seen again from there');
});

story('removing a player asks first, and can be cancelled', async (stage) => {
  const { page, feed, first } = await atTheResult(stage);
  const sent = [];
  await page.routeWebSocket(/\/ws\//, (socket) =>
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      sent.push(message);
      if (message.type === 'join')
        socket.send(JSON.stringify(welcome(first.room.code, { seat: 0, room: { code: first.room.code } })));
    }),
  );
  await page.reload();
  await shows(page.locator('main.lobby'), 'the host should be in the lobby');
  const ask = page.getByRole('button', { name: say('lobby.remove', { name: 'Tomas' }), exact: true });
  for (const way of ['Escape', 'remove']) {
    await pressOn(ask);
    const dialog = page.getByRole('dialog', { name: say('remove.title', { name: 'Tomas' }) });
    await shows(dialog, 'it should be asked first');
    assert.deepEqual(
      sent.filter((message) => message.type === 'remove'),
      [],
      'and nothing be done yet',
    );
    const remove = dialog.getByRole('button', { name: say('remove.go'), exact: true });
    await settled(page, remove);
    if (way === 'Escape') await page.keyboard.press('Escape');
    else await pressOn(remove);
    await goes(dialog, 'the question should be gone');
  }
  assert.deepEqual(
    sent.filter((message) => message.type === 'remove'),
    [{ type: 'remove', seat: 2, name: 'Tomas' }],
  );
  void feed;
});
