// Copying the link, with and without a clipboard.

import assert from 'node:assert/strict';
import { shows, story, HOME, PHONE } from './support/stage.js';
import { FINGER_PX } from './support/player.js';
import { cutText, smallTargets } from './support/sights.js';
import { say } from './support/words.js';

async function pressCopy(stage, url, options) {
  const page = await stage.page(await stage.device(PHONE, options));
  const link = `${url}/r/${await stage.server.newRoom()}`;
  await page.goto(link);
  await page.getByRole('textbox', { name: say('join.name') }).fill('Ana');
  await page.getByRole('button', { name: say('join.sit'), exact: true }).click();
  await page.getByRole('button', { name: say('share.copy'), exact: true }).click();
  return { page, link };
}

story('over plain http, without a clipboard, the link is selected in a field', async (stage) => {
  const { page, link } = await pressCopy(stage, `http://${HOME}:${stage.server.port}`);
  assert.equal(await page.evaluate(() => isSecureContext), false, 'a home network has no https');
  const field = page
    .getByRole('dialog', { name: say('share.copy') })
    .getByRole('textbox', { name: say('share.by_hand') });
  await shows(field, 'the link should be shown in a field');
  const seen = await field.evaluate((el) => ({
    value: el.value,
    selected: el.value.slice(el.selectionStart, el.selectionEnd),
    focused: el === document.activeElement,
    editable: !el.readOnly,
    whole: el.scrollWidth <= el.clientWidth,
    size: parseFloat(getComputedStyle(el).fontSize),
  }));
  // Below 16 px a phone zooms into a field.
  assert.deepEqual(
    { ...seen, size: seen.size >= 16 },
    { value: link, selected: link, focused: true, editable: false, whole: true, size: true },
  );
  assert.ok((await field.boundingBox()).height >= FINGER_PX, 'a finger should hit the field');
  assert.deepEqual([...(await cutText(page)), ...(await smallTargets(page))], []);
});

story('over https or on localhost the link is copied', async (stage) => {
  const { page, link } = await pressCopy(stage, stage.server.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await shows(page.getByRole('alert').filter({ hasText: say('share.copied') }), 'the page should say so');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
});
