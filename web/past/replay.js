// Looking back: through the moments of a game, by hand or by themselves. They come from the server: of the game on the table, of a game by
// its link, or of a record. It knows no game.

import { keptDeals } from '../device.js';
import { codeWords } from '../learning.js';
import { nothing } from '../store.js';
import { momentOf, readMoments, staged } from './moments.js';

/** @typedef {import('./moments.js').Moment} Moment */
/** @typedef {import('../view.js').Ui} Ui */
/** @typedef {{at: number, title: string}} Round */

/** The pace of a replay. */
export const STEP_MS = 1100;
/** So often it is looked whether the next step is due. */
const TICK_MS = 50;

/** Steps by hand through the moments. @param {Ui} ui @param {number} by */
export const stepped = (ui, by) => ({ moment: Math.min((ui.past?.length ?? 1) - 1, Math.max(0, (ui.moment ?? 0) + by)), playing: false });

/** What the next step of a replay changes, until it has caught up; null while nothing plays. @param {Ui} ui */
export function playedOn(ui) {
  if (!ui.playing || ui.moment === null) return null;
  return ui.moment + 1 < (ui.past?.length ?? 0) ? { moment: ui.moment + 1 } : { playing: false };
}

/** Where chapters begin. @param {Moment[]} past @param {(event: any) => string | null} chapter @returns {Round[]} */
export const rounds = (past, chapter) => past.flatMap(({ events }, at) => {
  const title = events.map(chapter).find(Boolean);
  return title ? [{ at, title }] : [];
});

/** To the round after, or to the start of this one or the one before. @param {Ui} ui @param {Round[]} starts @param {number} by */
export function roundOn(ui, starts, by) {
  const now = ui.moment ?? 0;
  const to = by > 0 ? starts.find(({ at }) => at > now)?.at ?? (ui.past?.length ?? 1) - 1 : starts.findLast(({ at }) => at < now)?.at ?? 0;
  return { moment: to, playing: false };
}

export class Replay {
  /**
   * @param {object} options
   * @param {import('../model.js').Model} options.model
   * @param {typeof import('../base.js').ask} options.ask
   * @param {(words: string) => void} options.say
   * @param {(sheet: import('../view.js').Sheet) => void} [options.open] opens a sheet; what had the focus has it again afterwards
   * @param {() => Promise<import('./more.js').More>} options.openMore
   * @param {() => void} options.leaveLine ends the visit to a room, before another game takes its place
   * @param {(then: () => void, ms: number) => unknown} [options.every]
   * @param {() => number} [options.clock]
   */
  constructor({ model, ask, say, open = (sheet) => model.show({ sheet }), openMore, leaveLine, every = setInterval, clock = () => performance.now() }) {
    this.model = model;
    this.ask = ask;
    this.say = say;
    this.open = open;
    this.openMore = openMore;
    this.leaveLine = leaveLine;
    this.clock = clock;
    /** When the moment on the screen was first there, and which it is. */
    this.since = clock();
    this.shown = model.ui.moment;
    every(() => this.tick(), TICK_MS);
  }

  tick() {
    const { model } = this;
    const now = this.clock();
    if (this.shown !== model.ui.moment || !model.ui.playing) [this.since, this.shown] = [now, model.ui.moment];
    if (now - this.since < STEP_MS / model.ui.speed) return;
    const change = playedOn(model.ui);
    if (change) model.show(change);
  }

  /** Shows the moment in which the event at this place of the history happened. @param {number} event */
  async lookBack(event) {
    const { model } = this;
    let at = momentOf(model.ui.past ?? [], event);
    // A game that is on has moments that nobody has asked for yet.
    if (at === null) at = momentOf(await this.fetched(), event);
    if (at !== null) model.show({ moment: at, playing: false, sheet: null });
  }

  /** From the start, by itself. */
  async begin() {
    const { model } = this;
    const known = momentOf(model.ui.past ?? [], model.shown.history.length - 1) !== null;
    if (known || (await this.fetched()).length) model.show({ moment: 0, playing: true });
  }

  /** The moments of the game on the table, asked for anew; none if they cannot be had. @returns {Promise<Moment[]>} */
  async fetched() {
    const { model } = this;
    const { code } = model.ui;
    const { commitment } = model.shown.room?.fair ?? {};
    try {
      // Who stays at a result looks at the last game that is over, though another may be on.
      const number = model.ui.stay ? (await this.ask(`rooms/${code}/games`)).findLast((/** @type {import('../wire.js').GamePlayed} */ game) => game.outcome)?.number : null;
      const past = await this.moments(`rooms/${code}/games/${number ?? 'last'}/moments`);
      // Meanwhile another game may lie there, or another room.
      if (model.ui.code !== code || !model.shown.game || model.shown.room?.fair.commitment !== commitment) return [];
      model.show({ past, number });
      if (!number && past.at(-1)?.table.outcome) void this.count(code, past);
      return past;
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
      return [];
    }
  }

