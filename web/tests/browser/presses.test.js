// Which presses count: every deliberate one, even quick ones, but not the second half of a double tap that lands on
// another control, nor a repeated key. The table is scripted and answers each act at once, so that the changes under
// the finger are known.

import assert from 'node:assert/strict';
import { settled, shows, story, LAPTOP, PATIENCE_MS, PHONE } from './support/stage.js';
import { ENTER, QWANTUM, laidTable } from './support/laid.js';
import { bids, cards, ended, room, table } from './support/scenes.js';
import { say } from './support/words.js';

/**
 * Waits for the control that `where` finds and presses it. Presses the control `next` the very moment the page shows it
 * and these words. Runs in the page: no finger is faster. Returns how that control answered.
 */
async function pressTwice(page, where, words, next = where) {
  await settled(page, page.locator(where));
  return page.evaluate(pressAgainAtOnce, [where, words, next]);
}

const pressAgainAtOnce = ([selector, text, next]) =>
  new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const control = document.querySelector(next);
      if (!control || !document.querySelector('#app > main').textContent.includes(text)) return;
      watch.disconnect();
      // The page marks what it has just drawn after drawing it.
      queueMicrotask(() => {
        const settling = control.hasAttribute('data-settling');
        control.click();
        resolve({
          settling,
          refused: control.hasAttribute('data-refused'),
          heard: document.getElementById('heard').textContent.trim(),
        });
      });
    });
    watch.observe(document.getElementById('app'), {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['class', 'aria-pressed'],
    });
    document.querySelector(selector).click();
  });

/** How a control answers a press that does not count: it shows why, before and after, and is named aloud. */
const refusal = (name) => ({ settling: true, refused: true, heard: name });

/** Holds a key: it goes down once, and then comes again and again, each time after the page has settled. */
async function hold(page, key) {
  for (let times = 0; times < 4; times += 1) {
    await page.keyboard.down(key);
    await settled(page);
    await settled(page, page.locator(':focus, body:not(:has(:focus))'));
  }
  await page.keyboard.up(key);
}

story(
  'a held key picks a row of Qwantum but does not enter it, and a double tap on Skip skips one step, not two',
  async (stage) => {
    const { page, told } = await laidTable(
      stage,
      'qwantum',
      { table: QWANTUM, actions: ENTER },
      (action, { table: { phase } }) =>
        phase === 'choose'
          ? { table: { phase: 'share' } }
          : { table: { decided: [true, false] }, mine: { choice: action } },
    );
    const picked = (row) => shows(page.locator(`.ownside .lane.${row}[aria-pressed=true]`), `${row} should be picked`);

    await hold(page, '2');
    await picked('blue');
    assert.deepEqual(told, [], 'a held key should pick and not enter');
    await page.locator('.ownside .lane.red').focus();
    await hold(page, 'Enter');
    await picked('red');
    assert.deepEqual(told, [], 'nor should a held Enter');

    const answer = await pressTwice(page, '.bar .step', say('qwantum.say.you_share'));
    assert.deepEqual(answer, refusal(say('qwantum.skip_miss', { cost: 1 })), 'the second press should be answered');
    await settled(page);
    assert.deepEqual(told, ['skip'], 'a double tap on Skip should skip the first step alone');
    await hold(page, 's');
    await shows(
      page.locator('.bar').getByText(say('qwantum.chosen', { choice: say('qwantum.skip') })),
      'the next press should count',
    );
    assert.deepEqual(told, ['skip', 'skip'], 'a key that is held should count once');
  },
);

story('a held Enter only bids in Five Towers, Finish needs its own tap, and Undo accepts quick taps', async (stage) => {
  const row = cards('sand-10 candy-15 tree-13');
  const { page, told } = await laidTable(
    stage,
    'towers',
    { table: table(2, { row }), actions: bids(0, 1, 2, 3) },
    (action, { table: { hand } }) => {
      if (action.type === 'bid')
        return { table: { phase: 'take', standing: { seat: 0, count: 3 } }, actions: [{ type: 'take', cards: row }] };
      if (action.type === 'take') return building(row);
      return building(action.type === 'undo' ? row.slice(0, hand.length + 1) : hand.slice(0, -1));
    },
  );
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
    await shows(
      page.getByText(say('towers.say.you_build', { count: left })).first(),
      `${left} should be left to build`,
    );
    await page
      .locator('.hand [data-card]')
      .nth(left - 1)
      .click();
    await settled(page);
    if (left > 1) await page.locator('.bar .main').click();
  }
  assert.deepEqual(
    await pressTwice(page, '.bar .main', say('towers.say.you_finish')),
    refusal(say('towers.finish')),
    'the second press should be answered',
  );
  assert.deepEqual(
    told.slice(2),
    ['build', 'build', 'build'],
    'the second half of a double tap on the last card’s button should not finish',
  );
  const again = await pressTwice(page, '.bar .step', say('towers.say.you_build', { count: 1 }));
  assert.deepEqual([again.settling, again.refused], [false, false], 'Undo stays what it is');
  await shows(
    page.getByText(say('towers.say.you_build', { count: 2 })).first(),
    'two cards should be back in the hand',
  );
  assert.deepEqual(told.slice(5), ['undo', 'undo'], 'Undo stays what it is, so it may be pressed as fast as one can');
});

