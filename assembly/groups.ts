/**
 * Groups rows of equal key: count, prefix sum, scatter.
 *
 *     offsets  | 0 | end of group 0 | end of group 1 | ...       while scattering: where the group's next row goes
 *     rows     | rows of group 0, in build order | rows of group 1 | ...
 *
 * Handles: NONE = -1, One(row) = row, Multi(g) = -2 - g. Every pass takes a range of rows, in order: O(rows).
 */
import { NONE, i32At, setI32, setResult } from "./memory";

/** counts[rep] += 1 for rows that are not their own representative. Results: duplicates, groups. */
export function countDuplicates(reps: usize, from: i32, to: i32, counts: usize): void {
  let duplicates = 0;
  let groups = 0;
  for (let row = from; row < to; ++row) {
    const rep = i32At(reps, row);
    if (rep == row || rep < 0) continue;
    const count = i32At(counts, rep);
    groups += i32(count == 0);
    setI32(counts, rep, count + 1);
    ++duplicates;
  }
  setResult<i32>(0, duplicates);
  setResult<i32>(1, groups);
}

/** counts becomes handles. Results: next group, next start. */
export function numberGroups(counts: usize, from: i32, to: i32, group: i32, start: i32, offsets: usize): void {
  if (from == 0) store<i32>(offsets, 0);
  for (let row = from; row < to; ++row) {
    const count = i32At(counts, row);
    if (count == 0) {
      setI32(counts, row, row);
      continue;
    }
    setI32(counts, row, -2 - group);
    setI32(offsets, group + 1, start);
    ++group;
    start += count + 1;
  }
  setResult<i32>(0, group);
  setResult<i32>(1, start);
}

/** Rows of groups, in order, to where their group's offset stands. */
export function scatterGroups(reps: usize, handles: usize, from: i32, to: i32, offsets: usize, rows: usize): void {
  // Multi(g) is -2 - g and its running offset lies at g + 1.
  for (let row = from; row < to; ++row) {
    const rep = i32At(reps, row);
    if (rep < 0) continue;
    const handle = i32At(handles, rep);
    if (handle >= NONE) continue;
    const at = offsets + (<usize>(-1 - handle) << 2);
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    setI32(rows, place, row);
  }
}

/** counts[ids[i]] += 1. */
export function countIds(ids: usize, from: i32, to: i32, counts: usize): void {
  for (let i = from; i < to; ++i) {
    const id = i32At(ids, i);
    if (id >= 0) setI32(counts, id, i32At(counts, id) + 1);
  }
}

/** counts becomes handles: Multi(r) for every r that has any. Result: next start. */
export function numberRuns(counts: usize, from: i32, to: i32, start: i32, offsets: usize): void {
  if (from == 0) store<i32>(offsets, 0);
  for (let r = from; r < to; ++r) {
    const count = i32At(counts, r);
    setI32(counts, r, count ? -2 - r : NONE);
    setI32(offsets, r + 1, start);
    start += count;
  }
  setResult<i32>(0, start);
}

/** rows[offsets[ids[i] + 1]++] := values[i]. */
export function scatterIds(ids: usize, values: usize, from: i32, to: i32, offsets: usize, rows: usize): void {
  for (let i = from; i < to; ++i) {
    const id = i32At(ids, i);
    if (id < 0) continue;
    const at = offsets + (<usize>(id + 1) << 2);
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    setI32(rows, place, i32At(values, i));
  }
}
