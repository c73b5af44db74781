// Applies messages to the page, and then runs their effects once, in order. It does not touch the DOM: sounds,
// announcements and rendering are passed in.

import { t, tOr } from '../i18n.js';
import { isAsked } from './room-state.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').GameUi} GameUi */
/** @typedef {import('../page-state.js').Input} Input */
/** @typedef {import('../page-state.js').Change} Change */

/**
 * Words for a refusal: the game may explain more than the code.
 * @param {View} view
 * @param {string} code
 * @param {import('../games/types.js').Action | null} action
 */
export const refusalText = (view, code, action) =>
  (view.table && view.gameUi?.whyRefused(view, code, action)) ?? codeText(code);

/** @param {string} code */
export const codeText = (code) => tOr(`code.${code}`, 'code.unknown');

/**
 * @typedef {object} UpdateContext
 * @property {import('../model.js').Model} model
 * @property {() => View} look
 * @property {(known: import('./room-state.js').RoomState) => GameUi | null} gameUiOf the code of its game, once loaded
 * @property {import('../live-region.js').LiveRegion} liveRegion
 * @property {() => boolean} chatIsRead whether the chat is visible
 * @property {() => void} alertTurn
 * @property {(events: import('../games/types.js').Event[], gameUi: GameUi | null) => void} playEventSounds
 * @property {(atOnce: boolean) => void} countUp
 * @property {(name: string) => boolean} isHeard whether a player is not muted
 * @property {(words: string) => void} say
 */

/**
 * What happens once after a message, in this order.
 * @type {Record<string, (means: UpdateContext, change: Change) => void>}
 */
const EFFECTS = {
  sound({ playEventSounds }, { before, known, gameUi }) {
    if (known.fresh !== before.fresh && known.fresh.length) playEventSounds(known.fresh, gameUi);
  },
  alertTurn({ alertTurn }, { before, known }) {
    if (isAsked(known) && !isAsked(before)) alertTurn();
  },
  countScores({ countUp }, { before, known }) {
    // A player who joins a finished game has missed the count.
    if (known.room?.phase === 'finished' && before.room?.phase !== 'finished') countUp(before.room === null);
  },
  readChat({ model, chatIsRead }) {
    if (chatIsRead()) model.hear({ type: 'chat_read' });
  },
  announce({ liveRegion, look, isHeard }, { before, known, input }) {
    const { talk } = known;
    liveRegion.announce(
      before,
      look(),
      (input.type === 'chat' || input.type === 'reacted') && (talk === before.talk || isHeard(talk.at(-1)?.name ?? '')),
    );
  },
  tellOwnName({ say }, { known, input }) {
    // The server may have added a number, because the name was taken.
    if (input.type === 'renamed' && input.seat === known.you?.seat) say(t('people.named_you', { name: input.name }));
  },
  explainRefusal({ model, look, say }) {
    const { refused } = model.known;
    if (!refused) return;
    const words = refusalText(look(), refused.code, refused.action);
    model.hear({ type: 'refusal_shown' });
    // A sheet that waited for the answer shows the refusal itself.
    if (model.ui.sheet?.why !== refused.code) say(words);
  },
};

/** @param {UpdateContext} means @param {() => number} [clock] @returns {(input: Input) => void} */
export function createDispatch(means, clock = Date.now) {
  const { model, gameUiOf } = means;
  return (input) => {
    const before = model.known;
    model.hear(input, clock(), gameUiOf);
    const { known } = model;
    if (known === before) return;
    const change = { before, known, input, gameUi: gameUiOf(known) };
    for (const step of Object.values(EFFECTS)) step(means, change);
  };
}
