// The end of a game: who won and why, everybody's side of the table, and the scores, counted part by part. The game
// draws the sides and says what is counted.

import { nextGameWords } from '../announcements.js';
import { h, classes } from '../dom.js';
import { formatSigned, t } from '../i18n.js';
import { icon } from '../icons.js';
import { isAsked, supportsReactions, nameOf, seatOf, showsResult, startsIn } from '../session/room-state.js';
import { winnerTextFor } from '../games/winner-text.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').End} End */
/** @typedef {import('../view.js').Ending} Ending */
/** @typedef {import('../view.js').TableView} TableView */
/** @typedef {import('../games/types.js').Player} Player */

/** Pieces of confetti. */
const CONFETTI = 36;

/** @param {TableView} view @param {End} end */
export function ending(view, end) {
  const { players } = view.table;
  const how = end.ending(view);
  const all = end.endingMs(view.table);
  const over = view.ui.countedMs >= all;
  /** @param {Player} player */
  const ahead = (player) => over && (view.table.outcome?.winners ?? []).includes(player.seat);
  const ranked = over ? [...players].sort((a, b) => b.score.total - a.score.total || a.seat - b.seat) : players;
  const name = (/** @type {number} */ seat) => nameOf(view.known, seat);
  // While counting, the counted part is named where the deciding one will be.
  const now = how.parts.findLast((part) => !part.later)?.title;
  return h(
    'section',
    {
      class: classes('ending', how.kind, over && 'over'),
      onclick: over ? undefined : () => view.commands.show({ countedMs: all }),
    },
    h('h1', { class: 'winner', 'aria-live': 'off' }, over ? winnerTextFor(view) : t('end.counting')),
    h('p', { class: 'decided' }, over ? end.decided(view.table, name) : now && t(now)),
    h(
      'div',
      { class: `panorama of${players.length}` },
      players.map((player) =>
        h(
          'button',
          {
            class: classes('side', ahead(player) && 'won'),
            key: player.seat,
            type: 'button',
            'data-seat': player.seat,
            onclick: over ? () => view.commands.open({ name: 'player', seat: player.seat }) : undefined,
          },
          h('span', { class: 'unseen' }, how.said(player)),
          how.picture(player),
          h(
            'span',
            { class: 'owner' },
            h('span', { class: 'name', dir: 'auto' }, name(player.seat)),
            readyMark(view, player.seat),
            h('b', { 'aria-hidden': 'true' }, formatSigned(sum(how, player))),
          ),
        ),
      ),
    ),
    h(
      'div',
      { class: 'scroller' },
      h(
        'table',
        { class: 'scores' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, h('span', { class: 'unseen' }, t('player'))),
            how.parts.map((part) => h('th', { scope: 'col', key: part.title }, t(part.title))),
            h('th', { scope: 'col' }, t('end.total')),
          ),
        ),
        h(
          'tbody',
          null,
          ranked.map((player) => line(view, how, player, over, ahead(player))),
        ),
      ),
    ),
    over ? view.afterGame?.originScores(view) : null,
    // No confetti for players who came later or prefer reduced motion.
    over && view.ui.countedMs < Infinity ? confetti() : null,
  );
}

/**
 * The raised hand beside a name; raising it is announced elsewhere.
 * @param {View} view
 * @param {number} seat
 */
const readyMark = (view, seat) =>
  readySeats(view).some((info) => info.name === nameOf(view.known, seat))
    ? h('span', { class: 'raised', key: 'hand', role: 'img', 'aria-label': t('lobby.ready') }, icon('hand'))
    : null;

/** The buttons at the end. @param {TableView} view */
export function bar(view) {
  const {
    commands,
    present: { room },
  } = view;
  const all = view.ending?.endingMs(view.table) ?? 0;
  /** @param {string} kind @param {string} key @param {string} words @param {() => void} tap */
  const button = (kind, key, words, tap) =>
    h('button', { class: `${kind} lit`, key, type: 'button', onclick: tap }, words);
  const replay = button('step', 'replay', t('end.replay'), commands.replay);
  const more = button('step', 'more', t('end.more'), () => commands.withAfterGame((afterGame) => afterGame.after()));
  const steps = (/** @type {import('../dom.js').Child[]} */ ...buttons) =>
    h(
      'div',
      { class: 'atLast', key: 'end' },
      nextGameBanner(view),
      countdown(view),
      h('div', { class: 'steps' }, buttons),
    );
  if (view.ui.countedMs < all)
    return steps(button('step', 'skip', t('end.skip'), () => commands.show({ countedMs: all })));
  if (showsResult(view.ui)) return steps(readyButton(view, 'step'), replay, more);
  if (view.seat === null) return steps(replay, more, h('p', { class: 'note', key: 'watch' }, t('watching')));
  // On older servers, or without a host, every seated player may open the table.
  const hand = readyButton(view, 'main');
  const opens = !supportsReactions(room) || room?.host === null || room?.host === view.seat;
  return steps(
    hand,
    opens ? button(hand ? 'step' : 'main', 'rematch', t('end.rematch'), () => commands.rematch('rematch')) : null,
    replay,
    more,
  );
}

