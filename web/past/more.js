// What few do with a game of the past, fetched when somebody does: playing on from it, the same deal again, what the strongest bot makes of it, the
// book of the table, what can be kept and sent, and records from files. It knows no game.

import { GAMES } from '../games/index.js';
import { codeWords } from '../learning.js';
import { pause } from '../patience.js';
import { afterSheet } from './after.js';
import { bookSheet, recordsSheet } from './book.js';
import { changedIn } from './changed.js';
import { doubtSheet } from './doubt.js';
import { hintSheet, reviewSheet } from './eye.js';
import { chooseFile, recordsOf } from './files.js';
import { keepFile, shareLink } from './keeping.js';
import { codeOf } from './replay.js';

export { partWords } from './changed.js';
export { beside, chairs, originWords } from './origin.js';

/** @typedef {import('../view.js').View} View */

/** Whichever of these sheets is open. @param {View} view */
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
      return open.doubt && doubtSheet(view, open.doubt);
    default:
      return null;
  }
}

/** So often it is looked whether an answer has come, */
const LOOK_MS = 500;
/** and after so many looks at which nothing was heard it is given up: on a line that broke, or at a server that stopped. */
const SILENT_LOOKS = 20;

export class More {
  /**
   * @param {object} options
   * @param {import('../model.js').Model} options.model
   * @param {() => View} options.look
   * @param {import('./replay.js').Replay} options.replay
   * @param {typeof import('../base.js').ask} options.ask
   * @param {(words: string) => void} options.say
   * @param {(sheet: import('../view.js').Sheet) => void} options.open opens a sheet; what had the focus has it again afterwards
   * @param {(message: import('../wire.js').ClientMessage) => void} options.send
   * @param {(code: string) => void} options.go into a room that was just opened
   * @param {typeof pause} [options.wait]
   */
  constructor({ model, look, replay, ask, say, open, send, go, wait = pause }) {
    this.model = model;
    this.look = look;
    this.replay = replay;
    this.ask = ask;
    this.say = say;
    this.open = open;
    this.send = send;
    this.go = go;
    this.wait = wait;
  }

  /** What cannot be done is said. @param {() => Promise<unknown>} what */
  async try(what) {
    try {
      await what();
    } catch (problem) {
      this.model.show({ busy: false });
      this.say(codeWords(codeOf(problem)));
    }
  }

  /** What was changed in a record. @param {any} record */
  changed(record) {
    return record.digest && changedIn(record);
  }

  /** What can be done after the end. */
  async after() {
    const { model, replay } = this;
    if (!model.ui.number) await replay.fetched();
    if (model.shown.room?.phase === 'finished') this.open({ name: 'after' });
  }

  /** What all games of the room came to. */
  book() {
    const { ui } = this.model;
    const code = ui.replay?.code ?? ui.code ?? '';
    return this.try(async () => this.open({ name: 'book', code, book: await this.ask(`rooms/${code}/book`) }));
  }

  /** What the strongest bot made of the game on the screen; whoever sits at its table may ask for it. */
  async review() {
    const { model, replay } = this;
    this.open({ name: 'review', asking: true });
    if (!model.ui.replay && !model.ui.past?.at(-1)?.table.outcome) await replay.fetched();
    const { past, code, number } = { ...model.ui, ...model.ui.replay };
    for (;;) {
      /** @type {{review?: import('../wire.js').Review, why?: string}} */
      const answer = await this.ask(`rooms/${code}/games/${model.ui.replay || model.ui.stay ? number : 'last'}/review`).then((review) => ({ review }), (problem) => ({ why: codeOf(problem) }));
      if (model.ui.past !== past || !model.ui.sheet?.asking) return;
      if (answer.why !== 'no_review' || model.ui.replay || model.known.you?.seat == null) return model.show({ sheet: { name: 'review', ...answer } });
      // It is made once, however often it is asked for.
      this.send({ type: 'review' });
      if (!await this.heard('review', () => model.known.review?.ready)) return;
    }
  }

  /** What the strongest bot would do in one's place. */
  async hint() {
    const { model } = this;
    model.known = { ...model.known, hint: null };
    this.open({ name: 'hint', asking: true });
    this.send({ type: 'hint' });
    await this.heard('hint', () => model.known.hint);
  }

  /** Whether it came while somebody waited for it in this sheet. If nothing is heard any more, the sheet says so. @param {'review' | 'hint'} name @param {() => unknown} there */
  async heard(name, there) {
    const { model } = this;
    let last = null;
    for (let silent = 0; silent < SILENT_LOOKS; silent++) {
      await this.wait(LOOK_MS);
      const { sheet } = model.ui;
      if (sheet?.name !== name || !sheet.asking) return false;
      if (there()) return true;
      if (last !== model.known[name]) [last, silent] = [model.known[name], 0];
    }
    model.show({ sheet: { name, why: model.known.line === 'open' ? 'busy' : 'unreachable' } });
    return false;
  }

  /** Opens a room that goes on from this moment of the game looked back at, or that begins with the same deal. @param {number | null} moment */
  playOn(moment) {
    return this.try(async () => {
      this.model.show({ busy: true });
      const record = await this.replay.record();
      const { code } = await this.ask('rooms/from', { record, moment, forced: GAMES[/** @type {import('../games/index.js').GameId} */ (record.game)]?.forced });
      this.go(code);
    });
  }

  /** Gives the record of the game looked back at to whoever wants to keep or send it. */
  keepRecord() {
    return this.try(async () => {
      const record = await this.replay.record();
      const { code, number } = this.model.ui.replay ?? this.model.ui;
      keepFile(new Blob([JSON.stringify(record)], { type: 'application/json' }), [record.game, code, number].filter(Boolean).join('-') + '.json');
    });
  }

  /** The end as a picture, with the points over time. */
  savePicture() {
    return this.try(async () => {
      if (!this.model.ui.past) await this.replay.fetched();
      const view = this.look();
      const picture = await view.face?.picture(view);
      if (picture) keepFile(picture, `${view.game}-${view.ui.code}.png`);
    });
  }

  /** Shows the game of a record: of this file, or of one that somebody chooses. @param {Blob} [file] */
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
      else this.say(codeWords(codeOf(problem)));
    }
  }

  /** @param {string} url */
  shareLink(url) {
    shareLink(this.look(), url);
  }
}
