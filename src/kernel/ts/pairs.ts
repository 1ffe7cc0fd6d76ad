/**
 * Candidate pairs of a residual filter, a tile at a time: count them, lay their values side by side, write out those that passed.
 *
 *     handles     NONE   One(7)   Multi(g)                   NONE   One(2) ...
 *     candidates         0        1    2    3 | 4    5               6          | where a tile of 4 ends: { row: 2, pos: 3 }
 *     probe value        v[1]     v[2] v[2] v[2] ...                 v[4]       a fill a group
 *     build value        b[7]     one run of byGroup                 b[2]       a copy a group
 *
 * Invariants: a walk lists what `expand` lists without outer; `pos` > 0 only inside a group with candidates left; only `selectPairs` reads
 * the groups' rows. Values of 4 and 8 bytes have loops of their own, so that each sees one kind of array; others go by words of 1 or 4
 * bytes. O(rows + candidates); ns per pair: bench/kernels/pairs.mjs.
 */

import type { ExpandCursor } from "../contract.ts";
import { NONE } from "../contract.ts";

type Cursor = Readonly<ExpandCursor>;
type Words = Uint8Array | Int32Array;

/**
 * From this many words on a native call pays: `fill` and `set` of a view cost 35 and 75 ns, loops 1.2 and 2.6 ns a word; doubling by
 * `copyWithin` 25 ns a step, 6 to 11 steps.
 */
const FILL_WORDS = 32;
const COPY_WORDS = 32;
const REPEAT_WORDS = 256;

export function measurePairs(
  handles: Int32Array,
  start: Cursor,
  to: number,
  offsets: Int32Array | null,
  limit: number,
  end: ExpandCursor,
): number {
  let { row, pos } = start;
  let count = 0;
  while (row < to && count < limit) {
    const handle = handles[row];
    if (handle >= NONE) {
      if (handle !== NONE) count++;
      row++;
      continue;
    }
    const left = offsets![-1 - handle] - offsets![-2 - handle] - pos;
    const taken = Math.min(left, limit - count);
    count += taken;
    pos += taken;
    if (taken === left) {
      pos = 0;
      row++;
    }
  }
  // Whoever took the last candidate is done: rows without one do not call for another tile.
  if (pos === 0) while (row < to && handles[row] === NONE) row++;
  end.row = row;
  end.pos = pos;
  return count;
}

export function takeProbe4(
  src: Int32Array,
  base: number,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Int32Array,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle >= 0) dst[at++] = src[base + row];
    else if (handle !== NONE) {
      const value = src[base + row];
      const size = (row === end.row ? end.pos : offsets![-1 - handle] - offsets![-2 - handle]) - pos;
      const to = at + size;
      pos = 0;
      if (size >= FILL_WORDS) {
        dst.fill(value, at, to);
        at = to;
      } else while (at < to) dst[at++] = value;
    }
  }
}

export function takeProbe8(
  src: Int32Array,
  base: number,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Int32Array,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle === NONE) continue;
    let size = 1;
    if (handle < 0) {
      size = (row === end.row ? end.pos : offsets![-1 - handle] - offsets![-2 - handle]) - pos;
      pos = 0;
    }
    const low = src[(base + row) * 2];
    const high = src[(base + row) * 2 + 1];
    const to = at + size * 2;
    if (size * 2 >= REPEAT_WORDS) {
      dst[at] = low;
      dst[at + 1] = high;
      repeat(dst, at, 2, to);
      at = to;
    } else {
      for (; at < to; at += 2) {
        dst[at] = low;
        dst[at + 1] = high;
      }
    }
  }
}

/** `per` words a value. */
export function takeProbeWords(
  src: Words,
  per: number,
  base: number,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Words,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle === NONE) continue;
    let size = 1;
    if (handle < 0) {
      size = (row === end.row ? end.pos : offsets![-1 - handle] - offsets![-2 - handle]) - pos;
      pos = 0;
    }
    const from = (base + row) * per;
    const to = at + size * per;
    for (let word = 0; word < per && at < to; word++) dst[at + word] = src[from + word];
    if (to - at >= REPEAT_WORDS) repeat(dst, at, per, to);
    else for (let next = at + per; next < to; next++) dst[next] = dst[next - per];
    at = to;
  }
}

export function takeBuild4(
  byRow: Int32Array,
  byGroup: Int32Array | null,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Int32Array,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle >= 0) dst[at++] = byRow[handle];
    else if (handle !== NONE) {
      const first = offsets![-2 - handle];
      const to = row === end.row ? first + end.pos : offsets![-1 - handle];
      let from = first + pos;
      pos = 0;
      if (to - from >= COPY_WORDS) {
        dst.set(byGroup!.subarray(from, to), at);
        at += to - from;
      } else while (from < to) dst[at++] = byGroup![from++];
    }
  }
}

