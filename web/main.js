// Wires the parts: received messages update the model, the model is rendered, and taps send messages.

import { createCommands } from './commands.js';
import { writeToLiveRegion } from './announcements.js';
import { ask, roomCodeInAddress, isReplayAddress, isTelevision } from './urls.js';
import * as device from './device.js';
import { Renderer, title } from './drawing.js';
import { catalogueLoaded } from './preload.js';
import { Router } from './router.js';
import { gameIds, isGame } from './games/index.js';
import { Guard } from './guard.js';
import { onFallbackLoaded, setLanguage } from './i18n.js';
import { listenForKeys } from './keys.js';
import { codeText, createDispatch } from './session/update.js';
import { Loader, needed, enableGameStyles } from './loading.js';
import { Model, initialUi } from './model.js';
import { PRESENT, shownUi } from './page-state.js';
import { newsOn } from './news.js';
import { page } from './page.js';
import { PageVersion } from './page-version.js';
import { fetchPart } from './parts.js';
import { delay } from './retry.js';
import { countUp } from './screens/count-up.js';
import { alertTurn, setTitle, prepareSound, playSample, playSound, playEventSounds } from './turn-alerts.js';
import { showsResult, startsIn, tableShown, timeLeft } from './session/room-state.js';
import { LiveRegion } from './live-region.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').GameParts} GameParts */

// The breakpoints of `styles/tokens.css`.
const WIDE = matchMedia('(width >= 900px) and (height >= 560px)');
const BROAD = matchMedia('(width >= 600px)');
/** How long the page waits for its texts before it renders without them. */
const FIRST_MS = 3000;

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
const model = new Model(initialUi(device.rememberedGame(gameIds)), () => {
  fetchNeeded();
  renderer.schedule();
});
const liveRegion = new LiveRegion();
// Screen readers announce the control that is under the finger now.
const guard = new Guard((control) =>
  writeToLiveRegion([control.getAttribute('aria-label') ?? control.textContent ?? '']),
);

const version = new PageVersion();
/** @type {Loader<import('./parts.js').Parts>} */
const parts = new Loader(
  fetchPart,
  (name) => {
    const [id, part] = name.split('/');
    // Nobody can have chosen anything before the game was loaded.
    const gameUi = part === 'ui' ? gamePart(id, 'ui') : null;
    if (gameUi && id === model.known.room?.game && model.known.game) {
      model.show({ choice: gameUi.noChoice() });
      liveRegion.catchUp(lookNow());
    }
    draw();
  },
  { failed: () => void version.check().then(draw) },
);
/** @type {<Name extends keyof import('./parts.js').Parts>(name: Name) => Promise<import('./parts.js').Parts[Name]>} */
const load = (name) => parts.attempt(name);

/** What the replay and the tools after a game need. */
const replayOptions = {
  model,
  look,
  ask,
  loadAfterGame,
  load,
  say: (/** @type {string} */ words) => commands.say(words),
  open: (/** @type {import('./view.js').Sheet} */ sheet) => commands.open(sheet),
  leaveLine: () => router.disconnect(),
  send: (/** @type {import('./games/types.js').ClientMessage} */ message) => commands.send(message),
  go: (/** @type {string} */ code) => commands.go(code, 0, true),
};
/** @type {import('./replay/index.js').Replay | null} */
let replay = null;
/** @returns {Promise<import('./replay/index.js').Replay>} */
async function loadReplay() {
  const { Replay } = await load('replay');
  return (replay ??= new Replay(replayOptions));
}

/** @returns {Promise<import('./replay/after-game.js').AfterGame>} */
async function loadAfterGame() {
  const [opened, { AfterGame }] = await Promise.all([loadReplay(), load('after_game')]);
  return new AfterGame({ ...replayOptions, replay: opened });
}

async function openScreen() {
  (await load('television')).keepAwake();
}