  /** The last result of this room, for who did not see it or loaded the page anew since: as if they had stayed there. */
  async lastResult() {
    const { model } = this;
    const { code } = model.ui;
    try {
      const over = (await this.ask(`rooms/${code}/games`)).findLast((/** @type {import('../wire.js').GamePlayed} */ game) => game.outcome);
      if (!over) return;
      const past = await this.moments(`rooms/${code}/games/${over.number}/moments`);
      if (model.ui.code !== code) return;
      const { room, game, history } = staged(past, { ...over, code });
      // Whose result it is, is known by name.
      const seat = over.players.indexOf(model.known.you?.name ?? '');
      model.known = { ...model.known, last: { you: model.known.you && { ...model.known.you, seat: seat < 0 ? null : seat }, room, game, history } };
      model.show({ stay: true, reveal: Infinity, past, number: over.number, moment: null, playing: false });
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** Which game of the room it is, for a link to it. Without one there is just no link. @param {string | null} code @param {Moment[]} past */
  async count(code, past) {
    const games = await this.ask(`rooms/${code}/games`).catch(() => []);
    if (this.model.ui.past === past) this.model.show({ number: games.length || null });
  }

  /** @param {string} path @param {unknown} [body] @returns {Promise<Moment[]>} */
  moments(path, body) {
    return this.ask(path, body, async (answer) => readMoments(await answer.text()));
  }

  /** The game that is named in the address. @param {Pick<Location, 'pathname' | 'hash'>} address */
  async openLink(address) {
    const { code, number, moment } = linkIn(address);
    const { model } = this;
    this.clear(code);
    try {
      const [games, past] = await Promise.all([this.ask(`rooms/${code}/games`), this.moments(`rooms/${code}/games/${number}/moments`)]);
      if (model.ui.code !== code) return;
      const game = games.find((/** @type {import('../wire.js').GamePlayed} */ each) => each.number === number);
      this.lay(past, { code, number, game: game.game, players: game.players, origin: game.origin }, moment);
    } catch (problem) {
      if (model.ui.code === code) model.show({ trouble: codeOf(problem), busy: false });
    }
  }

  /** The game of a record, once the server has found that it holds. @param {any} record */
  async openRecord(record) {
    const past = await this.moments('moments', record);
    this.leaveLine();
    this.clear('');
    const { game, players, origin } = record;
    this.lay(past, { code: null, number: null, game, players, origin: origin && { moment: origin.moment, players: origin.record.players, outcome: origin.record.outcome }, record }, null);
  }

  /** Holds the deal against what this device saw and computes itself. @param {import('../view.js').View} view */
  async checkDeal({ ui, face }) {
    const { model } = this;
    const past = ui.past ?? [];
    const code = ui.replay ? ui.replay.code : ui.code;
    try {
      const [record, { compare, keptFor }, dealing] = await Promise.all([this.record(), import('./deal.js'), face?.dealer()]);
      if (!dealing) return;
      const beginning = record.origin && await (await import('./earlier.js')).beginning(record, dealing.dealer, (each) => this.moments('moments', each));
      if (model.ui.past !== past) return;
      const kept = keptFor(keptDeals(), code, past[0].version, record.commitment);
      const compared = compare(record, past, dealing.dealer, kept, beginning);
      // What does not hold, and of an old record, is told by what few need.
      if (!compared[0].holds || compared.some(({ holds }) => holds === false)) Object.assign(compared[0], (await this.openMore()).changed(record));
      this.open({ name: 'deal', compared });
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** The record of the game that is looked back at, or of the finished one on the table. @returns {Promise<any>} */
  async record() {
    const { ui } = this.model;
    const { code, number } = ui.replay ?? ui;
    return ui.replay?.record ?? this.ask(`rooms/${code}/games/${number ?? 'last'}/record`);
  }

  /** Whatever was on the screen makes way. @param {string} code */
  clear(code) {
    this.model.known = { ...nothing, line: 'connecting' };
    this.model.show({ code, preview: null, trouble: null, sheet: null, past: null, number: null, moment: null, playing: false, replay: null, busy: false });
  }

  /** @param {Moment[]} past @param {import('../view.js').Replayed} replay @param {number | null} moment */
  lay(past, replay, moment) {
    this.model.known = staged(past, replay);
    this.model.show({ past, replay, moment: Math.min(moment ?? 0, past.length - 1), playing: moment === null });
  }
}

/** A game, and a moment of it counted from 0. @param {Pick<Location, 'pathname' | 'hash'>} address */
export function linkIn({ pathname, hash }) {
  const [, code = '', number] = /\/r\/(\w{1,12})\/replay\/(\d{1,9})\/?$/.exec(pathname) ?? [];
  const moment = /^#m=(\d{1,9})$/.exec(hash)?.[1];
  return { code: code.toUpperCase(), number: Number(number), moment: moment === undefined ? null : Number(moment) };
}

/** @param {unknown} problem */
export const codeOf = (problem) => /** @type {{code?: string}} */ (problem).code ?? 'unreachable';