export function takeBuild8(
  byRow: Int32Array,
  byGroup: Int32Array | null,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Int32Array,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle >= 0) {
      dst[at] = byRow[handle * 2];
      dst[at + 1] = byRow[handle * 2 + 1];
      at += 2;
    } else if (handle !== NONE) {
      const first = offsets![-2 - handle];
      const to = (row === end.row ? first + end.pos : offsets![-1 - handle]) * 2;
      let from = (first + pos) * 2;
      pos = 0;
      if (to - from >= COPY_WORDS) {
        dst.set(byGroup!.subarray(from, to), at);
        at += to - from;
      } else {
        for (; from < to; from += 2, at += 2) {
          dst[at] = byGroup![from];
          dst[at + 1] = byGroup![from + 1];
        }
      }
    }
  }
}

/** `per` words a value. */
export function takeBuildWords(
  byRow: Words,
  byGroup: Words | null,
  per: number,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  dst: Words,
): void {
  let { row, pos } = start;
  const stop = stopRow(end);
  for (let at = 0; row < stop; row++) {
    const handle = handles[row];
    if (handle === NONE) continue;
    let source = byRow;
    let from = handle;
    let to = handle + 1;
    if (handle < 0) {
      source = byGroup!;
      const first = offsets![-2 - handle];
      from = first + pos;
      to = row === end.row ? first + end.pos : offsets![-1 - handle];
      pos = 0;
    }
    from *= per;
    to *= per;
    if (to - from >= COPY_WORDS) {
      dst.set(source.subarray(from, to), at);
      at += to - from;
    } else while (from < to) dst[at++] = source[from++];
  }
}

export function selectPairs(
  bits: Int32Array,
  handles: Int32Array,
  start: Cursor,
  end: Cursor,
  offsets: Int32Array | null,
  rows: Int32Array | null,
  probeBase: number,
  outProbe: Int32Array,
  outBuild: Int32Array,
): number {
  let { row, pos } = start;
  const stop = stopRow(end);
  let at = 0;
  let kept = 0;
  for (; row < stop; row++) {
    const handle = handles[row];
    if (handle >= 0) {
      // Written whether wanted or not, kept by advancing.
      outProbe[kept] = probeBase + row;
      outBuild[kept] = handle;
      kept += (bits[at >> 5] >>> (at & 31)) & 1;
      at++;
    } else if (handle !== NONE) {
      const first = offsets![-2 - handle] + pos;
      const last = at + (row === end.row ? end.pos : offsets![-1 - handle] - offsets![-2 - handle]) - pos;
      const partners = first - at;
      const probe = probeBase + row;
      pos = 0;
      while (at < last) {
        const base = at & ~31;
        let word = wordOf(bits, base, last) & (-1 << (at & 31));
        for (; word !== 0; word &= word - 1) {
          outProbe[kept] = probe;
          outBuild[kept++] = rows![partners + base + 31 - Math.clz32(word & -word)];
        }
        at = base + 32;
      }
      at = last;
    }
  }
  return kept;
}

/** `per` words a value. */
export function takeRows(
  src: Words,
  per: number,
  rows: Int32Array,
  from: number,
  count: number,
  base: number,
  dst: Words,
  dstAt: number,
): void {
  if (per === 1) {
    for (let i = 0; i < count; i++) dst[dstAt + i] = src[rows[from + i] + base];
    return;
  }
  for (let i = 0, at = dstAt * per; i < count; i++) {
    const value = (rows[from + i] + base) * per;
    for (let word = 0; word < per; word++) dst[at++] = src[value + word];
  }
}

export function keepRows(bits: Int32Array, count: number, first: Int32Array, second: Int32Array): number {
  let kept = 0;
  for (let base = 0; base < count; base += 32) {
    for (let word = wordOf(bits, base, count); word !== 0; word &= word - 1) {
      const i = base + 31 - Math.clz32(word & -word);
      first[kept] = first[i];
      second[kept++] = second[i];
    }
  }
  return kept;
}

/** The `per` words at `from` again and again, up to `to`: a copy of what is there already, twice as long every step. */
function repeat(dst: Words, from: number, per: number, to: number): void {
  for (let done = from + per; done < to; done += done - from) dst.copyWithin(done, from, Math.min(done, from + to - done));
}

/** Bits [base, base + 32), those from `end` on clear. */
function wordOf(bits: Int32Array, base: number, end: number): number {
  const word = bits[base >> 5];
  return end - base < 32 ? word & ((1 << (end - base)) - 1) : word;
}

/** After the last row that a walk may look at. */
function stopRow(end: Cursor): number {
  return end.pos > 0 ? end.row + 1 : end.row;
}
