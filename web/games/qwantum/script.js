// The script of the guided first round: a first turn, one of Rook's, and two some rounds later, so that every rule
// comes up once. Only data; `lesson.js` plays it. A test checks every act against the rules.

import { ROOK, YOU } from '../../lesson/scripted-server.js';
import { ROWS, dice } from './pieces.js';

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Row} Row */
/** @typedef {import('./wire.js').Rows} Rows */
/** @typedef {{type: 'laid', round: number, sheets: Rows[]}} Laid sheets some rounds later; no server sends it */
/** @typedef {import('../../i18n.js').Key} Key */
/** @typedef {Key extends infer Each ? Each extends `lesson.qwantum.${infer Name}` ? Name : never : never} Spoken */
/** @typedef {Key extends infer Each ? Each extends `lesson.qwantum.${infer Name}.why` ? Name : never : never} Reason */
/**
 * One step. `lesson.qwantum.{say}` says what to do, and `lesson.qwantum.{why}.why` why.
 * @typedef {object} Step
 * @property {Spoken} say
 * @property {Reason} why
 * @property {(Event | Laid)[]} [first] events before the step
 * @property {boolean} [tells] whether there is nothing to do but to go on
 * @property {'columns'} [shows] what is highlighted meanwhile
 * @property {import('./wire.js').Action} [act] the act to play
 * @property {string} [falls] the dice that are rolled
 * @property {Row[]} [open] rows in which a total could be entered
 * @property {Event[]} [then] events that follow
 */

/** @typedef {Extract<Event, {type: 'roll'}>['dice']} Dice */

/** All seven dice. @param {string} text */
export const seven = (text) => /** @type {Dice} */ (dice(text));
/** @param {string} text @returns {Event} */
const rookRolls = (text) => ({ type: 'roll', seat: ROOK, dice: seven(text) });
/** @param {Row} row @param {number} value @returns {Event} */
const rookEnters = (row, value) => ({ type: 'enter', seat: ROOK, row, value });
/** @param {number} seat @returns {Event} */
const turn = (seat) => ({ type: 'turn', seat });
/** @type {Event} */
const rookSkips = { type: 'skip', seat: ROOK };

/** Whose turn it is when the lesson opens. @type {Event[]} */
export const opening = [turn(YOU)];

/** @type {Step[]} */
export const steps = [
  { say: 'hello', why: 'hello', tells: true },

  { say: 'roll', why: 'roll', act: { type: 'roll' }, falls: 'W6 Y5 B5 R3 V3 B2 R6' },
  { say: 'again', why: 'again', act: { type: 'reroll', dice: [0] }, falls: 'W2 Y5 B5 R3 V3 B2 R6' },
  { say: 'enter', why: 'alone', act: { type: 'enter', row: 'violet' }, open: ROWS },
  {
    say: 'enter',
    why: 'share',
    act: { type: 'enter', row: 'yellow' },
    open: ['blue', 'red', 'yellow'],
    then: [rookEnters('blue', 9), turn(ROOK)],
  },

  {
    say: 'enter',
    why: 'theirs',
    act: { type: 'enter', row: 'blue' },
    open: ['violet', 'blue'],
    then: [rookEnters('violet', 9), turn(YOU)],
    first: [rookRolls('W4 R4 Y1 B4 B2 V5 Y1'), { type: 'keep', seat: ROOK }, rookEnters('red', 8)],
  },
  { say: 'shown', why: 'shown', tells: true },

  {
    say: 'later',
    why: 'later',
    act: { type: 'roll' },
    falls: 'W5 V6 R6 R3 R5 V5 V2',
    first: [
      {
        type: 'laid',
        round: 7,
        sheets: [
          { violet: [5, 9, 14, 20], blue: [10, 13, 17, 21], red: [6, 11, 15], yellow: [7, 10, 16, 22] },
          { violet: [9, 14, 20], blue: [9, 15, 23], red: [8, 14], yellow: [6, 12, 21] },
        ],
      },
    ],
  },
  { say: 'keep', why: 'keep', act: { type: 'keep' } },
  { say: 'enter', why: 'thick', act: { type: 'enter', row: 'violet' }, open: ROWS },
  {
    say: 'enter',
    why: 'column',
    act: { type: 'enter', row: 'red' },
    open: ['blue', 'red', 'yellow'],
    then: [rookEnters('red', 19), turn(ROOK)],
  },
  { say: 'columns', why: 'columns', tells: true, shows: 'columns' },

  {
    say: 'skip',
    why: 'skip',
    act: { type: 'skip' },
    open: ['blue', 'red', 'yellow'],
    then: [rookSkips, { type: 'miss', seat: ROOK }, turn(YOU)],
    first: [rookRolls('W2 V6 V4 R1 B2 V5 Y5'), rookRolls('W2 V6 V4 R1 B2 V5 V2'), rookSkips],
  },
  { say: 'end', why: 'end', tells: true },
];