/** The seconds until the next game starts without the host. @param {View} view */
function countdown({ known, ui }) {
  const left = startsIn(known, Date.now());
  return left === null || showsResult(ui)
    ? null
    : h('p', { class: 'countdown', key: 'countdown' }, t('end.starts', { count: Math.ceil(left / 1000) }));
}

/** Players who want another game. @param {View} view */
export const readySeats = ({ present }) => (present.room?.seats ?? []).filter((info) => info.ready);

/**
 * Raises or lowers this player's hand, and shows how many are raised. Not shown alone among bots.
 * @param {View} view
 * @param {'main' | 'step'} kind
 */
function readyButton(view, kind) {
  const { you, room } = view.present;
  const people = (room?.seats ?? []).filter((info) => info.kind !== 'bot');
  if (
    !supportsReactions(room) ||
    room?.phase === 'playing' ||
    people.length < 2 ||
    !people.some((info) => info.seat === you?.seat)
  )
    return null;
  const up = people.some((info) => info.seat === you?.seat && info.ready);
  const starts = startsIn(view.known, 0) !== null;
  const label = t(starts ? 'end.stop' : 'end.again');
  return h(
    'button',
    {
      class: classes(kind, 'lit hand-up'),
      key: 'hand',
      type: 'button',
      'aria-pressed': starts ? undefined : up,
      onclick: () => view.commands.send({ type: 'ready', ready: !up }),
    },
    icon('hand'),
    kind === 'main' ? label : h('span', { class: 'unseen' }, label),
    h('small', { 'aria-hidden': 'true' }, `${readySeats(view).length}/${people.length}`),
    h('span', { class: 'unseen' }, ` ${t('end.hands', { count: readySeats(view).length, of: people.length })}`),
  );
}

/**
 * Says that the table is open for the next game, or that it has begun, to a player who still looks at the last one.
 * @param {View} view
 */
export function nextGameBanner({ ui, present, commands }) {
  if (!showsResult(ui)) return null;
  return h(
    'div',
    { class: classes('onward', isAsked(present) && 'turn'), key: 'onward' },
    h('p', null, nextGameWords(present)),
    h('button', { class: 'main lit', type: 'button', onclick: commands.goToRoom }, t('onward.go')),
  );
}

/**
 * The points of a player that are counted so far.
 * @param {Ending} how
 * @param {Player} player
 */
const sum = (how, player) => how.parts.reduce((all, part) => all + part.counted(player), 0);

/** @param {View} view @param {Ending} how @param {Player} player @param {boolean} over @param {boolean} ahead */
function line(view, how, player, over, ahead) {
  const wins = seatOf(view.known, player.seat)?.wins ?? 0;
  return h(
    'tr',
    { key: player.seat, class: classes(ahead && 'won') },
    h(
      'th',
      { scope: 'row' },
      h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, player.seat)),
      wins && over
        ? h('span', { class: 'wins', role: 'img', 'aria-label': t('wins', { count: wins }) }, `★${wins}`)
        : null,
    ),
    how.parts.map((part) =>
      h('td', { key: part.title, class: classes(part.later && 'later') }, formatSigned(part.counted(player))),
    ),
    h('td', { key: 'total', class: 'total' }, formatSigned(sum(how, player))),
  );
}

/** Falls once. All properties depend on the index only, so rendering again changes nothing. */
const confetti = () =>
  h(
    'div',
    { class: 'confetti', key: 'confetti', 'aria-hidden': 'true' },
    Array.from({ length: CONFETTI }, (_, i) =>
      h('i', {
        key: i,
        style: {
          '--x': `${(i * 61) % 100}%`,
          '--late': `${(i * 137) % 900}ms`,
          '--turn': `${(i * 97) % 720}deg`,
          '--hue': (i * 47) % 360,
        },
      }),
    ),
  );

/**
 * What decided a game, in one line: that it is shared, or the game's reason for the winner's lead. Null until the last
 * table has arrived, because the room may say earlier that the game is over.
 * @template {Player} P
 * @param {{players: P[], outcome: import('../wire.js').Outcome | null}} table
 * @param {(best: P, second: P) => [number, (count: number) => string][]} reasons
 */
export function decidedBy({ players, outcome }, reasons) {
  const [first, ...more] = outcome?.winners ?? [];
  const best = players[first];
  if (!best) return null;
  if (more.length) return t('decided.shared', { count: best.score.total });
  const [second] = players.filter((player) => player.seat !== first).sort((a, b) => b.score.total - a.score.total);
  return second ? mostOf(best.score.total - second.score.total, reasons(best, second)) : null;
}

/**
 * The reason that alone is worth the lead, otherwise the largest one.
 * @param {number} lead
 * @param {[number, (count: number) => string][]} reasons
 */
function mostOf(lead, reasons) {
  const [count, words] =
    reasons.find(([worth]) => worth >= lead) ?? reasons.reduce((most, each) => (each[0] > most[0] ? each : most));
  return words(count);
}
