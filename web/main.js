// Wires the parts: what the line hears goes into the model, the model onto the page, and taps back to the line.

import { actsOf } from './acts.js';
import { ask, codeInAddress } from './base.js';
import * as device from './device.js';
import { Drawing, title } from './drawing.js';
import { Entering } from './entering.js';
import { games } from './games/index.js';
import { Guard, markNew } from './guard.js';
import { bestLanguage, onMoreWords, speak } from './i18n.js';
import { listenToKeys } from './keys.js';
import { learner } from './learning.js';
import { Model, opened } from './model.js';
import { page } from './page.js';
import { pause } from './patience.js';
import { STEP_MS, countUp, playedOn, tableShown } from './replay.js';
import { callToTurn, markTitle, readySound } from './signs.js';
import { timeLeft } from './store.js';
import { Voice } from './voice.js';

const WIDE = matchMedia('(min-width: 900px) and (min-height: 560px)');
/** How long the page waits for its words before it draws itself without them. */
const WORDS_MS = 3000;

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
const model = new Model(opened(device.rememberedGame(Object.keys(games))), () => drawing.soon());
const voice = new Voice();
const guard = new Guard((control) => markNew(control ?? root));

/** @returns {import('./view.js').View} */
function look() {
  const { known, ui } = model;
  const face = games[model.game] ?? null;
  return {
    known, ui, acts, face, ...tableShown(known, ui, face), leaving: entering.session?.leaving ?? false, wide: WIDE.matches, now: Date.now(),
    seat: known.you?.seat ?? null,
  };
}

const drawing = new Drawing({
  root, look, page,
  measured: (rooms) => {
    model.ui = { ...model.ui, rooms };
  },
  drawn: (view) => {
    voice.speak();
    guard.drew(view);
    markTitle(...title(view));
  },
});
const draw = () => drawing.soon();

const learn = learner({
  model, look, voice, callToTurn,
  chatIsRead: () => model.ui.sheet?.name === 'chat' || WIDE.matches,
  countUp: (atOnce) => countUp(model, atOnce || device.stillMotion(), () => look().face?.endingMs ?? Infinity),
  say: (words) => acts.say(words),
});

const entering = new Entering({ model, learn, ask, go: (code) => acts.go(code), open: (sheet) => acts.open(sheet) });

const acts = actsOf({ model, look, learn, entering, guard, ask, settled: (change) => {
  markCalm();
  if (change.language) void speak(change.language).then(draw);
  draw();
} });

const markCalm = () => root.classList.toggle('calm', device.settings().motion === 'less');

/** Away times and the clock count on by the second; nothing else moves by itself. */
function tick() {
  const { known } = model;
  voice.warn(known, Date.now());
  if (timeLeft(known, Date.now()) !== null || known.room?.seats.some((seat) => !seat.connected)) draw();
}

function playOn() {
  const change = playedOn(model.ui, model.known.history.length);
  if (change) model.show(change);
}

async function start() {
  onMoreWords(draw);
  const words = speak(device.settings().language ?? bestLanguage(navigator.languages));
  // A catalogue that does not come keeps nobody from the table.
  await Promise.race([words, pause(WORDS_MS)]);
  void words.then(draw);
  markCalm();
  readySound();
  listenToKeys(look);
  guard.listen();
  WIDE.addEventListener('change', draw);
  addEventListener('resize', draw);
  addEventListener('popstate', () => void entering.enter(codeInAddress()));
  setInterval(tick, 1000);
  setInterval(playOn, STEP_MS);
  await entering.enter(codeInAddress());
}

void start();
