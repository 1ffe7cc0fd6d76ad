/**
 * Match handles to pairs and rows: summarise, expand, select.
 *
 * Handles: NONE = -1, One(row) = row, Multi(g) = -2 - g. What can stop early leaves its cursor in the results, so that
 * output is bounded and the caller resumes. O(rows + pairs). Four handles a step where none of the four is a group.
 */
import { NONE, i32At, setI32, setResult } from "./memory";

/** Results: none, one, multi (i32), pairs (f64). */
export function summarize(handles: usize, from: i32, to: i32, offsets: usize): void {
  let none = 0;
  let multi = 0;
  let i = from;
  const misses = i32x4.splat(NONE);
  for (; i + 4 <= to; i += 4) {
    const four = v128.load(handles + (<usize>i << 2));
    none += popcnt(i32x4.bitmask(i32x4.eq(four, misses)));
    multi += popcnt(i32x4.bitmask(i32x4.lt_s(four, misses)));
  }
  for (; i < to; ++i) {
    const handle = i32At(handles, i);
    none += i32(handle == NONE);
    multi += i32(handle < NONE);
  }
  const one = to - from - none - multi;
  let pairs: u64 = one;
  if (multi && offsets) {
    for (i = from; i < to; ++i) {
      const handle = i32At(handles, i);
      if (handle >= NONE) continue;
      const at = offsets + (<usize>(-2 - handle) << 2);
      pairs += <u64>(load<i32>(at, 4) - load<i32>(at));
    }
  }
  setResult<i32>(0, none);
  setResult<i32>(1, one);
  setResult<i32>(2, multi);
  setResult<f64>(3, <f64>pairs);
}

/** Rows [from, to) that are not valid: handles[row] := value. */
export function fillNulls(handles: usize, valid: usize, from: i32, to: i32, value: i32): void {
  let row = from;
  while (row < to) {
    const byte = <u32>load<u8>(valid + <usize>(row >> 3));
    const stop = min((row | 7) + 1, to);
    if (byte == 0xff) row = stop;
    else for (; row < stop; ++row) if (!((byte >> (row & 7)) & 1)) setI32(handles, row, value);
  }
}

/** Results: row, position in its group, next free place. */
export function expand(
  handles: usize, row: i32, pos: i32, at: i32, to: i32, offsets: usize, rows: usize, outer: bool, probeBase: i32,
  outProbe: usize, outBuild: usize, limit: i32,
): void {
  // With `outer` a miss is written like a match: its build row is the handle itself, -1.
  const least = outer ? NONE : 0;
  const leastLanes = i32x4.splat(least);
  const misses = i32x4.splat(NONE);
  while (row < to && at < limit) {
    if (pos == 0 && row + 4 <= to && at + 4 <= limit) {
      const four = v128.load(handles + (<usize>row << 2));
      const probeRows = i32x4.add(i32x4.splat(probeBase + row), i32x4(0, 1, 2, 3));
      if (!v128.any_true(i32x4.lt_s(four, leastLanes))) {
        v128.store(outBuild + (<usize>at << 2), four);
        v128.store(outProbe + (<usize>at << 2), probeRows);
        at += 4;
        row += 4;
        continue;
      }
      if (!v128.any_true(i32x4.lt_s(four, misses))) {
        // Matches and misses mixed: write all four, keep the matches. No branch depends on which they are.
        for (let lane = 0; lane < 4; ++lane, ++row) {
          const handle = i32At(handles, row);
          setI32(outBuild, at, handle);
          setI32(outProbe, at, probeBase + row);
          at += i32(handle >= 0);
        }
        continue;
      }
    }
    const handle = i32At(handles, row);
    if (handle >= NONE) {
      if (handle >= least) {
        setI32(outBuild, at, handle);
        setI32(outProbe, at, probeBase + row);
        ++at;
      }
      ++row;
      continue;
    }
    const group = offsets + (<usize>(-2 - handle) << 2);
    const start = load<i32>(group) + pos;
    const left = load<i32>(group, 4) - start;
    const taken = min(left, limit - at);
    // Both are contiguous: four rows a step (bench existence, (c): 0.4 ns a pair of a large group, one by one 0.8).
    const value = i32x4.splat(probeBase + row);
    const source = rows + (<usize>start << 2);
    const build = outBuild + (<usize>at << 2);
    const probe = outProbe + (<usize>at << 2);
    let j = 0;
    for (; j + 4 <= taken; j += 4) {
      v128.store(build + (<usize>j << 2), v128.load(source + (<usize>j << 2)));
      v128.store(probe + (<usize>j << 2), value);
    }
    for (; j < taken; ++j) {
      setI32(build, j, i32At(source, j));
      setI32(probe, j, probeBase + row);
    }
    at += taken;
    if (taken < left) pos += taken;
    else {
      pos = 0;
      ++row;
    }
  }
  setResult<i32>(0, row);
  setResult<i32>(1, pos);
  setResult<i32>(2, at);
}

/** Rows with (matched) or without a partner. Results: row, next free place. */
export function selectRows(handles: usize, row: i32, at: i32, to: i32, matched: bool, probeBase: i32, out: usize, limit: i32): void {
  while (row < to && at < limit) {
    // Each row gives one at most, so this many rows need no test of the limit; every row is written, wanted ones stay.
    const stop = row + min(to - row, limit - at);
    for (; row < stop; ++row) {
      setI32(out, at, probeBase + row);
      at += i32((i32At(handles, row) != NONE) == matched);
    }
  }
  setResult<i32>(0, row);
  setResult<i32>(1, at);
}
