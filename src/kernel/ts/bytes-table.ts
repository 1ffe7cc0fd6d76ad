/**
 * Open-addressing tables for byte-string keys; the distinct keys' bytes lie one after the other in the table's key store.
 *
 *     slot      | position | length | hash | value |          key store   a b c h e l l o x y ...
 *
 * Hash and length are compared before a byte of the store is touched; with 32 bits of hash a needless comparison is one in 2^32
 * times the load. The stored hash also makes a rehash independent of the key store. Values are stored as in swiss.ts.
 * Cost: O(length) a key and one cache miss in the table, one more in the store for a hit.
 */

import type { SwissState } from "../contract.ts";
import { NONE } from "../contract.ts";
import { copyRun, equalRuns } from "./byte-runs.ts";
import type { HashMix } from "./hash.ts";
import { hashBytes } from "./hash.ts";
import { FLIP } from "./swiss.ts";

export const BYTES_SLOT_WORDS = 4;

/** The chunk's byte strings: row i is data[offsets[i] - origin, offsets[i + 1] - origin). */
export interface Strings {
  readonly offsets: Int32Array;
  readonly data: DataView;
  readonly origin: number;
  readonly valid: Uint8Array | null;
}

/** Loads the home slot of each row: see tables.ts. The bytes of null rows are not read. */
export function touchBytes(slots: number, cells: Int32Array, strings: Strings, from: number, to: number, mix: HashMix): number {
  const { offsets, data, origin, valid } = strings;
  const { seed, mul } = mix;
  const shift = Math.clz32(slots) + 1;
  let sink = 0;
  for (let i = from; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) continue;
    sink ^= cells[(hashBytes(data, offsets[i] - origin, offsets[i + 1] - offsets[i], seed, mul) >>> shift) << 2];
  }
  return sink;
}

/** The slot's place that holds the string, or the empty slot where it belongs. */
function findBytes(
  cells: Int32Array,
  mask: number,
  home: number,
  hash: number,
  store: DataView,
  data: DataView,
  p: number,
  length: number,
): number {
  let at = home;
  while (cells[at + 3] !== 0) {
    if (cells[at + 2] === hash && cells[at + 1] === length && equalRuns(store, cells[at] >>> 0, data, p, length)) return at;
    at = (at + 4) & mask;
  }
  return at;
}

/** Finds or inserts; with a negative limit only finds. Returns the first row not done. */
export function seekBytes(
  state: SwissState,
  cells: Int32Array,
  store: DataView,
  strings: Strings,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  limit: number,
  mix: HashMix,
): number {
  const { offsets, data, origin, valid } = strings;
  const { seed, mul } = mix;
  const shift = Math.clz32(state.slots) + 1;
  const mask = state.slots * 4 - 1;
  let count = state.count;
  let used = state.keyBytesUsed;
  let i = from;
  for (; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[outAt + i - from] = NONE;
      continue;
    }
    const p = offsets[i] - origin;
    const length = offsets[i + 1] - offsets[i];
    const hash = hashBytes(data, p, length, seed, mul);
    const at = findBytes(cells, mask, (hash >>> shift) << 2, hash, store, data, p, length);
    let stored = cells[at + 3];
    if (stored === 0) {
      if (count >= limit || used + length > store.byteLength) {
        if (limit >= 0) break;
        out[outAt + i - from] = NONE;
        continue;
      }
      stored = (base < 0 ? count : base + i) ^ FLIP;
      cells[at] = used;
      cells[at + 1] = length;
      cells[at + 2] = hash;
      cells[at + 3] = stored;
      copyRun(data, p, length, store, used);
      used += length;
      count++;
    }
    out[outAt + i - from] = stored ^ FLIP;
  }
  state.count = count;
  state.keyBytesUsed = used;
  return i;
}

export function rehashBytes(old: Int32Array, next: SwissState, cells: Int32Array, from: number, to: number): void {
  const shift = Math.clz32(next.slots) + 1;
  const mask = next.slots * 4 - 1;
  let count = next.count;
  for (let p = from * 4, end = to * 4; p < end; p += 4) {
    const stored = old[p + 3];
    if (stored === 0) continue;
    const hash = old[p + 2];
    let at = (hash >>> shift) << 2;
    while (cells[at + 3] !== 0) at = (at + 4) & mask;
    cells[at] = old[p];
    cells[at + 1] = old[p + 1];
    cells[at + 2] = hash;
    cells[at + 3] = stored;
    count++;
  }
  next.count = count;
}
