/**
 * The twin's search of candidate pairs by one comparison of ordinals: group by group, only pairs that pass are written. Ordinals of 8 bytes
 * are two words, compared high word first. O(candidates), about 1.5 ns each.
 */

import type { ExpandCursor } from "../contract.ts";
import { NONE } from "../contract.ts";
import type { CompareOp } from "../loop-contract.ts";

/** How a comparison is one of two that may be negated: found < value (`swap`: value < found), or equality. */
const formOf = (op: CompareOp) => ({
  equal: op === "eq" || op === "ne",
  swap: op === "gt" || op === "le",
  negate: op === "le" || op === "ge" || op === "ne",
});

type Search = (
  op: CompareOp,
  probe: Int32Array,
  base: number,
  byRow: Int32Array,
  byGroup: Int32Array | null,
  handles: Int32Array,
  cursor: ExpandCursor,
  to: number,
  offsets: Int32Array | null,
  rows: Int32Array | null,
  probeBase: number,
  outProbe: Int32Array,
  outBuild: Int32Array,
  room: number,
  budget: number,
) => { tested: number; kept: number };

/** Candidates of one row in one go. */
const STEP = 16;

export const searchPairs4: Search = (
  op,
  probe,
  base,
  byRow,
  byGroup,
  handles,
  cursor,
  to,
  offsets,
  rows,
  probeBase,
  outProbe,
  outBuild,
  room,
  budget,
) => {
  const { equal, swap, negate } = formOf(op);
  let { row, pos } = cursor;
  let kept = 0;
  let tested = 0;
  while (row < to && tested < budget && kept + STEP <= room) {
    const handle = handles[row];
    if (handle === NONE) {
      row++;
      continue;
    }
    const value = probe[row + base] >>> 0;
    const single = handle > NONE;
    const first = single ? handle : offsets![-2 - handle];
    const end = single ? handle + 1 : offsets![-1 - handle];
    const from = first + pos;
    const stop = Math.min(end, from + room - kept);
    const values = single ? byRow : byGroup!;
    for (let at = from; at < stop; at++) {
      const found = values[at] >>> 0;
      const holds = equal ? found === value : swap ? value < found : found < value;
      if (holds === negate) continue;
      outProbe[kept] = probeBase + row;
      outBuild[kept++] = single ? at : rows![at];
    }
    tested += stop - from;
    pos = stop - first;
    if (stop < end) continue;
    pos = 0;
    row++;
  }
  cursor.row = row;
  cursor.pos = pos;
  return { tested, kept };
};

export const searchPairs8: Search = (
  op,
  probe,
  base,
  byRow,
  byGroup,
  handles,
  cursor,
  to,
  offsets,
  rows,
  probeBase,
  outProbe,
  outBuild,
  room,
  budget,
) => {
  const { equal, swap, negate } = formOf(op);
  let { row, pos } = cursor;
  let kept = 0;
  let tested = 0;
  while (row < to && tested < budget && kept + STEP <= room) {
    const handle = handles[row];
    if (handle === NONE) {
      row++;
      continue;
    }
    const low = probe[2 * (row + base)] >>> 0;
    const high = probe[2 * (row + base) + 1] >>> 0;
    const single = handle > NONE;
    const first = single ? handle : offsets![-2 - handle];
    const end = single ? handle + 1 : offsets![-1 - handle];
    const from = first + pos;
    const stop = Math.min(end, from + room - kept);
    const values = single ? byRow : byGroup!;
    for (let at = from; at < stop; at++) {
      const foundHigh = values[2 * at + 1] >>> 0;
      const foundLow = values[2 * at] >>> 0;
      const sameHigh = foundHigh === high;
      const holds = equal
        ? sameHigh && foundLow === low
        : swap
          ? high < foundHigh || (sameHigh && low < foundLow)
          : foundHigh < high || (sameHigh && foundLow < low);
      if (holds === negate) continue;
      outProbe[kept] = probeBase + row;
      outBuild[kept++] = single ? at : rows![at];
    }
    tested += stop - from;
    pos = stop - first;
    if (stop < end) continue;
    pos = 0;
    row++;
  }
  cursor.row = row;
  cursor.pos = pos;
  return { tested, kept };
};
