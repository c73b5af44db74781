import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pictures, sections } from '../games/qwantum/rulebook.js';
import { gameUi as qwantum } from '../games/qwantum/index.js';
import { enterOf, reconcileChoice, noChoice, toggled, totalsOf } from '../games/qwantum/choice.js';
import { ROWS, dice, faceName, ownFeet } from '../games/qwantum/pieces.js';
import { sentence, whyDie, whyRow, words } from '../games/qwantum/words.js';
import { t, setCatalogues } from '../i18n.js';
import { catalogue } from './texts.js';

setCatalogues('en', catalogue(), {});

const NAMES = ['Ana', 'Mira', 'Tomas'];
const name = (seat) => NAMES[seat];
/** The first worked example of the rules: violet 6, blue 13, red 6, yellow 8. */
const ROLL = dice('W3 Y5 B5 R3 V3 B2 B3');
const rows = (given = {}) => ({ violet: [], blue: [], red: [], yellow: [], ...given });

/** The view of a table for three, with Ana at seat 0 and her first turn by default. */
function view(
  table = {},
  {
    seat = 0,
    actions = [],
    mine = { choice: null },
    pending = null,
    moment = null,
    row = null,
    own = {},
    phase = 'playing',
    seats = {},
    asked = null,
  } = {},
) {
  const laid = {
    phase: 'choose',
    turn: 0,
    round: 2,
    rolls: 2,
    dice: ROLL,
    totals: totalsOf(ROLL),
    used: null,
    decided: [false, false, false],
    outcome: null,
    players: NAMES.map((_, at) => ({ seat: at, rows: rows(at === seat ? own : {}), misses: 0, score: null })),
    ...table,
  };
  const known = {
    room: {
      phase,
      seats: NAMES.map((each, at) => ({
        seat: at,
        name: each,
        kind: 'human',
        connected: true,
        away_ms: 0,
        bot: null,
        ...seats[at],
      })),
    },
    roomAt: 0,
    pending,
    game: { asked: asked ?? (laid.turn === null ? [] : [laid.turn]) },
  };
  return { table: laid, seat, actions, mine, known, now: 0, ui: { moment, choice: { ...noChoice, row } } };
}

const state = (table, more = {}) => ({
  version: 1,
  next: 0,
  mine: { choice: null },
  actions: [],
  events: [],
  deadline_ms: null,
  table: { phase: 'roll', round: 1, turn: 0, rolls: 1, decided: [false, false], ...table },
  ...more,
});

test('a colour’s total is its dice and the white one, or the white one alone', () => {
  assert.deepEqual(totalsOf(ROLL), { violet: 6, blue: 13, red: 6, yellow: 8 });
  assert.deepEqual(totalsOf(dice('W3 B5 B5 B4 B2 Y4 Y1')), { violet: 3, blue: 19, red: 3, yellow: 8 });
});

test('explains the column score to screen readers, on hover and on a tap', () => {
  const said = [];
  const { tag, props, children } = ownFeet([6, 10, null, null, null, null], (words) => said.push(words));
  assert.equal(tag, 'button');
  assert.match(props.title, /second-lowest/);
  assert.match(children[0].children[0].text, /^Columns: 6, 10, –, –, –, –\. .*second-lowest/);
  for (const shown of children.slice(1))
    if (shown.children.length) assert.equal(shown.props['aria-hidden'], 'true', 'what is seen is said in words');
  props.onclick();
  assert.match(said[0], /second-lowest/);
});

test('marks and unmarks dice to reroll, in their order on the table', () => {
  assert.deepEqual(toggled([5], 0), [0, 5]);
  assert.deepEqual(toggled([0, 5], 5), [0]);
});

test('drops a choice when its situation has passed', () => {
  const choice = { ...noChoice, again: [1, 4], row: 'red' };
  assert.equal(reconcileChoice(choice, state({}), state({})), choice, 'nothing happened to it');
  assert.deepEqual(reconcileChoice(choice, state({}), state({ turn: 1 })), noChoice);
  assert.deepEqual(reconcileChoice(choice, null, state({})), noChoice, 'a new game begins with no choice');
  assert.deepEqual(reconcileChoice(choice, state({ phase: 'choose' }), state({ phase: 'share' })).row, null);
});