story(
  'a double tap on Rematch does not start the next game, and one on Remove removes only one player',
  async (stage) => {
    const names = ['Ana', 'Mira', 'Tomas'];
    const lobby = (...people) => ({ room: { phase: 'lobby', seats: room(people.length, { names: people }).seats } });
    const { page, told } = await laidTable(
      stage,
      'towers',
      { table: ended(2), actions: [], room: { phase: 'finished' } },
      ({ type }) => {
        if (type === 'rematch') return lobby(...names);
        // Somebody comes to watch: the page shows that Start was heard.
        return type === 'remove' ? lobby('Ana', 'Tomas') : { room: { ...lobby('Ana', 'Tomas').room, watchers: 3 } };
      },
    );
    assert.deepEqual(
      await pressTwice(page, '.bar .main + .step', say('lobby.you_start'), '.bar .main'),
      refusal(say('lobby.start')),
      'the second press should be answered',
    );
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
  },
);

/** A round of Five Towers that begins again when it is over: bid, take three cards, place them, finish. */
const ROW = cards('sand-10 candy-15 tree-13');
const building = (hand) => ({
  table: { phase: 'build', hand, row: [] },
  actions: [
    ...hand.map((card) => ({ type: 'build', card })),
    ...(hand.length ? [] : [{ type: 'finish' }]),
    { type: 'undo' },
  ],
});
const bidding = () => ({ table: { phase: 'auction', row: ROW, hand: [], standing: null }, actions: bids(0, 1, 2, 3) });
const round = (action, { table: { hand } }) => {
  if (action.type === 'bid')
    return { table: { phase: 'take', standing: { seat: 0, count: 3 } }, actions: [{ type: 'take', cards: ROW }] };
  if (action.type === 'take') return building(ROW);
  if (action.type === 'build') return building(hand.filter((card) => card.tower !== action.card.tower));
  return bidding();
};
/** A turn of Qwantum that begins again when it is over: roll, roll again, enter, and choose with everybody. */
const [ROLL, REROLL] = [[{ type: 'roll' }], [{ type: 'reroll' }, { type: 'keep' }]];
const rolling = () => ({
  table: { phase: 'roll', rolls: 0, dice: null, totals: null, used: null, decided: [false, false] },
  actions: ROLL,
  mine: { choice: null },
});
const turn = (action, { table: { phase } }) => {
  if (action.type === 'roll') return { table: { ...QWANTUM, phase: 'roll', rolls: 1 }, actions: REROLL };
  if (phase === 'roll') return { table: { phase: 'choose', rolls: 2 }, actions: ENTER };
  return phase === 'choose' ? { table: { phase: 'share', used: action.row ?? null }, actions: ENTER } : rolling();
};

/** What the lesson teaches in each game: the table, what to touch twice, its key, and what comes of it. */
const TAUGHT = {
  towers: {
    first: {
      table: table(2, { ...building(ROW).table, standing: { seat: 0, count: 3 } }),
      actions: building(ROW).actions,
    },
    answer: round,
    where: '.hand [data-card]',
    act: 'build',
  },
  qwantum: {
    first: { table: QWANTUM, actions: ENTER },
    answer: (action, state) => (state.table.phase === 'choose' ? turn(action, state) : { table: { phase: 'choose' } }),
    where: '.ownside .lane[data-card]',
    act: 'enter',
  },
};
/** As quick as a double tap gets. */
const DOUBLE_MS = 120;

for (const [game, { first, answer, where, act }] of Object.entries(TAUGHT)) {
  for (const [by, device] of [
    ['finger', PHONE],
    ['mouse', LAPTOP],
    ['key', LAPTOP],
  ]) {
    story(`the double tap that the lesson of ${game} teaches counts at once, by ${by}`, async (stage) => {
      const { page, told } = await laidTable(stage, game, first, answer, device);
      const heard = [];
      for (let times = 1; times <= 3; times += 1) {
        const box = await page.locator(where).first().boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const press = {
          finger: () => page.touchscreen.tap(x, y),
          mouse: () => page.mouse.click(x, y),
          key: () => page.keyboard.press('1'),
        }[by];
        await press();
        await page.waitForTimeout(DOUBLE_MS);
        await press();
        heard.push(act);
        // The browser may make a click of a tap after the tap has returned.
        for (const end = Date.now() + PATIENCE_MS; Date.now() < end && told.length < heard.length;)
          await page.waitForTimeout(20);
        await page.waitForFunction(() => !document.querySelector('main.sending'));
        await shows(page.locator(where).first().or(page.locator('.bar .main.lit')).first(), 'the table should go on');
        assert.deepEqual(told, heard, `the second press of pair ${times} should play`);
      }
    });
  }
}

/** How many presses are tried, and how long after a change each comes. */
const QUICK = { presses: 50, from: 150, to: 300 };

/**
 * Presses what `next` finds, so many times, each a while after the page has drawn what the last one changed. Runs in
 * the page, as no driver is as punctual. Returns the presses after which nothing changed and no control was marked.
 */
