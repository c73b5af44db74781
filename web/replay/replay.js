// Steps through the moments of a game, manually or automatically. The moments come from the server: of the game on the
// table, of a linked game, or of a record. It knows no game.

import { savedDeals } from '../device.js';
import { codeText } from '../session/update.js';
import { showsResult } from '../session/room-state.js';
import { gameOf, momentOf, readMoments, asWatchedGame } from './moments.js';

/** @typedef {import('./moments.js').Moment} Moment */
/** @typedef {import('./record.js').GameRecord} GameRecord */
/** @typedef {import('../view.js').ShownUi} Ui */
/** @typedef {import('../parts.js').Parts} Parts */
/** @typedef {{at: number, title: string}} Round */

/** Time between two moments at normal speed. */
export const STEP_MS = 1100;
/**
 * The moment so many steps away.
 * @param {Ui} ui
 * @param {number} by
 */
export const stepped = (ui, by) => Math.min((ui.past?.length ?? 1) - 1, Math.max(0, (ui.moment ?? 0) + by));

/**
 * Where the rounds begin.
 * @param {Moment[]} past
 * @param {(event: import('../games/types.js').Event) => string | null} chapter
 * @returns {Round[]}
 */
export const rounds = (past, chapter) =>
  past.flatMap(({ events }, at) => {
    const title = events.map(chapter).find(Boolean);
    return title ? [{ at, title }] : [];
  });

/**
 * The moment where the next round begins, or this or the previous one.
 * @param {Ui} ui
 * @param {Round[]} starts
 * @param {number} by
 */
export function toRound(ui, starts, by) {
  const now = ui.moment ?? 0;
  return by > 0
    ? (starts.find(({ at }) => at > now)?.at ?? (ui.past?.length ?? 1) - 1)
    : (starts.findLast(({ at }) => at < now)?.at ?? 0);
}

export class Replay {
  /**
   * @param {object} options
   * @param {import('../model.js').Model} options.model
   * @param {typeof import('../urls.js').ask} options.ask
   * @param {(words: string) => void} options.say
   * @param {(sheet: import('../view.js').Sheet) => void} [options.open] opens a sheet; the focus returns when it is
   *   closed
   * @param {() => Promise<import('./after-game.js').AfterGame>} options.loadAfterGame
   * @param {<Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>} options.load loads a part of the page
   * @param {() => void} options.leaveLine ends the visit to a room before another game replaces it
   */
  constructor({ model, ask, say, open = (sheet) => model.show({ sheet }), loadAfterGame, load, leaveLine }) {
    this.model = model;
    this.ask = ask;
    this.say = say;
    this.open = open;
    this.loadAfterGame = loadAfterGame;
    this.load = load;
    this.leaveLine = leaveLine;
    /** The timer of the next step. @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** What the timer was started for. */
    this.playing = '';
    model.listen(() => this.schedule());
  }

  /** Starts the timer of the next step while a replay plays, and stops it otherwise. */
  schedule() {
    const { model } = this;
    const { shown, speed } = model.ui;
    const at = shown.table === 'moment' && shown.playing ? shown.at : null;
    const playing = at === null ? '' : `${at} ${speed}`;
    if (playing === this.playing) return;
    this.playing = playing;
    clearTimeout(this.timer);
    if (at !== null)
      this.timer = setTimeout(() => model.apply({ type: 'moment', at: at + 1, playing: true }), STEP_MS / speed);
  }

  /** Shows the moment of the event at this index of the history. @param {number} event */
  async lookBack(event) {
    const { model } = this;
    let at = momentOf(model.ui.shown.past?.moments ?? [], event);
    // A running game has moments that were not loaded yet.
    if (at === null) at = momentOf(await this.fetchMoments(), event);
    if (at === null) return;
    model.apply({ type: 'moment', at });
    model.show({ sheet: null });
  }

  /** Plays from the start. */
  async begin() {
    const { model } = this;
    const known = momentOf(model.ui.shown.past?.moments ?? [], model.shown.history.length - 1) !== null;
    if (known || (await this.fetchMoments()).length) model.apply({ type: 'moment', at: 0, playing: true });
  }

  /** Loads the moments of the game on the table. Returns none if that fails. @returns {Promise<Moment[]>} */
  async fetchMoments() {
    const { model } = this;
    const { place } = model.ui;
    const { code } = place;
    const { commitment } = model.shown.room?.fair ?? {};
    try {
      // A player who stays at a result sees the last finished game, though another may be running.
      const number = showsResult(model.ui) ? ((await this.lastFinished(code))?.number ?? null) : null;
      const moments = await this.moments(`rooms/${code}/games/${number ?? 'last'}/moments`);
      // The page may show another game or room by now.
      if (model.ui.place !== place || !model.shown.game || model.shown.room?.fair.commitment !== commitment) return [];
      model.apply({ type: 'past', past: { moments, number } });
      if (!number && moments.at(-1)?.table.outcome) void this.fetchNumber(code, moments);
      return moments;
    } catch (problem) {
      this.say(codeText(errorCode(problem)));
      return [];
    }
  }

  /**
   * The last game of a room that came to its end.
   * @param {string | null} code
   * @returns {Promise<import('../wire.js').GamePlayed | undefined>}
   */
  async lastFinished(code) {
    const games = await this.ask(`rooms/${code}/games`);
    return games.findLast((game) => game.outcome);
  }

