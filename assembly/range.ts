/**
 * Inequalities answered by sorted search (layouts: src/kernel/range-contract.ts): where a row's stretch begins and ends, and which rows of
 * it pass a second condition.
 *
 *     stretch         |<------------------------->|
 *     level 2     [         max          ][         max          ]        16 nodes a block: one mask of those that pass
 *     level 1     [ max ][ max ]..[ max ][ max ][ max ]..[ max ]          only nodes that pass are gone into,
 *     level 0      . . .  . x .    . . .  . . .  x . .    . . .           so each block below has a row that passes, or an end of the stretch
 *
 * Binary searches of SEARCHES rows go side by side: their cache misses overlap, and no branch depends on a value. ns a row, 1 M rows in random
 * order (bench/kernels/range.mjs): a search 110, without samples 260; an overlap listed 170, without touching ahead 440; in a cache 40 and 80.
 * O(log rows) a search, O(levels) for each candidate, O(n) to order n of them by row.
 */
import { NONE, SCRATCH, SINK, TOUCH_ROWS, i32At, setI32, setResult } from "./memory";
import { maskAt } from "./search";
import { countBytes, moveKeys } from "./sort";

const SEARCHES: i32 = 32;
/** Every 64th key is among the samples: of 1 M keys of 8 bytes they take 125 kB, and no more than the last 512 bytes of a search are elsewhere. */
const SAMPLE_BITS: i32 = 6;
const SAMPLE_MASK: i32 = 63;
/** Lengths left of the searches that go on; counts of a byte; starts of levels; masks of nodes still to be gone into. */
const LENGTHS: usize = SCRATCH;
const COUNTS: usize = SCRATCH;
const LEVELS: usize = SCRATCH + 1024;
const MASKS: usize = SCRATCH + 1088;
/** Log2 of the nodes of a block, and of the places of a node of the last level. That of level k is 4 k: the offset of what is kept by level, too. */
const FAN_BITS: i32 = 4;
const TOP_SHIFT: i32 = 28;
/** So many rows are ordered by insertion; more byte by byte, unless they are in order already. */
const INSERTED: i32 = 48;
/** Groups of so many places do not fit half of an L2 of 512 kB. */
const TOUCH_PLACES: i32 = 16384;

export function searchSorted(
  width: i32, keys: usize, samples: usize, offsets: usize, ends: usize, handles: usize, from: i32, to: i32, ordinals: usize, after: bool,
  floors: usize, out: usize,
): void {
  for (; from < to; from += SEARCHES) {
    const stop = min(from + SEARCHES, to);
    if (width == 8) searchSome<u64>(keys, samples, offsets, ends, handles, from, stop, ordinals, after, floors, out);
    else searchSome<u32>(keys, samples, offsets, ends, handles, from, stop, ordinals, after, floors, out);
  }
}

function searchSome<T>(
  keys: usize, samples: usize, offsets: usize, ends: usize, handles: usize, from: i32, to: i32, ordinals: usize, after: bool, floors: usize,
  out: usize,
): void {
  let longest = 0;
  for (let row = from; row < to; ++row) {
    const handle = i32At(handles, row);
    let first = 0;
    let length = 0;
    if (handle < NONE) {
      first = (i32At(floors ? floors : offsets, floors ? row : -2 - handle) + SAMPLE_MASK) >> SAMPLE_BITS;
      length = max(0, ((i32At(ends, -2 - handle) + SAMPLE_MASK) >> SAMPLE_BITS) - first);
      // Most bands are narrow: the next sample but one is past the end of the stretch already.
      if (floors && length > 1) {
        const key = load<T>(samples + <usize>(first + 1) * sizeof<T>());
        const value = load<T>(ordinals + <usize>row * sizeof<T>());
        if (after ? key > value : key >= value) length = 1;
      }
    }
    setI32(out, row, first);
    setI32(LENGTHS, row - from, length);
    longest = max(longest, length);
  }
  halve<T>(samples, from, to, ordinals, after, out, longest);
  for (let row = from; row < to; ++row) {
    const handle = i32At(handles, row);
    if (handle >= NONE) continue;
    // After the last sample that is below, up to the next one.
    const sample = i32At(out, row);
    const first = max(i32At(offsets, -2 - handle), ((sample - 1) << SAMPLE_BITS) + 1);
    setI32(out, row, first);
    setI32(LENGTHS, row - from, min(i32At(ends, -2 - handle), sample << SAMPLE_BITS) - first);
  }
  halve<T>(keys, from, to, ordinals, after, out, SAMPLE_MASK);
}

