/**
 * Gathers bits (validity, booleans) of host bitmaps into a host bitmap.
 *
 * Cost: a run is copied by bytes with shifts, O(count / 8); scattered rows cost one load and one shift each, collected into a
 * byte before it is written. A null bitmap means all set: for rows without NONE that is one fill.
 */

import type { Bitmap, Segment } from "../contract.ts";
import { appendBits, countBits, setBits } from "./bits.ts";

/** Rows are absolute: element i of the segment is rows[segment.from + i]. Returns how many bits were set. */
export function gatherBits(
  sources: readonly (Bitmap | null)[],
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  dst: Uint8Array,
  at: number,
): number {
  const count = segment.count;
  if (count === 0) return 0;
  switch (segment.kind) {
    case "run": {
      const source = sources[segment.source];
      if (source === null) setBits(dst, at, count);
      else appendBits(dst, at, source.bytes, source.bit + segment.start, count);
      return source === null ? count : countBits(dst, at, count);
    }
    case "rows": {
      const source = sources[segment.source];
      if (source !== null) bitsOfRows(source.bytes, source.bit, rows!, segment.from, count, segment.hasNone, dst, at);
      else if (segment.hasNone) presenceOfRows(rows!, segment.from, count, dst, at);
      else setBits(dst, at, count);
      return countBits(dst, at, count);
    }
    case "located": {
      if (sources.some((source) => source !== null)) bitsOfLocated(sources, segSources!, rows!, segment.from, count, dst, at);
      else if (segment.hasNone) presenceOfRows(rows!, segment.from, count, dst, at);
      else setBits(dst, at, count);
      return countBits(dst, at, count);
    }
  }
}

function bitsOfRows(
  bytes: Uint8Array,
  bit: number,
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
function presenceOfRows(rows: Int32Array, from: number, count: number, dst: Uint8Array, at: number): void {
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
  segSources: Int32Array,
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
      const source = sources[segSources[i]];
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
