// Wires the parts: what the line hears goes into the store, the store onto the page, and taps back to the line.

import { aloud, silent, toSay } from './announce.js';
import { ask, codeInAddress, keyInAddress, roomUrl, showAddress, socketUrl, Refused } from './base.js';
import * as device from './device.js';
import { render } from './dom.js';
import { games } from './games/index.js';
import { Guard, isDecision, markNew, meaningOfAct, meaningOfMessage } from './guard.js';
import { bestLanguage, has, onMoreWords, span, speak, t } from './i18n.js';
import { findOpen } from './kept.js';
import { listenToKeys } from './keys.js';
import { fly } from './motion.js';
import { page } from './page.js';
import { pause } from './patience.js';
import { noted } from './people.js';
import { Session } from './session.js';
import { callToTurn, markTitle, readySound } from './signs.js';
import { asked, fold, nothing, timeLeft } from './store.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Ui} Ui */
/** @typedef {import('./wire.js').ClientMessage} ClientMessage */

const WIDE = matchMedia('(min-width: 900px) and (min-height: 560px)');
const TOAST_MS = 3200;
/** How long the page waits for its words before it draws itself without them. */
const WORDS_MS = 3000;
/** The pace of a replay. */
const STEP_MS = 1100;

const root = /** @type {HTMLElement} */ (document.getElementById('app'));

let known = nothing;
/** @type {Ui} */
let ui = { code: null, game: device.rememberedGame(Object.keys(games)), preview: null, trouble: null, sheet: null, toast: null, moment: null, playing: false, choice: null, open: [], people: [], busy: false, rooms: {}, reveal: 0, lesson: null, why: null };
/** The other end: a session in a room, or the guided first round. @type {{send(message: ClientMessage): boolean, close(): void} | null} */
let line = null;
/** The visit to the room in the address. @type {Session | null} */
let session = null;
/** How many pages were opened in this one: what an earlier one asked for is no longer wanted. */
let visits = 0;
/** What was said aloud. */
let heard = silent;
/** What is said with the next drawing: by then the sheet it must be said in is open, and news that came together is heard together. @type {string[]} */
const unsaid = [];
/** The version whose last seconds were announced. */
let warned = -1;
/** Where the focus was before a sheet opened. @type {HTMLElement | null} */
let opener = null;
let toasts = 0;
let scheduled = false;
/** The version drawn last: cards only fly when the game moved on. */
let drawn = -1;

const guard = new Guard((control) => markNew(control ?? root));

/** @returns {View} */
function look() {
  const game = known.game;
  const face = games[known.room?.game ?? ''];
  const past = ui.moment !== null && face && game;
  return {
    known, ui, acts, leaving: session?.leaving ?? false, wide: WIDE.matches, now: Date.now(), seat: known.you?.seat ?? null,
    table: past ? face.tableAt(known.history, ui.moment ?? 0, known.room?.seats.length ?? 0) : game?.table ?? null,
    actions: past || known.pending ? [] : game?.actions ?? [],
    mine: past ? null : game?.mine ?? null,
  };
}

/** Draws soon, once for everything that changed together. A hidden page draws too: its title matters. */
function draw() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    const view = look();
    const version = (known.game?.version ?? 0) + (ui.moment ?? 0) / 1e6;
    const paint = () => {
      render(root, page(view));
      if (measureRooms()) render(root, page(look()));
    };
    const focused = document.activeElement;
    if (version === drawn) paint();
    else fly(root, paint);
    drawn = version;
    keepFocus(focused);
    aloud(unsaid.splice(0));
    guard.drew(view);
    const face = games[known.room?.game ?? ''];
    const yours = asked(known);
    markTitle(yours && face && view.table ? `${face.sentence(view)} · ${t('rookery')}` : known.room ? `${t(`game.${known.room.game}`)} · ${t('rookery')}` : t('rookery.title'), yours);
  });
}

/** Towers fit the room they have, which only layout knows. */
function measureRooms() {
  let changed = false;
  for (const el of root.querySelectorAll('[data-room]')) {
    const name = el.getAttribute('data-room') ?? '';
    const height = el.clientHeight;
    if (height && name !== 'picture' && ui.rooms[name] !== height) {
      ui = { ...ui, rooms: { ...ui.rooms, [name]: height } };
      changed = true;
    }
  }
  return changed;
}

/** A card that was played leaves its focus to the next thing that can be done. @param {Element | null} focused */
function keepFocus(focused) {
  if (!focused || focused === document.body || focused.isConnected || ui.sheet) return;
  // One after the other: a list of selectors would find whichever stands first on the page.
  const places = ['.game [data-group] .lit[data-card]', '.game .bar .lit', '.game .status button'];
  const next = /** @type {HTMLElement | null} */ (places.map((place) => root.querySelector(place)).find(Boolean));
  next?.focus({ preventScroll: true });
}

