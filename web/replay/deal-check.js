// Checks on this device whether the deal was fair: that the server kept its commitment, that this device's salt was
// used, and that every card and die followed from both. The game deals; no server is asked. Includes small, slow
// implementations of SHA-256 and ChaCha20, because pages over plain http have no WebCrypto.

/** @typedef {import('./moments.js').Moment} Moment */
/** @typedef {import('../device.js').SavedDeal} KeptDeal */
/**
 * One comparison: whether it holds, or null if there was nothing to compare with.
 * @typedef {{says: 'digest' | 'commitment' | 'seen' | 'salt' | 'origin' | 'known' | 'deal', holds: boolean | null,
 *   count?: number, moment?: number | null, part?: string, n?: number | null}} Compared
 */
/** @typedef {import('./record.js').GameRecord} GameRecord */
/** @typedef {import('../view.js').Dealer} Dealer */

/**
 * The seed of a game: the server's seed, followed by the salts in seat order.
 * @param {string} server
 * @param {(string | null)[]} salts
 */
export const seedOf = (server, salts) => sha256(bytesOf([server, ...salts.filter(Boolean)].join('')));

/**
 * How a deal starts: its random numbers, what is hidden before the first card, and comparisons of an earlier game.
 * @typedef {{chance: DealRandom, left?: unknown, says?: Compared[]}} DealStart
 */

/** The random numbers of a game's own deal, with the starter chosen by the host. @param {GameRecord} record */
export const randomOf = (record) => new DealRandom(seedOf(record.server_seed, record.salts), record.starter);

/** Whether the server's seed matches its commitment. @param {GameRecord} record */
export const matchesCommitment = (record) => hexOf(sha256(bytesOf(record.server_seed))) === record.commitment;

/**
 * @param {GameRecord} record
 * @param {Moment[]} past
 * @param {Dealer} dealer
 * @param {KeptDeal | null} kept what this device saw before the game
 * @param {DealStart} [beginning] if it starts from an earlier game
 * @returns {Compared[]}
 */
export function compareDeal(record, past, dealer, kept, { chance, left, says = [] } = { chance: randomOf(record) }) {
  const { count, wrong } = dealer(chance, record.players.length, past, left);
  return [
    { says: 'digest', holds: record.digest ? canonical(record.digest) === canonical(digestOf(record)) : null },
    { says: 'commitment', holds: matchesCommitment(record) },
    { says: 'seen', holds: kept && kept.commitment === record.commitment },
    // A deal that was already known uses no salts.
    ...(record.origin?.moment === null
      ? []
      : [{ says: /** @type {const} */ ('salt'), holds: kept && record.salts.includes(kept.salt) }]),
    ...says,
    { says: 'deal', holds: wrong === null, count, moment: wrong },
  ];
}

/**
 * What this device saw before this game, found by the room and its version, or by the commitment.
 * @param {KeptDeal[]} deals
 * @param {string | null} code
 * @param {number} version
 * @param {string} commitment
 */
export const savedDealFor = (deals, code, version, commitment) =>
  (code
    ? deals.find((deal) => deal.code === code && deal.version === version)
    : deals.find((deal) => deal.commitment === commitment)) ?? null;

/** Canonical JSON, as the server hashes it: without spaces, and with sorted fields. @param {unknown} value */
const canonical = (value) =>
  JSON.stringify(value, (_, each) =>
    each?.constructor === Object
      ? Object.fromEntries(
          Object.keys(each)
            .sort()
            .map((name) => [name, each[name]]),
        )
      : each,
  );

/** @param {unknown} value */
const hashed = (value) => hexOf(sha256(new TextEncoder().encode(canonical(value))));

/**
 * The digest of a record: a hash of the whole, and the beginning of a hash of each part and each act.
 * @param {GameRecord} record
 */
export function digestOf({ digest: _, ...given }) {
  /** @type {Record<string, unknown> & {acts: unknown[]}} */
  const record = { ...given };
  // Hex digits may be in upper case.
  for (const name of ['salts', 'server_seed', 'commitment'])
    if (name in record) record[name] = JSON.parse(JSON.stringify(record[name]).toLowerCase());
  const mark = (/** @type {unknown} */ value) => hashed(value).slice(0, 8);
  const { acts, ...rest } = record;
  return {
    acts: acts.map(mark),
    parts: Object.fromEntries(Object.keys(rest).map((name) => [name, mark(rest[name])])),
    whole: hashed(record),
  };
}

/** The first 64 primes, from whose roots the constants of SHA-256 are made. */
const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: 16 }, (_, d) => d + 2).some((d) => d < n && n % d === 0),
);
/** The first 32 bits of the fraction. @param {number} root */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));

/** @param {number} word @param {number} by */
const right = (word, by) => (word >>> by) | (word << (32 - by));

/** @param {Uint8Array} message */
export function sha256(message) {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  const hash = [...START];
  const w = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = view.getInt32(block + i * 4);
        continue;
      }
      const [a, b] = [w[i - 15], w[i - 2]];
      w[i] =
        w[i - 16] + (right(a, 7) ^ right(a, 18) ^ (a >>> 3)) + w[i - 7] + (right(b, 17) ^ right(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i];
      const two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      hash[i] = (hash[i] + word) | 0;
    });
  }
  const out = new Uint8Array(32);
  hash.forEach((word, i) => new DataView(out.buffer).setInt32(i * 4, word));
  return out;
}

/** @param {string} text hex digits */
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} bytes */
export const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** "expand 32-byte k" */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
/** Columns, then diagonals. */
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/**
 * One block of the keystream, with a nonce of 0.
 * @param {Uint8Array} key
 * @param {number} counter
 * @returns {Uint32Array}
 */
export function chacha20(key, counter) {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const start = Int32Array.from([
    ...SIGMA,
    ...Array.from({ length: 8 }, (_, i) => view.getInt32(i * 4, true)),
    counter,
    0,
    0,
    0,
  ]);
  const x = start.slice();
  const left = (/** @type {number} */ word, /** @type {number} */ by) => right(word, 32 - by);
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      x[a] += x[b];
      x[d] = left(x[d] ^ x[a], 16);
      x[c] += x[d];
      x[b] = left(x[b] ^ x[c], 12);
      x[a] += x[b];
      x[d] = left(x[d] ^ x[a], 8);
      x[c] += x[d];
      x[b] = left(x[b] ^ x[c], 7);
    }
  }
  return Uint32Array.from(x, (word, i) => word + start[i]);
}

/** The random numbers of one game. */
export class DealRandom {
  /** @param {Uint8Array} seed @param {number} [starter] the seat chosen to begin, if it is not random */
  constructor(seed, starter) {
    this.seed = seed;
    this.starter = starter;
    this.drawn = 0;
    /** @type {Uint32Array} */
    this.block = new Uint32Array();
  }

  word() {
    if (this.drawn % 16 === 0) this.block = chacha20(this.seed, this.drawn / 16);
    return this.block[this.drawn++ % 16];
  }

  /** A uniform random number below `n`: words of the last, incomplete range are skipped. @param {number} n */
  below(n) {
    const fair = Math.floor(2 ** 32 / n) * n;
    for (;;) {
      const word = this.word();
      if (word < fair) return word % n;
    }
  }

  /**
   * Shuffles from the last element down to the second.
   * @template T
   * @param {T[]} things
   */
  shuffle(things) {
    for (let i = things.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [things[i], things[j]] = [things[j], things[i]];
    }
    return things;
  }
}
