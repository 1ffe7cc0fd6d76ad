/**
 * Gathers variable-length rows: offsets first (with the bound on their sum), then bytes in one pass; lists by their child rows.
 *
 *     source offsets  0 3 3 8      rows 2 0 -1      dst offsets  0 5 8 8      bytes  source[3, 8) source[0, 3)
 *
 * Cost: O(rows) for offsets, O(rows + bytes) for bytes. A run is one addition a row and one block copy.
 */

import { NONE } from "../contract.ts";
import { copyRun, viewOf } from "./byte-runs.ts";
import type { Picks } from "./picks.ts";

/**
 * From this many bytes on a string is copied by the engine's block copy, which costs about 50 ns a call (a view and the call); below it
 * by 4-byte words through DataViews, which engines compile to plain unaligned moves (bench/kernels/twin.mjs gather).
 */
const BLOCK_COPY_BYTES = 128;

/** dst[at + i + 1] := dst[at + i] + length of row i; false when a sum would exceed `maxBytes`, tested without wrapping. */
export function gatherOffsets(sources: readonly Int32Array[], picks: Picks, dst: Int32Array, at: number, maxBytes: number): boolean {
  const { sources: located, rows, from, count } = picks;
  const own = sources[picks.source];
  if (rows === null) return offsetsOfRun(own, from, count, dst, at, maxBytes);
  if (located === null) return offsetsOfRows(own, rows, from, count, dst, at, maxBytes);
  return offsetsOfLocated(sources, located, rows, from, count, dst, at, maxBytes);
}

function offsetsOfRun(offsets: Int32Array, start: number, count: number, dst: Int32Array, at: number, maxBytes: number): boolean {
  const shift = dst[at] - offsets[start];
  if (offsets[start + count] + shift > maxBytes) return false;
  for (let i = 1; i <= count; i++) dst[at + i] = (offsets[start + i] + shift) | 0;
  return true;
}

function offsetsOfRows(
  offsets: Int32Array,
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
      const length = (offsets[row + 1] - offsets[row]) | 0;
      if (length > maxBytes - sum) return false;
      sum = (sum + length) | 0;
    }
    dst[at + i + 1] = sum;
  }
  return true;
}

function offsetsOfLocated(
  sources: readonly Int32Array[],
  located: Int32Array,
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
      const offsets = sources[located[from + i]];
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
  picks: Picks,
  dstOffsets: Int32Array,
  dst: Uint8Array,
  at: number,
): void {
  const { source, sources: located, rows, from, count } = picks;
  const own = offsets[source];
  if (rows === null) copyBlock(bytes[source], own[from], own[from + count] - own[from], dst, dstOffsets[at]);
  else if (located === null) bytesOfRows(own, bytes[source], rows, from, count, dstOffsets, dst, at);
  else bytesOfLocated(offsets, bytes, located, rows, from, count, dstOffsets, dst, at);
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
  located: Int32Array,
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
    const source = located[from + i];
    const first = offsets[source][rows[from + i]];
    if (end - to < BLOCK_COPY_BYTES) copyRun(views[source], first, end - to, target, to);
    else copyBlock(bytes[source], first, end - to, dst, to);
    to = end;
  }
}

/** Child rows of the gathered lists, one after the other. Returns how many. */
export function gatherLists(offsets: readonly Int32Array[], picks: Picks, outRows: Int32Array, outSources: Int32Array | null): number {
  const { source, sources: located, rows, from, count } = picks;
  const own = offsets[source];
  const end = from + count;
  let n = 0;
  if (rows === null) {
    for (let child = own[from], last = own[end]; child < last; child++) outRows[n++] = child;
  } else if (located === null) {
    for (let i = from; i < end; i++) {
      const row = rows[i];
      if (row < 0) continue;
      const last = own[row + 1];
      for (let child = own[row]; child < last; child++) outRows[n++] = child;
    }
  } else {
    for (let i = from; i < end; i++) {
      const row = rows[i];
      if (row < 0) continue;
      const last = offsets[located[i]][row + 1];
      for (let child = offsets[located[i]][row]; child < last; child++) {
        outRows[n] = child;
        outSources![n++] = located[i];
      }
    }
  }
  return n;
}

/** The same for lists of `size` elements each: a NONE parent gives `size` NONE children (of its source as it stands). */
export function gatherFixedLists(size: number, picks: Picks, outRows: Int32Array, outSources: Int32Array | null): number {
  const { sources: located, rows, from, count } = picks;
  let n = 0;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows === null ? i : rows[i];
    const first = row * size;
    if (outSources !== null) for (let j = 0; j < size; j++) outSources[n + j] = located![i];
    if (row < 0) for (let j = 0; j < size; j++) outRows[n++] = NONE;
    else for (let j = 0; j < size; j++) outRows[n++] = first + j;
  }
  return n;
}
