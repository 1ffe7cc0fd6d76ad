/**
 * The twin's seeded 32-bit hashes. A hash leaves this folder nowhere and is never an identity.
 *
 * A table takes the top bits of a hash as the home slot, so each hash ends with a multiplication and no shift after it.
 * The last multiplier is a parameter, `mul`: the test switch `collideHashes` passes 0, and every key's home is slot 0.
 * Cost: two multiplications for 4 bytes, three for 8, one a word beyond. A 64-bit multiply in JavaScript (four imuls and
 * the carries) measured 15 ns a key against 7 for these, so the twin does not share the WASM kernel's hash.
 */

/** Multipliers with good avalanche after a shift of 15 or 16 (from the "lowbias32" search, github.com/skeeto/hash-prospector). */
export const FIRST = 0x21f0aaad;
export const LAST = 0xd35a2d97 | 0;

/** Seed and last multiplier of one kernel. */
export interface HashMix {
  readonly seed: number;
  readonly mul: number;
}

export function hash4(key: number, seed: number, mul: number): number {
  const x = Math.imul(key ^ seed, FIRST);
  return Math.imul(x ^ (x >>> 15), mul);
}

export function hash8(low: number, high: number, seed: number, mul: number): number {
  let x = Math.imul(low ^ seed, FIRST);
  x = Math.imul(x ^ (x >>> 15) ^ high, LAST);
  x = Math.imul(x ^ (x >>> 15), FIRST);
  return Math.imul(x ^ (x >>> 16), mul);
}

export function hashWords(words: Int32Array, from: number, count: number, seed: number, mul: number): number {
  let x = seed;
  for (let i = from; i < from + count; i++) {
    x = Math.imul(x ^ words[i], FIRST);
    x ^= x >>> 15;
  }
  x = Math.imul(x, LAST);
  return Math.imul(x ^ (x >>> 16), mul);
}

export function hashBytes(bytes: Uint8Array, from: number, length: number, seed: number, mul: number): number {
  let x = seed ^ length;
  let at = from;
  for (const end = from + (length & -4); at < end; at += 4) {
    x = Math.imul(x ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)), FIRST);
    x ^= x >>> 15;
  }
  const rest = length & 3;
  if (rest > 0) {
    let word = bytes[at];
    if (rest > 1) word |= bytes[at + 1] << 8;
    if (rest > 2) word |= bytes[at + 2] << 16;
    x = Math.imul(x ^ word, FIRST);
    x ^= x >>> 15;
  }
  x = Math.imul(x, LAST);
  return Math.imul(x ^ (x >>> 16), mul);
}
