/**
 * Number lanes: their typed arrays, and conversion from one to another by tiles of f64.
 *
 *     src (any lane)  ── set ──▶  tile of f64  ── check the range ── set ──▶  out (any lane)
 *
 * `TypedArray.set` converts as the language says, in a native loop: integers of up to 32 bits and floats pass a tile unchanged, and leave
 * it towards zero. 64-bit integers are two words; to each other they go without floats. O(count): 1 ns a row,
 * 13 from 64-bit integers with a check of the range.
 */

import type { NumberLane } from "../expression-contract.ts";

/** What a narrow lane is read as; 64-bit integers are words. */
export const LANE_ARRAYS = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: Int32Array,
  u64: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

export type LaneArray = InstanceType<(typeof LANE_ARRAYS)[NumberLane]>;

export const isLong = (lane: NumberLane): boolean => lane === "i64" || lane === "u64";
export const isFloat = (lane: NumberLane): boolean => lane[0] === "f";

/** `failed` is clear. Returns the rows that fail. */
export function convertLane(
  from: NumberLane,
  to: NumberLane,
  src: LaneArray,
  count: number,
  out: LaneArray,
  failed: Int32Array,
  tile: Float64Array,
): number {
  if (isLong(from) && isLong(to)) return copyLongs(src, from !== to, count, out, failed);
  if (isLong(to) && !isFloat(from)) return widenLongs(src, to === "u64", count, out as Int32Array, failed);
  let failures = 0;
  for (let at = 0; at < count; at += tile.length) {
    const rows = Math.min(tile.length, count - at);
    if (isLong(from)) loadLongs(src, from === "i64", to === "f32", at, rows, tile);
    else tile.set(src.subarray(at, at + rows));
    if (!isFloat(to)) failures += failOutside(tile, rows, lowest(to), 2 ** bitsBelow(to), failed, at);
    if (isLong(to)) storeLongs(tile, rows, out, at);
    else out.set(tile.subarray(0, rows), at);
  }
  return failures;
}

/** Bits of a magnitude. */
const bitsBelow = (lane: NumberLane): number => Number(lane.slice(1)) - Number(lane[0] === "i");

/** The largest float whose whole part is below the lane. */
function lowest(lane: NumberLane): number {
  if (lane[0] === "u") return -1;
  return lane === "i64" ? -(2 ** 63) - 2048 : -(2 ** bitsBelow(lane)) - 1;
}

/** Rows that are not between `low` and `high`, NaN among them. */
function failOutside(tile: Float64Array, rows: number, low: number, high: number, failed: Int32Array, at: number): number {
  let failures = 0;
  for (let i = 0; i < rows; i++) {
    if (tile[i] > low && tile[i] < high) continue;
    failed[(at + i) >> 5] |= 1 << (at + i);
    failures++;
  }
  return failures;
}

/** Integers of up to 32 bits to words of two: without floats 1.5 ns a row, by a tile 6. Negative ones fail where `unsigned`. */
function widenLongs(src: LaneArray, unsigned: boolean, count: number, out: Int32Array, failed: Int32Array): number {
  let failures = 0;
  for (let i = 0; i < count; i++) {
    const value = src[i];
    out[2 * i] = value;
    out[2 * i + 1] = value < 0 ? -1 : 0;
    if (unsigned && value < 0) {
      failed[i >> 5] |= 1 << i;
      failures++;
    }
  }
  return failures;
}

/** Between i64 and u64, what has the top bit fails. */
function copyLongs(src: LaneArray, check: boolean, count: number, out: LaneArray, failed: Int32Array): number {
  out.set(src.subarray(0, 2 * count));
  let failures = 0;
  for (let i = 0; check && i < count; i++) {
    if (src[2 * i + 1] >= 0) continue;
    failed[i >> 5] |= 1 << i;
    failures++;
  }
  return failures;
}

/** Rounds once. `twice`: the floats are rounded again, to 24 bits; of what is beyond 2^53 the lowest 12 bits become one, which 24 bits cannot tell apart but keeps ties apart. */
function loadLongs(words: LaneArray, signed: boolean, twice: boolean, at: number, rows: number, tile: Float64Array): void {
  for (let i = 0, p = 2 * at; i < rows; i++, p += 2) {
    let low = words[p];
    const high = words[p + 1];
    if (twice && (low & 0xfff) !== 0 && (high < -0x200000 || high >= 0x200000)) low = (low & ~0xfff) | 0x800;
    tile[i] = (signed ? high : high >>> 0) * 2 ** 32 + (low >>> 0);
  }
}

function storeLongs(tile: Float64Array, rows: number, out: LaneArray, at: number): void {
  for (let i = 0, p = 2 * at; i < rows; i++, p += 2) {
    const whole = Math.trunc(tile[i]);
    out[p] = whole;
    out[p + 1] = Math.floor(whole / 2 ** 32);
  }
}
