// The board: the other players, the row, and the own skyline. `actions` lists what is legal; a tap on anything else is
// answered with the reason.

import { h, classes } from '../../dom.js';
import { t, formatSigned } from '../../i18n.js';
import { latestLine } from '../../screens/log.js';
import { nameOf } from '../../session/room-state.js';
import { aidOf, fitOf, rests, rowSaid } from './bidding-aid.js';
import { TYPES, cardSaid, flights, glyph, same, still, tappable } from './cards.js';
import { buildOf, couldTake, demolishOf, onlyTake } from './choice.js';
import { bubble, freshOf, opponent, others } from './players.js';
import { skyline } from './skyline.js';
import { whyNot } from './refusals.js';

/** @typedef {import('./wire.js').Card} Card */
/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('./types.js').View} View */

/** @param {View} view */
export function board(view) {
  const table = view.table;
  // A watcher sees the active player's towers large.
  const own = table.players.find((player) => player.seat === (view.seat ?? table.turn ?? table.outcome?.winners[0]));
  return [
    h(
      'section',
      { class: `opponents of${others(view).length}`, 'aria-label': t('others'), key: 'others' },
      others(view).map((player) => opponent(view, player)),
    ),
    latestLine(view),
    h('section', { class: 'middle', 'aria-label': t('towers.row'), key: 'row' }, row(view)),
    own
      ? h(
          'section',
          { class: 'ownside', 'aria-label': nameOf(view.known, own.seat), key: 'own' },
          ownHead(view, own),
          ownSkyline(view, own),
        )
      : null,
  ];
}

/** The row; during a build, the builder's cards and then the rest. @param {View} view */
function row(view) {
  const table = view.table;
  const choice = view.ui.choice;
  const names = flights([...table.hand, ...table.row]);
  const mine = table.turn === view.seat && view.seat !== null && view.ui.moment === null;
  const building = table.phase === 'build';
  const aid = aidOf(view);
  const hand = table.hand.map((card, i) =>
    mine && building
      ? tappable(card, {
          flight: names[i],
          lit: buildOf(view.actions, card) !== null,
          lifted: choice.lifted !== null && isNth(table.hand, i, choice.lifted),
          said: choice.lifted && same(choice.lifted, card) ? `${cardSaid(card)}. ${t('towers.tap_again')}` : undefined,
          tap: () => tapHand(view, card),
        })
      : still(card, { flight: names[i] }),
  );
  const rest = table.row.map((card, i) => {
    const flight = names[table.hand.length + i];
    if (mine && table.phase === 'take') {
      const only = onlyTake(view.actions);
      const lifted = only
        ? only.type === 'take' && only.cards.some((each) => same(each, card))
        : choice.picked.includes(i);
      const cards = choice.picked.map((at) => table.row[at]);
      return tappable(card, {
        flight,
        lit: lifted || couldTake(view.actions, [...cards, card]),
        lifted,
        tap: () => tapRow(view, i),
      });
    }
    if (aid) {
      const fit = fitOf(aid, i);
      return tappable(card, {
        flight,
        lit: fit !== 'never',
        lifted: choice.tried === i,
        kind: classes('tried', fit === 'never' && 'dim', fit, rests(aid, i) && 'rests'),
        said: rowSaid(aid, card, i),
        tap: () => tryCard(view, i),
      });
    }
    return still(card, { flight, dim: building });
  });
  const empty = !hand.length && !rest.length;
  return [
    h(
      'div',
      { class: classes('hand', building && 'building'), key: 'cards', 'data-group': 'cards' },
      hand,
      building && table.hand.length && table.row.length ? h('span', { class: 'gap', key: 'gap' }) : null,
      rest,
      empty ? h('p', { class: 'note', key: 'empty' }, building ? t('towers.all_placed') : '') : null,
    ),
    view.wide ? pilesButton(view) : null,
  ];
}

/**
 * Equal cards in hand are interchangeable: only the first one is lifted.
 * @param {Card[]} cards
 * @param {number} at
 * @param {Card} card
 */
const isNth = (cards, at, card) => cards.findIndex((each) => same(each, card)) === at;

/** @param {View} view */
function pilesButton(view) {
  const table = view.table;
  return h(
    'button',
    { class: 'piles', type: 'button', key: 'piles', onclick: () => view.commands.open({ name: 'piles' }) },
    h('span', { class: 'pile draw' }, h('b', null, table.draw), h('small', null, t('towers.draw'))),
    h('span', { class: 'pile' }, h('b', null, table.discard.length), h('small', null, t('towers.discard'))),
  );
}

/** @param {View} view @param {import('./wire.js').Player} own */
function ownHead(view, own) {
  const table = view.table;
  const score = own.score;
  return h(
    'div',
    { class: classes('ownhead', table.turn === own.seat && 'acting'), 'data-seat': own.seat },
    h('span', { class: 'name', dir: 'auto' }, nameOf(view.known, own.seat)),
    bubble(view, own.seat),
    score?.towers
      ? h(
          'span',
          { class: 'parts' },
          part(view, 'towers', score.towers, ''),
          part(view, 'tallest', score.tallest, '+ '),
          score.demolition ? part(view, 'demolition', -score.demolition, '− ') : null,
          view.wide ? null : '=',
        )
      : null,
    score
      ? h(
          'b',
          { class: 'score', 'aria-label': t('points', { count: score.total }), role: 'img' },
          formatSigned(score.total),
        )
      : null,
  );
}

/**
 * One part of the score: a number on a phone, with its name where there is room.
 * @param {View} view
 * @param {'towers' | 'tallest' | 'demolition'} name
 * @param {number} value
 * @param {string} sign
 */
