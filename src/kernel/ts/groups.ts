/**
 * Groups of build rows with equal keys, made by count, number, scatter; and the same for runs of dense ids.
 *
 *     reps     0 1 0 3 1 0        counts  2 1 . 0 . .      handles  -2 -3 . 3 . .       (rows 2, 4, 5 are nobody's representative: 0 -> One)
 *     offsets  0 3 5              rows    0 2 5 1 4        group 0 = rows[0, 3), group 1 = rows[3, 5)
 *
 * While the scatter runs, offsets[g + 1] is where group g's next row goes: it starts at the group's first place and ends at its end,
 * so no second array is needed. Cost: O(rows) for each of the three passes.
 */

import { NONE } from "../contract.ts";

export function countDuplicates(reps: Int32Array, from: number, to: number, counts: Int32Array): { duplicates: number; groups: number } {
  let duplicates = 0;
  let groups = 0;
  for (let row = from; row < to; row++) {
    const rep = reps[row];
    if (rep < 0 || rep === row) continue;
    const before = counts[rep];
    if (before === 0) groups++;
    counts[rep] = before + 1;
    duplicates++;
  }
  return { duplicates, groups };
}

export function numberGroups(
  counts: Int32Array,
  from: number,
  to: number,
  next: { group: number; start: number },
  offsets: Int32Array,
): void {
  let { group, start } = next;
  offsets[0] = 0;
  for (let row = from; row < to; row++) {
    const count = counts[row];
    if (count === 0) {
      counts[row] = row;
      continue;
    }
    counts[row] = -2 - group;
    offsets[++group] = start;
    start += count + 1;
  }
  next.group = group;
  next.start = start;
}

export function scatterGroups(
  reps: Int32Array,
  handles: Int32Array,
  from: number,
  to: number,
  offsets: Int32Array,
  rows: Int32Array,
): void {
  for (let row = from; row < to; row++) {
    const rep = reps[row];
    if (rep < 0) continue;
    const handle = handles[rep];
    if (handle > -2) continue;
    const slot = -1 - handle;
    const place = offsets[slot];
    rows[place] = row;
    offsets[slot] = place + 1;
  }
}

export function countIds(ids: Int32Array, from: number, to: number, counts: Int32Array): void {
  for (let i = from; i < to; i++) {
    const id = ids[i];
    if (id >= 0) counts[id]++;
  }
}

export function numberRuns(counts: Int32Array, from: number, to: number, next: { start: number }, offsets: Int32Array): void {
  let start = next.start;
  offsets[0] = 0;
  for (let id = from; id < to; id++) {
    const count = counts[id];
    counts[id] = count > 0 ? -2 - id : NONE;
    offsets[id + 1] = start;
    start += count;
  }
  next.start = start;
}

export function scatterIds(ids: Int32Array, values: Int32Array, from: number, to: number, offsets: Int32Array, rows: Int32Array): void {
  for (let i = from; i < to; i++) {
    const id = ids[i];
    if (id < 0) continue;
    const place = offsets[id + 1];
    rows[place] = values[i];
    offsets[id + 1] = place + 1;
  }
}
