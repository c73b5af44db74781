// Records of games: files that the server writes, and checks when it reads one.

import type { Outcome } from '../wire.js';

/** The fields of a record that the page reads. */
export interface GameRecord {
  game: string;
  players: string[];
  outcome: Outcome;
  acts: unknown[];
  server_seed: string;
  salts: (string | null)[];
  commitment: string;
  /** The seat that the host chose to begin. */
  starter?: number;
  /** Absent in the records of earlier servers. */
  digest?: Digest;
  /** The record of the earlier game it begins with. Without a moment, only the deal is the same. */
  origin?: { moment: number | null; record: GameRecord };
}

/** A hash of the whole record, and the beginning of a hash of each part and each act. */
export interface Digest {
  whole: string;
  parts: { [field: string]: string };
  acts: string[];
}
