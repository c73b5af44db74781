// The book of a room: statistics of all its games, as the server computes them, with a chart and files to save.

import { apiUrl, replayUrl } from '../urls.js';
import { h, classes } from '../dom.js';
import { gameName, has, formatList, formatSigned, t, language } from '../i18n.js';
import { icon } from '../icons.js';
import { sheet } from '../screens/sheet.js';
import { chart } from './chart.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../wire.js').Book} Book */
/** @typedef {import('../wire.js').Chapter} Chapter */
/** @typedef {import('../wire.js').BookGame} BookGame */

/** More lines cannot be told apart. */
const LINES = 5;

/** @param {View} view @param {Book} book */
export function bookSheet(view, book) {
  const code = view.ui.sheet?.code ?? '';
  const file = (/** @type {string} */ path, /** @type {string} */ name, /** @type {string} */ label) =>
    h('a', { class: 'second', key: path, href: apiUrl(`rooms/${code}/${path}`), download: name }, icon('share'), label);
  return sheet(
    view,
    { name: 'book', title: t('book'), tall: book.games.length > 0 },
    book.chapters.length
      ? book.chapters.map((chapter) => written(chapter, book.games))
      : h('p', { class: 'note', key: 'empty' }, t('book.empty')),
    book.games.length
      ? [
          h('h3', { key: 'games' }, t('book.games')),
          h(
            'ol',
            { class: 'gamelist', key: 'list' },
            [...book.games].reverse().map((game) => line(game, code)),
          ),
          h(
            'div',
            { class: 'ways', key: 'ways' },
            file('book.csv', `${code}.csv`, t('book.csv')),
            file('book', `${code}-book.json`, t('book.json')),
            file('records', `${code}-records.jsonl`, t('book.records')),
          ),
        ]
      : null,
  );
}

/** @param {Chapter} chapter @param {BookGame[]} games */
function written(chapter, games) {
  const feat = (/** @type {string} */ name) => {
    const key = `feat.${name}`;
    return has(key) ? t(key) : name;
  };
  return h(
    'section',
    { class: 'chapter', key: chapter.game },
    h('h3', null, gameName(chapter.game), h('small', null, t('book.count', { count: chapter.games }))),
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
            /** @type {const} */ (['games', 'wins', 'average', 'highest']).map((column) =>
              h('th', { scope: 'col', key: column }, t(`book.col.${column}`)),
            ),
          ),
        ),
        h(
          'tbody',
          null,
          chapter.players.map((player) =>
            h(
              'tr',
              { key: player.name },
              h(
                'th',
                { scope: 'row' },
                h('span', { class: 'name', dir: 'auto' }, player.name),
                player.bot ? icon('bot') : null,
              ),
              h('td', null, player.games),
              h('td', null, player.wins),
              h('td', null, decimal(player.average)),
              h('td', { class: 'total' }, formatSigned(player.highest)),
            ),
          ),
        ),
      ),
    ),
    bookChart(
      chapter,
      games.filter((game) => game.counts && game.game === chapter.game),
    ),
    h(
      'dl',
      { class: 'bests', key: 'bests' },
      chapter.best
        .filter(({ count }) => count > 0)
        .map((best) =>
          h(
            'div',
            { key: best.feat },
            h('dt', null, feat(best.feat)),
            h('dd', null, h('b', null, best.count), h('span', { class: 'name', dir: 'auto' }, best.player)),
          ),
        ),
    ),
    chapter.pairs.length
      ? [
          h('h4', { key: 'pairs' }, t('book.pairs')),
          h(
            'ul',
            { class: 'pairs', key: 'list' },
            chapter.pairs
              .slice(0, 10)
              .map(({ players: [one, other], ahead, games: met }) =>
                h(
                  'li',
                  { key: `${one} ${other}` },
                  h('span', { class: classes('name', ahead[0] > ahead[1] && 'ahead'), dir: 'auto' }, one),
                  h('b', null, `${ahead[0]} : ${ahead[1]}`),
                  h('span', { class: classes('name', ahead[1] > ahead[0] && 'ahead'), dir: 'auto' }, other),
                  h('small', { class: 'unseen' }, t('book.count', { count: met })),
                ),
              ),
          ),
        ]
      : null,
  );
}

/** @param {number} value */
const decimal = (value) =>
  formatSigned(value).replace(/\d+(\.\d+)?/, (digits) =>
    Number(digits).toLocaleString(language(), { maximumFractionDigits: 1 }),
  );

/**
 * Chart of the points of the most frequent players, game by game. A line has a gap for games without that player.
 * @param {Chapter} chapter
 * @param {BookGame[]} games
 */
function bookChart(chapter, games) {
  if (games.length < 2) return null;
  const players = [...chapter.players]
    .sort((a, b) => b.games - a.games)
    .slice(0, LINES)
    .map(({ name }) => name);
  return chart(
    t('book.chart'),
    players.map((name) => ({
      name,
      points: games.map((game, at) => [at, game.outcome?.scores[game.players.indexOf(name)]]),
    })),
    null,
    'round',
  );
}

/** @param {BookGame} game @param {string} code */
function line(game, code) {
  const scores = game.outcome?.scores ?? [];
  return h(
    'li',
    { key: game.number },
    h(
      'a',
      { href: replayUrl(code, game.number, 0).replace(/#.*/, '') },
      h(
        'span',
        null,
        h('b', null, `${game.number}. ${gameName(game.game)}`),
        ' ',
        h(
          'small',
          null,
          new Date(game.start).toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' }),
        ),
      ),
      h(
        'span',
        { dir: 'auto' },
        formatList(game.players.map((name, seat) => `${name} ${formatSigned(scores[seat] ?? 0)}`)),
      ),
      game.counts ? null : h('small', null, t(game.origin?.moment == null ? 'book.known' : 'book.went_on')),
    ),
  );
}

/**
 * Asks which record of a file to replay.
 * @param {View} view
 * @param {import('./record.js').GameRecord[]} records
 */
export const recordsSheet = (view, records) =>
  sheet(
    view,
    { name: 'records', title: t('records'), tall: true },
    h(
      'ol',
      { class: 'gamelist' },
      records.map((record, at) =>
        h(
          'li',
          { key: at },
          h(
            'button',
            { type: 'button', onclick: () => view.commands.openRecord(new Blob([JSON.stringify(record)])) },
            h('b', null, `${at + 1}. ${gameName(String(record.game))}`),
            h(
              'span',
              { dir: 'auto' },
              formatList(
                (Array.isArray(record.players) ? record.players : []).map(
                  (/** @type {unknown} */ name, /** @type {number} */ seat) =>
                    `${String(name)} ${formatSigned(record.outcome?.scores?.[seat] ?? 0)}`,
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
