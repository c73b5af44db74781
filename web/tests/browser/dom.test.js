// `dom.js` alone, in a real browser under the page's Content-Security-Policy: what stays, moves, and keeps the focus.

import assert from 'node:assert/strict';
import { story, LAPTOP } from './support/stage.js';

/** A page without the app: `look(steps)` runs in it with `h`, `render` and an empty root in the document. */
async function emptyPage(stage) {
  const page = await stage.page(await stage.device(LAPTOP));
  await page.route('**/main.chunk.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await page.goto(stage.server.url);
  await page.evaluate(async () => {
    const main = document.querySelector('script[type=module]').src;
    const { classes, h, render } = await import(new URL('dom.js', main).href);
    const root = document.body.appendChild(document.createElement('div'));
    Object.assign(window, { classes, h, root, show: (...children) => render(root, children) });
  });
  return page;
}

story('elements with keys keep their identity when they move', async (stage) => {
  const page = await emptyPage(stage);
  const seen = await page.evaluate(() => {
    const { h, root, show } = window;
    const list = (...keys) =>
      show(
        h(
          'ul',
          null,
          keys.map((key) => h('li', { key }, key)),
        ),
      );
    const items = () => [...root.querySelectorAll('li')];
    const texts = () =>
      items()
        .map((el) => el.textContent)
        .join('');
    list('a', 'b', 'c');
    const [a, b, c] = items();
    const watch = new MutationObserver(() => {});
    watch.observe(root.firstChild, { childList: true });
    list('b', 'c', 'a');
    const turned = {
      order: texts(),
      same: items()[0] === b && items()[1] === c && items()[2] === a,
      moved: watch.takeRecords().filter((record) => record.addedNodes.length).length,
    };
    list('b', 'c', 'a');
    const again = watch.takeRecords().length;
    list('b', 'x', 'a');
    const replaced = { order: texts(), same: items()[0] === b && items()[2] === a, gone: !c.isConnected };
    list();
    return { turned, again, replaced, empty: items().length };
  });
  assert.deepEqual(seen.turned, { order: 'bca', same: true, moved: 1 }, 'one element moves, the others stand');
  assert.equal(seen.again, 0, 'the same again changes nothing');
  assert.deepEqual(seen.replaced, { order: 'bxa', same: true, gone: true });
  assert.equal(seen.empty, 0);
});

story('elements without keys are matched by tag and place, and only text changes', async (stage) => {
  const page = await emptyPage(stage);
  const seen = await page.evaluate(() => {
    const { h, root, show } = window;
    show(null, h('p', null, 'one'), false, 'between', [h('p', null, 'two', 3)]);
    const [first, second] = root.querySelectorAll('p');
    const text = first.firstChild;
    show(h('p', null, 'new'), h('p', null, 'uno'), false, null, [h('p', null, 'two', 4)]);
    const now = root.querySelectorAll('p');
    return { same: now[1] === first && now[2] === second && first.firstChild === text, words: root.textContent };
  });
  assert.deepEqual(seen, { same: true, words: 'newunotwo4' });
});

story('a tap counts on a button whose sibling appears or disappears while the finger is down', async (stage) => {
  const page = await emptyPage(stage);
  await page.evaluate(() => {
    const { h, show } = window;
    window.taps = [];
    const button = (name) =>
      h('button', { type: 'button', style: { width: '80px' }, onclick: () => window.taps.push(name) }, name);
    window.draw = (react) =>
      show(
        h(
          'header',
          null,
          react ? h('button', { key: 'react', style: { width: '80px' } }, 'react') : null,
          react ? null : button('rules'),
          button('chat'),
          button('menu'),
        ),
      );
    window.draw(false);
    // Whatever else is on the page would stand above it.
    document.body.replaceChildren(window.root);
  });
  const { x, y, width, height } = await page.getByRole('button', { name: 'chat' }).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.evaluate(() => window.draw(true));
  await page.mouse.up();
  assert.deepEqual(await page.evaluate(() => window.taps), ['chat']);
});

story('the focused element keeps the focus while its siblings change', async (stage) => {
  const page = await emptyPage(stage);
  const seen = await page.evaluate(() => {
    const { h, root, show } = window;
    const row = (...keys) => show(keys.map((key) => h('button', { key, type: 'button' }, key)));
    row('a', 'b', 'c');
    const kept = root.children[1];
    kept.focus();
    let blurs = 0;
    kept.addEventListener('blur', () => {
      blurs += 1;
    });
    row('new', 'a', 'b', 'c');
    row('b', 'c');
    row('b', 'z', 'c');
    const still = { same: document.activeElement === kept && kept.textContent === 'b', blurs };
    row('c');
    return { still, after: document.activeElement === document.body };
  });
  assert.deepEqual(seen, { still: { same: true, blurs: 0 }, after: true }, 'it is lost only with its element');
});

story('descendants of svg are SVG elements, and their siblings are HTML', async (stage) => {
  const page = await emptyPage(stage);
  const seen = await page.evaluate(() => {
    const { h, root, show } = window;
    const drawn = (size) =>
      show(
        h(
          'span',
          null,
          h('svg', { viewBox: `0 0 ${size} 24`, class: 'icon' }, h('g', null, h('path', { d: 'M0 0h9' }))),
          h('b', null, 'beside'),
        ),
      );
    drawn(24);
    const svg = root.querySelector('svg');
    drawn(48);
    show(
      h(
        'span',
        null,
        h('svg', { viewBox: '0 0 48 24' }, h('g', null, h('path', { d: 'M0 0h9' }), h('circle', { r: 2 }))),
        h('b', null, 'beside'),
      ),
    );
    const spaces = ['svg', 'g', 'path', 'circle', 'b'].map((tag) =>
      root.querySelector(tag).namespaceURI.split('/').at(-1),
    );
    return {
      same: root.querySelector('svg') === svg,
      box: svg.getAttribute('viewBox'),
      classed: svg.hasAttribute('class'),
      spaces,
      drawn: svg.querySelector('path').getBBox().width,
    };
  });
  assert.deepEqual(seen, {
    same: true,
    box: '0 0 48 24',
    classed: false,
    spaces: ['svg', 'svg', 'svg', 'svg', 'xhtml'],
    drawn: 9,
  });
});

story('switches show what is described after any tap, and typed text is kept', async (stage) => {
  const page = await emptyPage(stage);
  const draw = (on, chosen, text, disabled = false) =>
    page.evaluate(
      ([checked, value, typed, off]) => {
        const { h, show } = window;
        show(
          h('input', { id: 'switch', type: 'checkbox', checked }),
          h('input', { id: 'text', value: typed, disabled: off }),
          h(
            'select',
            { id: 'choice', value },
            ['a', 'b'].map((each) => h('option', { key: each, value: each, selected: each === value }, each)),
          ),
        );
      },
      [on, chosen, text, disabled],
    );
  const look = () =>
    page.evaluate(() => [
      document.getElementById('switch').checked,
      document.getElementById('choice').value,
      document.getElementById('text').value,
      document.getElementById('text').disabled,
    ]);
  await draw(false, 'b', 'Ana');
  assert.deepEqual(await look(), [false, 'b', 'Ana', false]);
  await page.locator('#switch').click();
  await page.locator('#choice').selectOption('a');
  await page.locator('#text').fill('Anastasia');
  assert.deepEqual(await look(), [true, 'a', 'Anastasia', false], 'fingers came first');
  await draw(false, 'b', 'Ana');
  assert.deepEqual(
    await look(),
    [false, 'b', 'Anastasia', false],
    'what nobody agreed to is taken back, what was typed stays',
  );
  await draw(true, 'a', 'Mira', true);
  assert.deepEqual(await look(), [true, 'a', 'Mira', true], 'the latest description should count');
  await draw(true, 'a', undefined);
  assert.equal((await look())[2], '', 'and what is described no longer is empty');
});

story('attributes, styles, listeners and hooks follow the description', async (stage) => {
  const page = await emptyPage(stage);
  const seen = await page.evaluate(() => {
    const { classes, h, root, show } = window;
    const taps = [];
    const hooks = [];
    const draw = (props) => show(h('button', { type: 'button', hook: (el) => hooks.push(el.isConnected), ...props }));
    draw({
      class: classes('card', false, 'lit'),
      'aria-pressed': false,
      hidden: true,
      title: null,
      style: { '--strip': '9px', color: 'red' },
      onclick: () => taps.push('first'),
    });
    const el = root.firstChild;
    const before = {
      html: el.outerHTML.replace(/ style="[^"]*"/, ''),
      strip: el.style.getPropertyValue('--strip'),
      color: el.style.color,
    };
    el.click();
    draw({ 'aria-pressed': true, style: { '--strip': '7px' }, onclick: () => taps.push('second') });
    el.click();
    const after = {
      html: el.outerHTML.replace(/ style="[^"]*"/, ''),
      strip: el.style.getPropertyValue('--strip'),
      color: el.style.color,
    };
    draw({});
    el.click();
    return { before, after, taps, hooks, same: root.firstChild === el };
  });
  assert.deepEqual(seen.before, {
    html: '<button type="button" class="card lit" aria-pressed="false" hidden=""></button>',
    strip: '9px',
    color: 'red',
  });
  assert.deepEqual(seen.after, {
    html: '<button type="button" aria-pressed="true"></button>',
    strip: '7px',
    color: '',
  });
  assert.deepEqual(
    [seen.taps, seen.hooks, seen.same],
    [['first', 'second'], [true], true],
    'a hook runs once, when its element is in the document',
  );
});
