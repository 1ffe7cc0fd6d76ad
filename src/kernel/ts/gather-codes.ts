/**
 * Gathers dictionary codes of any integer width into 32-bit codes, translated by the source's map where dictionaries were unified.
 *
 * A valid code is not negative, so signed and unsigned codes of one width share a loop over the unsigned view (which is also why the
 * loops stay monomorphic); 64-bit codes are the low words of a stride-2 Int32Array. Codes of null rows may be anything: a map
 * answers out-of-range with 0. Rows of NONE give 0. Cost: O(count), one load more with a map.
 */

import type { CodeSource, Segment } from "../contract.ts";

type CodeWords = Uint8Array | Uint16Array | Int32Array;

export function gatherCodes(
  sources: readonly CodeSource[],
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  dst: Int32Array,
  at: number,
): void {
  if (segment.kind === "located") {
    locatedCodes(sources.map(wordsOf), sources, segSources!, rows!, segment.from, segment.count, dst, at);
    return;
  }
  const { stride, map } = sources[segment.source];
  const words = wordsOf(sources[segment.source]);
  if (segment.kind === "run") {
    if (stride === 1) dst.set(words.subarray(segment.start, segment.start + segment.count), at);
    else for (let i = 0, p = segment.start * 2; i < segment.count; i++, p += 2) dst[at + i] = words[p];
    if (map !== null) translate(dst, at, segment.count, map);
    return;
  }
  if (words instanceof Uint8Array) rows8(words, map, rows!, segment.from, segment.count, dst, at);
  else if (words instanceof Uint16Array) rows16(words, map, rows!, segment.from, segment.count, dst, at);
  else rows32(words, stride, map, rows!, segment.from, segment.count, dst, at);
}

function wordsOf({ codes }: CodeSource): CodeWords {
  switch (codes.BYTES_PER_ELEMENT) {
    case 1:
      return new Uint8Array(codes.buffer, codes.byteOffset, codes.length);
    case 2:
      return new Uint16Array(codes.buffer, codes.byteOffset, codes.length);
    default:
      return new Int32Array(codes.buffer, codes.byteOffset, codes.length);
  }
}

function translate(dst: Int32Array, at: number, count: number, map: Int32Array): void {
  for (let i = at, end = at + count; i < end; i++) dst[i] = map[dst[i]];
}

function rows8(
  words: Uint8Array,
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

function rows16(
  words: Uint16Array,
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
  segSources: Int32Array,
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
    const s = segSources[from + i];
    const { stride, map } = sources[s];
    const code = words[s][row * stride];
    dst[at + i] = map === null ? code : map[code];
  }
}
