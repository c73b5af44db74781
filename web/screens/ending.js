// The end of a game, fetched when one ends: who won and what decided it, everybody's side of the table, and the scores, counted part by part.
// What a side looks like and what is counted, the game says.

import { onwardWords } from '../announce.js';
import { h, classes } from '../dom.js';
import { signed, t } from '../i18n.js';
import { icon } from '../icons.js';
import { asked, knowsHands, nameOf, seatOf } from '../store.js';
import { wonHere } from '../won.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').End} End */
/** @typedef {import('../view.js').Ending} Ending */
/** @typedef {{seat: number, score: {total: number}}} Player */

/** Pieces of confetti. */
const CONFETTI = 36;

/** @param {View} view @param {End} end */
export function ending(view, end) {
  /** @type {Player[]} */
  const players = view.table.players;
  const how = end.ending(view);
  const all = end.endingMs(view.table);
  const over = view.ui.reveal >= all;
  /** @param {Player} player */
  const ahead = (player) => over && (view.table.outcome?.winners ?? []).includes(player.seat);
  const ranked = over ? [...players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat) : players;
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  // While it is counted, what is counted now stands where what decided will.
  const now = how.parts.findLast((part) => !part.later)?.title;
  return h('section', { class: classes('ending', how.kind, over && 'over'), onclick: over ? undefined : () => view.acts.show({ reveal: all }) },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? wonHere(view) : t('end.counting')),
    h('p', { class: 'decided' }, over ? end.decided(view.table, name) : now && t(now)),
    h('div', { class: `panorama of${players.length}` }, players.map((player) => h('button', {
      class: classes('side', ahead(player) && 'won'), key: player.seat, type: 'button', 'data-seat': player.seat, onclick: over ? () => view.acts.open({ name: 'player', seat: player.seat }) : undefined,
    }, h('span', { class: 'unseen' }, how.said(player)), how.picture(player),
    h('span', { class: 'owner' }, h('span', { class: 'name', dir: 'auto' }, name(player.seat)), raised(view, player.seat), h('b', { 'aria-hidden': 'true' }, signed(sum(how, player))))))),
    h('div', { class: 'scroller' }, h('table', { class: 'scores' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
        how.parts.map((part) => h('th', { scope: 'col', key: part.title }, t(part.title))), h('th', { scope: 'col' }, t('end.total')))),
      h('tbody', null, ranked.map((player) => line(view, how, player, over, ahead(player)))))),
    over ? view.more?.beside(view) : null,
    // Whoever came later, or wants things to stand still, has nothing thrown at them.
    over && view.ui.reveal < Infinity ? confetti() : null);
}

/** The hand at the name of who wants another game; it is heard as it goes up. @param {View} view @param {number} seat */
const raised = (view, seat) => (hands(view).some((info) => info.name === nameOf(view.known, seat)) ? h('span', { class: 'raised', key: 'hand', role: 'img', 'aria-label': t('lobby.ready') }, icon('hand')) : null);

/** What can be done at the end. @param {View} view */
export function bar(view) {
  const { acts, present: { room } } = view;
  const all = view.ending?.endingMs(view.table) ?? 0;
  /** @param {string} kind @param {string} key @param {string} words @param {() => void} tap */
  const button = (kind, key, words, tap) => h('button', { class: `${kind} lit`, key, type: 'button', onclick: tap }, words);
  const replay = button('step', 'replay', t('end.replay'), acts.replay);
  const more = button('step', 'more', t('end.more'), () => acts.more((each) => each.after()));
  const steps = (/** @type {import('../dom.js').Child[]} */ ...buttons) => h('div', { class: 'atLast', key: 'end' }, onward(view), h('div', { class: 'steps' }, buttons));
  if (view.ui.reveal < all) return steps(button('step', 'skip', t('end.skip'), () => acts.show({ reveal: all })));
  if (view.ui.stay) return steps(hand(view, 'step'), replay, more);
  if (view.seat === null) return steps(replay, more, h('p', { class: 'note', key: 'watch' }, t('watching')));
  // Where hands are not known, or nobody is host, whoever sits here may open the table.
  const opens = !knowsHands(room) || room?.host === null || room?.host === view.seat;
  return steps(hand(view, opens ? 'step' : 'main'), opens ? button('main', 'rematch', t('end.rematch'), () => acts.rematch('rematch')) : null, replay, more);
}

