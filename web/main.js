// Wires the parts: what the line hears goes into the model, the model onto the page, and taps back to the line.

import { actsOf } from './acts.js';
import { aloud } from './announce.js';
import { ask, codeInAddress, isReplay, isScreen } from './base.js';
import * as device from './device.js';
import { Drawing, title } from './drawing.js';
import * as early from './early.js';
import { Entering } from './entering.js';
import { gameIds, isGame } from './games/index.js';
import { Guard } from './guard.js';
import { alsoSpeak, onMoreWords, speak } from './i18n.js';
import { listenToKeys } from './keys.js';
import { learner } from './learning.js';
import { Shelf, loadPart, needed, openGame, wear } from './loading.js';
import { Model, opened } from './model.js';
import { newsOn } from './news.js';
import { page } from './page.js';
import { pause } from './patience.js';
import { countUp, tableShown } from './replay.js';
import { callToTurn, markTitle, readySound, sample, sound, soundEvents } from './signs.js';
import { timeLeft } from './store.js';
import { Voice } from './voice.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./dom.js').Child} Child */

const WIDE = matchMedia('(min-width: 900px) and (min-height: 560px)');
const BROAD = matchMedia('(min-width: 600px)');
/** How long the page waits for its words before it draws itself without them. */
const FIRST_MS = 3000;

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
const model = new Model(opened(device.rememberedGame(gameIds)), () => {
  fetchNeeded();
  drawing.soon();
});
const voice = new Voice();
// Screen readers announce the control that is under the finger now.
const guard = new Guard((control) => aloud([control.getAttribute('aria-label') ?? control.textContent ?? '']));

/** @type {Shelf<import('./games/index.js').GameId, import('./view.js').Face>} */
const faces = new Shelf(openGame, (id) => {
  const face = faces.of(id);
  // Nobody can have chosen anything at a table that was not there yet.
  if (face && id === model.known.room?.game && model.known.game) {
    model.ui = { ...model.ui, choice: face.noChoice() };
    voice.catchUp(lookNow());
  }
  draw();
});
/** What shows the rules of a game. @type {Shelf<import('./games/index.js').GameId, (view: View) => Child>} */
const rules = new Shelf(async (id) => {
  const [{ rulesBody }, book] = await Promise.all([import('./screens/rules.js'), faces.want(id).then((face) => face.rules())]);
  return (view) => rulesBody(view, book);
}, () => draw());
/** @type {Shelf<'lobby', (view: View) => Child>} */
const lobby = new Shelf(async () => (await import('./screens/lobby.js')).lobby, () => draw());
/** What shows the end of a game. @type {Shelf<import('./games/index.js').GameId, import('./view.js').ShownEnd>} */
const endings = new Shelf(async (id) => {
  const [{ bar, ending, onward }, end] = await Promise.all([import('./screens/ending.js'), faces.want(id).then((face) => face.end()), alsoSpeak('after'), loadPart('styles/ending.css')]);
  return { ...end, bar, onward, show: (view) => ending(view, end) };
}, () => draw());

/** @type {Shelf<'talk', typeof import('./talk.js')>} */
const talk = new Shelf(async () => (await Promise.all([import('./talk.js'), loadPart('styles/talk.css')]))[0], () => draw());

/** What those are handed that look back. */
const means = {
  model, look, ask, openMore, say: (/** @type {string} */ words) => acts.say(words), open: (/** @type {import('./view.js').Sheet} */ sheet) => acts.open(sheet), leaveLine: () => entering.leaveLine(),
  send: (/** @type {import('./wire.js').ClientMessage} */ message) => acts.send(message), go: (/** @type {string} */ code) => acts.go(code, 0, true),
};
/** What looks back, once somebody has wanted to. @type {typeof import('./past/index.js') | null} */
let past = null;
/** @type {import('./past/index.js').Replay | null} */
let replay = null;
/** @returns {Promise<import('./past/index.js').Replay>} */
async function openPast() {
  const [module] = await Promise.all([import('./past/index.js'), alsoSpeak('after'), loadPart('past/past.css')]);
  past = module;
  return replay ??= new module.Replay(means);
}

/** What few do with a game of the past, once somebody has. @type {typeof import('./past/more.js') | null} */
let more = null;
/** @returns {Promise<import('./past/more.js').More>} */
async function openMore() {
  // The book has the scores' table of the end, and is opened in the lobby too.
  const [opened] = await Promise.all([openPast(), alsoSpeak('more'), loadPart('past/more.css'), loadPart('styles/ending.css')]);
  const module = await /** @type {NonNullable<typeof past>} */ (past).fetchMore();
  more = module;
  return new module.More({ ...means, replay: opened });
}

/** What a television shows, where the address asks for it. @type {typeof import('./screens/big.js').big | null} */
let big = null;
async function openScreen() {
  const [module] = await Promise.all([import('./screens/big.js'), loadPart('styles/big.css')]);
  ({ big } = module);
  module.stayAwake();
  draw();
}

/** @param {string} id */
const want = (id) => (isGame(id) ? faces.want(id) : null);
const wantLobby = () => void lobby.want('lobby');

