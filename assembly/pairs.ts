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
 * - Nothing is written after the last candidate of a walk.
 * - Rows of One are listed first, in scratch memory, up to LIST_ROWS at a time; what is taken or selected goes by the list. Without it each
 *   row of NONE costs as much as a pair: with nine of ten rows NONE, a pair 16 ns instead of 3.
 *
 * O(rows + candidates); a group costs 16 bytes a store, and 64 candidates a step where none passed. ns per pair: bench/kernels/pairs.mjs.
 */
import { NONE, SCRATCH, i32At, setI32, setResult } from "./memory";

/** A value repeated to 32 bytes. */
const PATTERN: usize = SCRATCH;
/** Rows listed at a time: what is listed, and what is taken by it, stays in a first cache of 32 kB. */
const LIST: usize = SCRATCH + 64;
const LIST_ROWS: i32 = 1024;

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

/**
 * dst[i] := the value of candidate i: byRow at its build row or byGroup at its place (`build`), else byRow at its probe row. One function
 * for all widths: what differs, single rows and the pattern of a fill, is chosen once a run. A copy that is a function of its own costs 5 ns
 * a group more.
 */
export function takePairs(
  width: usize, build: bool, byRow: usize, byGroup: usize, handles: usize, row: i32, pos: i32, endRow: i32, endPos: i32,
  offsets: usize, dst: usize,
): void {
  const shift = ctz(width);
  // A fill is a copy whose source stands still.
  const moving = build ? ~(<usize>0) : 0;
  const stop = endRow + i32(endPos != 0);
  while (row < stop) {
    const handle = i32At(handles, row);
    if (handle >= NONE) {
      const listed = listOnes(handles, row, stop, build);
      takeRows(width, byRow, LIST, <i32>listed, dst);
      dst += <usize>(<i32>listed) << shift;
      row = <i32>(listed >> 32);
      continue;
    }
    const group = groupAt(offsets, handle);
    const first = load<i32>(group);
    const bytes = <usize>((row == endRow ? endPos : load<i32>(group, 4) - first) - pos) << shift;
    let src = byGroup + (<usize>(first + pos) << shift);
    if (!build) {
      src = PATTERN;
      const value = byRow + (<usize>row << shift);
      if (width == 8) spread(v128.load_splat<u64>(value));
      else if (width == 4) spread(v128.load_splat<u32>(value));
      else if (width == 2) spread(v128.load_splat<u16>(value));
      else if (width == 1) spread(v128.load_splat<u8>(value));
      else src = value;
    }
    let at: usize = 0;
    for (; at + 32 <= bytes; at += 32) {
      const from = src + (at & moving);
      v128.store(dst + at, v128.load(from));
      v128.store(dst + at, v128.load(from, 16), 16);
    }
    // The last store of a group ends where the group does, over what is there already: no loop over single values, no byte too many.
    if (at < bytes) {
      if (bytes >= 16) {
        if (at + 16 <= bytes) v128.store(dst + at, v128.load(src + (at & moving)));
        v128.store(dst + bytes - 16, v128.load(src + ((bytes - 16) & moving)));
      } else if (bytes >= 8) {
        store<u64>(dst, load<u64>(src));
        store<u64>(dst + bytes - 8, load<u64>(src + ((bytes - 8) & moving)));
      } else if (bytes >= 4) {
        store<u32>(dst, load<u32>(src));
        store<u32>(dst + bytes - 4, load<u32>(src + ((bytes - 4) & moving)));
      } else for (; at < bytes; ++at) store<u8>(dst + at, load<u8>(src + at));
    }
    dst += bytes;
    pos = 0;
    ++row;
  }
}

/** Repetitions of one value of up to 16 bytes. */
@inline
function spread(value: v128): void {
  v128.store(PATTERN, value);
  v128.store(PATTERN, value, 16);
}

/**
 * Lists the build rows (`build`) or the rows themselves of One handles, from `row` on until a group, `stop`, or LIST_ROWS. Returns the
 * row where that ends, and in the low half how many are listed. Sixteen rows a step, by the bits of those that have a partner: one
 * mispredicted branch for sixteen, where partners come at random.
 */
