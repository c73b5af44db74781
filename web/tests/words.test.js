import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { bestLanguage, formatList, formatSigned, formatDuration, t, setCatalogues } from '../i18n.js';
import { words } from '../games/towers/words.js';
import { catalogue } from './texts.js';

const here = new URL('..', import.meta.url);
const english = catalogue('en');

function sources(folder = here) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return ['tests', 'i18n', 'icons', 'node_modules'].includes(entry.name)
        ? []
        : sources(new URL(`${entry.name}/`, folder));
    return entry.name.endsWith('.js') ? [readFileSync(new URL(entry.name, folder), 'utf8')] : [];
  });
}

test('every key of the page is in the catalogue, and no other', () => {
  const text = sources().join('\n');
  const named = new Set(
    [...text.matchAll(/\bt\(\s*(?:[^'"`()]*\? )?'([a-z][\w.]*)'(?: : '([a-z][\w.]*)')?/g)]
      .flatMap((match) => [match[1], match[2]])
      .filter(Boolean),
  );
  for (const key of named) assert.ok(key in english, `missing: ${key}`);
  // The server fills these in.
  const template = readFileSync(new URL('index.html', here), 'utf8');
  const stems = [...text.matchAll(/`([a-z_]+(?:\.[a-z_]+)*[._])\$\{/g)].map((match) => match[1]);
  for (const key of Object.keys(english)) {
    const used =
      text.includes(`'${key}'`) ||
      text.includes(`'${key}`) ||
      stems.some((stem) => key.startsWith(stem)) ||
      key.startsWith('code.') ||
      key.startsWith('close.') ||
      template.includes(`{{${key}}}`);
    assert.ok(used, `unused: ${key}`);
  }
});

test('fills in parameters, and chooses the plural by count', () => {
  setCatalogues('en', english, {});
  assert.equal(t('points', { count: 1 }), '1 point');
  assert.equal(t('points', { count: 12 }), '12 points');
  assert.equal(t('away', { time: formatDuration(83000) }), 'away 1:23');
  assert.equal(t('no.such.key'), 'no.such.key');
  assert.equal(formatList(['Ana', 'Mira', 'Tomas']), 'Ana, Mira, and Tomas');
  assert.equal(formatSigned(-6), '−6');
});

test('formats times of an hour or more in the language', () => {
  assert.equal(formatDuration(83000), '1:23');
  assert.equal(formatDuration(3_720_000), '1:02 h');
  setCatalogues('lt', english, catalogue('lt'));
  assert.equal(formatDuration(3_720_000), '1:02\u00a0val.');
  setCatalogues('en', english, {});
});

test('a name with braces stays a name', () => {
  assert.equal(t('towers.say.bids', { name: '{count}<b>' }), '{count}<b> bids');
});

test('a missing key falls back to English', () => {
  setCatalogues('lt', { a: 'English', b: 'Only English' }, { a: 'Lietuviškai' });
  assert.equal(t('a'), 'Lietuviškai');
  assert.equal(t('b'), 'Only English');
  setCatalogues('en', english, {});
});

test('the browser’s language is the first one', () => {
  assert.equal(bestLanguage(['xx-YY', 'en-GB']), 'en');
  assert.equal(bestLanguage([]), 'en');
});

test('the log has words for every event', () => {
  const name = (seat) => ['Ana', 'Mira'][seat];
  const card = { tower: 'sand', value: 7 };
  assert.equal(words({ type: 'bid', seat: 0, count: 3 }, name), 'Ana bids 3');
  assert.equal(words({ type: 'build', seat: 1, card }, name), 'Mira builds Sand 7');
  assert.equal(words({ type: 'build', seat: 1, card: { ...card, value: 0 } }, name), 'Mira roofs Sand');
  assert.equal(words({ type: 'end', winners: [0, 1], scores: [9, 9] }, name), 'Ana and Mira share the win');
});

test('rules and piles say that an empty draw pile does not end the round', async () => {
  const { sections } = await import('../games/towers/rulebook.js');
  const words = sections.flatMap(({ body }) => body.map((part) => part.words));
  const round = {
    en: /^after the round/i,
    de: /^nach der runde/i,
    lt: /^po raundo/i,
    pl: /^po rundzie/i,
    hu: /^annak a fordulónak a végén/i,
  };
  for (const key of ['towers.deal_first', 'towers.deal_second']) {
    assert.ok(words.includes(key), `the rules page says ${key}`);
    for (const [code, after] of Object.entries(round)) assert.match(catalogue(code)[key], after, `${code} ${key}`);
  }
});

test('both rulebooks say who begins, and that of Qwantum what is open when all choose', async () => {
  const { sections: qwantum } = await import('../games/qwantum/rulebook.js');
  const { sections: towers } = await import('../games/towers/rulebook.js');
  for (const sections of [towers, qwantum])
    assert.ok(
      sections.some(({ body }) => body.some((part) => part.words === 'rules.begins')),
      'who begins',
    );
  assert.match(
    english['qwantum.rules.share'],
    /any of the four if you used none\. Several players may use the same colour/,
  );
  assert.ok(
    qwantum.some(({ body }) => body.some((part) => part.words === 'qwantum.rules.tip')),
    "the rulebook's tip",
  );
});

test('the rules tell all that a retraction does', () => {
  for (const part of [
    /back to the row/,
    /to its tower/,
    /more than the bid before/,
    /starting player can’t pass/,
    /bid again/,
    /as printed/,
    /real table/,
  ])
    assert.match(english['rules.mistakes'], part);
});

test('in every language, preventing mistakes is the printed rule, and allowing them is as at a real table', () => {
  const told = {
    en: [/printed rule/, /real table/],
    de: [/gedruckte Regel/, /echten Tisch/],
    lt: [/taisyklėse/, /tikro stalo/],
    pl: [/w instrukcji/, /prawdziwym stole/],
    hu: [/nyomtatott szabály/, /igazi asztal/],
  };
  for (const [code, [printed, real]] of Object.entries(told)) {
    assert.match(catalogue(code)['towers.mistakes.prevented.hint'], printed, code);
    assert.match(catalogue(code)['towers.mistakes.allowed.hint'], real, code);
  }
});
