/**
 * Open-addressing tables for fixed-width keys: one slot per distinct key, linear probing, loops per width 4, 8 and wider.
 *
 *     width 4   | key | value |                  width 8   | low | high | value |           width w   | w / 4 words | value |
 *
 * A stored value is the value with its top bit flipped. No value is -2^31 (MAX_ROWS), so a stored 0 is an empty slot and a zeroed region
 * an empty table, while NONE stays storable. Nothing is ever deleted.
 *
 * Key and value share a slot: a probe costs one cache miss. Tag bytes probed 16 at a time, as the WASM kernel does, need SIMD to pay
 * here. The home slot is the hash's top bits, so a rehash reads and writes in one order.
 * Cost: O(1) expected a key; at load 5/8 1.8 slots per hit and 4.1 per miss.
 */

import type { SwissState } from "../contract.ts";
import { NONE } from "../contract.ts";
import type { HashMix } from "./hash.ts";
import { hash4, hash8, hashWords } from "./hash.ts";

/** Flips a value to its stored form and back. */
export const FLIP = 0x80000000 | 0;

/** Words of a slot: the key and the value. */
export function slotWords(width: number): number {
  return (width >> 2) + 1;
}

function shiftOf(slots: number): number {
  return Math.clz32(slots) + 1;
}

/** The hash of a key of `words` words at `at`. */
function hashAt(keys: Int32Array, at: number, words: number, seed: number, mul: number): number {
  if (words === 1) return hash4(keys[at], seed, mul);
  return words === 2 ? hash8(keys[at], keys[at + 1], seed, mul) : hashWords(keys, at, words, seed, mul);
}

/** Loads the home slot of each row, so that the misses overlap; returns a value that depends on all of them. Null rows do no harm. */
export function touchFixed(state: SwissState, cells: Int32Array, keys: Int32Array, from: number, to: number, mix: HashMix): number {
  const { seed, mul } = mix;
  const words = state.width >> 2;
  const shift = shiftOf(state.slots);
  let sink = 0;
  if (words === 1) for (let i = from; i < to; i++) sink ^= cells[(hash4(keys[i], seed, mul) >>> shift) << 1];
  else for (let i = from; i < to; i++) sink ^= cells[(hashAt(keys, i * words, words, seed, mul) >>> shift) * (words + 1)];
  return sink;
}

/** Finds or inserts; with a negative limit only finds. Returns the first row not done. */
export function seek4(
  state: SwissState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  limit: number,
  mix: HashMix,
): number {
  const { seed, mul } = mix;
  const shift = shiftOf(state.slots);
  const mask = state.slots * 2 - 1;
  let count = state.count;
  let i = from;
  for (; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[outAt + i - from] = NONE;
      continue;
    }
    const key = keys[i];
    let at = (hash4(key, seed, mul) >>> shift) << 1;
    let stored = cells[at + 1];
    while (stored !== 0 && cells[at] !== key) {
      at = (at + 2) & mask;
      stored = cells[at + 1];
    }
    if (stored === 0) {
      if (count >= limit) {
        if (limit >= 0) break;
        out[outAt + i - from] = NONE;
        continue;
      }
      stored = (base < 0 ? count : base + i) ^ FLIP;
      cells[at] = key;
      cells[at + 1] = stored;
      count++;
    }
    out[outAt + i - from] = stored ^ FLIP;
  }
  state.count = count;
  return i;
}

export function seek8(
  state: SwissState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  limit: number,
  mix: HashMix,
): number {
  const { seed, mul } = mix;
  const shift = shiftOf(state.slots);
  const end = state.slots * 3;
  let count = state.count;
  let i = from;
  for (; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[outAt + i - from] = NONE;
      continue;
    }
    const low = keys[2 * i];
    const high = keys[2 * i + 1];
    let at = (hash8(low, high, seed, mul) >>> shift) * 3;
    let stored = cells[at + 2];
    while (stored !== 0 && (cells[at] !== low || cells[at + 1] !== high)) {
      at += 3;
      if (at === end) at = 0;
      stored = cells[at + 2];
    }
    if (stored === 0) {
      if (count >= limit) {
        if (limit >= 0) break;
        out[outAt + i - from] = NONE;
        continue;
      }
      stored = (base < 0 ? count : base + i) ^ FLIP;
      cells[at] = low;
      cells[at + 1] = high;
      cells[at + 2] = stored;
      count++;
    }
    out[outAt + i - from] = stored ^ FLIP;
  }
  state.count = count;
  return i;
}

/** The slot's place that holds the key, or the empty slot where it belongs. */
function findWide(
  cells: Int32Array,
  slots: number,
  words: number,
  keys: Int32Array,
  key: number,
  shift: number,
  seed: number,
  mul: number,
): number {
  const stride = words + 1;
  const end = slots * stride;
  let at = (hashWords(keys, key, words, seed, mul) >>> shift) * stride;
  while (cells[at + words] !== 0) {
    let j = 0;
    while (j < words && cells[at + j] === keys[key + j]) j++;
    if (j === words) return at;
    at += stride;
    if (at === end) at = 0;
  }
  return at;
}

export function seekWide(
  state: SwissState,
  cells: Int32Array,
  keys: Int32Array,
  valid: Uint8Array | null,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  limit: number,
  mix: HashMix,
): number {
  const { seed, mul } = mix;
  const slots = state.slots;
  const words = state.width >> 2;
  const shift = shiftOf(slots);
  let count = state.count;
  let i = from;
  for (; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) {
      out[outAt + i - from] = NONE;
      continue;
    }
    const at = findWide(cells, slots, words, keys, i * words, shift, seed, mul);
    let stored = cells[at + words];
    if (stored === 0) {
      if (count >= limit) {
        if (limit >= 0) break;
        out[outAt + i - from] = NONE;
        continue;
      }
      stored = (base < 0 ? count : base + i) ^ FLIP;
      for (let j = 0; j < words; j++) cells[at + j] = keys[i * words + j];
      cells[at + words] = stored;
      count++;
    }
    out[outAt + i - from] = stored ^ FLIP;
  }
  state.count = count;
  return i;
}

export function rehashFixed(old: Int32Array, next: SwissState, cells: Int32Array, from: number, to: number, mix: HashMix): void {
  const { seed, mul } = mix;
  const words = next.width >> 2;
  const stride = words + 1;
  const wrap = next.slots * stride;
  const shift = shiftOf(next.slots);
  let count = next.count;
  for (let p = from * stride, end = to * stride; p < end; p += stride) {
    if (old[p + words] === 0) continue;
    let at = (hashAt(old, p, words, seed, mul) >>> shift) * stride;
    while (cells[at + words] !== 0) {
      at += stride;
      if (at === wrap) at = 0;
    }
    for (let j = 0; j <= words; j++) cells[at + j] = old[p + j];
    count++;
  }
  next.count = count;
}

/** For every layout whose slot ends with the value, bytes tables included. */
export function relabelSlots(cells: Int32Array, stride: number, handles: Int32Array, from: number, to: number): void {
  for (let at = from * stride + stride - 1, end = to * stride; at < end; at += stride) {
    const stored = cells[at];
    if (stored !== 0) cells[at] = handles[stored ^ FLIP] ^ FLIP;
  }
}
