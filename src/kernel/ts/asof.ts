/**
 * The twin's merges of times (layouts: src/kernel/asof-contract.ts). Amortised O(1) a left and a right row: cursors only go forward, and what a
 * left row looks at beyond them is the head of its queue and its memo.
 */

import type { AheadCursor, BackwardCursor, TimePoint } from "../asof-contract.ts";
import { NONE } from "../contract.ts";
import { compareGaps, exceeds } from "../time-gaps.ts";

export interface MergeArrays {
  readonly leftTimes: Float64Array;
  readonly leftIds: Int32Array | null;
  readonly rightTimes: Float64Array;
  readonly rightIds: Int32Array | null;
  readonly memoRows: Int32Array | null;
  readonly memoTimes: Float64Array | null;
  readonly base: number;
  readonly strict: boolean;
  readonly before: TimePoint | null;
  readonly after: TimePoint | null;
  readonly horizon: TimePoint;
  readonly ended: boolean;
  readonly rowBase: number;
}

/** The first of rows [from, to) that does not come before the time. */
function gallop(times: Float64Array, from: number, to: number, major: number, minor: number, strict: boolean): number {
  const passes = (row: number) => {
    const m = times[2 * row];
    return m < major || (m === major && (strict ? times[2 * row + 1] < minor : times[2 * row + 1] <= minor));
  };
  let low = from;
  let step = 1;
  while (low + step <= to && passes(low + step - 1)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(to, low + step - 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Right rows before the time enter the memo; returns the first that does not. */
function remember(m: MergeArrays, first: boolean, from: number, end: number, major: number, minor: number): number {
  const { rightTimes, rightIds, memoTimes, strict, rowBase } = m;
  const rows = m.memoRows as Int32Array;
  let row = from;
  for (; row < end; row++) {
    const t = rightTimes[2 * row];
    const u = rightTimes[2 * row + 1];
    if (t > major || (t === major && (strict ? u >= minor : u > minor))) break;
    const key = rightIds === null ? 0 : rightIds[row];
    if (key < 0) continue;
    if (memoTimes !== null) {
      if (first && rows[key] !== NONE && memoTimes[2 * key] === t && memoTimes[2 * key + 1] === u) continue;
      memoTimes[2 * key] = t;
      memoTimes[2 * key + 1] = u;
    }
    rows[key] = rowBase + row;
  }
  return row;
}

export function mergeBackward(m: MergeArrays, first: boolean, cursor: BackwardCursor, to: number, end: number, out: Int32Array): void {
  const { leftTimes, leftIds, rightTimes, rightIds, memoTimes, base, strict, before, horizon, ended, rowBase } = m;
  const rows = m.memoRows as Int32Array;
  const gallops = leftIds === null && rightIds === null && !first;
  let right = cursor.right;
  let left = cursor.left;
  for (; left < to; left++) {
    const key = leftIds === null ? 0 : leftIds[left];
    if (key < 0) {
      out[left] = NONE;
      continue;
    }
    const major = leftTimes[2 * left];
    const minor = leftTimes[2 * left + 1];
    if (gallops) {
      const next = gallop(rightTimes, right, end, major, minor, strict);
      if (next > right) {
        rows[0] = rowBase + next - 1;
        if (memoTimes !== null) {
          memoTimes[0] = rightTimes[2 * next - 2];
          memoTimes[1] = rightTimes[2 * next - 1];
        }
        right = next;
      }
    } else right = remember(m, first, right, end, major, minor);
    const row = rows[key];
    if (right === end && !ended) {
      const passed = horizon.major > major || (horizon.major === major && (strict ? horizon.minor >= minor : horizon.minor > minor));
      const hit =
        first && row !== NONE && (memoTimes as Float64Array)[2 * key] === major && (memoTimes as Float64Array)[2 * key + 1] === minor;
      if (!passed && !hit) break;
    }
    const far =
      row !== NONE &&
      before !== null &&
      exceeds(major, minor, (memoTimes as Float64Array)[2 * key], (memoTimes as Float64Array)[2 * key + 1], before, base);
    out[left] = far ? NONE : row;
  }
  cursor.left = left;
  cursor.right = right;
}

export function advanceBackward(m: MergeArrays, first: boolean, cursor: BackwardCursor, end: number, time: TimePoint): void {
  cursor.right = remember(m, first, cursor.right, end, time.major, time.minor);
}

export function linkRows(ids: Int32Array | null, from: number, to: number, next: Int32Array, heads: Int32Array, tails: Int32Array): void {
  for (let row = from; row < to; row++) {
    const key = ids === null ? 0 : ids[row];
    next[row] = NONE;
    if (key < 0) continue;
    if (heads[key] === NONE) heads[key] = row;
    else next[tails[key]] = row;
    tails[key] = row;
  }
}

/** The last row of the group of equal times that `head` begins. */
function lastOfGroup(times: Float64Array, next: Int32Array, head: number): number {
  let row = head;
  for (let at = next[row]; at !== NONE && times[2 * at] === times[2 * head] && times[2 * at + 1] === times[2 * head + 1]; at = next[row])
    row = at;
  return row;
}

export function mergeAhead(
  m: MergeArrays,
  next: Int32Array,
  heads: Int32Array,
  backFirst: boolean,
  aheadLast: boolean,
  cursor: AheadCursor,
  to: number,
  end: number,
  out: Int32Array,
): void {
  const { leftTimes, leftIds, rightTimes, rightIds, memoRows, memoTimes, base, strict, before, after, horizon, ended, rowBase } = m;
  const nearest = memoRows !== null;
  // At the time itself: rows ahead that are of no use leave with it.
  const popsEqual = strict || nearest;
  let { left, popped, memoed } = cursor;
  for (; left < to; left++) {
    const key = leftIds === null ? 0 : leftIds[left];
    if (key < 0) {
      out[left] = NONE;
      continue;
    }
    const major = leftTimes[2 * left];
    const minor = leftTimes[2 * left + 1];
    for (; popped < end; popped++) {
      const t = rightTimes[2 * popped];
      const u = rightTimes[2 * popped + 1];
      if (t > major || (t === major && (popsEqual ? u > minor : u >= minor))) break;
      const k = rightIds === null ? 0 : rightIds[popped];
      if (k >= 0) heads[k] = next[popped];
    }
    memoed = nearest ? remember(m, backFirst, memoed, end, major, minor) : popped;
    const head = heads[key];
    const passed = ended || horizon.major > major || (horizon.major === major && horizon.minor > minor);
    let back = nearest ? memoRows[key] : NONE;
    const bm = back === NONE ? 0 : (memoTimes as Float64Array)[2 * key];
    const bn = back === NONE ? 0 : (memoTimes as Float64Array)[2 * key + 1];
    if (back !== NONE && bm === major && bn === minor) {
      // At the very time: of the rows there the first is known, the last only once the time has passed.
      if (!passed && !backFirst) break;
      out[left] = back;
      continue;
    }
    if (back !== NONE && before !== null && exceeds(major, minor, bm, bn, before, base)) back = NONE;
    if (head === NONE) {
      if (!ended) {
        // A horizon below T is a negative distance above it.
        const out_ = after !== null && exceeds(horizon.major, horizon.minor, major, minor, after, base);
        const near = back !== NONE && compareGaps(horizon.major, horizon.minor, major, minor, bm, bn, base) >= 0;
        if (!out_ && !near) break;
      }
      out[left] = back;
      continue;
    }
    const hm = rightTimes[2 * head];
    const hn = rightTimes[2 * head + 1];
    if (
      (back !== NONE && compareGaps(hm, hn, major, minor, bm, bn, base) >= 0) ||
      (after !== null && exceeds(hm, hn, major, minor, after, base))
    ) {
      out[left] = back;
      continue;
    }
    if (!aheadLast) {
      out[left] = rowBase + head;
      continue;
    }
    if (!ended && !(horizon.major > hm || (horizon.major === hm && horizon.minor > hn))) break;
    // No later left row walks over the group again. Its rows leave the queue all at once, so the head may be any of them.
    heads[key] = lastOfGroup(rightTimes, next, head);
    out[left] = rowBase + heads[key];
  }
  cursor.left = left;
  cursor.popped = popped;
  cursor.memoed = memoed;
}
