/**
 * Gathers fixed-width values as words of 1, 2 or 4 bytes, `perRow` words a row; 64-bit values are two Int32 words.
 *
 * One function per word type and shape (one word, two words, many), so that each loop sees one kind of typed array: a loop shared
 * by three kinds measured 3 to 4 times slower. Loops for segments without NONE have no test. Rows of NONE give zeros.
 * Cost: O(count * perRow); a run is one block copy.
 */

import type { Segment, Words } from "../contract.ts";

export function gatherWords(
  sources: readonly Words[],
  perRow: number,
  segment: Segment,
  rows: Int32Array | null,
  segSources: Int32Array | null,
  dst: Words,
  at: number,
): void {
  if (segment.kind === "run") {
    const start = segment.start * perRow;
    dst.set(sources[segment.source].subarray(start, start + segment.count * perRow), at * perRow);
    return;
  }
  const { from, count, hasNone } = segment;
  if (segment.kind === "rows") {
    const src = sources[segment.source];
    // Dispatch by size, not instanceof: typed arrays may come from another realm.
    if (dst.BYTES_PER_ELEMENT === 4) {
      if (perRow === 1) rows32(src as Int32Array, rows!, from, count, hasNone, dst as Int32Array, at);
      else if (perRow === 2) rows64(src as Int32Array, rows!, from, count, hasNone, dst as Int32Array, at);
      else rowsMany32(src as Int32Array, perRow, rows!, from, count, dst as Int32Array, at);
    } else if (dst.BYTES_PER_ELEMENT === 2) {
      if (perRow === 1) rows16(src as Uint16Array, rows!, from, count, hasNone, dst as Uint16Array, at);
      else rowsMany16(src as Uint16Array, perRow, rows!, from, count, dst as Uint16Array, at);
    } else if (perRow === 1) rows8(src as Uint8Array, rows!, from, count, hasNone, dst as Uint8Array, at);
    else rowsMany8(src as Uint8Array, perRow, rows!, from, count, dst as Uint8Array, at);
  } else if (dst.BYTES_PER_ELEMENT === 4) {
    if (perRow === 1) located32(sources as readonly Int32Array[], segSources!, rows!, from, count, dst as Int32Array, at);
    else if (perRow === 2) located64(sources as readonly Int32Array[], segSources!, rows!, from, count, dst as Int32Array, at);
    else locatedMany32(sources as readonly Int32Array[], perRow, segSources!, rows!, from, count, dst as Int32Array, at);
  } else if (dst.BYTES_PER_ELEMENT === 2) {
    locatedMany16(sources as readonly Uint16Array[], perRow, segSources!, rows!, from, count, dst as Uint16Array, at);
  } else locatedMany8(sources as readonly Uint8Array[], perRow, segSources!, rows!, from, count, dst as Uint8Array, at);
}

function rows8(src: Uint8Array, rows: Int32Array, from: number, count: number, hasNone: boolean, dst: Uint8Array, at: number): void {
  if (!hasNone) for (let i = 0; i < count; i++) dst[at + i] = src[rows[from + i]];
  else {
    for (let i = 0; i < count; i++) {
      const row = rows[from + i];
      dst[at + i] = row < 0 ? 0 : src[row];
    }
  }
}

function rows16(src: Uint16Array, rows: Int32Array, from: number, count: number, hasNone: boolean, dst: Uint16Array, at: number): void {
  if (!hasNone) for (let i = 0; i < count; i++) dst[at + i] = src[rows[from + i]];
  else {
    for (let i = 0; i < count; i++) {
      const row = rows[from + i];
      dst[at + i] = row < 0 ? 0 : src[row];
    }
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

function rows64(src: Int32Array, rows: Int32Array, from: number, count: number, hasNone: boolean, dst: Int32Array, at: number): void {
  let to = at * 2;
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

function rowsMany8(src: Uint8Array, perRow: number, rows: Int32Array, from: number, count: number, dst: Uint8Array, at: number): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
  }
}

function rowsMany16(src: Uint16Array, perRow: number, rows: Int32Array, from: number, count: number, dst: Uint16Array, at: number): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
  }
}

function rowsMany32(src: Int32Array, perRow: number, rows: Int32Array, from: number, count: number, dst: Int32Array, at: number): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
  }
}

function located32(
  sources: readonly Int32Array[],
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[from + i];
    dst[at + i] = row < 0 ? 0 : sources[segSources[from + i]][row];
  }
}

function located64(
  sources: readonly Int32Array[],
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  let to = at * 2;
  for (let i = from, end = from + count; i < end; i++, to += 2) {
    const row = rows[i];
    if (row < 0) {
      dst[to] = 0;
      dst[to + 1] = 0;
    } else {
      const src = sources[segSources[i]];
      dst[to] = src[row * 2];
      dst[to + 1] = src[row * 2 + 1];
    }
  }
}

function locatedMany8(
  sources: readonly Uint8Array[],
  perRow: number,
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Uint8Array,
  at: number,
): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else {
      const src = sources[segSources[i]];
      for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
    }
  }
}

function locatedMany16(
  sources: readonly Uint16Array[],
  perRow: number,
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Uint16Array,
  at: number,
): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else {
      const src = sources[segSources[i]];
      for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
    }
  }
}

function locatedMany32(
  sources: readonly Int32Array[],
  perRow: number,
  segSources: Int32Array,
  rows: Int32Array,
  from: number,
  count: number,
  dst: Int32Array,
  at: number,
): void {
  let to = at * perRow;
  for (let i = from, end = from + count; i < end; i++) {
    const row = rows[i];
    if (row < 0) for (let j = 0; j < perRow; j++) dst[to++] = 0;
    else {
      const src = sources[segSources[i]];
      for (let p = row * perRow, last = p + perRow; p < last; p++) dst[to++] = src[p];
    }
  }
}
