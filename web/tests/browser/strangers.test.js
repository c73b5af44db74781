// Names and messages with special characters are shown as plain text, and do not break the layout.

import assert from 'node:assert/strict';
import { goes, press, shows, story, PHONE, LAPTOP } from './support/stage.js';
import { Friend, modest } from './support/friend.js';
import { cutText } from './support/sights.js';
import { say } from './support/words.js';

const NAMES = { markup: '<b>Ana</b>', emoji: '🦊 Zoë 🎲', hebrew: 'שלום עולם', arabic: 'مريم ١٢٣' };

const MESSAGES = [
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  '&amp; {name} ${1+1} %s \\u0041',
  '👩‍👩‍👧‍👦🏳️‍🌈 🎲🎲🎲',
  'שלום! (three) 123 אחת, שתיים',
  'مرحبا بكم في <اللعبة>',
  'w'.repeat(500),
  'word '.repeat(100).trim(),
];

async function sitDown(page, name) {
  await page.getByRole('textbox', { name: say('join.name') }).fill(name);
  await page.getByRole('button', { name: say('join.sit'), exact: true }).click();
}

story(
  'names and messages with markup, emoji, right-to-left text and 500 characters are shown as text',
  async (stage) => {
    const code = await stage.server.newRoom();
    const phone = await stage.page(await stage.device(PHONE));
    const laptop = await stage.page(await stage.device(LAPTOP));
    await phone.goto(`${stage.server.url}/r/${code}`);
    await sitDown(phone, NAMES.markup);
    await shows(phone.locator('main.lobby'), 'a name with markup should sit down');
    await laptop.goto(`${stage.server.url}/r/${code}`);
    await shows(laptop.locator('h1', { hasText: NAMES.markup }), 'the join screen should show that name as text');
    await sitDown(laptop, NAMES.emoji);
    await shows(laptop.locator('main.lobby'), 'a name with emoji should sit down');
    const friends = [
      await Friend.join(stage.server, code, NAMES.hebrew, modest),
      await Friend.join(stage.server, code, NAMES.arabic, modest),
    ];
    friends.forEach((friend) => stage.also(() => friend.leave()));

    const seated = (await stage.server.room(code)).seats.map((seat) => seat.name);
    assert.equal(seated[0], NAMES.markup, 'the server should take the name as it is');
    for (const page of [phone, laptop]) {
      await shows(
        page.locator('.seats').getByText(NAMES.arabic, { exact: true }),
        'the last friend should be seen to sit down',
      );
      assert.deepEqual(
        await page.locator('.seats li:not(.free) .name').allTextContents(),
        seated,
        'every name should be shown as the text it is',
      );
      assert.equal(await page.locator('.seats b').count(), 0, 'no name should become markup');
      assert.deepEqual(await cutText(page), [], 'strange names should not push anything off the screen');
    }

    await phone.getByRole('button', { name: say('chat'), exact: true }).click();
    for (const text of MESSAGES) {
      await phone.getByRole('textbox', { name: say('chat.write') }).fill(text);
      await phone.getByRole('button', { name: say('chat.send'), exact: true }).click();
      await shows(
        phone.locator('.lines li').last().getByText(text, { exact: true }),
        `“${text.slice(0, 40)}” should be shown as it was written`,
      );
    }
    const last = say('chat.said', { name: NAMES.markup, text: MESSAGES.at(-1) });
    await laptop.waitForFunction((words) => document.getElementById('heard').textContent === words, last);
    await laptop.getByRole('button', { name: say('chat') }).click();
    for (const page of [phone, laptop]) {
      const lines = await page.locator('.lines li').evaluateAll((items) =>
        items.map((item) => ({
          name: item.querySelector('b').textContent,
          text: item.querySelector('span').textContent,
          inside: item.querySelectorAll('*').length,
        })),
      );
      assert.deepEqual(
        lines,
        MESSAGES.map((text) => ({ name: NAMES.markup, text, inside: 2 })),
        'every message should be shown as the text it is',
      );
      assert.deepEqual(await cutText(page), [], 'no message should be cut or scroll the page sideways');
    }
    const heard = await laptop
      .locator('#heard')
      .evaluate((region) => ({ text: region.textContent, inside: region.children.length }));
    assert.equal(heard.inside, 0, 'what is said aloud should be text too');
    assert.equal(heard.text, last, 'a screen reader should hear the message');

    await phone.keyboard.press('Escape');
    await press(phone.getByRole('button', { name: say('lobby.start'), exact: true }));
    for (const page of [phone, laptop]) {
      await shows(page.locator('main.game'), 'the game should start');
      assert.equal(await page.locator('.opponent').count(), 3, 'everybody should be at the table');
      assert.deepEqual(
        (await cutText(page)).filter((each) => /scrolls sideways|past the side/.test(each)),
        [],
        'strange names should not push the table off the screen',
      );
    }
  },
);

story('an invalid name is refused with the reason, and a valid one is accepted', async (stage) => {
  const code = await stage.server.newRoom();
  const page = await stage.page(await stage.device(PHONE));
  await page.goto(`${stage.server.url}/r/${code}`);
  const field = page.getByRole('textbox', { name: say('join.name') });
  for (const bad of ['x'.repeat(500), 'A\u0301\u0302\u0303\u0304na']) {
    await field.fill('');
    await field.focus();
    await page.keyboard.insertText(bad);
    await page.getByRole('button', { name: say('join.sit'), exact: true }).click();
    await shows(
      page.getByRole('alert').filter({ hasText: say('code.bad_name') }),
      'the page should say that this name does not work',
    );
    await shows(page.locator('main.join'), 'the join screen should ask again');
    assert.deepEqual(await cutText(page), [], 'the refusal should not break the page');
    // Gone before the next try, so that its own refusal is seen.
    await goes(page.getByRole('alert'), 'the refusal should go away');
  }
  await sitDown(page, 'Ana');
  await shows(page.locator('main.lobby'), 'a good name should then sit down');
  assert.deepEqual(
    (await stage.server.room(code)).seats.map((seat) => seat.name),
    ['Ana'],
    'only the good name should sit',
  );
});