  /** Shows the last result of this room to a player who missed it, as if they had stayed there. */
  async lastResult() {
    const { model } = this;
    const { place } = model.ui;
    const { code } = place;
    try {
      const over = await this.lastFinished(code);
      if (!over) return;
      const { number } = over;
      const moments = await this.moments(`rooms/${code}/games/${number}/moments`);
      if (model.ui.place !== place) return;
      const { room, game, history } = asWatchedGame(moments, { ...over, code });
      // The player's seat is found by name.
      const seat = over.players.indexOf(model.known.you?.name ?? '');
      const you = model.known.you && { ...model.known.you, seat: seat < 0 ? null : seat };
      model.apply({ type: 'to_result', last: { you, room, game, history }, past: { moments, number } });
    } catch (problem) {
      this.say(codeText(errorCode(problem)));
    }
  }

  /**
   * Finds the number of the game in its room, for a link. Without it there is no link.
   * @param {string | null} code
   * @param {Moment[]} moments
   */
  async fetchNumber(code, moments) {
    const games = await this.ask(`rooms/${code}/games`).catch(() => []);
    if (this.model.ui.shown.past?.moments === moments)
      this.model.apply({ type: 'past', past: { moments, number: games.length || null } });
  }

  /** @param {string} path @param {unknown} [body] @returns {Promise<Moment[]>} */
  moments(path, body) {
    return this.ask(path, body, async (answer) => readMoments(await answer.text()));
  }

  /** Replays the game named in the address. @param {Pick<Location, 'pathname' | 'hash'>} address */
  async openLink(address) {
    const { code, number, moment } = parseLink(address);
    const { model } = this;
    /** @type {import('../view.js').Place} */
    const place = { name: 'opening', code };
    model.apply({ type: 'enter', place });
    try {
      const [games, moments] = await Promise.all([
        this.ask(`rooms/${code}/games`),
        this.moments(`rooms/${code}/games/${number}/moments`),
      ]);
      if (model.ui.place !== place) return;
      // Without such a game the request for its moments has failed.
      const [game] = games.filter((each) => each.number === number);
      this.start({ moments, number }, { code, game: game.game, players: game.players, origin: game.origin }, moment);
    } catch (problem) {
      if (model.ui.place === place)
        model.apply({ type: 'enter', place: { name: 'trouble', code, what: errorCode(problem) } });
    }
  }

  /** Replays the game of a record, after the server has checked it. @param {GameRecord} record */
  async openRecord(record) {
    const moments = await this.moments('moments', record);
    this.leaveLine();
    const { game, players, origin } = record;
    this.start(
      { moments, number: null },
      {
        code: null,
        game,
        players,
        origin: origin && { moment: origin.moment, players: origin.record.players, outcome: origin.record.outcome },
        record,
      },
      null,
    );
  }

  /** Checks the deal against what this device saw and computes. @param {import('../view.js').View} view */
  async checkDeal({ ui, game }) {
    const { model } = this;
    const past = ui.past ?? [];
    const { code } = ui.place;
    try {
      const [record, { compareDeal, savedDealFor }, { dealer }] = await Promise.all([
        this.record(),
        this.load('deal_check'),
        this.load(`${/** @type {import('../games/index.js').GameId} */ (game)}/dealer`),
      ]);
      const beginning =
        record.origin &&
        (await (await this.load('origin_check')).checkOrigin(record, dealer, (each) => this.moments('moments', each)));
      if (model.ui.shown.past?.moments !== past) return;
      const saved = savedDealFor(savedDeals(), code, past[0].version, record.commitment);
      const compared = compareDeal(record, past, dealer, saved, beginning);
      // Failures, and records without a digest, are explained by the tools for past games.
      if (!compared[0].holds || compared.some(({ holds }) => holds === false))
        Object.assign(compared[0], (await this.loadAfterGame()).changed(record));
      this.open({ name: 'deal', compared });
    } catch (problem) {
      this.say(codeText(errorCode(problem)));
    }
  }

  /** The record of the replayed game, or of the finished one on the table. @returns {Promise<GameRecord>} */
  async record() {
    const { ui } = this.model;
    const { code, number } = gameOf(ui);
    const record = ui.place.name === 'replay' && ui.place.record;
    return record || this.ask(`rooms/${code}/games/${number ?? 'last'}/record`);
  }

  /**
   * @param {import('../view.js').Past} past
   * @param {import('../view.js').Replayed} game
   * @param {number | null} moment the first moment; null to play from the start
   */
  start(past, game, moment) {
    const { moments } = past;
    this.model.apply({
      type: 'enter',
      place: { name: 'replay', ...game },
      known: asWatchedGame(moments, game),
      with: { shown: { table: 'present', past } },
    });
    this.model.apply({ type: 'moment', at: moment ?? 0, playing: moment === null });
  }
}

/** The game and the moment (from 0) in an address. @param {Pick<Location, 'pathname' | 'hash'>} address */
export function parseLink({ pathname, hash }) {
  const [, code = '', number] = /\/r\/(\w{1,12})\/replay\/(\d{1,9})\/?$/.exec(pathname) ?? [];
  const moment = /^#m=(\d{1,9})$/.exec(hash)?.[1];
  return { code: code.toUpperCase(), number: Number(number), moment: moment === undefined ? null : Number(moment) };
}

/** @param {unknown} problem */
export const errorCode = (problem) => /** @type {{code?: string}} */ (problem).code ?? 'unreachable';
