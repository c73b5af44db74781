// The list of watchers: everyone sees it, and the host can mute and remove them.

import test from 'node:test';
import assert from 'node:assert/strict';
import { setCatalogues } from '../i18n.js';
import { initialState } from '../session/room-state.js';
import { catalogue } from './texts.js';

globalThis.document ??= { querySelector: () => null, baseURI: 'http://localhost/' };
globalThis.location ??= new URL('http://localhost/');
const { audienceSheet, unwatchSheet } = await import('../screens/audience.js');
const { watching } = await import('../screens/lobby.js');

setCatalogues('en', catalogue(), {});

const AUDIENCE = [
  { id: 7, name: 'Wil', muted: false },
  { id: 9, name: 'Zoe', muted: true },
];

/** A page that records what it sends and opens. */
function viewOf(room, seat = 0) {
  const told = [];
  const commands = {
    send: (message) => told.push(message),
    open: (sheet) => told.push(sheet),
    openAudience: () => told.push('audience'),
    close: () => told.push('closed'),
  };
  return {
    told,
    seat,
    commands,
    ui: { toast: null, sheet: null },
    known: { ...initialState, room: { host: 0, watchers: 2, audience: AUDIENCE, ...room } },
  };
}
const nodes = (drawn) => [drawn].flat(9).flatMap((node) => (node ? [node, ...nodes(node.children)] : []));
const text = (node) => node.text ?? node.children.map(text).join('');
const rows = (drawn) => nodes(drawn).filter((node) => node.tag === 'li');
const buttons = (drawn) => nodes(drawn).filter((node) => node.tag === 'button');
/** The button with this text or label. */
const button = (drawn, words) =>
  buttons(drawn).find((node) => node.props['aria-label'] === words || text(node) === words);

test('shows the watchers to everyone, and who is muted', () => {
  const view = viewOf({}, 1);
  assert.deepEqual(rows(audienceSheet(view)).map(text), ['Wil', 'Zoemuted']);
  assert.deepEqual(rows(audienceSheet(view)).flatMap(buttons), [], 'who is not host decides nothing');
  assert.deepEqual(
    rows(audienceSheet(viewOf({ host: null }, null))).flatMap(buttons),
    [],
    'nor does who watches while nobody is host',
  );
});

test('mutes and unmutes with the same button', () => {
  const view = viewOf({});
  button(audienceSheet(view), 'Mute Wil').props.onclick();
  button(audienceSheet(view), 'Mute Zoe').props.onclick();
  assert.deepEqual(view.told, [
    { type: 'mute', watcher: 7, muted: true },
    { type: 'mute', watcher: 9, muted: false },
  ]);
});

test('asks before removing a watcher', () => {
  const view = viewOf({});
  button(audienceSheet(view), 'Remove Zoe').props.onclick();
  assert.deepEqual(view.told.splice(0), [{ name: 'unwatch', watcher: 9 }]);
  button(unwatchSheet(view, 9), 'Cancel').props.onclick();
  assert.deepEqual(view.told.splice(0), [{ name: 'audience' }]);
  button(unwatchSheet(view, 9), 'Remove').props.onclick();
  assert.deepEqual(view.told, [{ type: 'remove_watcher', watcher: 9 }, { name: 'audience' }]);
});

test('does not ask about a watcher who has left', () => {
  assert.deepEqual(
    rows(unwatchSheet(viewOf({}), 8)).map((row) => row.key),
    ['7', '9'],
  );
  assert.equal(rows(audienceSheet(viewOf({ audience: [] }))).length, 0);
});

test('opens the list of watchers if the server names them', () => {
  const view = viewOf({});
  const count = watching(view);
  assert.deepEqual([count.tag, text(count)], ['button', '2 watching']);
  count.props.onclick();
  assert.deepEqual(view.told, ['audience']);
  assert.equal(watching(viewOf({ audience: undefined })).tag, 'small', 'an older server knows only how many');
  assert.equal(watching(viewOf({ watchers: 0, audience: [] })), null);
});
