// What taps and keys do: changes what the page has open, sends what was decided, asks the server. It knows no game and draws nothing.

import { roomUrl, showAddress, Refused } from './base.js';
import * as device from './device.js';
import { GAMES } from './games/index.js';
import { gameName, t } from './i18n.js';
import { codeWords, noPast } from './learning.js';
import { fold, onlyBots } from './store.js';

/** @typedef {import('./view.js').Acts} Acts */
/**
 * @typedef {object} ActsOptions
 * @property {import('./model.js').Model} model
 * @property {() => import('./view.js').View} look
 * @property {(news: Parameters<typeof fold>[1]) => void} learn
 * @property {import('./entering.js').Entering} entering
 * @property {import('./guard.js').Guard} guard
 * @property {typeof import('./base.js').ask} ask
 * @property {(game: string) => unknown} want fetches a game
 * @property {() => Promise<import('./past/replay.js').Replay>} openPast fetches what looks back
 * @property {() => Promise<import('./past/more.js').More>} openMore fetches what few do with a game of the past
 * @property {(change: Partial<device.Settings>) => void} settled a setting has changed
 */

const TOAST_MS = 3200;

/** @param {ActsOptions} options @returns {Acts} */
export function actsOf({ model, look, learn, entering, guard, ask, want, openPast, openMore, settled }) {
  /** Where the focus was before a sheet opened. @type {HTMLElement | null} */
  let opener = null;
  let toasts = 0;
  const unreachable = () => acts.say(codeWords('unreachable'));
  /** @param {(replay: import('./past/replay.js').Replay) => unknown} how */
  const back = (how) => void openPast().then(how, unreachable);
  /** @type {Acts} */
  const acts = {
    show: (change) => model.show(change),
    open(sheet) {
      if (!model.ui.sheet) opener = /** @type {HTMLElement | null} */ (document.activeElement);
      if (sheet.name === 'chat') model.known = fold(model.known, { type: 'read' }, 0);
      model.show({ sheet });
    },
    close() {
      model.show({ sheet: null });
      queueMicrotask(() => opener?.isConnected && opener.focus({ preventScroll: true }));
    },
    say(text) {
      const id = ++toasts;
      model.show({ toast: { text, id } });
      setTimeout(() => model.ui.toast?.id === id && model.show({ toast: null }), TOAST_MS);
    },
    send(message) {
      // Words, questions and what can be taken back decide nothing.
      if (!/^(chat|hint|review|ready|react|mute|handover)$/.test(message.type) && !guard.allows()) return false;
      const sent = entering.send(message);
      if (!sent) acts.say(t('line.reconnecting'));
      return sent;
    },
    rematch(type) {
      const sent = acts.send({ type });
      if (sent) model.ui = { ...model.ui, onward: true };
      return sent;
    },
    goOn: () => model.show({ stay: false, counting: false, reveal: Infinity, sheet: null, ...noPast }),
    lastResult: () => (model.known.last ? model.show({ stay: true }) : back((replay) => replay.lastResult())),
    act(action) {
      if (!model.known.game || model.known.pending || model.ui.moment !== null || !guard.allows()) return;
      learn({ type: 'acted', action });
      // Without a line it stays pending and goes out with the next welcome, if it is still wanted then.
      const sent = /** @type {import('./store.js').Known} */ (model.known).pending;
      if (sent) entering.send({ type: 'act', n: sent.n, action });
    },
    hurry() {
      const can = model.ui.moment === null && onlyBots(model.known);
      if (can) entering.send({ type: 'hurry' });
      return can;
    },
    choose: (choice) => model.show({ choice }),
    pick(game) {
      device.rememberGame(game);
      model.show({ game });
    },
    async create(bots = 0) {
      const { game } = model.ui;
      model.show({ busy: true });
      try {
        const { code } = await ask('rooms', { game, forced: GAMES[game].forced });
        acts.go(code, bots);
      } catch (problem) {
        acts.say(codeWords(problem instanceof Refused ? problem.code : 'unknown'));
        model.show({ busy: false });
      }
    },
    go(code, bots, atOnce) {
      showAddress(code);
      void entering.enter(code, bots, atOnce);
    },
    join: (name, watch) => entering.join(name, watch),
    rejoin: () => entering.rejoin(),
    leave() {
      if (!guard.allows()) return;
      // The guided first round has nobody to tell.
      if (!entering.session) return acts.go(null);
      if (!entering.session.leave()) acts.say(t('leave.waiting'));
      model.show({ sheet: null });
    },
    share() {
      const { code } = model.ui;
      if (code) navigator.share({ title: t('share.title', { game: gameName(model.game) }), url: roomUrl(code) }).catch(() => {});
    },
    lookBack: (event) => back((replay) => replay.lookBack(event)),
    replay: () => back((replay) => replay.begin()),
    checkDeal: () => back((replay) => replay.checkDeal(look())),
    more: (how) => void openMore().then(how, unreachable),
    openRecord: (file) => acts.more((more) => more.openRecord(file)),
    async learn() {
      try {
        const { learn: open } = await import('./lesson/open.js');
        await want(model.ui.game);
        await open(look());
      } catch {
        unreachable();
      }
    },
    copyLink() {
      if (model.ui.code) acts.copy(roomUrl(model.ui.code));
    },
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
        acts.say(t('share.copied'));
      } catch {
        // On a plain http address in a home network there is no clipboard: show the link to copy by hand.
        acts.open({ name: 'copy', text });
      }
    },
    // Whoever comes in plays for themselves; an act would have to be quicker than the bot.
    takeOver: () => entering.session?.line?.connect(),
    rehearse: (open) => entering.rehearse(open),
    setting(change) {
      device.changeSettings(change);
      settled(change);
    },
  };
  return acts;
}