function pressQuickly([{ presses, from, to }, next, byKey]) {
  const app = document.getElementById('app');
  const find = new Function(`return (${next})()`);
  const seen = () =>
    app.textContent +
    [...app.querySelectorAll('[aria-pressed], [data-refused], .sent')]
      .map((el) => `${el.className}${el.getAttribute('aria-pressed')}${el.hasAttribute('data-refused')}`)
      .join();
  const drawn = (then) => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('main.sending') || !find()) return;
      watch.disconnect();
      then();
    });
    watch.observe(app, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  return new Promise((resolve) => {
    const lost = [];
    let refused = 0;
    const press = (at) => {
      const { control, key } = find();
      const before = seen();
      drawn(() =>
        requestAnimationFrame(() =>
          setTimeout(
            () => (at + 1 < presses ? press(at + 1) : resolve({ lost, refused })),
            from + ((at * 37) % (to - from)),
          ),
        ),
      );
      if (byKey)
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      else control.click();
      // What a press does is drawn before the next task.
      queueMicrotask(() =>
        queueMicrotask(() => {
          if (document.querySelector('[data-refused]')) refused += 1;
          if (seen() === before) lost.push(`press ${at + 1}: ${byKey ? key : control.textContent}`);
        }),
      );
    };
    press(0);
  });
}

/** What to press next, and with which key. Runs in the page. */
const NEXT = {
  towers: `() => {
    const at = (selector, key) => { const control = document.querySelector(selector); return control && { control, key }; };
    const lifted = [...document.querySelectorAll('.hand [data-card]')].findIndex((el) => el.matches('.lifted'));
    return at('.bids .number.lit:nth-child(4)', '3') ?? at('.steps .main.lit:not(:has(~ *))[aria-keyshortcuts=F]', 'f') ?? at('.hand.building .lifted', String(lifted + 1)) ?? at('.hand.building [data-card].lit', '1');
  }`,
  qwantum: `() => {
    const at = (selector, key) => { const control = document.querySelector(selector); return control && { control, key }; };
    return at('.dice .lit:not(.free)', '1') && !document.querySelector('.dice .free') ? at('.dice .lit', '1') : at('.bar .main.lit[aria-keyshortcuts=R]', 'r') ?? at('.lane.lit[aria-pressed=true]', '1') ?? at('.lane.violet.lit', '1');
  }`,
};

for (const game of ['towers', 'qwantum']) {
  const first =
    game === 'towers'
      ? { table: table(2, bidding().table), actions: bidding().actions }
      : { ...rolling(), table: { ...QWANTUM, ...rolling().table } };
  for (const byKey of [false, true]) {
    story(
      `fifty quick ${byKey ? 'keys' : 'taps'} in ${game}, 150 to 300 ms after each change, all count`,
      async (stage) => {
        const { page, told } = await laidTable(stage, game, first, game === 'towers' ? round : turn);
        const { lost, refused } = await page.evaluate(pressQuickly, [QUICK, NEXT[game], byKey]);
        assert.deepEqual([lost, refused], [[], 0], 'no press should be lost, and none refused');
        assert.ok(
          told.length >= 25,
          `half of the presses at least should have played, but the server heard ${told.length}`,
        );
      },
    );
  }
}

story(
  'the second half of a double tap that closes a sheet is ignored, and the first key after it counts',
  async (stage) => {
    const { page, told } = await laidTable(
      stage,
      'towers',
      { table: table(2, bidding().table), actions: bidding().actions },
      round,
      PHONE,
    );
    const openLeave = async () => {
      await page.getByRole('button', { name: say('menu'), exact: true }).click();
      await page
        .locator('dialog[open]')
        .getByRole('button', { name: say('menu.leave'), exact: true })
        .click();
      await shows(page.locator('.for-leave'), 'leaving should be asked about');
      await settled(page);
    };
    await openLeave();
    const answer = await page
      .locator('.for-leave .steps button')
      .first()
      .evaluate(async (stay) => {
        // Where a number of the bar is behind the sheet.
        const { x, y, width, height } = document.querySelectorAll('.bids .number')[2].getBoundingClientRect();
        const [clientX, clientY] = [x + width / 2, y + height / 2];
        const tap = () => {
          const control = document.elementFromPoint(clientX, clientY);
          control.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, clientX, clientY }));
          control.closest('button')?.click();
          return control;
        };
        const over = tap();
        if (over.closest('.for-leave') && !stay.contains(over)) stay.click();
        await new Promise((resolve) => {
          requestAnimationFrame(resolve);
        });
        const number = tap().closest('button');
        return {
          over: over.closest('dialog') !== null,
          number: number.className.includes('number'),
          refused: number.hasAttribute('data-refused'),
        };
      });
    assert.deepEqual(
      answer,
      { over: true, number: true, refused: true },
      'the number under the finger should answer that it was not meant',
    );
    await settled(page);
    assert.deepEqual(told, [], 'and nothing should be bid');

    await openLeave();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await shows(page.locator('.bar .main'), 'the key should bid');
    assert.deepEqual(told, ['bid']);
  },
);
