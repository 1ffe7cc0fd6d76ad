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

/** Without the first fold, keys that are multiples of 4096 take up to 2.25 slots a hit at load 5/8, with it 1.83 as every other set tried. */
export function hash4(key: number, seed: number, mul: number): number {
  let x = key ^ seed;
  x = Math.imul(x ^ (x >>> 16), FIRST);
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

/** Reads unaligned words through a DataView (a plain move once compiled); the last word of a length that is no multiple of 4 overlaps the one before. */
export function hashBytes(bytes: DataView, from: number, length: number, seed: number, mul: number): number {
  let x = seed ^ length;
  if (length >= 4) {
    const last = from + length - 4;
    for (let at = from; at < last; at += 4) {
      x = Math.imul(x ^ bytes.getInt32(at, true), FIRST);
      x ^= x >>> 15;
    }
    x = Math.imul(x ^ bytes.getInt32(last, true), FIRST);
    x ^= x >>> 15;
  } else {
    for (let at = from; at < from + length; at++) {
      x = Math.imul(x ^ bytes.getUint8(at), FIRST);
      x ^= x >>> 15;
    }
  }
  x = Math.imul(x, LAST);
  return Math.imul(x ^ (x >>> 16), mul);
}