/** Moves the places in `out` past keys less than the row's, or, `after`, not greater, among as many as its length says, at most `longest`. */
function halve<T>(keys: usize, from: i32, to: i32, ordinals: usize, after: bool, out: usize, longest: i32): void {
  for (; longest > 0; longest >>= 1) {
    for (let row = from; row < to; ++row) {
      const at = i32At(out, row);
      const length = i32At(LENGTHS, row - from);
      const half = length >> 1;
      const key = load<T>(keys + <usize>(at + half) * sizeof<T>());
      const value = load<T>(ordinals + <usize>row * sizeof<T>());
      const below = i32(length > 0) & (after ? i32(key <= value) : i32(key < value));
      setI32(out, row, select<i32>(at + half + 1, at, below));
      setI32(LENGTHS, row - from, select<i32>(length - half - 1, half, below));
    }
  }
}

export function raiseTree(values: usize, width: i32, max: bool, below: i32, count: i32, at: i32, from: i32, to: i32): void {
  if (width == 8) raise<u64>(values, max, below, count, at, from, to);
  else raise<u32>(values, max, below, count, at, from, to);
}

function raise<T>(values: usize, max: bool, below: i32, count: i32, at: i32, from: i32, to: i32): void {
  for (; from < to; ++from) {
    const end = min((from + 1) << FAN_BITS, count);
    let i = from << FAN_BITS;
    let extreme = load<T>(values + <usize>(below + i) * sizeof<T>());
    while (++i < end) {
      const value = load<T>(values + <usize>(below + i) * sizeof<T>());
      extreme = select<T>(value, extreme, value > extreme == max);
    }
    store<T>(values + <usize>(at + from) * sizeof<T>(), extreme);
  }
}

/** Where the levels start, for `descend`. */
function setLevels(places: i32): void {
  let start = 0;
  for (let at: usize = 0; at < 32; at += 4) {
    store<i32>(LEVELS + at, start);
    places = (places + 15) >> FAN_BITS;
    start += places << FAN_BITS;
  }
}

/** Which nodes of a block pass and meet the stretch [low, last]; a node of this level has 1 << shift places. */
@inline
function nodesAt<T>(values: usize, shift: i32, block: i32, low: i32, last: i32, splat: v128, swap: bool, flip: i32): i32 {
  const first = block << FAN_BITS;
  let mask = maskAt<T>(values + <usize>(load<i32>(LEVELS + <usize>shift) + first) * sizeof<T>(), splat, false, swap) ^ flip;
  const before = (low >> shift) - first;
  if (before > 0) mask &= -1 << before;
  const after = (last >> shift) - first;
  if (after < 15) mask &= (2 << after) - 1;
  return mask;
}

/** Writes rows of places [low, high) whose value passes, by place; returns how many, or more than `most` where there are more. */
function descend<T>(
  values: usize, low: i32, high: i32, query: usize, swap: bool, negate: bool, rows: usize, out: usize, most: i32,
): i32 {
  const splat = sizeof<T>() == 8 ? v128.xor(v128.load_splat<u64>(query), i64x2.splat(i64.MIN_VALUE)) : v128.load_splat<u32>(query);
  const flip = negate ? 0xffff : 0;
  const last = high - 1;
  let shift = 0;
  // The lowest level at which one block has the whole stretch.
  while (shift < TOP_SHIFT && low >> (shift + FAN_BITS) != last >> (shift + FAN_BITS)) shift += FAN_BITS;
  const top = shift;
  let block = shift == TOP_SHIFT ? 0 : low >> (shift + FAN_BITS);
  let mask = nodesAt<T>(values, shift, block, low, last, splat, swap, flip);
  let found = 0;
  while (mask || shift != top) {
    if (!mask) {
      shift += FAN_BITS;
      block >>= FAN_BITS;
      mask = load<i32>(MASKS + <usize>shift);
      continue;
    }
    const node = (block << FAN_BITS) + ctz(mask);
    if (shift) {
      store<i32>(MASKS + <usize>shift, mask & (mask - 1));
      shift -= FAN_BITS;
      block = node;
      mask = nodesAt<T>(values, shift, block, low, last, splat, swap, flip);
      continue;
    }
    if (found >= most) return most + 1;
    setI32(out, found++, i32At(rows, node));
    mask &= mask - 1;
  }
  return found;
}

/**
 * Reads what rows of large groups will read first, for all of some rows at once: their cache misses overlap. That is where the stretch begins or,
 * where it begins with the group, ends: there the candidates of a band lie, and most of those of intervals.
 */
function touch(
  handles: usize, from: i32, to: i32, offsets: usize, rows: usize, lows: usize, highs: usize, values: usize, width: usize,
): void {
  let sum = 0;
  for (let row = from; row < min(from + TOUCH_ROWS, to); ++row) {
    const handle = i32At(handles, row);
    if (handle >= NONE || i32At(offsets, -1 - handle) - i32At(offsets, -2 - handle) < TOUCH_PLACES) continue;
    const place = lows ? i32At(lows, row) : highs ? max(1, i32At(highs, row)) - 1 : 0;
    sum += i32At(rows, place);
    if (!values) continue;
    const block = values + <usize>(place & ~15) * width;
    const above = values + <usize>(load<i32>(LEVELS, 4) + ((place >> FAN_BITS) & ~15)) * width;
    sum += load<i32>(block) + load<i32>(block, 64) + load<i32>(above) + load<i32>(above, 64);
  }
  store<i32>(SINK, sum);
}

