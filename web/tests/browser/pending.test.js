// What a player sees between an act and the server's answer: the pressed control, and the act in the status line.

import assert from 'node:assert/strict';
import { shows, story, LAPTOP, PHONE } from './support/stage.js';
import { ENTER, QWANTUM, laidTable } from './support/laid.js';
import { bids, cards, table } from './support/scenes.js';
import { say } from './support/words.js';

const headline = (page) => page.locator('.say span').textContent();
/** The controls of the bar by what their looks say of them. */
const looks = (page) =>
  page
    .locator('.bar button')
    .evaluateAll((all) =>
      all.map(
        (el) =>
          `${el.querySelector('small') ? parseInt(el.textContent, 10) : el.textContent} ${['lit', 'sent', 'dull'].find((name) => el.classList.contains(name))}`,
      ),
    );
const never = () => null;

const row = cards('sand-10 candy-15 tree-13');

for (const device of [PHONE, LAPTOP]) {
  story(
    `a bid that is on its way is marked at once, the others fade, and the headline says it (${device.viewport.width} px)`,
    async (stage) => {
      const { page, told } = await laidTable(
        stage,
        'towers',
        { table: table(2, { row }), actions: bids(0, 1, 2, 3) },
        never,
        device,
      );
      assert.deepEqual(await looks(page), [
        '0 lit',
        '1 lit',
        '2 lit',
        '3 lit',
        '4 dull',
        '5 dull',
        `${say('towers.pass')} lit`,
      ]);
      // In the same task as the tap: nothing is waited for.
      const at = await page
        .getByRole('button', { name: say('towers.bid', { count: 2 }), exact: true })
        .evaluate(async (number) => {
          number.click();
          await Promise.resolve();
          return [number.className, document.querySelector('.say span').textContent];
        });
      assert.deepEqual(
        [at[0].split(' ').includes('sent'), at[1]],
        [true, say('towers.log.bid', { name: 'Ana', count: 2 })],
      );
      assert.deepEqual(await looks(page), [
        '0 dull',
        '1 dull',
        '2 sent',
        '3 dull',
        '4 dull',
        '5 dull',
        `${say('towers.pass')} dull`,
      ]);
      // Playwright waits for what is disabled; a finger does not.
      await page.getByRole('button', { name: say('towers.bid', { count: 3 }), exact: true }).click({ force: true });
      await shows(
        page.getByRole('alert').getByText(say('why.pending')),
        'another number should say that one is on its way',
      );
      assert.deepEqual(told, ['bid'], 'and send nothing');
    },
  );
}

story('a pending take, pass and finish are marked and worded', async (stage) => {
  const over = { standing: { seat: 0, count: 3 } };
  const taking = await laidTable(
    stage,
    'towers',
    { table: table(2, { row, phase: 'take', ...over }), actions: [{ type: 'take', cards: row }] },
    never,
  );
  await taking.page.locator('.bar .main').click();
  await shows(
    taking.page.locator('.bar .main.sent').getByText(say('towers.take', { count: 3 })),
    'Take should stay and be marked',
  );
  assert.equal(await headline(taking.page), say('towers.say.takes', { name: 'Ana', count: 3, of: 3 }));

  const passing = await laidTable(
    stage,
    'towers',
    { table: table(2, { row, standing: { seat: 1, count: 2 } }), actions: [...bids(3), { type: 'pass' }] },
    never,
  );
  await passing.page.keyboard.press('p');
  await shows(passing.page.locator('.bar .pass.sent'), 'Pass should be marked, by key too');
  assert.equal(await headline(passing.page), say('towers.log.pass', { name: 'Ana' }));

  const building = await laidTable(
    stage,
    'towers',
    { table: table(2, { row: [], phase: 'build', ...over }), actions: [{ type: 'finish' }, { type: 'undo' }] },
    never,
  );
  await building.page.keyboard.press('f');
  await shows(building.page.locator('.bar .main.sent').getByText(say('towers.finish')), 'Finish should be marked');
  assert.equal(await headline(building.page), say('towers.log.finish', { name: 'Ana' }));
});

story('a pending entry and roll in Qwantum are marked and worded', async (stage) => {
  const entering = await laidTable(stage, 'qwantum', { table: QWANTUM, actions: ENTER }, never);
  await entering.page.keyboard.press('2');
  await entering.page.keyboard.press('2');
  await shows(entering.page.locator('.lane.blue .next.sent'), 'the cell should be marked');
  await shows(entering.page.locator('.bar .main.sent'), 'and so should the button that does the same');
  assert.equal(
    await headline(entering.page),
    say('qwantum.log.enter', { name: 'Ana', value: 12, row: say('qwantum.color.blue') }),
  );

  const rolling = await laidTable(
    stage,
    'qwantum',
    { table: { ...QWANTUM, phase: 'roll', rolls: 0, dice: null, totals: null }, actions: [{ type: 'roll' }] },
    never,
  );
  await rolling.page.keyboard.press('r');
  await shows(rolling.page.locator('.bar .main.sent'), 'Roll should be marked');
  assert.equal(await headline(rolling.page), say('qwantum.say.rolls', { name: 'Ana' }));
});
