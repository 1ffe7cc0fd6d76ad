/**
 * Gathers fixed-width values as words of 1, 2 or 4 bytes, `perRow` words a row; 64-bit values are two Int32 words.
 *
 * One function per word type for the shapes of most columns, so that each loop sees one kind of typed array: a loop shared by three
 * kinds measured 3 to 4 times slower. The commonest have a loop without a test for rows of NONE, which give zeros: a test in the loop costs
 * them a fifth even where it never holds. All other shapes are copied through DataViews, by 4 bytes.
 * Cost: O(count * perRow); a run is one block copy.
 */

import type { Words } from "../contract.ts";
import { copyRun, viewOf } from "./byte-runs.ts";
import type { Picks } from "./picks.ts";

export function gatherWords(sources: readonly Words[], perRow: number, picks: Picks, dst: Words, at: number): void {
  const { source, sources: located, rows, from, count, hasNone } = picks;
  // Dispatch by size, not instanceof: typed arrays may come from another realm.
  const wordBytes = dst.BYTES_PER_ELEMENT;
  if (rows === null) {
    dst.set(sources[source].subarray(from * perRow, (from + count) * perRow), at * perRow);
  } else if (wordBytes === 4 && perRow <= 2) {
    const words = sources as readonly Int32Array[];
    if (located === null) gatherFrom(words[source], perRow, rows, from, count, hasNone, dst as Int32Array, at);
    else if (perRow === 1) located32(words, located, rows, from, count, dst as Int32Array, at);
    else located64(words, located, rows, from, count, dst as Int32Array, at * 2);
  } else if (perRow === 1 && located === null) {
    if (wordBytes === 1) rows8(sources[source] as Uint8Array, rows, from, count, dst as Uint8Array, at);
    else rows16(sources[source] as Uint16Array, rows, from, count, dst as Uint16Array, at);
  } else cells(sources.map(viewOf), perRow * wordBytes, picks, rows, viewOf(dst), at * perRow * wordBytes);
}

/** A source that no cache holds. */
const LARGE_WORDS = 1 << 20;
/** Words of a cache line. */
const LINE_WORDS = 16;
/** A power of two. */
const SAMPLES = 64;
const samples = new Int32Array(SAMPLES);

/** Rows gathered at a time where what they lie in is touched before: the stretch of so many stays in an L2. */
const TOUCH_ROWS = 2048;

/**
 * Rows of an as-of join, or of another gather in nearly ascending order, lie in a stretch of the source that is not much longer than they are many:
 * read from end to end, which the machine sees coming, it is in a cache when its rows are picked in their order. 1 M of 10 M 64-bit values within
 * 50 000 rows of their order: 50 ms, touched 21 (bench/asof.mjs). Outliers are left out.
 */
function gatherFrom(
  src: Int32Array,
  perRow: number,
  rows: Int32Array,
  from: number,
  count: number,
  hasNone: boolean,
  dst: Int32Array,
  at: number,
): void {
  let touched = lowestNearby(src, perRow, rows, from, count);
  const step = touched < 0 ? count : TOUCH_ROWS;
  for (let done = 0; done < count; done += step) {
    const some = Math.min(step, count - done);
    if (touched >= 0) touched = touchTo(src, perRow, rows, from + done, some, touched);
    if (perRow === 1) rows32(src, rows, from + done, some, hasNone, dst, at + done);
    else rows64(src, rows, from + done, some, hasNone, dst, (at + done) * 2);
  }
}

/** The word at which the stretch begins; -1 where the rows have none that is short. */
function lowestNearby(src: Int32Array, perRow: number, rows: Int32Array, from: number, count: number): number {
  if (src.length < LARGE_WORDS || count < 16 * SAMPLES) return -1;
  const step = Math.floor(count / SAMPLES);
  for (let i = 0; i < SAMPLES; i++) samples[i] = rows[from + i * step];
  samples.sort();
  const low = Math.max(0, samples[3]) * perRow;
  return samples[SAMPLES - 1] * perRow - low > 4 * count * LINE_WORDS ? -1 : low;
}

/** Touches from word `touched` to the last of the rows' words, as far as it is not far; returns where it ended. */
function touchTo(src: Int32Array, perRow: number, rows: Int32Array, from: number, count: number, touched: number): number {
  let last = 0;
  for (let i = from; i < from + count; i++) if (rows[i] > last) last = rows[i];
  const end = Math.min((last + 1) * perRow, touched + 8 * count * LINE_WORDS);
  let sum = 0;
  for (let i = touched; i < end; i += LINE_WORDS) sum ^= src[i];
  // Kept, so that the loop is.
  samples[0] = sum;
  return Math.max(touched, end);
}

function rows8(src: Uint8Array, rows: Int32Array, from: number, count: number, dst: Uint8Array, at: number): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : src[row];
  }
}

function rows16(src: Uint16Array, rows: Int32Array, from: number, count: number, dst: Uint16Array, at: number): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : src[row];
  }
}

function rows32(src: Int32Array, rows: Int32Array, from: number, count: number, hasNone: boolean, dst: Int32Array, at: number): void {
  if (!hasNone) for (let i = 0; i < count; i++) dst[at + i] = src[rows[from + i]];
  else {
    for (let i = 0; i < count; i++) {
      const row = rows[from + i];
      dst[at + i] = row < 0 ? 0 : src[row];
    }
  }
}

function rows64(src: Int32Array, rows: Int32Array, from: number, count: number, hasNone: boolean, dst: Int32Array, to: number): void {
  if (!hasNone) {
    for (let i = from, end = from + count; i < end; i++, to += 2) {
      const p = rows[i] * 2;
      dst[to] = src[p];
      dst[to + 1] = src[p + 1];
    }
  } else {
    for (let i = from, end = from + count; i < end; i++, to += 2) {
      const row = rows[i];
      if (row < 0) {
        dst[to] = 0;
        dst[to + 1] = 0;
      } else {
        dst[to] = src[row * 2];
        dst[to + 1] = src[row * 2 + 1];
      }
    }
  }
}

function located32(
  sources: readonly Int32Array[],
  located: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : sources[located[from + i]][row];
  }
}

function located64(
  sources: readonly Int32Array[],
  located: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  to: number,
): void {
  for (let i = from, end = from + count; i < end; i++, to += 2) {
    const row = rows[i];
    if (row < 0) {
      dst[to] = 0;
      dst[to + 1] = 0;
    } else {
      const src = sources[located[i]];
      dst[to] = src[row * 2];
      dst[to + 1] = src[row * 2 + 1];
    }
  }
}

function cells(views: readonly DataView[], width: number, picks: Picks, rows: Int32Array, dst: DataView, to: number): void {
  const { source, sources: located, from, count } = picks;
  for (let i = from, end = from + count; i < end; i++, to += width) {
    const row = rows[i];
    if (row < 0) for (let b = 0; b < width; b++) dst.setUint8(to + b, 0);
    else copyRun(views[located === null ? source : located[i]], row * width, width, dst, to);
  }
}