test('remembers rerolled dice, so that they tumble even onto the same face', () => {
  const after = reconcileChoice({ ...noChoice, again: [1, 4] }, state({}), state({ phase: 'choose', rolls: 2 }));
  assert.deepEqual(after, { again: [], rolled: [1, 4], row: null });
  assert.deepEqual(
    reconcileChoice(after, state({ phase: 'choose', rolls: 2 }), state({ phase: 'share', rolls: 2 })).rolled,
    [1, 4],
  );
});

test('keeps a picked row while others decide, and drops it with the player’s own decision', () => {
  const choice = { ...noChoice, row: 'red' };
  const share = (more) => state({ phase: 'share', rolls: 2, ...more });
  assert.equal(reconcileChoice(choice, share(), share({ decided: [false, true] })), choice);
  assert.equal(
    reconcileChoice(choice, share(), {
      ...share({ decided: [true, false] }),
      mine: { choice: { type: 'enter', row: 'red' } },
    }).row,
    null,
  );
});

test('only what is listed can be entered', () => {
  const actions = [{ type: 'enter', row: 'blue' }, { type: 'skip' }];
  assert.equal(enterOf(actions, 'blue'), actions[0]);
  assert.equal(enterOf(actions, 'red'), null);
  assert.equal(enterOf(actions, null), null);
});

const HISTORY = [
  { type: 'turn', seat: 1 },
  { type: 'roll', seat: 1, dice: dice('W1 R1 R2 R1 R5 R3 R6') },
  { type: 'roll', seat: 1, dice: ROLL },
  { type: 'enter', seat: 1, row: 'violet', value: 6 },
  { type: 'enter', seat: 0, row: 'blue', value: 13 },
  { type: 'enter', seat: 1, row: 'blue', value: 13 },
  { type: 'turn', seat: 0 },
  { type: 'roll', seat: 0, dice: ROLL },
  { type: 'keep', seat: 0 },
  { type: 'skip', seat: 0 },
  { type: 'skip', seat: 0 },
  { type: 'enter', seat: 1, row: 'red', value: 6 },
  { type: 'miss', seat: 0 },
  { type: 'turn', seat: 1 },
  { type: 'end', winners: [1], scores: [-1, 0] },
];

test('the log has words for every event, and a turn is a chapter', () => {
  assert.equal(words(HISTORY[2], name), 'Mira rolls: violet 6, blue 13, red 6, and yellow 8');
  assert.equal(words({ type: 'enter', seat: 0, row: 'blue', value: 13 }, name), 'Ana enters 13 in blue');
  assert.equal(words({ type: 'end', winners: [0, 1], scores: [9, 9] }, name), 'Ana and Mira share the win');
  assert.equal(qwantum.chapter(HISTORY[0], name), 'Mira’s turn');
  for (const event of HISTORY) assert.ok(words(event, name) ?? qwantum.chapter(event, name), `no words: ${event.type}`);
});

test('one sentence says who must do what', () => {
  const fits = { actions: [{ type: 'enter', row: 'red' }, { type: 'skip' }] };
  assert.equal(sentence(view({ phase: 'roll', rolls: 0 })), t('qwantum.say.you_roll'));
  assert.equal(sentence(view({ phase: 'roll', rolls: 1, turn: 1 })), 'Mira may reroll');
  assert.equal(sentence(view({}, fits)), t('qwantum.say.you_enter'));
  assert.equal(sentence(view({}, { ...fits, row: 'red' })), t('qwantum.say.tap_again'));
  assert.equal(sentence(view({}, { actions: [{ type: 'skip' }] })), t('qwantum.say.none_fits'));
  assert.equal(sentence(view({ phase: 'share', turn: 1 }, { ...fits, asked: [0, 1, 2] })), t('qwantum.say.you_share'));
  assert.equal(
    sentence(view({ phase: 'share', decided: [true, false, false] }, { ...fits, asked: [1, 2] })),
    'Waiting for Mira and Tomas',
  );
  assert.equal(
    sentence(
      view(
        { phase: 'share', decided: [true, true, false] },
        { asked: [2], seats: { 2: { connected: false, away_ms: 83000 } } },
      ),
    ),
    'Waiting for Tomas, away 1:23',
  );
  assert.equal(
    sentence(view({ phase: 'finished', turn: null, outcome: { winners: [0], scores: [9, 1, 1] } })),
    t('end.you_win'),
  );
});

