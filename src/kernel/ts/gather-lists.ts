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
  let offsets = sources[picks.source];
  if (rows === null) {
    const shift = dst[at] - offsets[from];
    if (offsets[from + count] + shift > maxBytes) return false;
    for (let i = 1; i <= count; i++) dst[at + i] = (offsets[from + i] + shift) | 0;
    return true;
  }
  let sum = dst[at];
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    if (row >= 0) {
      // A branch that never changes costs nothing beside the loads of a row.
      if (located !== null) offsets = sources[located[from + i]];
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
  const { sources: located, rows, from, count } = picks;
  let { source } = picks;
  let to = dstOffsets[at];
  if (rows === null) {
    copyBlock(bytes[source], offsets[source][from], dstOffsets[at + count] - to, dst, to);
    return;
  }
  const views = located === null ? [] : bytes.map(viewOf);
  if (located === null) views[source] = viewOf(bytes[source]);
  const target = viewOf(dst);
  for (let i = 0; i < count; i++) {
    const end = dstOffsets[at + i + 1];
    if (end === to) continue;
    if (located !== null) source = located[from + i];
    const first = offsets[source][rows[from + i]];
    if (end - to < BLOCK_COPY_BYTES) copyRun(views[source], first, end - to, target, to);
    else copyBlock(bytes[source], first, end - to, dst, to);
    to = end;
  }
}

function copyBlock(src: Uint8Array, from: number, length: number, dst: Uint8Array, to: number): void {
  if (length > 0) dst.set(src.subarray(from, from + length), to);
}

/** Child rows of the gathered lists, one after the other. Returns how many. */
export function gatherLists(offsets: readonly Int32Array[], picks: Picks, outRows: Int32Array, outSources: Int32Array | null): number {
  const { sources: located, rows, from, count } = picks;
  let { source } = picks;
  let n = 0;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows === null ? i : rows[i];
    if (row < 0) continue;
    if (located !== null) source = located[i];
    const own = offsets[source];
    for (let child = own[row], last = own[row + 1]; child < last; child++) {
      if (outSources !== null) outSources[n] = source;
      outRows[n++] = child;
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
