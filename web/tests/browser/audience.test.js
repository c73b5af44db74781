// Watchers: the host sees their names, can mute them, and confirms before removing one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { goes, press as pressOn, shows, story, LAPTOP } from './support/stage.js';
import { Friend } from './support/friend.js';
import { cutText } from './support/sights.js';
import { say } from './support/words.js';

/** As narrow as phones are. */
const SMALL = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const LONG = 'Maximiliane-Wilhelmi';

const press = (page, name) => pressOn(page.getByRole('button', { name, exact: true }));

async function sits(stage, how, code, name) {
  const page = await stage.page(await stage.device(how));
  await page.goto(`${stage.server.url}/r/${code}`);
  await page.getByRole('textbox', { name: say('join.name') }).fill(name);
  await press(page, say('join.sit'));
  await shows(page.locator('main.lobby'), `${name} should sit`);
  return page;
}

story('the host mutes a watcher and removes one, on a small phone', async (stage) => {
  const code = await stage.server.newRoom();
  const host = await sits(stage, SMALL, code, 'Ana');
  const other = await sits(stage, LAPTOP, code, 'Bea');
  const [zoe, max] = [
    await Friend.join(stage.server, code, 'Zoe', undefined, true),
    await Friend.join(stage.server, code, LONG, undefined, true),
  ];
  [zoe, max].forEach((friend) => stage.also(() => friend.leave()));

  await press(host, say('watchers', { count: 2 }));
  const row = (page, name) => page.locator('.audience li').filter({ has: page.getByText(name, { exact: true }) });
  await shows(row(host, LONG), 'the host should see who watches');
  assert.deepEqual(await cutText(host), [], 'a long name should fit beside its buttons');
  assert.equal(await host.evaluate(() => document.documentElement.scrollWidth), 360, 'nothing should stick out');

  await press(host, say('audience.mute_name', { name: 'Zoe' }));
  await shows(row(host, 'Zoe').getByText(say('audience.muted')), 'it should be seen that she is muted');
  const refused = zoe.until((_, message) => message?.code === 'muted', 'the refusal');
  zoe.send({ type: 'chat', text: 'hear me' });
  await refused;
  await press(host, say('audience.mute_name', { name: 'Zoe' }));
  await goes(row(host, 'Zoe').getByText(say('audience.muted')), 'the same button should let her talk again');

  const gone = once(max, 'gone');
  await press(host, say('lobby.remove', { name: LONG }));
  await shows(host.getByText(say('unwatch.words')), 'the host should be asked first');
  await press(host, say('unwatch.stay'));
  await shows(row(host, LONG), 'who thinks better of it should be back at the list');
  await press(host, say('lobby.remove', { name: LONG }));
  await press(host, say('unwatch.go'));
  await goes(row(host, LONG), 'the removed watcher should be gone');
  await gone;

  // Who is not host sees them, and no buttons.
  await press(other, say('watchers', { count: 1 }));
  await shows(row(other, 'Zoe'), 'everyone should see who watches');
  assert.equal(await row(other, 'Zoe').getByRole('button').count(), 0);
});
