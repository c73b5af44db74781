// Reactions and chat lines over a real connection: they appear beside the seat, are announced, and can be muted.

import assert from 'node:assert/strict';
import { goes, press as pressOn, shows, story, PHONE } from './support/stage.js';
import { Friend } from './support/friend.js';
import { say } from './support/words.js';

story(
  'reactions and chat lines appear beside the seat, are announced, and disappear; those of muted players are hidden',
  async (stage) => {
    const code = await stage.server.newRoom();
    const page = await stage.page(await stage.device(PHONE));
    await page.goto(`${stage.server.url}/r/${code}`);
    await page.getByRole('textbox', { name: say('join.name') }).fill('Ana');
    await page.getByRole('button', { name: say('join.sit'), exact: true }).click();
    await shows(page.locator('main.lobby'), 'Ana should sit down');
    const mira = await Friend.join(stage.server, code, 'Mira');
    const tomas = await Friend.join(stage.server, code, 'Tomas');
    for (const friend of [mira, tomas]) stage.also(() => friend.leave());
    const press = async (name) => {
      const control = page.getByRole('button', { name, exact: true });
      await pressOn(control);
    };
    await press(say('lobby.start'));
    await shows(page.locator('main.game .ownside'), 'the game should begin');
    const hears = (words) =>
      page.waitForFunction((wanted) => document.getElementById('heard').textContent.includes(wanted), words);

    mira.send({ type: 'react', reaction: 'wow' });
    await shows(page.locator('#said-1 .reaction.wow'), 'Mira’s reaction should stand beside her seat');
    await hears(say('react.said', { name: 'Mira', reaction: say('react.wow') }));
    mira.send({ type: 'chat', text: 'Tea is ready' });
    await shows(page.locator('#said-1.words').getByText('Tea is ready'), 'and so should what she says');
    await goes(page.locator('.said'), 'both should go by themselves');

    const answer = mira.until((_, message) => message?.type === 'reacted', 'Ana’s reaction');
    let reacted = null;
    mira.on('heard', (message) => {
      if (message.type === 'reacted') reacted = message;
    });
    await press(say('react'));
    await press(say('react.clap'));
    await answer;
    assert.deepEqual(
      reacted,
      { type: 'reacted', seat: 0, reaction: 'clap' },
      'everyone should be told who reacted, and how',
    );
    await goes(page.locator('.reactions'), 'the row should close');
    await shows(page.locator('#said-0 .reaction.clap'), 'one’s own should be seen too');

    await page.locator('.opponent[data-seat="1"]').click();
    await page
      .locator('dialog[open]')
      .getByLabel(say('audience.mute_name', { name: 'Mira' }))
      .click();
    await page.keyboard.press('Escape');
    await goes(page.locator('dialog[open]'), 'her sheet should close');
    mira.send({ type: 'react', reaction: 'heart' });
    await mira.until((_, message) => message?.type === 'reacted' && message.reaction === 'heart', 'her own reaction');
    tomas.send({ type: 'react', reaction: 'laugh' });
    await shows(page.locator('#said-2 .reaction.laugh'), 'Tomas’s reaction, which came later, should be seen');
    assert.equal(await page.locator('#said-1').count(), 0, 'nothing by a muted player should appear beside the seat');
  },
);