const part = (view, name, value, sign) =>
  h(
    'span',
    { key: name, class: classes(name === 'demolition' && 'minus'), title: t(`towers.score.${name}`) },
    view.wide
      ? [`${t(`towers.score.${name}`)} `, h('b', null, name === 'demolition' ? `−${value}` : value)]
      : `${sign}${value}`,
  );

/** @param {View} view @param {import('./wire.js').Player} own */
function ownSkyline(view, own) {
  const table = view.table;
  const choice = view.ui.choice;
  const mine = table.turn === view.seat && table.phase === 'build';
  /** @type {Partial<Record<TowerType, {cost: number} | null>>} */
  const wreck = {};
  if (mine && choice.wrecking) {
    for (const tower of TYPES) wreck[tower] = demolishOf(view.actions, tower) ? { cost: own.demolished + 1 } : null;
  }
  const aid = aidOf(view);
  const tried = aid && choice.tried !== null && choice.tried !== undefined ? table.row[choice.tried] : null;
  if (aid && tried && fitOf(aid, choice.tried ?? 0) === 'after') wreck[tried.tower] = { cost: own.demolished + 1 };
  return skyline(own.towers, {
    name: 'own',
    room: view.ui.rooms.own,
    size: 'own',
    ghost: mine ? choice.lifted : tried && !wreck[tried.tower] ? tried : null,
    bids: aid !== null,
    wreck,
    tap: view.seat === null ? null : (tower) => tapTower(view, tower),
    fresh: freshOf(view, own.seat),
    justDemolished: table.turn === view.seat ? table.demolished_now : null,
  });
}

/** @param {View} view @param {number} at */
export function tapRow(view, at) {
  const table = view.table;
  const choice = view.ui.choice;
  if (onlyTake(view.actions)) return view.commands.say(t('towers.why.only_take'));
  if (choice.picked.includes(at))
    return view.commands.choose({ ...choice, picked: choice.picked.filter((each) => each !== at) });
  const wanted = table.standing?.count ?? 0;
  // If enough cards are lifted, a new one replaces the first: one tap instead of two.
  const kept = choice.picked.length >= wanted ? choice.picked.slice(1) : choice.picked;
  const picked = [...kept, at];
  const cards = picked.map((each) => table.row[each]);
  if (!couldTake(view.actions, cards)) {
    const alone = couldTake(view.actions, [table.row[at]]);
    view.commands.say(alone ? whyNot(view, { type: 'take', cards }) : t('towers.why.card_unbuildable'));
    if (!alone) return;
    return view.commands.choose({ ...choice, picked: [at] });
  }
  view.commands.choose({ ...choice, picked });
}

/**
 * Tries a card of the row on the towers during the auction.
 * @param {View} view
 * @param {number} at
 */
function tryCard(view, at) {
  const table = view.table;
  const aid = aidOf(view);
  const card = table.row[at];
  const fit = aid && fitOf(aid, at);
  if (fit === 'never') view.commands.say(t('towers.why.card_unbuildable'));
  if (fit === 'after')
    view.commands.say(
      t('towers.aid.after_top', {
        value: card.value,
        top: table.players.find((player) => player.seat === view.seat)?.towers[card.tower].at(-1) ?? '',
      }),
    );
  view.commands.choose({ ...view.ui.choice, tried: fit === 'never' || view.ui.choice.tried === at ? null : at });
}

/**
 * The first tap lifts, the second places.
 * @param {View} view
 * @param {Card} card
 */
export function tapHand(view, card) {
  const choice = view.ui.choice;
  const build = buildOf(view.actions, card);
  if (!build) {
    view.commands.say(whyNot(view, { type: 'build', card }));
    return view.commands.choose({ ...choice, lifted: null });
  }
  if (choice.lifted && same(choice.lifted, card)) return view.commands.act(build);
  view.commands.choose({ ...choice, lifted: card, wrecking: false });
}

/** @param {View} view @param {TowerType} tower */
export function tapTower(view, tower) {
  const table = view.table;
  const choice = view.ui.choice;
  const mine = table.turn === view.seat && table.phase === 'build' && view.ui.moment === null;
  if (mine && choice.wrecking) {
    const demolish = demolishOf(view.actions, tower);
    return demolish ? view.commands.act(demolish) : view.commands.say(whyNot(view, { type: 'demolish', tower }));
  }
  if (mine && choice.lifted?.tower === tower) {
    const build = buildOf(view.actions, choice.lifted);
    if (build) return view.commands.act(build);
  }
  // A tap on a tower with one card for it places that card.
  const cards = mine ? table.hand.filter((card) => card.tower === tower) : [];
  if (cards.length) {
    const card = cards.find((each) => buildOf(view.actions, each)) ?? cards[0];
    return tapHand(view, card);
  }
  if (view.seat !== null) view.commands.open({ name: 'player', seat: view.seat });
}

/** The open piles: what was discarded, by type. @param {View} view */
export function piles(view) {
  const table = view.table;
  return [
    h('p', { class: 'note' }, t('towers.draw_left', { count: table.draw })),
    h('p', { class: 'note' }, t(table.deal === 1 ? 'towers.deal_first' : 'towers.deal_second')),
    h('h3', null, t('towers.discarded', { count: table.discard.length })),
    h(
      'ul',
      { class: 'discard' },
      TYPES.map((tower) => {
        const values = table.discard
          .filter((card) => card.tower === tower)
          .map((card) => card.value)
          .sort((a, b) => b - a);
        return h(
          'li',
          { key: tower, class: tower },
          glyph(tower),
          h('span', { class: 'type' }, t(`towers.type.${tower}`)),
          h('span', { class: 'values' }, values.length ? values.map((value, i) => h('b', { key: i }, value)) : '–'),
        );
      }),
    ),
  ];
}
