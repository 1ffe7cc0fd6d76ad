/**
 * Candidate pairs of a residual filter, a tile at a time: count them, lay their values side by side, write out those that passed.
 *
 *     handles     NONE   One(7)   Multi(g)                   NONE   One(2) ...
 *     candidates         0        1    2    3 | 4    5               6          | where a tile of 4 ends: { row: 2, pos: 3 }
 *     probe value        v[1]     v[2] v[2] v[2] ...                 v[4]       a fill a group
 *     build value        b[7]     one run of byGroup                 b[2]       a copy a group
 *
 * Invariants
 * - A walk lists what `expand` lists without outer, from (row, pos) to (endRow, endPos); pos > 0 only inside a group with candidates left.
 * - Every group has a row. Only `selectPairs` reads the groups' rows.
 * - Nothing is written after the last candidate of a walk. Rows of NONE and One are written without a branch on which they are; what a
 *   NONE leaves is overwritten, since a walk is cut after its last row that has a candidate.
 *
 * O(rows + candidates); a group costs 16 bytes a store, and 64 candidates a step where none passed. ns per pair: bench/kernels/pairs.mjs.
 */
import { NONE, bitAt, i32At, setI32, setResult } from "./memory";

/** Counts candidates until row `to`, at most `limit`. Results: row, position in its group. */
export function measurePairs(handles: usize, row: i32, pos: i32, to: i32, offsets: usize, limit: i32): i32 {
  let count = 0;
  const misses = i32x4.splat(NONE);
  while (row < to && count < limit) {
    const handle = i32At(handles, row);
    if (handle < NONE) {
      const group = groupAt(offsets, handle);
      const left = load<i32>(group, 4) - load<i32>(group) - pos;
      const taken = min(left, limit - count);
      count += taken;
      if (taken < left) pos += taken;
      else {
        pos = 0;
        ++row;
      }
      continue;
    }
    if (row + 4 <= to && count + 4 <= limit) {
      const four = v128.load(handles + (<usize>row << 2));
      if (!v128.any_true(i32x4.lt_s(four, misses))) {
        count += 4 - popcnt(i32x4.bitmask(four));
        row += 4;
        continue;
      }
    }
    count += i32(handle >= 0);
    ++row;
  }
  // Whoever took the last candidate is done: rows without one do not call for another tile.
  if (pos == 0) while (row < to && i32At(handles, row) == NONE) ++row;
  setResult<i32>(0, row);
  setResult<i32>(1, pos);
  return count;
}

/** dst[i] := the value of candidate i: byRow at its build row or byGroup at its place (`build`), else byRow at its probe row. */
export function takePairs(
  width: i32, build: bool, byRow: usize, byGroup: usize, handles: usize, row: i32, pos: i32, endRow: i32, endPos: i32,
  offsets: usize, dst: usize,
): void {
  if (width == 1) take<u8>(build, byRow, byGroup, handles, row, pos, endRow, endPos, offsets, dst);
  else if (width == 2) take<u16>(build, byRow, byGroup, handles, row, pos, endRow, endPos, offsets, dst);
  else if (width == 4) take<u32>(build, byRow, byGroup, handles, row, pos, endRow, endPos, offsets, dst);
  else if (width == 8) take<u64>(build, byRow, byGroup, handles, row, pos, endRow, endPos, offsets, dst);
  else take<v128>(build, byRow, byGroup, handles, row, pos, endRow, endPos, offsets, dst);
}

/** v128 stands for values of 32 bytes: two vectors each. */
function take<T>(
  build: bool, byRow: usize, byGroup: usize, handles: usize, row: i32, pos: i32, endRow: i32, endPos: i32, offsets: usize, dst: usize,
): void {
  const shift: usize = isVector<T>() ? 5 : alignof<T>();
  const stop = stopRow(handles, row, endRow, endPos);
  for (; row < stop; ++row) {
    const handle = i32At(handles, row);
    if (handle >= NONE) {
      const value = byRow + (<usize>(build ? handle : row) << shift);
      if (isVector<T>()) {
        v128.store(dst, v128.load(value));
        v128.store(dst, v128.load(value, 16), 16);
      } else store<T>(dst, load<T>(value));
      dst += <usize>(handle >= 0) << shift;
      continue;
    }
    const group = groupAt(offsets, handle);
    const first = load<i32>(group);
    const bytes = <usize>((row == endRow ? endPos : load<i32>(group, 4) - first) - pos) << shift;
    if (build) copyRun(dst, byGroup + (<usize>(first + pos) << shift), bytes);
    else {
      const value = byRow + (<usize>row << shift);
      if (isVector<T>()) {
        const low = v128.load(value);
        const high = v128.load(value, 16);
        for (let at: usize = 0; at < bytes; at += 32) {
          v128.store(dst + at, low);
          v128.store(dst + at, high, 16);
        }
      } else fillRun(dst, v128.splat<T>(load<T>(value)), bytes);
    }
    dst += bytes;
    pos = 0;
  }
}

