/**
 * Gathers variable-length rows: offsets first (with the bound on their sum), then bytes in one pass; lists by their child rows.
 *
 *     source offsets  0 3 3 8      rows 2 0 -1      dst offsets  0 5 8 8      bytes  source[3, 8) source[0, 3)
 *
 * Cost: O(rows) for offsets, O(rows + bytes) for bytes. A run is one addition a row and one block copy.
 */

import type { Segment } from "../contract.ts";
import { NONE } from "../contract.ts";
import { copyRun, viewOf } from "./byte-runs.ts";

/**
 * From this many bytes on a string is copied by the engine's block copy, which costs about 50 ns a call (a view and the call); below it
 * by 4-byte words through DataViews, which engines compile to plain unaligned moves (bench/kernels/twin.mjs gather).
 */
const BLOCK_COPY_BYTES = 128;

/** dst[at + i + 1] := dst[at + i] + length of row i; false when a sum would exceed `maxBytes`, tested without wrapping. */
export function gatherOffsets(
  sources: readonly Int32Array[],
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  dst: Int32Array,
  at: number,
  maxBytes: number,
): boolean {
  switch (segment.kind) {
    case "run":
      return offsetsOfRun(sources[segment.source], segment.start, segment.count, dst, at, maxBytes);
    case "rows":
      return offsetsOfRows(sources[segment.source], rows!, segment.from, segment.count, segment.hasNone, dst, at, maxBytes);
    case "located":
      return offsetsOfLocated(sources, segSources!, rows!, segment.from, segment.count, dst, at, maxBytes);
  }
}

function offsetsOfRun(offsets: Int32Array, start: number, count: number, dst: Int32Array, at: number, maxBytes: number): boolean {
  if (count === 0) return true;
  if (dst[at] + (offsets[start + count] - offsets[start]) > maxBytes) return false;
  const shift = dst[at] - offsets[start];
  if (shift === 0) dst.set(offsets.subarray(start + 1, start + count + 1), at + 1);
  else for (let i = 1; i <= count; i++) dst[at + i] = (offsets[start + i] + shift) | 0;
  return true;
}

function offsetsOfRows(
  offsets: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  hasNone: boolean,
  dst: Int32Array,
  at: number,
  maxBytes: number,
): boolean {
  let sum = dst[at];
  if (hasNone) {
    for (let i = 0; i < count; i++) {
      const row = rows[from + i];
      if (row >= 0) {
        const length = (offsets[row + 1] - offsets[row]) | 0;
        if (length > maxBytes - sum) return false;
        sum = (sum + length) | 0;
      }
      dst[at + i + 1] = sum;
    }
  } else {
    for (let i = 0; i < count; i++) {
      const row = rows[from + i];
      const length = (offsets[row + 1] - offsets[row]) | 0;
      if (length > maxBytes - sum) return false;
      sum = (sum + length) | 0;
      dst[at + i + 1] = sum;
    }
  }
  return true;
}

function offsetsOfLocated(
  sources: readonly Int32Array[],
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
  maxBytes: number,
): boolean {
  let sum = dst[at];
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    if (row >= 0) {
      const offsets = sources[segSources[from + i]];
      const length = (offsets[row + 1] - offsets[row]) | 0;
      if (length > maxBytes - sum) return false;
      sum = (sum + length) | 0;
    }
    dst[at + i + 1] = sum;
  }
  return true;
}

/** Copies the bytes to where `dstOffsets` (made by gatherOffsets) says. A row of NONE has length 0 there, so no loop tests for it. */
export function gatherBytes(
  offsets: readonly Int32Array[],
  bytes: readonly Uint8Array[],
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  dstOffsets: Int32Array,
  dst: Uint8Array,
  at: number,
): void {
  switch (segment.kind) {
    case "run": {
      if (segment.count === 0) return;
      const own = offsets[segment.source];
      const first = own[segment.start];
      copyBlock(bytes[segment.source], first, own[segment.start + segment.count] - first, dst, dstOffsets[at]);
      return;
    }
    case "rows":
      return bytesOfRows(offsets[segment.source], bytes[segment.source], rows!, segment.from, segment.count, dstOffsets, dst, at);
    case "located":
      return bytesOfLocated(offsets, bytes, segSources!, rows!, segment.from, segment.count, dstOffsets, dst, at);
  }
}

