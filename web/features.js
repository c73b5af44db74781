// What this page already offers. A part that the server cannot do yet is absent, not greyed out.

export const features = {
  /** Bots in the lobby, in one tap from the front page, and for somebody who is away. */
  bots: true,
  /** "Continue on another device". */
  handover: true,
  /** A clock for each decision. */
  clock: true,
  /** The finished game's record: check the deal. */
  record: false,
};