/** @template {keyof GameParts} Part @param {string} id @param {Part} part @returns {GameParts[Part] | null} */
const gamePart = (id, part) => /** @type {GameParts[Part] | null} */ (isGame(id) ? parts.get(`${id}/${part}`) : null);
/** @param {string} id @param {keyof GameParts} part */
const loadGamePart = (id, part) => (isGame(id) ? parts.load(`${id}/${part}`) : null);
/** @param {string} id @param {keyof GameParts} part */
const lacks = (id, part) => parts.missing(`${id}/${part}`);
const loadLobby = () => void parts.load('lobby');

function fetchNeeded() {
  const game = model.known.room?.game ?? model.game;
  const need = needed(model);
  if (need.game) void loadGamePart(game, 'ui');
  if (need.rules) void loadGamePart(game, 'rules');
  if (need.invite) void parts.load('invite');
  if (need.lobby) loadLobby();
  // A result that is looked at may be of another game than the next one.
  if (showsResult(model.ui)) void loadGamePart(model.game, 'ui');
  if (need.ending) void loadGamePart(model.game, 'end');
  if (need.talk) void parts.load('reactions');
  // Few games begin with an earlier one.
  if (model.known.room?.origin) void parts.load('replay').then(() => parts.load('after_game'));
}

/** The view of what is on the screen. @returns {View} */
function look() {
  return viewOf(model.shown);
}
/** The view of the present, also while the last result is looked at. @returns {View} */
function lookNow() {
  return viewOf(model.known);
}

/** @param {import('./session/room-state.js').RoomState} known */
const gameUiOf = (known) => gamePart(known.room?.game ?? model.game, 'ui');

/** @param {import('./session/room-state.js').RoomState} known @returns {View} */
function viewOf(known) {
  const game = known.room?.game ?? model.game;
  const ui = shownUi(model.ui, known === model.known && showsResult(model.ui) ? PRESENT : model.ui.shown);
  const gameUi = gameUiOf(known);
  const seat = known.you?.seat ?? null;
  const shown = tableShown(known, ui);
  const past = parts.get('replay');
  const television = parts.get('television')?.television ?? null;
  return {
    known,
    ui,
    present: model.known,
    commands,
    game,
    gameUi,
    rules: gamePart(game, 'rules'),
    invite: parts.get('invite'),
    lobby: parts.get('lobby'),
    ending: gamePart(game, 'end'),
    reactions: parts.get('reactions'),
    audience: parts.get('audience'),
    television,
    past,
    afterGame: parts.get('after_game'),
    gamePart: (part) => {
      void loadGamePart(game, part);
      return gamePart(game, part);
    },
    missing: {
      gameUi: lacks(game, 'ui'),
      rules: lacks(game, 'rules'),
      invite: parts.missing('invite'),
      lobby: parts.missing('lobby'),
      ending: lacks(game, 'end'),
    },
    outdated: version.isOutdated(known.page),
    ...shown,
    ...newsOn({ known, ui, past, table: shown.table, seat }, gameUi),
    leaving: router.session?.leaving ?? false,
    wide: WIDE.matches || television !== null,
    broad: BROAD.matches || television !== null,
    now: Date.now(),
    seat,
  };
}

const renderer = new Renderer({
  root,
  look,
  page: (view) => {
    enableGameStyles(view.game);
    return page(view);
  },
  measured: (rooms) => model.measured(rooms),
  drawn: (view) => {
    liveRegion.flush();
    view.reactions?.placeBubbles(root);
    guard.rendered(root);
    setTitle(...title(lookNow()));
  },
});
const draw = () => renderer.schedule();

/** Duration of the score count on the table, or infinity while its code is loading. */
function howLong() {
  const { game } = model.shown;
  return (game && gamePart(model.game, 'end')?.endingMs(game.table)) ?? Infinity;
}
/**
 * Plays the sound of what is counted.
 * @param {number} from
 * @param {number} to
 */