function copyBlock(src: Uint8Array, from: number, length: number, dst: Uint8Array, to: number): void {
  if (length > 0) dst.set(src.subarray(from, from + length), to);
}

function bytesOfRows(
  offsets: Int32Array,
  bytes: Uint8Array,
  rows: Int32Array,
  from: number,
  count: number,
  dstOffsets: Int32Array,
  dst: Uint8Array,
  at: number,
): void {
  const src = viewOf(bytes);
  const target = viewOf(dst);
  let to = dstOffsets[at];
  for (let i = 0; i < count; i++) {
    const end = dstOffsets[at + i + 1];
    if (end === to) continue;
    const first = offsets[rows[from + i]];
    if (end - to < BLOCK_COPY_BYTES) copyRun(src, first, end - to, target, to);
    else copyBlock(bytes, first, end - to, dst, to);
    to = end;
  }
}

function bytesOfLocated(
  offsets: readonly Int32Array[],
  bytes: readonly Uint8Array[],
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dstOffsets: Int32Array,
  dst: Uint8Array,
  at: number,
): void {
  const views = bytes.map(viewOf);
  const target = viewOf(dst);
  let to = dstOffsets[at];
  for (let i = 0; i < count; i++) {
    const end = dstOffsets[at + i + 1];
    if (end === to) continue;
    const source = segSources[from + i];
    const first = offsets[source][rows[from + i]];
    if (end - to < BLOCK_COPY_BYTES) copyRun(views[source], first, end - to, target, to);
    else copyBlock(bytes[source], first, end - to, dst, to);
    to = end;
  }
}

/** Child rows of the gathered lists, one after the other. Returns how many. */
export function gatherLists(
  offsets: readonly Int32Array[],
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  outRows: Int32Array,
  outSources: Int32Array | null,
): number {
  let n = 0;
  switch (segment.kind) {
    case "run": {
      const own = offsets[segment.source];
      const end = segment.count === 0 ? 0 : own[segment.start + segment.count];
      for (let child = segment.count === 0 ? 0 : own[segment.start]; child < end; child++) outRows[n++] = child;
      return n;
    }
    case "rows": {
      const own = offsets[segment.source];
      for (let i = segment.from, end = segment.from + segment.count; i < end; i++) {
        const row = rows![i];
        if (row < 0) continue;
        const last = own[row + 1];
        for (let child = own[row]; child < last; child++) outRows[n++] = child;
      }
      return n;
    }
    case "located": {
      for (let i = segment.from, end = segment.from + segment.count; i < end; i++) {
        const row = rows![i];
        if (row < 0) continue;
        const source = segSources![i];
        const own = offsets[source];
        const last = own[row + 1];
        for (let child = own[row]; child < last; child++, n++) {
          outRows[n] = child;
          outSources![n] = source;
        }
      }
      return n;
    }
  }
}

/** The same for lists of `size` elements each: a NONE parent gives `size` NONE children (of its source as it stands). */
export function gatherFixedLists(
  size: number,
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  outRows: Int32Array,
  outSources: Int32Array | null,
): number {
  const total = segment.count * size;
  if (segment.kind === "run") {
    const first = segment.start * size;
    for (let n = 0; n < total; n++) outRows[n] = first + n;
    return total;
  }
  for (let i = 0, n = 0; i < segment.count; i++) {
    const row = rows![segment.from + i];
    const first = row * size;
    if (row < 0) for (let j = 0; j < size; j++) outRows[n++] = NONE;
    else for (let j = 0; j < size; j++) outRows[n++] = first + j;
  }
  if (segment.kind === "located") {
    for (let i = 0, n = 0; i < segment.count; i++) {
      const source = segSources![segment.from + i];
      for (let j = 0; j < size; j++) outSources![n++] = source;
    }
  }
  return total;
}
