// Five towers side by side. Strips get thinner as towers grow; if they do not fit, the middle is folded.

import { h, classes } from '../../dom.js';
import { t, formatList } from '../../i18n.js';
import { TYPES, glyph, keyOf, longWord } from './cards.js';

/** @typedef {import('./wire.js').TowerType} TowerType */
/** @typedef {import('./wire.js').Card} Card */

/**
 * @typedef {object} SkylineHow
 * @property {string} name identifies the skyline when its height is measured
 * @property {number | undefined} room measured height in pixels
 * @property {'own' | 'mini'} size
 * @property {number} [tallest] height of the tallest tower of all players, in floors
 * @property {Partial<Record<TowerType, import('../../dom.js').Child>>} [crests] drawn above the towers
 * @property {Card | null} [ghost] the lifted card, shown where it would go
 * @property {boolean} [bids] whether this is during the auction, when nothing can be placed or demolished
 * @property {Partial<Record<TowerType, {cost: number} | null>>} [wreck] tops with their price of demolition; null if it
 *   is not legal
 * @property {((tower: TowerType) => void) | null} [tap]
 * @property {TowerType | null} [justDemolished]
 * @property {(tower: TowerType, part: number | '-') => boolean} [fresh] whether a storey is new, or a tower has just
 *   lost one
 */

/** Smallest and largest strip, extra height of the top strip, and height of the plinth. */
const SIZES = {
  own: { least: 15, most: 34, top: 12, plinth: 22 },
  mini: { least: 13, most: 19, top: 5, plinth: 16 },
};

/** @typedef {{value: number, at: number} | {folded: number}} Strip */

/**
 * The strips from the ground up. If they do not fit, the top is most important, and some of the base stays.
 * @param {number[]} values
 * @param {number} fits
 * @returns {Strip[]}
 */
export function strips(values, fits) {
  const all = values.map((value, at) => ({ value, at }));
  if (all.length <= fits || fits < 3) return fits < 3 ? all.slice(-Math.max(1, fits)) : all;
  const base = Math.max(1, Math.floor((fits - 1) / 3));
  const top = fits - 1 - base;
  return [...all.slice(0, base), { folded: all.length - base - top }, ...all.slice(all.length - top)];
}

/**
 * @param {number} room
 * @param {number} tallest
 * @param {{least: number, most: number, top: number, plinth: number}} size
 */
export function measure(room, tallest, size) {
  const space = Math.max(0, room - size.plinth - size.top - 2);
  const strip = Math.max(size.least, Math.min(size.most, Math.floor(space / Math.max(1, tallest))));
  return { strip, fits: Math.max(2, Math.floor(space / strip)) };
}

/**
 * @param {Record<TowerType, number[]>} towers
 * @param {SkylineHow} how
 */
export function skyline(towers, how) {
  const size = SIZES[how.size];
  const ghost = how.ghost ?? null;
  const tallest =
    how.tallest ?? Math.max(...TYPES.map((tower) => towers[tower].length + (ghost?.tower === tower ? 1 : 0)));
  const room = how.room ?? 220;
  // A tall screen has taller storeys.
  const most = Math.max(
    size.most,
    how.size === 'own' ? Math.min(76, Math.round(room / 7)) : Math.min(40, Math.round(room / 8)),
  );
  const { strip, fits } = measure(room, tallest, { ...size, most });
  return h(
    'div',
    {
      class: `skyline ${how.size}`,
      'data-room': how.name,
      style: { '--strip': `${strip}px`, '--top': `${size.top}px` },
    },
    TYPES.map((tower) => column(tower, towers[tower], how, fits)),
  );
}

/** @param {TowerType} tower @param {number[]} values @param {SkylineHow} how @param {number} fits */
function column(tower, values, how, fits) {
  const ghost = how.ghost?.tower === tower ? how.ghost : null;
  const shown = strips(values, fits - (ghost ? 1 : 0));
  const wreck = how.wreck && how.wreck[tower];
  const stack = shown.map((strip, i) => {
    if ('folded' in strip)
      return h('span', { class: `storey fold ${tower}`, key: 'fold' }, h('b', null, `⋯ ${strip.folded}`));
    const highest = i === shown.length - 1;
    // Under a ghost the top storey is an inner one: only one strip of a tower is tall.
    const top = highest && !ghost;
    return h(
      'span',
      {
        class: classes(
          'storey',
          tower,
          top && 'top',
          strip.value === 0 && 'roof',
          strip.at % 2 === 1 && 'odd',
          top && wreck && 'doomed',
          how.fresh?.(tower, strip.at) && 'new',
        ),
        key: strip.at,
        'data-fly': highest ? keyOf({ tower, value: strip.value }) : undefined,
      },
      h('b', null, strip.value),
      top && wreck ? h('i', { class: 'cost' }, `−${wreck.cost}`) : null,
    );
  });
  if (ghost) {
    stack.push(
      h(
        'span',
        { class: classes('storey ghost top', tower, ghost.value === 0 && 'roof'), key: 'ghost' },
        h('b', null, ghost.value),
      ),
    );
  }
  const word = how.size === 'own' ? h('span', { class: longWord(tower) }, t(`towers.type.${tower}`)) : null;
  const plinth = h('span', { class: 'plinth', 'aria-hidden': 'true' }, glyph(tower), word);
  const crest = how.crests
    ? h('span', { class: 'crest', key: 'crest', 'aria-hidden': 'true' }, how.crests[tower])
    : null;
  const inside = [
    crest,
    h('span', { class: classes('stack', !values.length && !ghost && 'bare'), 'aria-hidden': 'true' }, stack.reverse()),
    plinth,
  ];
  const kind = classes(
    'column',
    tower,
    ghost && 'lit',
    wreck && 'marked',
    (how.justDemolished === tower || how.fresh?.(tower, '-')) && 'broken',
  );
  const tap = how.tap;
  if (!tap) return h('span', { class: kind, key: tower }, inside);
  return h(
    'button',
    {
      class: kind,
      key: tower,
      type: 'button',
      'data-tower': tower,
      'aria-disabled': wreck === null ? true : undefined,
      onclick: () => tap(tower),
    },
    h(
      'span',
      { class: 'unseen' },
      how.bids ? towerSaid(tower, values) : columnSaid(tower, values, ghost, wreck ? wreck.cost : null),
    ),
    inside,
  );
}

/** @param {TowerType} tower @param {number[]} values @param {Card | null} ghost @param {number | null} cost */
function columnSaid(tower, values, ghost, cost) {
  const said = towerSaid(tower, values);
  if (ghost) return `${said}. ${t('towers.place_here', { value: ghost.value })}`;
  return cost === null ? said : `${said}. ${t('towers.demolish_here', { cost })}`;
}

/**
 * A tower in words, from the top.
 * @param {TowerType} tower
 * @param {number[]} values
 */
export function towerSaid(tower, values) {
  const type = t(`towers.type.${tower}`);
  if (!values.length) return t('towers.said.empty', { tower: type });
  const cards = formatList([...values].reverse().map(String));
  const key = values.at(-1) === 0 ? 'towers.said.roofed' : 'towers.said.tower';
  return t(key, { tower: type, count: values.length, cards });
}

/** @param {Record<TowerType, number[]>} towers */
export const skylineSaid = (towers) => TYPES.map((tower) => towerSaid(tower, towers[tower])).join('. ');