/** Where `bytes` is no multiple of a store's width, the last store overlaps the one before: no loop over single values, no byte too many. */
function copyRun(dst: usize, src: usize, bytes: usize): void {
  if (bytes >= 16) {
    const last = bytes - 16;
    for (let at: usize = 0; at < last; at += 16) v128.store(dst + at, v128.load(src + at));
    v128.store(dst + last, v128.load(src + last));
  } else if (bytes >= 8) {
    store<u64>(dst, load<u64>(src));
    store<u64>(dst + bytes - 8, load<u64>(src + bytes - 8));
  } else if (bytes >= 4) {
    store<u32>(dst, load<u32>(src));
    store<u32>(dst + bytes - 4, load<u32>(src + bytes - 4));
  } else {
    for (let at: usize = 0; at < bytes; ++at) store<u8>(dst + at, load<u8>(src + at));
  }
}

/** As `copyRun`; `bytes` is a multiple of the value's width, so an overlapping store is in step. */
function fillRun(dst: usize, value: v128, bytes: usize): void {
  const end = dst + bytes;
  if (bytes >= 16) {
    for (; dst < end - 16; dst += 16) v128.store(dst, value);
    v128.store(end - 16, value);
    return;
  }
  const word = v128.extract_lane<u64>(value, 0);
  if (bytes >= 8) {
    store<u64>(dst, word);
    store<u64>(end - 8, word);
  } else if (bytes >= 4) {
    store<u32>(dst, <u32>word);
    store<u32>(end - 4, <u32>word);
  } else {
    for (let at: usize = 0; at < bytes; ++at) store<u8>(dst + at, <u8>(word >> (at << 3)));
  }
}

/** Writes the candidates whose bit is set; returns how many. */
export function selectPairs(
  bits: usize, handles: usize, row: i32, pos: i32, endRow: i32, endPos: i32, offsets: usize, rows: usize, probeBase: i32,
  outProbe: usize, outBuild: usize,
): i32 {
  let at = 0;
  let kept = 0;
  const stop = stopRow(handles, row, endRow, endPos);
  for (; row < stop; ++row) {
    const handle = i32At(handles, row);
    if (handle >= NONE) {
      const candidate = i32(handle >= 0);
      setI32(outProbe, kept, probeBase + row);
      setI32(outBuild, kept, handle);
      kept += candidate & i32(bitAt(bits, at));
      at += candidate;
      continue;
    }
    const group = groupAt(offsets, handle);
    const first = load<i32>(group);
    const end = at + (row == endRow ? endPos : load<i32>(group, 4) - first) - pos;
    // Candidate i of this group is rows[first + pos + i - at].
    const partners = rows + (<usize>(first + pos - at) << 2);
    while (at < end) {
      const base = at & ~63;
      let word = wordOf(bits, base, end) & (~(<u64>0) << (at & 63));
      for (; word; word &= word - 1) {
        setI32(outProbe, kept, probeBase + row);
        setI32(outBuild, kept, i32At(partners, base + <i32>ctz(word)));
        ++kept;
      }
      at = min(base + 64, end);
    }
    pos = 0;
  }
  return kept;
}

/** Keeps the elements of `first` and `second`, which may be the same, whose bit is set; returns how many. */
export function keepRows(bits: usize, count: i32, first: usize, second: usize): i32 {
  let kept = 0;
  for (let base = 0; base < count; base += 64) {
    for (let word = wordOf(bits, base, count); word; word &= word - 1) {
      const i = base + <i32>ctz(word);
      setI32(first, kept, i32At(first, i));
      setI32(second, kept, i32At(second, i));
      ++kept;
    }
  }
  return kept;
}

/** Bits [base, base + 64), those from `end` on clear. */
@inline
function wordOf(bits: usize, base: i32, end: i32): u64 {
  const word = load<u64>(bits + <usize>(base >> 3));
  return end - base < 64 ? word & ((<u64>1 << (end - base)) - 1) : word;
}

/** Where the group of a Multi handle has its first offset. */
@inline
function groupAt(offsets: usize, handle: i32): usize {
  return offsets + (<usize>(-2 - handle) << 2);
}

/** After the last row of a walk that has a candidate. */
function stopRow(handles: usize, row: i32, endRow: i32, endPos: i32): i32 {
  if (endPos) return endRow + 1;
  while (endRow > row && i32At(handles, endRow - 1) == NONE) --endRow;
  return endRow;
}