/** @param {Parameters<typeof fold>[1]} news */
function learn(news) {
  const before = known;
  known = fold(known, news, Date.now());
  if (known === before) return;
  const face = games[known.room?.game ?? ''];
  if (face && known.game !== before.game) {
    ui = { ...ui, choice: ui.choice ? face.keepChoice(ui.choice, before.game, known.game) : face.noChoice() };
  }
  ui = { ...ui, people: noted(ui.people, before, known) };
  if (known.game && !before.game && news.type !== 'welcome') ui = { ...ui, sheet: null, moment: null };
  if (!known.game) ui = { ...ui, moment: null };
  if (known.game || known.refused) ui = { ...ui, busy: false };
  if (asked(known) && !asked(before)) callToTurn();
  if (known.room?.phase === 'finished' && before.room?.phase !== 'finished') countUp(before.room === null);
  if (ui.sheet?.name === 'chat' || WIDE.matches) known = fold(known, { type: 'read' }, 0);
  const { already, said } = toSay(heard, before, look(), face, news.type === 'chat');
  heard = already;
  unsaid.push(...said);
  if (known.refused) {
    const { code, action } = known.refused;
    const words = face?.whyRefused(look(), code, action) ?? t(has(`code.${code}`) ? `code.${code}` : 'code.unknown');
    known = fold(known, { type: 'heeded' }, 0);
    acts.say(words);
  }
  draw();
}

/** @param {boolean} atOnce */
function countUp(atOnce) {
  const start = performance.now();
  const whole = games[known.room?.game ?? '']?.endingMs ?? 0;
  ui = { ...ui, reveal: atOnce || device.stillMotion() ? whole : 0, moment: null };
  const step = () => {
    if (ui.reveal >= whole) return;
    ui = { ...ui, reveal: Math.min(whole, performance.now() - start) };
    draw();
    setTimeout(step, 40);
  };
  step();
}

/** Shows that the room is being joined. */
function connecting() {
  known = { ...nothing, line: 'connecting' };
  ui = { ...ui, busy: true, trouble: null, choice: null, why: null };
  draw();
}

/** The link for another device, and its picture as soon as the server has drawn it. @param {string} code @param {string} key */
async function handOver(code, key) {
  acts.open({ name: 'device', key });
  try {
    const picture = URL.createObjectURL(await ask(`rooms/${code}/qr.svg`, { key }, (answer) => answer.blob()));
    if (ui.sheet?.key === key) acts.show({ sheet: { name: 'device', key, picture } });
  } catch {
    // Without the picture the link still does.
  }
}

/**
 * Opens a room: back to one's seat when this device has one, else to the join screen.
 * @param {string | null} code
 * @param {number} [bots] to play against as soon as one sits
 */
async function enter(code, bots = 0) {
  line?.close();
  line = session = null;
  known = nothing;
  const kept = device.keptSeats();
  ui = {
    ...ui, code, preview: null, trouble: null, sheet: null, moment: null, choice: null, busy: false, reveal: 0, lesson: null, why: null,
    open: ui.open.filter((each) => each.code in kept),
  };
  draw();
  const visit = ++visits;
  if (!code) return findOpen((each) => ask(`rooms/${each}`), (open) => acts.show({ open }), () => visit === visits);
  line = session = visitTo(code, bots);
  if (!session.ready) return preview(code);
  connecting();
  session.connect();
}

/** @param {string} code @param {number} bots */
function visitTo(code, bots) {
  /** @type {Session} */
  const mine = new Session({
    code, bots, url: socketUrl(code), key: keyInAddress(), learn, known: () => known,
    gone: () => ask(`rooms/${code}`).then(() => false, (problem) => problem.code === 'no_such_room'),
    onSettled: () => {
      ui = { ...ui, busy: mine.bots > 0, preview: null };
    },
    onTrouble: (what) => acts.show({ trouble: what, busy: false, sheet: null }),
    onRefused: (why) => {
      acts.show({ why, busy: false });
      if (!ui.preview) void preview(code);
    },
    onLeft: () => acts.go(null),
    onHandover: (key) => void handOver(code, key),
  });
  return mine;
}

/** What can be seen of a room before one joins it. @param {string} code */
async function preview(code) {
  try {
    const room = await ask(`rooms/${code}`);
    if (ui.code === code) acts.show({ preview: room });
  } catch (problem) {
    if (ui.code === code) acts.show({ trouble: problem instanceof Refused ? problem.code : 'unreachable' });
  }
}

