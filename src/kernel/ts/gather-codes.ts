/**
 * Gathers dictionary codes of any integer width into 32-bit codes, translated by the source's map where dictionaries were unified.
 *
 * A valid code is not negative, so signed and unsigned codes of one width share a loop over the unsigned view (which is also why the
 * loops stay monomorphic); 64-bit codes are the low words of a stride-2 Int32Array. Codes of null rows may be anything: a map
 * answers out-of-range with 0. Rows of NONE give 0. Cost: O(count), one load more with a map.
 */

import type { CodeSource } from "../contract.ts";
import type { Picks } from "./picks.ts";

type CodeWords = Uint8Array | Uint16Array | Int32Array;

export function gatherCodes(sources: readonly CodeSource[], picks: Picks, dst: Int32Array, at: number): void {
  const { sources: located, rows, from, count } = picks;
  if (located !== null) {
    locatedCodes(sources.map(wordsOf), sources, located, rows!, from, count, dst, at);
    return;
  }
  const { stride, map } = sources[picks.source];
  const words = wordsOf(sources[picks.source]);
  if (rows === null) {
    if (stride === 1) dst.set(words.subarray(from, from + count), at);
    else for (let i = 0; i < count; i++) dst[at + i] = words[(from + i) * 2];
    if (map !== null) for (let i = at, end = at + count; i < end; i++) dst[i] = map[dst[i]];
  } else if (words instanceof Int32Array) rows32(words, stride, map, rows, from, count, dst, at);
  else rowsNarrow(words, map, rows, from, count, dst, at);
}

/** Views of this realm, so that `instanceof` tells them apart. */
function wordsOf({ codes: { buffer, byteOffset, length, BYTES_PER_ELEMENT } }: CodeSource): CodeWords {
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, length);
  return BYTES_PER_ELEMENT === 2 ? new Uint16Array(buffer, byteOffset, length) : new Int32Array(buffer, byteOffset, length);
}

/** Two widths share a loop: a program rarely has both, and two kinds of array still compile to plain loads. */
function rowsNarrow(
  words: Uint8Array | Uint16Array,
  map: Int32Array | null,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : map === null ? words[row] : map[words[row]];
  }
}

function rows32(
  words: Int32Array,
  stride: number,
  map: Int32Array | null,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : map === null ? words[row * stride] : map[words[row * stride]];
  }
}

/** One loop for every width: a column has one code type in all its batches, and the load of the source dominates. */
function locatedCodes(
  words: readonly CodeWords[],
  sources: readonly CodeSource[],
  located: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    if (row < 0) {
      dst[at + i] = 0;
      continue;
    }
    const s = located[from + i];
    const { stride, map } = sources[s];
    const code = words[s][row * stride];
    dst[at + i] = map === null ? code : map[code];
  }
}
