// What taps and keys do: change what the page has open, send decisions, and send requests to the server. It knows no
// game and draws nothing.

import { roomUrl, pushAddress, RequestError } from './urls.js';
import * as device from './device.js';
import { GAMES } from './games/index.js';
import { gameName, t } from './i18n.js';
import { codeText } from './session/update.js';
import { awaitsOnlyBots } from './session/room-state.js';

/** @typedef {import('./view.js').Commands} Commands */
/** @typedef {import('./parts.js').Parts} Parts */
/**
 * @typedef {object} CommandOptions
 * @property {import('./model.js').Model} model
 * @property {() => import('./view.js').View} look
 * @property {(news: import('./page-state.js').Input) => void} dispatch
 * @property {import('./router.js').Router} router
 * @property {import('./guard.js').Guard} guard
 * @property {typeof import('./urls.js').ask} ask
 * @property {<Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>} load loads a part of the page
 * @property {() => void} onLoadError called when a part that a tap asks for has failed to load
 * @property {() => Promise<import('./replay/replay.js').Replay>} loadReplay loads the replay
 * @property {() => Promise<import('./replay/after-game.js').AfterGame>} loadAfterGame loads what few people use after a
 *   game
 * @property {(change: Partial<device.Settings>) => void} onSettingsChange called after a setting has changed
 */

const TOAST_MS = 3200;

/** @param {CommandOptions} options @returns {Commands} */
export function createCommands({
  model,
  look,
  dispatch,
  router,
  guard,
  ask,
  load,
  onLoadError,
  loadReplay,
  loadAfterGame,
  onSettingsChange,
}) {
  /** The focused element before a sheet opened. @type {HTMLElement | null} */
  let opener = null;
  let toasts = 0;
  /** @param {(replay: import('./replay/replay.js').Replay) => unknown} how */
  const withReplay = (how) => void loadReplay().then(how, onLoadError);
  /** @type {Commands} */
  const commands = {
    show: (change) => model.show(change),
    open(sheet) {
      if (!model.ui.sheet) opener = /** @type {HTMLElement | null} */ (document.activeElement);
      model.apply({ type: 'open', sheet });
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
      // These messages are no decisions, or can be undone.
      if (!/^(chat|hint|review|ready|react|mute|handover)$/.test(message.type) && !guard.allows()) return false;
      const sent = router.send(message);
      if (!sent) commands.say(t('line.reconnecting'));
      return sent;
    },
    rematch(type) {
      const sent = commands.send({ type });
      if (sent) model.show({ onward: true });
      return sent;
    },
    goToRoom: () => model.apply({ type: 'to_room' }),
    lastResult: () =>
      model.known.last ? model.apply({ type: 'to_result' }) : withReplay((replay) => replay.lastResult()),
    act(action) {
      const { known, ui } = model;
      if (!known.game || known.pending || ui.shown.table === 'moment' || !guard.allows()) return;
      dispatch({ type: 'act_sent', action });
      // While disconnected it stays pending, and is sent after the next welcome if it is still wanted then.
      const sent = model.known.pending;
      if (sent) router.send({ type: 'act', n: sent.n, action });
    },
    hurry() {
      const can = model.ui.shown.table !== 'moment' && awaitsOnlyBots(model.known);
      if (can) router.send({ type: 'hurry' });
      return can;
    },
    choose: (choice) => model.show({ choice }),
    chooseGame(game) {
      device.rememberGame(game);
      model.show({ game });
    },
    async create(bots = 0) {
      const { game } = model.ui;
      model.show({ busy: true });
      try {
        const { code } = await ask('rooms', { game, forced: GAMES[game].forced });
        commands.go(code, bots);
      } catch (problem) {
        commands.say(codeText(problem instanceof RequestError ? problem.code : 'unknown'));
        model.show({ busy: false });
      }
    },
    go(code, bots, atOnce) {
      pushAddress(code);
      void router.enter(code, bots, atOnce);
    },
    join: (name, watch) => router.join(name, watch),
    rejoin: () => router.rejoin(),
    leave() {
      if (!guard.allows()) return;
      // The guided first round has no server.
      if (!router.session) return commands.go(null);
      if (!router.session.leave()) commands.say(t('leave.waiting'));
      model.show({ sheet: null });
    },
    share() {
      const { code } = model.ui.place;
      if (code)
        navigator
          .share({ title: t('share.title', { game: gameName(model.game) }), url: roomUrl(code) })
          .catch(() => {});
    },
    goToMoment: (at, playing) => model.apply({ type: 'moment', at, playing }),
    leaveMoment: () => model.apply({ type: 'leave_moment' }),
    lookBack: (event) => withReplay((replay) => replay.lookBack(event)),
    replay: () => withReplay((replay) => replay.begin()),
    checkDeal: () => withReplay((replay) => replay.checkDeal(look())),
    withAfterGame: (how) => void loadAfterGame().then(how, onLoadError),
    openRecord: (file) => commands.withAfterGame((afterGame) => afterGame.openRecord(file)),
    openAudience: () => void load('audience').then(() => commands.open({ name: 'audience' }), onLoadError),
    async openLesson() {
      const { game } = model.ui;
      try {
        const [{ startLesson }, guide] = await Promise.all([load('lesson'), load(`${game}/guide`), load(`${game}/ui`)]);
        startLesson(look(), guide);
      } catch {
        onLoadError();
      }
    },
    copyLink() {
      const { code } = model.ui.place;
      if (code) commands.copy(roomUrl(code));
    },
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
        commands.say(t('share.copied'));
      } catch {
        // Over plain http there is no clipboard: show the link to copy by hand.
        commands.withAfterGame(() => commands.open({ name: 'copy', text }));
      }
    },
    // A player who reconnects takes the seat back from the bot. An act would have to be quicker than the bot.
    takeOver: () => router.session?.connection?.connect(),
    playScripted: (open) => router.rehearse(open),
    setting(change) {
      device.changeSettings(change);
      onSettingsChange(change);
    },
  };
  return commands;
}
