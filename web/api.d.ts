// The answers of the HTTP API, by path below `/api/`.

import type { Review } from './games/types.js';
import type { GameRecord } from './replay/record.js';
import type { Book, GamePlayed, Room } from './wire.js';

/** The answer to a request. A path that is not listed here needs a reader. */
export type Answer<Path extends string> = Path extends 'rooms' | 'rooms/from'
  ? { code: string }
  : Path extends `rooms/${string}/book`
    ? Book
    : Path extends `rooms/${string}/games`
      ? GamePlayed[]
      : Path extends `rooms/${string}/games/${string}/record`
        ? GameRecord
        : Path extends `rooms/${string}/games/${string}/review`
          ? Review
          : Path extends `rooms/${string}`
            ? Room
            : never;
