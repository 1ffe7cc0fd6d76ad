/**
 * From match handles to pairs, selections and marks.
 *
 * Every loop that writes output stops at a limit and resumes from a plain cursor; a row is left only when all its pairs are
 * written, so `pos` is 0 exactly between rows. Cost: O(rows + output), marks O(rows), scans O(rows / 32 + output).
 */

import type { ExpandCursor, HandleSummary, ScanCursor } from "../contract.ts";
import { NONE } from "../contract.ts";

export function summarize(handles: Int32Array, from: number, to: number, offsets: Int32Array | null): HandleSummary {
  let none = 0;
  let one = 0;
  let grouped = 0;
  for (let row = from; row < to; row++) {
    const handle = handles[row];
    if (handle >= 0) one++;
    else if (handle === NONE) none++;
    else grouped += offsets![-1 - handle] - offsets![-2 - handle];
  }
  return { none, one, multi: to - from - none - one, pairs: one + grouped };
}

export function fillNulls(handles: Int32Array, valid: Uint8Array, from: number, to: number, value: number): void {
  for (let row = from; row < to; row++) {
    if (((valid[row >> 3] >> (row & 7)) & 1) === 0) handles[row] = value;
  }
}

/** From so many rows of a group on, native copies cost less than a loop: a call of each takes as long as about 60 rows. */
const BLOCK_ROWS = 128;

export function expand(
  handles: Int32Array,
  cursor: ExpandCursor,
  to: number,
  offsets: Int32Array | null,
  groupRows: Int32Array | null,
  outer: boolean,
  probeBase: number,
  outProbe: Int32Array,
  outBuild: Int32Array,
  limit: number,
): void {
  let { row, pos, at } = cursor;
  // Rows of NONE and One: written without a branch on the kind, kept by advancing `at` (or not). A group leaves this rhythm.
  const least = outer ? NONE : 0;
  while (row < to && at < limit) {
    const handle = handles[row];
    if (handle >= least) {
      outProbe[at] = probeBase + row;
      outBuild[at] = handle;
      at++;
      row++;
    } else if (handle === NONE) row++;
    else {
      const first = offsets![-2 - handle];
      const size = offsets![-1 - handle] - first;
      const take = Math.min(size - pos, limit - at);
      const probe = probeBase + row;
      if (take >= BLOCK_ROWS) {
        outProbe.fill(probe, at, at + take);
        outBuild.set(groupRows!.subarray(first + pos, first + pos + take), at);
        at += take;
      } else
        for (let p = first + pos, end = p + take; p < end; p++, at++) {
          outProbe[at] = probe;
          outBuild[at] = groupRows![p];
        }
      pos += take;
      if (pos === size) {
        pos = 0;
        row++;
      }
    }
  }
  cursor.row = row;
  cursor.pos = pos;
  cursor.at = at;
}

export function selectRows(
  handles: Int32Array,
  cursor: ScanCursor,
  to: number,
  matched: boolean,
  probeBase: number,
  out: Int32Array,
  limit: number,
): void {
  let { row, at } = cursor;
  if (matched)
    for (; row < to && at < limit; row++) {
      if (handles[row] !== NONE) out[at++] = probeBase + row;
    }
  else
    for (; row < to && at < limit; row++) {
      if (handles[row] === NONE) out[at++] = probeBase + row;
    }
  cursor.row = row;
  cursor.at = at;
}

export function markMatches(handles: Int32Array, from: number, to: number, rowMarks: Uint8Array, groupMarks: Uint8Array | null): number {
  let fresh = 0;
  for (let row = from; row < to; row++) {
    const handle = handles[row];
    if (handle === NONE) continue;
    if (handle >= 0) {
      const byte = rowMarks[handle >> 3];
      const bit = 1 << (handle & 7);
      if ((byte & bit) === 0) {
        rowMarks[handle >> 3] = byte | bit;
        fresh++;
      }
    } else {
      const group = -2 - handle;
      const byte = groupMarks![group >> 3];
      const bit = 1 << (group & 7);
      if ((byte & bit) === 0) {
        groupMarks![group >> 3] = byte | bit;
        fresh++;
      }
    }
  }
  return fresh;
}

export function spreadMarks(
  groupMarks: Uint8Array,
  from: number,
  to: number,
  offsets: Int32Array,
  groupRows: Int32Array,
  rowMarks: Uint8Array,
): void {
  for (let group = from; group < to; group++) {
    if (((groupMarks[group >> 3] >> (group & 7)) & 1) === 0) continue;
    for (let p = offsets[group], end = offsets[group + 1]; p < end; p++) {
      const row = groupRows[p];
      rowMarks[row >> 3] |= 1 << (row & 7);
    }
  }
}

/** Regions are whole words, so the last word may be read in full; bits outside [row, to) are masked away. */
export function scanMarks(marks: Int32Array, cursor: ScanCursor, to: number, want: boolean, out: Int32Array, limit: number): void {
  let { row, at } = cursor;
  const flip = want ? 0 : -1;
  while (row < to && at < limit) {
    const base = row & ~31;
    let word = (marks[row >>> 5] ^ flip) & (-1 << (row & 31));
    row = base + 32;
    if (row > to) {
      word &= (1 << (to & 31)) - 1;
      row = to;
    }
    while (word !== 0) {
      if (at === limit) {
        row = base + ctz(word);
        break;
      }
      out[at++] = base + ctz(word);
      word &= word - 1;
    }
  }
  cursor.row = row;
  cursor.at = at;
}

function ctz(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** Global row id -> source and row. Neighbours often lie in one batch: the last batch is tried before the binary search. */
export function locate(
  ids: Int32Array,
  from: number,
  count: number,
  starts: Int32Array,
  batches: number,
  outSources: Int32Array,
  outRows: Int32Array,
  outAt: number,
): void {
  let source = 0;
  let low = batches > 0 ? starts[0] : 0;
  let high = batches > 0 ? starts[1] : 0;
  for (let i = 0; i < count; i++) {
    const id = ids[from + i];
    if (id < 0) {
      outSources[outAt + i] = 0;
      outRows[outAt + i] = NONE;
      continue;
    }
    if (id < low || id >= high) {
      let first = 0;
      let last = batches;
      // starts[first] <= id < starts[last] holds throughout; of empty batches with the same start the last is taken.
      while (last - first > 1) {
        const middle = (first + last) >> 1;
        if (starts[middle] <= id) first = middle;
        else last = middle;
      }
      source = first;
      low = starts[first];
      high = starts[first + 1];
    }
    outSources[outAt + i] = source;
    outRows[outAt + i] = id - low;
  }
}