/** @type {import('./view.js').Acts} */
const acts = {
  show(change) {
    ui = { ...ui, ...change };
    draw();
  },
  open(sheet) {
    if (!ui.sheet) opener = /** @type {HTMLElement | null} */ (document.activeElement);
    if (sheet.name === 'chat') known = fold(known, { type: 'read' }, 0);
    acts.show({ sheet });
  },
  close() {
    acts.show({ sheet: null });
    queueMicrotask(() => opener?.isConnected && opener.focus({ preventScroll: true }));
  },
  say(text) {
    const id = ++toasts;
    acts.show({ toast: { text, id } });
    setTimeout(() => ui.toast?.id === id && acts.show({ toast: null }), TOAST_MS);
  },
  send(message) {
    if (isDecision(message) && !guard.allows(meaningOfMessage(message))) return;
    if (!line?.send(message)) acts.say(t('line.reconnecting'));
  },
  act(action) {
    if (!known.game || known.pending || ui.moment !== null || !guard.allows(meaningOfAct(action))) return;
    learn({ type: 'acted', action });
    // Without a line it stays pending and goes out with the next welcome, if it is still wanted then.
    const sent = /** @type {import('./store.js').Known} */ (known).pending;
    if (sent) line?.send({ type: 'act', n: sent.n, action });
  },
  choose(choice) {
    guard.chose();
    acts.show({ choice });
  },
  pick(game) {
    device.rememberGame(game);
    acts.show({ game });
  },
  async create(bots = 0) {
    acts.show({ busy: true });
    try {
      const { code } = await ask('rooms', { game: ui.game, forced: games[ui.game].forced });
      acts.go(code, bots);
    } catch (problem) {
      const code = problem instanceof Refused ? problem.code : 'unknown';
      acts.say(t(has(`code.${code}`) ? `code.${code}` : 'code.unknown'));
      acts.show({ busy: false });
    }
  },
  go(code, bots) {
    showAddress(code);
    void enter(code, bots);
  },
  join(name, watch) {
    connecting();
    session?.join(name, watch);
  },
  rejoin() {
    connecting();
    session?.connect();
  },
  leave() {
    if (!guard.allows(meaningOfMessage({ type: 'leave' }))) return;
    // The guided first round has nobody to tell.
    if (!session) return acts.go(null);
    if (!session.leave()) acts.say(t('leave.waiting'));
    acts.show({ sheet: null });
  },
  share() {
    if (!ui.code) return;
    navigator.share({ title: t('share.title', { game: t(`game.${known.room?.game ?? ui.game}`) }), url: roomUrl(ui.code) }).catch(() => {});
  },
  async savePicture() {
    const face = games[known.room?.game ?? ''];
    const picture = await face?.picture(look());
    if (!picture) return;
    const file = new File([picture], `${known.room?.game}-${ui.code}.png`, { type: 'image/png' });
    if (navigator.canShare?.({ files: [file] }) && matchMedia('(pointer: coarse)').matches) return void navigator.share({ files: [file] }).catch(() => {});
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  },
  copyLink() {
    if (ui.code) acts.copy(roomUrl(ui.code));
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
  takeOver() {
    // Whoever comes in plays for themselves; an act would have to be quicker than the bot.
    session?.line?.connect();
  },
  rehearse(open) {
    line?.close();
    session = null;
    known = nothing;
    ui = { ...ui, code: '', trouble: null, sheet: null, moment: null, choice: null };
    line = open(learn);
    learn({ type: 'line', status: 'open', code: null });
  },
  setting(change) {
    device.changeSettings(change);
    root.classList.toggle('calm', device.settings().motion === 'less');
    if (change.language) void speak(change.language).then(draw);
    draw();
  },
};

async function start() {
  const wanted = device.settings();
  onMoreWords(draw);
  const words = speak(wanted.language ?? bestLanguage(navigator.languages));
  // A catalogue that does not come keeps nobody from the table.
  await Promise.race([words, pause(WORDS_MS)]);
  void words.then(draw);
  root.classList.toggle('calm', wanted.motion === 'less');
  readySound();
  listenToKeys(look);
  guard.listen();
  WIDE.addEventListener('change', draw);
  addEventListener('resize', draw);
  addEventListener('popstate', () => void enter(codeInAddress()));
  // Away times and the clock count on by the second; nothing else moves by itself.
  setInterval(tick, 1000);
  setInterval(playOn, STEP_MS);
  await enter(codeInAddress());
}

function tick() {
  const left = timeLeft(known, Date.now());
  if (left !== null && left < 10000 && asked(known) && warned !== known.game?.version) {
    warned = known.game?.version ?? -1;
    unsaid.push(t('clock.left', { time: span(left) }));
  }
  if (left !== null || known.room?.seats.some((seat) => !seat.connected)) draw();
}

/** A replay takes one step at a time, until it has caught up. */
function playOn() {
  if (!ui.playing || ui.moment === null) return;
  const next = ui.moment + 1;
  acts.show(next < known.history.length ? { moment: next } : { playing: false });
}

void start();