test('names the rule that forbids an entry', () => {
  const why = (own, table = {}, more = {}) => whyRow(view(table, { own, ...more }), 'blue');
  assert.equal(why({ blue: [4, 13] }), 'Must be more than 13.');
  assert.equal(why({ blue: [4, 7, 12, 13] }), 'Must be less than 13.');
  assert.equal(why({ blue: [4, 7, 12, 18, 9, 5] }), t('code.row_full'));
  assert.equal(why({}, { phase: 'share', used: 'blue' }), t('code.color_used'));
  assert.equal(why({}, { turn: 1 }), 'Mira may enter a total first, then everyone.');
  assert.equal(why({}, { phase: 'roll', rolls: 0 }), t('qwantum.why.roll_first'));
  assert.equal(why({}, { phase: 'roll', rolls: 1 }), t('qwantum.why.keep_first'));
  assert.equal(why({}, {}, { moment: 3 }), t('why.past'));
  assert.equal(why({}, {}, { pending: { n: 0, action: {} } }), t('why.pending'));
  assert.equal(why({}, {}, { phase: 'finished' }), t('code.game_over'));
});

test('says why a die cannot be rerolled', () => {
  assert.equal(whyDie(view({ phase: 'roll', rolls: 1, turn: 2 })), 'Tomas is rolling.');
  assert.equal(whyDie(view({ phase: 'share' })), t('code.no_reroll_left'));
});

test('the chart shows the faces of the rules: six on each die, no total above 33', () => {
  const faces = (node) => (node.props['aria-label'] ? [node.props['aria-label']] : node.children.flatMap(faces));
  const chart = qwantum.piles(view());
  const all = faces(chart);
  assert.equal(all.length, 42);
  assert.deepEqual(
    all.slice(0, 6),
    [1, 2, 3, 4, 5, 6].map((value) => faceName({ color: 'white', value })),
  );
  assert.deepEqual(all.slice(6, 12), dice('R1 R4 Y5 B1 B5 V6').map(faceName));
  for (const row of ROWS) {
    const best = Array.from({ length: 6 }, (_, die) =>
      Math.max(
        0,
        ...all
          .slice(6 + die * 6, 12 + die * 6)
          .filter((face) => face.startsWith(t(`qwantum.color.${row}`)))
          .map((face) => Number(face.slice(-1))),
      ),
    );
    assert.equal(
      best.reduce((sum, value) => sum + value, 6),
      33,
      row,
    );
  }
});

test('the rulebook names only existing texts and pictures', () => {
  for (const section of sections) {
    assert.notEqual(t(section.title), section.title);
    for (const part of section.body) {
      if ('picture' in part) assert.ok(pictures[part.picture]?.(), part.picture);
      else assert.notEqual(t(part.words), part.words);
    }
  }
});

test('numbers have enough contrast to their colour, on the table and in the saved picture', () => {
  const read = (path) => readFileSync(new URL(`../games/qwantum/${path}`, import.meta.url), 'utf8');
  const ink = '#1d1a2b';
  const light = (hex) => {
    const [red, green, blue] = hex
      .match(/\w{2}/g)
      .map((part) => parseInt(part, 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [css, picture] = [read('qwantum.css'), read('picture.js')];
  for (const color of [...ROWS, 'white']) {
    const [, wall, on] = css.match(new RegExp(`\\.qw \\.${color} \\{\\s*--c: (#\\w{6});\\s*--on: ([^;]+);`));
    const written = on === '#fff' ? '#ffffff' : ink;
    const [low, high] = [light(wall), light(written)].sort((a, b) => a - b);
    assert.ok(high / low >= 4.8, `${color}: ${(high / low).toFixed(2)}`);
    if (color !== 'white')
      assert.ok(
        picture.includes(`${color}: ['${wall}', '${on === '#fff' ? '#fff' : ink}']`),
        `${color} in the picture`,
      );
  }
});

test('no style of this game applies to another game', () => {
  const css = ['qwantum', 'table']
    .map((name) => readFileSync(new URL(`../games/qwantum/${name}.css`, import.meta.url), 'utf8'))
    .join('')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/@keyframes[^]+?\n {2}\}/g, '');
  const selectors = [...css.matchAll(/([^{};]+)\{/g)]
    .map(([, selector]) => selector.trim())
    .filter((selector) => !selector.startsWith('@') && selector !== '.game:not(.wide)');
  assert.ok(selectors.length > 50, 'the styles should have been read');
  for (const selector of selectors.flatMap((each) => each.split(/,(?![^(]*\))/)))
    assert.match(selector, /\.(qw|rival|spill|chartButton)\b/);
});