/** Who of the people at the table wants another game. @param {View} view */
export const hands = ({ present }) => (present.room?.seats ?? []).filter((info) => info.ready);

/** Raises one's own hand or takes it down, and says how many are up; alone among bots nobody would see it. @param {View} view @param {'main' | 'step'} kind */
function hand(view, kind) {
  const { you, room } = view.present;
  const people = (room?.seats ?? []).filter((info) => info.kind !== 'bot');
  if (!knowsHands(room) || room?.phase === 'playing' || people.length < 2 || !people.some((info) => info.seat === you?.seat)) return null;
  const up = people.some((info) => info.seat === you?.seat && info.ready);
  return h('button', {
    class: classes(kind, 'lit hand-up'), key: 'hand', type: 'button', 'aria-pressed': up, onclick: () => view.acts.send({ type: 'ready', ready: !up }),
  }, icon('hand'), kind === 'main' ? t('end.again') : h('span', { class: 'unseen' }, t('end.again')), h('small', { 'aria-hidden': 'true' }, `${hands(view).length}/${people.length}`), h('span', { class: 'unseen' }, ` ${t('end.hands', { count: hands(view).length, of: people.length })}`));
}

/** That the table is open for the next game, or that it has begun, for who still looks at the last one. @param {View} view */
export function onward({ ui, present, acts }) {
  if (!ui.stay) return null;
  return h('div', { class: classes('onward', asked(present) && 'turn'), key: 'onward' }, h('p', null, onwardWords(present)), h('button', { class: 'main lit', type: 'button', onclick: acts.goOn }, t('onward.go')));
}

/** What is counted of somebody's points by now. @param {Ending} how @param {Player} player */
const sum = (how, player) => how.parts.reduce((all, part) => all + part.counted(player), 0);

/** @param {View} view @param {Ending} how @param {Player} player @param {boolean} over @param {boolean} ahead */
function line(view, how, player, over, ahead) {
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  return h('tr', { key: player.seat, class: classes(ahead && 'won') },
    h('th', { scope: 'row' }, h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && over ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`) : null),
    how.parts.map((part) => h('td', { key: part.title, class: classes(part.later && 'later') }, signed(part.counted(player)))),
    h('td', { key: 'total', class: 'total' }, signed(sum(how, player))));
}

/** Falls once. Where each piece begins and how it turns follows from its number, so that drawing it again changes nothing. */
const confetti = () => h('div', { class: 'confetti', key: 'confetti', 'aria-hidden': 'true' }, Array.from({ length: CONFETTI }, (_, i) => h('i', {
  key: i, style: { '--x': `${(i * 61) % 100}%`, '--late': `${(i * 137) % 900}ms`, '--turn': `${(i * 97) % 720}deg`, '--hue': (i * 47) % 360 },
})));

/**
 * What decided a game, in one line: that it is shared, else what a game says of whoever won and whoever came next. Nothing before the last table has come, as the room may be
 * known to be over by then.
 * @template {Player} P @param {{players: P[], outcome: import('../wire.js').Outcome | null}} table @param {(best: P, second: P) => [number, (count: number) => string][]} reasons
 */
export function decidedBy({ players, outcome }, reasons) {
  const [first, ...more] = outcome?.winners ?? [];
  const best = players[first];
  if (!best) return null;
  if (more.length) return t('decided.shared', { count: best.score.total });
  const [second] = players.filter((player) => player.seat !== first).sort((a, b) => b.score.total - a.score.total);
  return second ? mostOf(best.score.total - second.score.total, reasons(best, second)) : null;
}

/** The words of what alone is worth the lead, else of what made most of it. @param {number} lead @param {[number, (count: number) => string][]} reasons */
function mostOf(lead, reasons) {
  const [count, words] = reasons.find(([worth]) => worth >= lead) ?? reasons.reduce((most, each) => (each[0] > most[0] ? each : most));
  return words(count);
}