/** Results: row, kept. */
export function listRange(
  handles: usize, row: i32, to: i32, offsets: usize, ends: usize, rows: usize, lows: usize, highs: usize, least: i32, shift: i32,
  values: usize, width: usize, places: i32, swap: bool, negate: bool, queries: usize, probeBase: i32, outProbe: usize, outBuild: usize, room: i32,
): void {
  let kept = 0;
  if (values) setLevels(places);
  const from = row;
  for (; row < to; ++row) {
    if (!((row - from) & (TOUCH_ROWS - 1))) touch(handles, row, to, offsets, rows, lows, highs, values, width);
    const handle = i32At(handles, row);
    if (handle == NONE) continue;
    if (handle > NONE) break;
    const first = i32At(offsets, -2 - handle);
    const size = i32At(offsets, -1 - handle) - first;
    if (size < least) break;
    const low = lows ? i32At(lows, row) : first;
    const high = highs ? i32At(highs, row) : i32At(ends, -2 - handle);
    if (low >= high) continue;
    const out = outBuild + (<usize>kept << 2);
    const most = min(room - kept, size >> shift);
    let count = high - low;
    if (values) {
      const query = queries + <usize>row * width;
      if (width == 8) count = descend<u64>(values, low, high, query, swap, negate, rows, out, most);
      else count = descend<u32>(values, low, high, query, swap, negate, rows, out, most);
    }
    if (count > most) break;
    if (!values) memory.copy(out, rows + (<usize>low << 2), <usize>count << 2);
    for (let i = 0; i < count; ++i) setI32(outProbe, kept + i, probeBase + row);
    kept += count;
  }
  setResult<i32>(0, row);
  setResult<i32>(1, kept);
}

/** Sorts the build rows of each probe row, in place; `spare` has room for as many. */
export function orderPairs(probe: usize, build: usize, count: i32, spare: usize): void {
  for (let from = 0, to = 1; to <= count; ++to) {
    if (to < count && i32At(probe, to) == i32At(probe, from)) continue;
    if (to - from > 1) order(build + (<usize>from << 2), to - from, spare);
    from = to;
  }
}

function order(rows: usize, count: i32, spare: usize): void {
  let i = 1;
  while (i < count && i32At(rows, i - 1) < i32At(rows, i)) ++i;
  if (i < count && count > INSERTED) return orderBytes(rows, count, spare);
  for (; i < count; ++i) {
    const row = i32At(rows, i);
    let at = i;
    for (; at > 0 && i32At(rows, at - 1) > row; --at) setI32(rows, at, i32At(rows, at - 1));
    setI32(rows, at, row);
  }
}

function orderBytes(rows: usize, count: i32, spare: usize): void {
  let from = rows;
  let to = spare;
  for (let byte: usize = 0; byte < 4; ++byte) {
    memory.fill(COUNTS, 0, 1024);
    countBytes(from, 4, byte, 0, count, COUNTS);
    if (i32At(COUNTS, load<u8>(from + byte)) == count) continue;
    let start = 0;
    for (let at: usize = COUNTS; at < COUNTS + 1024; at += 4) {
      const next = start + load<i32>(at);
      store<i32>(at, start);
      start = next;
    }
    moveKeys(from, from, 4, byte, 0, count, 0, COUNTS, to, to);
    const other = from;
    from = to;
    to = other;
  }
  if (from != rows) memory.copy(rows, from, <usize>count << 2);
}

/** Bit i: row from + i is of no group, or has a candidate. */
export function testRange(
  handles: usize, from: i32, to: i32, offsets: usize, ends: usize, rows: usize, lows: usize, highs: usize,
  values: usize, width: usize, places: i32, swap: bool, negate: bool, queries: usize, out: usize,
): void {
  let word: u64 = 0;
  if (values) setLevels(places);
  for (let row = from; row < to; ) {
    if (values && !((row - from) & (TOUCH_ROWS - 1))) touch(handles, row, to, offsets, rows, lows, highs, values, width);
    const handle = i32At(handles, row);
    let found = 1;
    if (handle < NONE) {
      const low = lows ? i32At(lows, row) : i32At(offsets, -2 - handle);
      const high = highs ? i32At(highs, row) : i32At(ends, -2 - handle);
      found = i32(low < high);
      if (found && values) {
        const query = queries + <usize>row * width;
        if (width == 8) found = descend<u64>(values, low, high, query, swap, negate, rows, COUNTS, 0);
        else found = descend<u32>(values, low, high, query, swap, negate, rows, COUNTS, 0);
      }
    }
    const bit = row++ - from;
    word |= <u64>found << (bit & 63);
    if ((bit & 63) == 63 || row == to) {
      store<u64>(out + (<usize>(bit >> 6) << 3), word);
      word = 0;
    }
  }
}
