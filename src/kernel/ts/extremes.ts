/**
 * Smallest and largest valid key of rows: what decides whether a direct table fits.
 *
 * Unsigned order is signed order with the top bit flipped, so one loop a width serves both. 64-bit keys are compared as a signed high
 * word and an unsigned low word; BigInt appears only in the result. Cost: O(to - from).
 */

import type { TsRegion } from "./memory.ts";

const TOP = 0x80000000 | 0;

export function minMax(
  keys: TsRegion,
  width: number,
  valid: Uint8Array | null,
  signed: boolean,
  from: number,
  to: number,
): { min: bigint; max: bigint } | null {
  const flip = signed ? 0 : TOP;
  return width === 4 ? minMax4(keys.i32, valid, flip, from, to) : minMax8(keys.i32, valid, flip, from, to);
}

function minMax4(keys: Int32Array, valid: Uint8Array | null, flip: number, from: number, to: number): { min: bigint; max: bigint } | null {
  let min = 0x7fffffff;
  let max = TOP;
  let seen = false;
  for (let i = from; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) continue;
    const key = keys[i] ^ flip;
    seen = true;
    if (key < min) min = key;
    if (key > max) max = key;
  }
  if (!seen) return null;
  const asKey = (value: number): bigint => BigInt(flip === 0 ? value : (value ^ flip) >>> 0);
  return { min: asKey(min), max: asKey(max) };
}

/** Low words are kept with the top bit flipped, so that they compare as signed numbers. */
function minMax8(keys: Int32Array, valid: Uint8Array | null, flip: number, from: number, to: number): { min: bigint; max: bigint } | null {
  let minHigh = 0x7fffffff;
  let minLow = 0x7fffffff;
  let maxHigh = TOP;
  let maxLow = TOP;
  let seen = false;
  for (let i = from; i < to; i++) {
    if (valid !== null && ((valid[i >> 3] >> (i & 7)) & 1) === 0) continue;
    const low = keys[2 * i] ^ TOP;
    const high = keys[2 * i + 1] ^ flip;
    seen = true;
    if (high < minHigh || (high === minHigh && low < minLow)) {
      minHigh = high;
      minLow = low;
    }
    if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      maxHigh = high;
      maxLow = low;
    }
  }
  if (!seen) return null;
  const asKey = (high: number, low: number): bigint => {
    const bits = (BigInt(high ^ flip) << 32n) | BigInt((low ^ TOP) >>> 0);
    return flip === 0 ? BigInt.asIntN(64, bits) : BigInt.asUintN(64, bits);
  };
  return { min: asKey(minHigh, minLow), max: asKey(maxHigh, maxLow) };
}
