// Looking back: through the moments of a game, by hand or by themselves. They come from the server: of the game on the table, of a game by
// its link, or of a record that was opened. It knows no game.

import { keptDeals } from '../device.js';
import { GAMES } from '../games/index.js';
import { codeWords } from '../learning.js';
import { nothing } from '../store.js';
import { keepFile } from './keeping.js';
import { momentOf, readMoments, staged } from './moments.js';

/** @typedef {import('./moments.js').Moment} Moment */
/** @typedef {import('../view.js').Ui} Ui */
/** @typedef {{at: number, title: string}} Round */

/** The pace of a replay. */
export const STEP_MS = 1100;
/** So often it is looked whether the next step is due. */
const TICK_MS = 50;
/** The largest record; the server reads no larger one. */
const MOST_BYTES = 2 << 20;
/** The largest file with many of them. */
const MOST_RECORDS_BYTES = 64 << 20;

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
   * @param {(code: string) => void} options.go into a room that was just opened
   * @param {(message: import('../wire.js').ClientMessage) => void} options.send
   * @param {() => void} options.leaveLine ends the visit to a room, before another game takes its place
   * @param {(then: () => void, ms: number) => unknown} [options.every]
   * @param {() => number} [options.clock]
   */
  constructor({ model, ask, say, send, open = (sheet) => model.show({ sheet }), go, leaveLine, every = setInterval, clock = () => performance.now() }) {
    this.model = model;
    this.ask = ask;
    this.say = say;
    this.send = send;
    this.open = open;
    this.go = go;
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
    const known = momentOf(model.ui.past ?? [], model.known.history.length - 1) !== null;
    if (known || (await this.fetched()).length) model.show({ moment: 0, playing: true });
  }

  /** The moments of the game on the table, asked for anew; none if they cannot be had. @returns {Promise<Moment[]>} */
  async fetched() {
    const { model } = this;
    const { code } = model.ui;
    const { commitment } = model.known.room?.fair ?? {};
    try {
      const past = await this.moments(`rooms/${code}/games/last/moments`);
      // Meanwhile another game may lie there, or another room.
      if (model.ui.code !== code || !model.known.game || model.known.room?.fair.commitment !== commitment) return [];
      model.show({ past });
      if (past.at(-1)?.table.outcome) void this.count(code, past);
      return past;
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
      return [];
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

  /** Lets somebody choose a record. */
  choose() {
    const chooser = Object.assign(document.createElement('input'), { type: 'file', accept: '.json,.jsonl,application/json' });
    chooser.onchange = () => chooser.files?.[0] && this.openFile(chooser.files[0]);
    chooser.click();
  }

  /** A record from a file, or a choice of all that are in it. @param {Blob} file */
  async openFile(file) {
    const { model } = this;
    /** @type {string[]} */
    let players = [];
    try {
      if (file.size > MOST_RECORDS_BYTES) throw { doubt: { type: 'too_large' } };
      const text = await file.text();
      const records = readRecords(text);
      if (records.length > 1) return this.open({ name: 'records', records });
      if (file.size > MOST_BYTES) throw { doubt: { type: 'too_large' } };
      const record = records[0] ?? readRecord(text);
      players = record.players;
      const past = await this.moments('moments', record);
      this.leaveLine();
      this.clear('');
      const { origin } = record;
      const from = origin && { moment: origin.moment, players: origin.record.players, outcome: origin.record.outcome };
      this.lay(past, { code: null, number: null, game: record.game, players: record.players, origin: from, record }, null);
    } catch (problem) {
      const { doubt } = /** @type {{doubt?: import('../wire.js').RecordDoubt}} */ (problem);
      if (doubt) model.show({ sheet: { name: 'doubt', doubt, players } });
      else this.say(codeWords(codeOf(problem)));
    }
  }

  /** What the strongest bot made of the game on the screen; whoever sits at its table may ask for it. */
  async review() {
    const { model } = this;
    model.show({ sheet: { name: 'review' } });
    if (!model.ui.replay && !model.ui.past?.at(-1)?.table.outcome) await this.fetched();
    await this.fetchReview();
  }

  /** Asks for it once more, as soon as it is there. */
  async fetchReview() {
    const { model } = this;
    const { past, replay } = model.ui;
    const code = replay ? replay.code : model.ui.code;
    try {
      const review = await this.ask(`rooms/${code}/games/${replay ? replay.number : 'last'}/review`);
      if (model.ui.past === past) model.show({ review });
    } catch (problem) {
      if (model.ui.past !== past || typeof model.ui.review === 'object' && model.ui.review) return;
      const none = codeOf(problem);
      model.show({ review: none });
      if (none === 'no_review' && !replay && model.known.you?.seat !== null) this.send({ type: 'review' });
    }
  }

  /** Holds the deal against what this device saw and computes itself. @param {import('../view.js').View} view */
  async checkDeal(view) {
    const { model } = this;
    const { ui, face } = view;
    const past = ui.past ?? [];
    const code = ui.replay ? ui.replay.code : ui.code;
    try {
      const [record, { compare, keptFor, origins }, dealing] = await Promise.all([this.record(view), import('./deal.js'), face?.dealer()]);
      const earlier = await Promise.all(origins(record).map((each) => this.moments('moments', each)));
      if (!dealing || model.ui.past !== past) return;
      const kept = keptFor(keptDeals(), code, past[0].version, record.commitment);
      this.open({ name: 'deal', compared: compare(record, past, dealing.dealer, kept, earlier) });
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** The record of the game that is looked back at, or of the finished one on the table. @param {import('../view.js').View} view */
  async record({ ui }) {
    if (ui.replay?.record) return ui.replay.record;
    const [code, number] = ui.replay ? [ui.replay.code, ui.replay.number] : [ui.code, ui.number ?? 'last'];
    return this.ask(`rooms/${code}/games/${number}/record`);
  }

  /** Opens a room that goes on from this moment, or that begins with the same deal. @param {import('../view.js').View} view @param {number | null} moment */
  async playOn(view, moment) {
    const { model } = this;
    model.show({ busy: true });
    try {
      const record = await this.record(view);
      const { code } = await this.ask('rooms/from', { record, moment, forced: GAMES[/** @type {import('../games/index.js').GameId} */ (record.game)]?.forced });
      this.go(code);
    } catch (problem) {
      model.show({ busy: false });
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** The game that is looked back at as a file. @param {import('../view.js').View} view */
  async keepRecord(view) {
    try {
      const record = await this.record(view);
      const { code, number } = view.ui.replay ?? view.ui;
      keepFile(new Blob([JSON.stringify(record)], { type: 'application/json' }), [record.game, code, number].filter(Boolean).join('-') + '.json');
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** What can be done after the end. */
  async after() {
    const { model } = this;
    if (!model.ui.number) await this.fetched();
    if (model.known.room?.phase === 'finished') this.open({ name: 'after' });
  }

  /** What all games of the room came to. */
  async book() {
    const { model } = this;
    const code = model.ui.replay?.code ?? model.ui.code ?? '';
    try {
      const book = await this.ask(`rooms/${code}/book`);
      this.open({ name: 'book', code, book });
    } catch (problem) {
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** Whatever was on the screen makes way. @param {string} code */
  clear(code) {
    this.model.known = { ...nothing, line: 'connecting' };
    this.model.show({ code, preview: null, trouble: null, sheet: null, past: null, review: null, number: null, moment: null, playing: false, replay: null, busy: false });
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
const codeOf = (problem) => /** @type {{code?: string}} */ (problem).code ?? 'unreachable';

/** All records of a file that has one on each line; none if it has not. @param {string} text @returns {any[]} */
function readRecords(text) {
  try {
    const records = text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
    return records.every((record) => typeof record === 'object' && record !== null && !Array.isArray(record)) ? records : [];
  } catch {
    // One record may be written over several lines.
    return [];
  }
}

/** What does not even look like a record need not be sent. @param {string} text @returns {any} */
function readRecord(text) {
  try {
    const record = JSON.parse(text);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
  } catch {
    // It is said below.
  }
  throw { doubt: { type: 'unreadable' } };
}
