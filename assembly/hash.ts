/**
 * The seeded 64-bit multiply-xorshift hash of every table.
 *
 * - Tables take their index from the high bits (the last step is a multiplication: its high bits depend on every bit of
 *   the key) and tags from bits 25 to 31, which no index reaches.
 * - Two rounds: after one multiplication alone, keys that differ in their high bits only (multiples of 2^20, dates as
 *   milliseconds) would meet in few buckets.
 * - `mask` is all ones, or zero in tests that force every hash to be equal.
 * - A hash is never an identity: the tables compare keys.
 */

import { makeShuffles } from "./search";

const M1: u64 = 0x9e3779b97f4a7c15;
const M2: u64 = 0xd6e8feb86659fd93;

/** Set per acquisition; loops read them once into locals (a global is reloaded at every use). */
let seedBits: u64 = 0;
let maskBits: u64 = -1;

export function configure(seed: u32, collide: bool): void {
  // Spread over 64 bits, or the high half of an 8-byte key would never meet the seed.
  seedBits = (<u64>seed + 1) * M1;
  maskBits = collide ? 0 : ~(<u64>0);
  makeShuffles();
}

@inline
export function hashSeed(): u64 {
  return seedBits;
}

@inline
export function hashMask(): u64 {
  return maskBits;
}

@inline
function mix(hash: u64, word: u64): u64 {
  hash = (hash ^ word) * M1;
  return hash ^ (hash >> 32);
}

/** A key of 4 or 8 bytes. */
@inline
export function hashWord(word: u64, seed: u64, mask: u64): u64 {
  return (mix(seed, word) * M2) & mask;
}

/** A key of `width` bytes, a multiple of 8. Called, not inlined: three loops use it. */
export function hashWords(key: usize, width: usize, seed: u64, mask: u64): u64 {
  let hash = mix(seed, load<u64>(key));
  for (let b: usize = 8; b < width; b += 8) hash = mix(hash, load<u64>(key + b));
  return (hash * M2) & mask;
}

/** A byte string: the length first, so that trailing zeros count. May read 7 bytes past the end. */
@inline
export function hashBytes(key: usize, length: u32, seed: u64, mask: u64): u64 {
  let hash = seed ^ length;
  const end = key + length;
  for (; key + 8 <= end; key += 8) hash = mix(hash, load<u64>(key));
  if (key < end) hash = mix(hash, load<u64>(key) & lowBytes(<u32>(end - key)));
  return (hash * M2) & mask;
}

/** A mask of the lowest `count` bytes, 1 to 7. */
@inline
export function lowBytes(count: u32): u64 {
  return ((<u64>1) << (<u64>count << 3)) - 1;
}

@inline
export function equalWords(a: usize, b: usize, width: usize): bool {
  let differ = load<u64>(a) ^ load<u64>(b);
  for (let at: usize = 8; at < width; at += 8) differ |= load<u64>(a + at) ^ load<u64>(b + at);
  return differ == 0;
}

/** May read 7 bytes past both ends. */
@inline
export function equalBytes(a: usize, b: usize, length: u32): bool {
  const end = a + length;
  for (; a + 8 <= end; a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false;
  return a == end || ((load<u64>(a) ^ load<u64>(b)) & lowBytes(<u32>(end - a))) == 0;
}