function fetchNeeded() {
  const game = model.known.room?.game ?? model.game;
  const need = needed(model);
  if (need.game) void want(game);
  if (need.rules && isGame(game)) void rules.want(game);
  if (need.lobby) wantLobby();
  // A result that is looked at may be of another game than the next one.
  if (model.ui.stay) void want(model.game);
  if (need.ending && isGame(model.game)) void endings.want(model.game);
  if (need.talk) void talk.want('talk');
  // Few games begin with an earlier one.
  if (model.known.room?.origin && !more) void openMore().then(draw, () => {});
}

/** What is on the screen. @returns {View} */
function look() {
  return viewOf(model.shown);
}
/** What is on the table, also while the last result is looked at. @returns {View} */
function lookNow() {
  return viewOf(model.known);
}

/** @param {import('./store.js').Known} known @returns {View} */
function viewOf(known) {
  const game = known.room?.game ?? model.game;
  const ui = model.ui.stay && known === model.known ? { ...model.ui, past: null, moment: null } : model.ui;
  const face = faces.of(game);
  const seat = known.you?.seat ?? null;
  const shown = tableShown(known, ui);
  return {
    known, ui, present: model.known, acts, game, face, rules: rules.of(game), lobby: lobby.of('lobby'), ending: endings.of(game), talk: talk.of('talk'), big, past, more,
    missing: { face: faces.missing(game), rules: rules.missing(game), lobby: lobby.missing('lobby'), ending: endings.missing(game) },
    ...shown, ...newsOn({ known, ui, past, table: shown.table, seat }, face), leaving: entering.session?.leaving ?? false, wide: WIDE.matches || big !== null, broad: BROAD.matches || big !== null, now: Date.now(), seat,
  };
}

const drawing = new Drawing({
  root, look,
  page: (view) => {
    wear(view.game);
    return page(view);
  },
  measured: (rooms) => {
    model.ui = { ...model.ui, rooms };
  },
  drawn: (view) => {
    voice.speak();
    view.talk?.place(root);
    guard.drew(root);
    markTitle(...title(lookNow()));
  },
});
const draw = () => drawing.soon();

/** How long the end that is on the table counts; for ever while that is not known. */
const howLong = () => endings.of(model.game)?.endingMs(model.shown.game?.table) ?? Infinity;
/** What is counted can be heard. @param {number} from @param {number} to */
function cue(from, to) {
  const heard = endings.of(model.game)?.cue(model.shown.game?.table, from, to);
  if (heard) sound(heard);
}

const learn = learner({
  model, look: lookNow, voice, callToTurn, soundEvents,
  chatIsRead: () => model.ui.sheet?.name === 'chat' || WIDE.matches,
  // Who still looks at the result before this one finds it counted.
  countUp: (atOnce) => model.ui.stay || countUp(model, atOnce || device.stillMotion(), howLong, cue, () => atOnce || sound('win')),
  hears: device.hears,
  say: (words) => acts.say(words),
});

const entering = new Entering({ model, learn, ask, wantLobby, go: (code) => acts.go(code), open: (sheet) => acts.open(sheet) });

const acts = actsOf({ model, look, learn, entering, guard, ask, want, openPast, openMore, settled: (change) => {
  markCalm();
  dispatchEvent(new CustomEvent('settings', { detail: device.settings() }));
  if (change.volume !== undefined) sample();
  if (change.language) void speak(change.language).then(draw);
  draw();
} });

const markCalm = () => root.classList.toggle('calm', device.settings().motion === 'less');

/** By then whatever was said beside a seat is gone. */
const TALK_MS = 9000;

/** Away times and the clock count on by the second; nothing else moves by itself. */
function tick() {
  const { known } = model;
  voice.warn(known, Date.now());
  if (timeLeft(known, Date.now()) !== null || known.talk.some(({ at }) => Date.now() - at < TALK_MS) || known.room?.seats.some((seat) => !seat.connected)) draw();
}

/** Opens what the address names: a room, a game to be seen again, or the front page. */
function enterAddress() {
  if (!isReplay()) return void entering.enter(codeInAddress());
  entering.leaveLine();
  model.show({ code: '' });
  openPast().then((opened) => opened.openLink(location), () => model.show({ trouble: 'unreachable' }));
}

function start() {
  onMoreWords(draw);
  const words = early.words.then(() => {
    voice.catchUp(lookNow());
    draw();
  });
  markCalm();
  readySound();
  if (isScreen()) void openScreen().catch(() => model.show({ trouble: 'unreachable' }));
  else listenToKeys(look);
  guard.listen();
  WIDE.addEventListener('change', draw);
  addEventListener('resize', draw);
  addEventListener('popstate', enterAddress);
  // A record may be dropped anywhere but at a table.
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && (model.ui.code === null || model.ui.replay)) acts.openRecord(file);
  });
  setInterval(tick, 1000);
  // Side by side: what is asked of the server now is here when there are words for it.
  enterAddress();
  // A catalogue that does not come keeps nobody from the page. The picture of the game comes when it does, drawn in a task of its own.
  void Promise.race([words, pause(FIRST_MS)]).then(() => {
    drawing.begin();
    // Loaded anew in the middle of the guided first round.
    if (location.hash.startsWith('#learn')) acts.learn();
  });
}

start();
