// Tools for past games that few people use: playing on, the same deal again, reviews and hints, the book of the room,
// saving and sharing, and records from files; and sheets with a link that few people need. It knows no game.

import { GAMES } from '../games/index.js';
import { codeText } from '../session/update.js';
import { afterSheet } from './after-sheet.js';
import { bookSheet, recordsSheet } from './book.js';
import { copySheet, deviceSheet } from '../screens/link-sheets.js';
import { showsResult } from '../session/room-state.js';
import { gameOf } from './moments.js';
import { tamperedPart } from './tamper-check.js';
import { recordErrorSheet } from './record-errors.js';
import { hintSheet, reviewSheet } from './review.js';
import { chooseFile, recordsOf } from './record-files.js';
import { saveOrShareFile, shareLink } from './save-share.js';
import { errorCode } from './replay.js';

export { tamperedPartWords } from './tamper-check.js';
export { originScores, originSeats, originWords } from './origin.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../games/index.js').GameId} GameId */
/** @typedef {import('../parts.js').Parts} Parts */

/** Renders the open sheet if it is one of these. @param {View} view */
export function openSheet(view) {
  const open = view.ui.sheet;
  switch (open?.name) {
    case 'after':
      return afterSheet(view);
    case 'book':
      return open.book && bookSheet(view, open.book);
    case 'records':
      return open.records && recordsSheet(view, open.records);
    case 'review':
      return reviewSheet(view);
    case 'hint':
      return hintSheet(view);
    case 'doubt':
      return open.doubt && recordErrorSheet(view, open.doubt);
    case 'device':
      return deviceSheet(view, open);
    case 'copy':
      return copySheet(view, open);
    default:
      return null;
  }
}

/** After this time without any progress the wait for an answer ends: the connection broke, or the server stopped. */
const SILENCE_MS = 10000;

export class AfterGame {
  /**
   * @param {object} options
   * @param {import('../model.js').Model} options.model
   * @param {() => View} options.look
   * @param {import('./replay.js').Replay} options.replay
   * @param {typeof import('../urls.js').ask} options.ask
   * @param {(words: string) => void} options.say
   * @param {(sheet: import('../view.js').Sheet) => void} options.open opens a sheet; the focus returns when it is
   *   closed
   * @param {<Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>} options.load loads a part of the page
   * @param {(message: import('../games/types.js').ClientMessage) => void} options.send
   * @param {(code: string) => void} options.go opens a room that was just created
   */
  constructor({ model, look, replay, ask, say, open, load, send, go }) {
    this.model = model;
    this.look = look;
    this.replay = replay;
    this.ask = ask;
    this.say = say;
    this.open = open;
    this.load = load;
    this.send = send;
    this.go = go;
  }

  /** Runs something and reports its failure. @param {() => Promise<unknown>} what */
  async attempt(what) {
    try {
      await what();
    } catch (problem) {
      this.model.show({ busy: false });
      this.say(codeText(errorCode(problem)));
    }
  }

  /** Returns what was changed in a record. @param {import('./record.js').GameRecord} record */
  changed(record) {
    return tamperedPart(record);
  }

  /** Opens the menu after the end of a game. */
  async after() {
    const { model, replay } = this;
    if (!gameOf(model.ui).number) await replay.fetchMoments();
    if (model.shown.room?.phase === 'finished') this.open({ name: 'after' });
  }

  /** Opens the book of the room. */
  book() {
    const code = this.model.ui.place.code ?? '';
    return this.attempt(async () => this.open({ name: 'book', code, book: await this.ask(`rooms/${code}/book`) }));
  }

