/**
 * Gathers bits (validity, booleans) of host bitmaps into a host bitmap.
 *
 * Cost: a run is copied by bytes with shifts, O(count / 8); scattered rows cost one load and one shift each, collected into a
 * byte before it is written. A null bitmap means all set: for rows without NONE that is one fill.
 */

import type { Bitmap } from "../contract.ts";
import { appendBits, countBits, setBits } from "./bits.ts";
import type { Picks } from "./picks.ts";

/** Returns how many bits were set. */
export function gatherBits(sources: readonly (Bitmap | null)[], picks: Picks, dst: Uint8Array, at: number): number {
  const { sources: located, rows, from, count, hasNone } = picks;
  const only = sources[picks.source];
  const all = located === null ? only === null : sources.every((source) => source === null);
  if (all && !hasNone) {
    setBits(dst, at, count);
    return count;
  }
  if (rows === null) appendBits(dst, at, only!.bytes, only!.bit + from, count);
  else if (all) presence(rows, from, count, dst, at);
  else if (located === null) bitsOfRows(only!, rows, from, count, hasNone, dst, at);
  else bitsOfLocated(sources, located, rows, from, count, dst, at);
  return countBits(dst, at, count);
}

function bitsOfRows(
  { bytes, bit }: Bitmap,
  rows: Int32Array,
  from: number,
  count: number,
  hasNone: boolean,
  dst: Uint8Array,
  at: number,
): void {
  let to = at >> 3;
  let place = at & 7;
  let byte = 0;
  const end = from + count;
  if (hasNone) {
    for (let i = from; i < end; i++) {
      const row = rows[i];
      if (row >= 0) {
        const p = bit + row;
        byte |= ((bytes[p >>> 3] >> (p & 7)) & 1) << place;
      }
      if (place === 7) {
        dst[to++] |= byte;
        byte = 0;
        place = 0;
      } else place++;
    }
  } else {
    for (let i = from; i < end; i++) {
      const p = bit + rows[i];
      byte |= ((bytes[p >>> 3] >> (p & 7)) & 1) << place;
      if (place === 7) {
        dst[to++] |= byte;
        byte = 0;
        place = 0;
      } else place++;
    }
  }
  if (place > 0) dst[to] |= byte;
}

/** Bit i set where the row is not NONE. */
function presence(rows: Int32Array, from: number, count: number, dst: Uint8Array, at: number): void {
  let to = at >> 3;
  let place = at & 7;
  let byte = 0;
  for (let i = from, end = from + count; i < end; i++) {
    byte |= (~rows[i] >>> 31) << place;
    if (place === 7) {
      dst[to++] |= byte;
      byte = 0;
      place = 0;
    } else place++;
  }
  if (place > 0) dst[to] |= byte;
}

function bitsOfLocated(
  sources: readonly (Bitmap | null)[],
  located: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Uint8Array,
  at: number,
): void {
  let to = at >> 3;
  let place = at & 7;
  let byte = 0;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row >= 0) {
      const source = sources[located[i]];
      if (source === null) byte |= 1 << place;
      else {
        const p = source.bit + row;
        byte |= ((source.bytes[p >>> 3] >> (p & 7)) & 1) << place;
      }
    }
    if (place === 7) {
      dst[to++] |= byte;
      byte = 0;
      place = 0;
    } else place++;
  }
  if (place > 0) dst[to] |= byte;
}
