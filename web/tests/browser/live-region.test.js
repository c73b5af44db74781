// Announcements for screen readers: news while a sheet is open, presence changes, and the states of controls. They are
// read from the browser's accessibility tree, which omits inert and hidden elements.

import assert from 'node:assert/strict';
import { goes, shows, story, LAPTOP, PHONE } from './support/stage.js';
import { Friend } from './support/friend.js';
import { layTable } from './support/moments.js';
import { say } from './support/words.js';

/** Everything the accessibility tree has, with its words: `role`, `name`, and the text inside. */
async function tree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const text = (node) =>
    node.role?.value === 'StaticText'
      ? node.name.value
      : (node.childIds ?? []).map((id) => (byId.has(id) ? text(byId.get(id)) : '')).join('');
  return nodes
    .filter((node) => !node.ignored)
    .map((node) => ({
      role: node.role?.value,
      name: node.name?.value ?? '',
      text: text(node),
      ...Object.fromEntries((node.properties ?? []).map(({ name, value }) => [name, value.value])),
    }));
}

/** Waits until a live region that is in the accessibility tree says so. */
async function hears(page, words, what) {
  const regions = page.locator('#heard, .heard');
  await shows(regions.filter({ hasText: words }).first(), `${what} should be said: “${words}”`, { state: 'attached' });
  const said = (await tree(page)).filter((node) => node.role === 'status').map((node) => node.text);
  assert.ok(
    said.some((text) => text.includes(words)),
    `${what} should be heard by a screen reader, but the regions it can reach say only ${JSON.stringify(said)}`,
  );
}

story('news and toasts are announced while a sheet is open', async (stage) => {
  const { page, player, friend } = await layTable(
    stage,
    await stage.device(PHONE, { permissions: ['clipboard-write'] }),
    stage.server.url,
    'lobby',
  );
  await player.tap(player.button('menu'), 'Menu');
  await shows(page.locator('dialog[open]'), 'the menu should be open');
  friend.send({ type: 'chat', text: 'Tea?' });
  await hears(page, say('chat.said', { name: 'Mira', text: 'Tea?' }), 'what a friend says while the menu is open');
  const third = await Friend.join(stage.server, friend.code, 'Tomas');
  await hears(page, say('people.came', { name: 'Tomas' }), 'who comes to the lobby');
  third.send({ type: 'leave' });
  await hears(page, say('people.left', { name: 'Tomas' }), 'who goes');
  await page.keyboard.press('Escape');
  await goes(page.locator('dialog'), 'the menu should close');
  friend.send({ type: 'chat', text: 'Cake?' });
  await hears(page, say('chat.said', { name: 'Mira', text: 'Cake?' }), 'what is said after it is closed');

  // A toast over a sheet.
  await player.tap(player.button('menu'), 'Menu');
  await page
    .locator('dialog[open]')
    .getByRole('button', { name: say('lobby.bring'), exact: true })
    .click();
  await page
    .locator('dialog[open]')
    .getByRole('button', { name: say('share.copy'), exact: true })
    .click();
  await shows(page.getByRole('alert'), 'the page should say that the link is copied');
  const alerts = (await tree(page)).filter((node) => node.role === 'alert').map((node) => node.text);
  assert.deepEqual(alerts, [say('share.copied')], 'a toast over a sheet should be heard');
});

story('players who are away, back or gone are announced and logged', async (stage) => {
  const { page, friend } = await layTable(
    stage,
    await stage.device({ ...LAPTOP, hasTouch: true }),
    stage.server.url,
    'auction',
  );
  const logged = page.locator('.log .person');
  friend.leave();
  await hears(page, say('people.away', { name: 'Mira' }), 'that Mira is away');
  assert.deepEqual(await logged.allTextContents(), [say('people.away', { name: 'Mira' })]);
  await friend.connect();
  await hears(page, say('people.back', { name: 'Mira' }), 'that Mira is back');
  assert.deepEqual(
    await logged.allTextContents(),
    [],
    'nothing happened while she was away, so the log need not remember it',
  );
  friend.send({ type: 'leave' });
  await hears(page, say('people.gone', { name: 'Mira' }), 'that Mira has left');
  assert.deepEqual(await logged.allTextContents(), [say('people.gone', { name: 'Mira' })]);
});