function listOnes(handles: usize, row: i32, stop: i32, build: bool): u64 {
  stop = min(stop, row + LIST_ROWS);
  let at = LIST;
  while (row < stop) {
    if (row + 16 <= stop) {
      const from = handles + (<usize>row << 2);
      const a = v128.load(from);
      const b = v128.load(from, 16);
      const c = v128.load(from, 32);
      const d = v128.load(from, 48);
      if (!v128.any_true(i32x4.lt_s(i32x4.min_s(i32x4.min_s(a, b), i32x4.min_s(c, d)), i32x4.splat(NONE)))) {
        let ones = i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))) ^ 0xffff;
        if (ones == 0xffff) {
          for (const end = row + 16; row < end; row += 4, at += 16) {
            const rows = i32x4.add(i32x4.splat(row), i32x4(0, 1, 2, 3));
            v128.store(at, build ? v128.load(handles + (<usize>row << 2)) : rows);
          }
          continue;
        }
        for (; ones; ones &= ones - 1) {
          const one = row + ctz(ones);
          store<i32>(at, build ? i32At(handles, one) : one);
          at += 4;
        }
        row += 16;
        continue;
      }
    }
    const handle = i32At(handles, row);
    if (handle < NONE) break;
    store<i32>(at, build ? handle : row);
    at += <usize>(handle >= 0) << 2;
    ++row;
  }
  return (<u64>row << 32) | <u64>((at - LIST) >> 2);
}

/**
 * dst[i] := src[rows[i]]; no row is NONE. Narrow values are stored 8 bytes at a time, each over what its predecessor stored too much: one
 * loop for four widths, and no slower than one for each. Where 8 bytes no longer fit, byte by byte.
 */
export function takeRows(width: usize, src: usize, rows: usize, count: i32, dst: usize): void {
  const shift = ctz(width);
  const end = dst + (<usize>count << shift);
  if (width == 32) {
    for (; dst < end; dst += 32, rows += 4) {
      const value = src + (<usize>load<i32>(rows) << 5);
      v128.store(dst, v128.load(value));
      v128.store(dst, v128.load(value, 16), 16);
    }
    return;
  }
  for (; dst + 8 <= end; dst += width, rows += 4) store<u64>(dst, load<u64>(src + (<usize>load<i32>(rows) << shift)));
  for (; dst < end; rows += 4) {
    const value = src + (<usize>load<i32>(rows) << shift);
    for (let at: usize = 0; at < width; ++at, ++dst) store<u8>(dst, load<u8>(value + at));
  }
}

/** Writes the candidates whose bit is set; returns how many. */
export function selectPairs(
  bits: usize, handles: usize, row: i32, pos: i32, endRow: i32, endPos: i32, offsets: usize, rows: usize, probeBase: i32,
  outProbe: usize, outBuild: usize,
): i32 {
  let at = 0;
  let kept = 0;
  const stop = endRow + i32(endPos != 0);
  while (row < stop) {
    const handle = i32At(handles, row);
    if (handle >= NONE) {
      const listed = listOnes(handles, row, stop, false);
      const end = at + <i32>listed;
      for (let from = at; from < end; from = (from | 63) + 1) {
        for (let word = wordOf(bits, from, end); word; word &= word - 1) {
          const one = i32At(LIST, (from & ~63) + <i32>ctz(word) - at);
          setI32(outProbe, kept, probeBase + one);
          setI32(outBuild, kept++, i32At(handles, one));
        }
      }
      at = end;
      row = <i32>(listed >> 32);
      continue;
    }
    const group = groupAt(offsets, handle);
    const first = load<i32>(group);
    const end = at + (row == endRow ? endPos : load<i32>(group, 4) - first) - pos;
    // Candidate i of this group is partner i.
    const partners = rows + (<usize>(first + pos - at) << 2);
    while (at < end) {
      for (let word = wordOf(bits, at, end); word; word &= word - 1) {
        setI32(outProbe, kept, probeBase + row);
        setI32(outBuild, kept++, i32At(partners, (at & ~63) + <i32>ctz(word)));
      }
      at = min((at | 63) + 1, end);
    }
    pos = 0;
    ++row;
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

/** The word of bit `from`, with those before it and from `end` on clear. */
@inline
function wordOf(bits: usize, from: i32, end: i32): u64 {
  const base = from & ~63;
  const word = load<u64>(bits + <usize>(base >> 3)) & (~(<u64>0) << (from & 63));
  return end - base < 64 ? word & ((<u64>1 << (end - base)) - 1) : word;
}

/** Where the group of a Multi handle has its first offset. */
@inline
function groupAt(offsets: usize, handle: i32): usize {
  return offsets + (<usize>(-2 - handle) << 2);
}