function cue(from, to) {
  const { game } = model.shown;
  const heard = game && gamePart(model.game, 'end')?.cue(game.table, from, to);
  if (heard) playSound(heard);
}

const dispatch = createDispatch({
  model,
  look: lookNow,
  gameUiOf,
  liveRegion,
  alertTurn,
  playEventSounds,
  chatIsRead: () => model.ui.sheet?.name === 'chat' || WIDE.matches,
  // For a player who still looks at the previous result, this one is already counted.
  countUp: (atOnce) =>
    showsResult(model.ui) ||
    countUp(model, atOnce || device.reducedMotion(), howLong, cue, () => atOnce || playSound('win')),
  isHeard: device.isHeard,
  say: (words) => commands.say(words),
});

const router = new Router({
  model,
  dispatch,
  ask,
  loadLobby,
  go: (code) => commands.go(code),
  open: (sheet) => commands.open(sheet),
});

const commands = createCommands({
  model,
  look,
  dispatch,
  router,
  guard,
  ask,
  load,
  onLoadError: async () => {
    await version.check();
    if (version.isOutdated(model.known.page)) commands.open({ name: 'outdated' });
    else commands.say(codeText('unreachable'));
  },
  loadReplay,
  loadAfterGame,
  onSettingsChange: (change) => {
    markCalm();
    dispatchEvent(new CustomEvent('settings', { detail: device.settings() }));
    if (change.volume !== undefined) playSample();
    if (change.language) void setLanguage(change.language).then(draw);
    draw();
  },
});

const markCalm = () => root.classList.toggle('calm', device.settings().motion === 'less');

/** By then every bubble is gone. */
const TALK_MS = 9000;

/** Redraws what changes by the second: the clock, away times and bubbles. */
function tick() {
  const { known } = model;
  liveRegion.announceClock(known, Date.now());
  if (
    timeLeft(known, Date.now()) !== null ||
    startsIn(known, Date.now()) !== null ||
    known.talk.some(({ at }) => Date.now() - at < TALK_MS) ||
    known.room?.seats.some((seat) => !seat.connected)
  )
    draw();
}

/** Opens what the address names: a room, a replay, or the home page. */
function enterAddress() {
  if (!isReplayAddress()) return void router.enter(roomCodeInAddress());
  router.disconnect();
  /** @type {import('./view.js').Place} */
  const place = { name: 'opening', code: null };
  model.apply({ type: 'enter', place });
  const isHere = () => model.ui.place === place;
  loadReplay().then(
    (opened) => {
      if (isHere()) void opened.openLink(location);
    },
    () => showLoadError(isHere),
  );
}

/**
 * Shows why what the address names failed to load, unless the page shows something else by now.
 * @param {() => boolean} isHere
 */
async function showLoadError(isHere) {
  await version.check();
  if (!isHere()) return;
  const what = version.isOutdated(null) ? '4011' : 'unreachable';
  model.apply({ type: 'enter', place: { name: 'trouble', code: roomCodeInAddress(), what } });
}

function start() {
  onFallbackLoaded(draw);
  const words = catalogueLoaded.then(() => {
    liveRegion.catchUp(lookNow());
    draw();
  });
  markCalm();
  prepareSound();
  if (isTelevision()) void openScreen().catch(() => showLoadError(() => true));
  else listenForKeys(look);
  guard.listen();
  WIDE.addEventListener('change', draw);
  addEventListener('resize', draw);
  addEventListener('popstate', enterAddress);
  // A record can be dropped anywhere but at a table.
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && /home|replay/.test(model.ui.place.name)) commands.openRecord(file);
  });
  setInterval(tick, 1000);
  // Requests the room while texts are still loading.
  enterAddress();
  // A catalogue that fails to load does not block the page.
  void Promise.race([words, delay(FIRST_MS)]).then(() => {
    renderer.begin();
    // The page was reloaded during the guided first round.
    if (location.hash.startsWith('#learn')) commands.openLesson();
  });
}

start();
