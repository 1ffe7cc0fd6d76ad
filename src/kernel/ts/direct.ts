/**
 * Direct tables: a cell per possible key, addressed by key - min. For integer keys whose range is small.
 *
 *     cells   | ~value | 0 (no key) | ~value | ...        cell of key k: k - min
 *
 * Values are stored inverted, so that a zeroed region is an empty table and an empty cell reads as NONE without a test.
 *
 * The difference is taken modulo 2^32 or 2^64 and compared with the range as an unsigned number of the full width before it is
 * narrowed to an index: key 4294967296 must not reach cell 0 (DataFusion #22911), and i64 MIN and MAX must not overflow
 * (DataFusion #20995). Modular arithmetic is exact here for signed and unsigned keys alike: a key k of the type's domain with
 * (k - min) mod 2^64 = d < range is min + d, since min + d lies in the domain too.
 * Cost: O(1) a key, one load.
 */

import type { DirectState } from "../contract.ts";
import { NONE } from "../contract.ts";

/** The low and high words of `min`. */
export function wordsOf(min: bigint): { low: number; high: number } {
  return { low: Number(BigInt.asIntN(32, min)), high: Number(BigInt.asIntN(32, min >> 32n)) };
}

export function insertDirect4(
  state: DirectState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
): void {
  const min = wordsOf(state.min).low;
  let count = state.count;
  for (let i = from, o = outAt; i < to; i++, o++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[o] = NONE;
      continue;
    }
    const at = (keys[i] - min) >>> 0;
    let value = ~cells[at];
    if (value === NONE) {
      value = base < 0 ? count : base + i;
      cells[at] = ~value;
      count++;
    }
    out[o] = value;
  }
  state.count = count;
}

export function insertDirect8(
  state: DirectState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
): void {
  const min = wordsOf(state.min).low;
  let count = state.count;
  for (let i = from, o = outAt; i < to; i++, o++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[o] = NONE;
      continue;
    }
    // The key is in the range (the caller's promise), so the low words alone give the index.
    const at = (keys[2 * i] - min) >>> 0;
    let value = ~cells[at];
    if (value === NONE) {
      value = base < 0 ? count : base + i;
      cells[at] = ~value;
      count++;
    }
    out[o] = value;
  }
  state.count = count;
}

export function probeDirect4(
  state: DirectState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  out: Int32Array,
  outAt: number,
): void {
  const min = wordsOf(state.min).low;
  const range = state.range;
  if (valid === null) {
    for (let i = from, o = outAt; i < to; i++, o++) {
      const at = (keys[i] - min) >>> 0;
      out[o] = at < range ? ~cells[at] : NONE;
    }
  } else {
    for (let i = from, o = outAt; i < to; i++, o++) {
      const at = (keys[i] - min) >>> 0;
      out[o] = at < range && (valid[i >> 3] >> (i & 7)) & 1 ? ~cells[at] : NONE;
    }
  }
}

export function probeDirect8(
  state: DirectState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  out: Int32Array,
  outAt: number,
): void {
  const { low: minLow, high: minHigh } = wordsOf(state.min);
  const range = state.range;
  for (let i = from, o = outAt; i < to; i++, o++) {
    const low = keys[2 * i];
    const at = (low - minLow) >>> 0;
    // key - min < 2^32 exactly when the high words differ by the borrow of the low words.
    const borrow = low >>> 0 < minLow >>> 0 ? 1 : 0;
    const inside = at < range && ((keys[2 * i + 1] - minHigh - borrow) | 0) === 0;
    out[o] = inside && (valid === null || (valid[i >> 3] >> (i & 7)) & 1) ? ~cells[at] : NONE;
  }
}

export function relabelDirect(cells: Int32Array, handles: Int32Array, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const stored = cells[at];
    if (stored !== 0) cells[at] = ~handles[~stored];
  }
}