  /** Shows the strongest bot's review of the game on the screen. Seated players may request it. */
  async review() {
    const { model, replay } = this;
    this.open({ name: 'review', asking: true });
    const replayed = model.ui.place.name === 'replay';
    if (!replayed && !model.ui.shown.past?.moments.at(-1)?.table.outcome) await replay.fetchMoments();
    const { code, number } = gameOf(model.ui);
    const moments = model.ui.shown.past?.moments;
    for (;;) {
      /** @type {{review?: import('../games/types.js').Review, why?: string}} */
      const answer = await this.ask(
        `rooms/${code}/games/${replayed || showsResult(model.ui) ? number : 'last'}/review`,
      ).then(
        (review) => ({ review }),
        (problem) => ({ why: errorCode(problem) }),
      );
      if (model.ui.shown.past?.moments !== moments || !model.ui.sheet?.asking) return;
      if (answer.why !== 'no_review' || replayed || model.known.you?.seat == null)
        return model.show({ sheet: { name: 'review', ...answer } });
      // It is made once, however often it is requested.
      this.send({ type: 'review' });
      if (!(await this.waitForAnswer('review', () => model.known.review?.ready))) return;
    }
  }

  /** Shows the strongest bot's hint. */
  async hint() {
    const { model } = this;
    model.hear({ type: 'hint_asked' });
    this.open({ name: 'hint', asking: true });
    this.send({ type: 'hint' });
    await this.waitForAnswer('hint', () => model.known.hint);
  }

  /**
   * Waits for an answer while its sheet is open. After a silence without any progress the sheet shows an error.
   * @param {'review' | 'hint'} name
   * @param {() => unknown} there
   * @returns {Promise<boolean>} whether the answer is there
   */
  waitForAnswer(name, there) {
    const { model } = this;
    return new Promise((resolve) => {
      /** @param {boolean} answered */
      const end = (answered) => {
        clearTimeout(timer);
        unlisten();
        resolve(answered);
      };
      const giveUp = () =>
        model.show({ sheet: { name, why: model.known.connection === 'open' ? 'busy' : 'unreachable' } });
      let last = model.known[name];
      let timer = setTimeout(giveUp, SILENCE_MS);
      const unlisten = model.listen(() => {
        const { sheet } = model.ui;
        const now = model.known[name];
        if (sheet?.name !== name || !sheet.asking) return end(false);
        if (now === last) return;
        if (there()) return end(true);
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MS);
        last = now;
      });
    });
  }

  /**
   * Opens a room that continues from this moment of the game, or that starts with the same deal.
   * @param {number | null} moment
   */
  playOn(moment) {
    return this.attempt(async () => {
      this.model.show({ busy: true });
      const record = await this.replay.record();
      const { code } = await this.ask('rooms/from', {
        record,
        moment,
        forced: GAMES[/** @type {GameId} */ (record.game)]?.forced,
      });
      this.go(code);
    });
  }

  /** Saves or shares the record of the game. */
  keepRecord() {
    return this.attempt(async () => {
      const record = await this.replay.record();
      const { code, number } = gameOf(this.model.ui);
      saveOrShareFile(
        new Blob([JSON.stringify(record)], { type: 'application/json' }),
        [record.game, code, number].filter(Boolean).join('-') + '.json',
      );
    });
  }

  /** Saves a picture of the end, with a chart of the points. */
  savePicture() {
    return this.attempt(async () => {
      if (!this.model.ui.shown.past) await this.replay.fetchMoments();
      const view = this.look();
      const { picture } = await this.load(`${/** @type {GameId} */ (view.game)}/picture`);
      const blob = view.table && (await picture(view));
      if (blob) saveOrShareFile(blob, `${view.game}-${view.ui.place.code}.png`);
    });
  }

  /** Replays the game of a record file, or asks for a file first. @param {Blob} [file] */
  async openRecord(file) {
    if (!file) return chooseFile((chosen) => this.openRecord(chosen));
    /** @type {string[]} */
    let players = [];
    try {
      const records = await recordsOf(file);
      if (records.length > 1) return this.open({ name: 'records', records });
      players = records[0].players;
      await this.replay.openRecord(records[0]);
    } catch (problem) {
      const { doubt } = /** @type {{doubt?: import('../wire.js').RecordDoubt}} */ (problem);
      if (doubt) this.open({ name: 'doubt', doubt, players });
      else this.say(codeText(errorCode(problem)));
    }
  }

  /** @param {string} url */
  shareLink(url) {
    shareLink(this.look(), url);
  }
}
