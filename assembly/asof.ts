/**
 * As-of merges: times as two float64 a row, and each left row's closest right row (layouts, rules: src/kernel/asof-contract.ts).
 *
 *     right times   1  3  3  7  9 ...        cursors only go forward: what has been passed is in the memo, what has not is in its queue
 *                         ^ cursor
 *
 * Amortised O(1) a row. ns a row (bench/asof.mjs): times 1, a right row into the memo 1.5 to 2 with keys; without keys right rows are
 * galloped over, O(log) for each left row.
 */
import { NONE, bitAt, i32At, setI32, setResult } from "./memory";

/** Times of a row: 16 bytes. */
@inline
function timeOf(times: usize, row: i32): usize {
  return times + (<usize>row << 4);
}

// Times

/** Integers of up to 52 bits as float64: the bits are the fraction of a number whose last place is 1. */
const UNSIGNED_BITS: i64 = 0x4330000000000000;
const UNSIGNED: f64 = 4503599627370496.0;
const SIGNED_BITS: i64 = 0x4338000000000000;
const SIGNED: f64 = 6755399441055744.0;
const SPLIT_BITS: i32 = 12;
const SPLIT_MASK: i64 = 4095;

@inline
function numbers<T>(src: usize, count: i32, to: usize): void {
  for (let i = 0; i < count; ++i, src += sizeof<T>(), to += 16) {
    store<f64>(to, <f64>load<T>(src));
    store<f64>(to, 0.0, 8);
  }
}

/** `lane`: bytes of a value, plus 16 if it is unsigned, 32 if it is a float. Not for 64-bit integers. */
export function loadNumbers(lane: i32, src: usize, count: i32, to: usize): void {
  if (lane == 1) numbers<i8>(src, count, to);
  else if (lane == 2) numbers<i16>(src, count, to);
  else if (lane == 4) numbers<i32>(src, count, to);
  else if (lane == 17) numbers<u8>(src, count, to);
  else if (lane == 18) numbers<u16>(src, count, to);
  else if (lane == 20) numbers<u32>(src, count, to);
  else if (lane == 36) numbers<f32>(src, count, to);
  else numbers<f64>(src, count, to);
}

/** 64-bit integers, two at a time. Returns whether they never decrease. */
export function splitLongs(unsigned: bool, src: usize, count: i32, to: usize): bool {
  const flip = i64x2.splat(unsigned ? i64.MIN_VALUE : 0);
  // Beside the first value lies itself, beside the others the one before.
  let before = v128.xor(i64x2.replace_lane(i64x2.splat(load<i64>(src)), 1, load<i64>(src)), flip);
  let falls = i64x2.splat(0);
  const bits = i64x2.splat(unsigned ? UNSIGNED_BITS : SIGNED_BITS);
  const zero = f64x2.splat(unsigned ? UNSIGNED : SIGNED);
  const mask = i64x2.splat(SPLIT_MASK);
  const lowBits = i64x2.splat(UNSIGNED_BITS);
  const lowZero = f64x2.splat(UNSIGNED);
  for (let i = 0; i < count; i += 2, src += 16, to += 32) {
    const values = v128.load(src);
    const ordered = v128.xor(values, flip);
    const fell = i64x2.lt_s(ordered, v128.shuffle<i64>(before, ordered, 1, 2));
    // Of an odd count the last has nothing beside it.
    falls = v128.or(falls, i + 1 < count ? fell : v128.and(fell, i64x2.replace_lane(i64x2.splat(-1), 1, 0)));
    before = ordered;
    const high = unsigned ? i64x2.shr_u(values, SPLIT_BITS) : i64x2.shr_s(values, SPLIT_BITS);
    const major = f64x2.sub(i64x2.add(high, bits), zero);
    const minor = f64x2.sub(v128.or(v128.and(values, mask), lowBits), lowZero);
    v128.store(to, v128.shuffle<i64>(major, minor, 0, 2));
    if (i + 1 < count) v128.store(to, v128.shuffle<i64>(major, minor, 1, 3), 16);
  }
  return !v128.any_true(falls);
}

/** Integers, of `src` or (0) those that `to` has as numbers, in units: value = q * factor + r, major = q >> shift; fine: factor of them are q. */
export function loadUnits(fine: bool, factor: i32, shift: i32, src: usize, count: i32, to: usize): void {
  const parts: i64 = factor;
  const mask = (<i64>1 << <i64>shift) - 1;
  for (let i = 0; i < count; ++i, to += 16) {
    const value = src ? load<i64>(src + (<usize>i << 3)) : <i64>load<f64>(to);
    let q = value;
    let r: i64 = 0;
    if (fine) {
      q = value / parts;
      r = value - q * parts;
      if (r < 0) {
        --q;
        r += parts;
      }
    }
    store<f64>(to, <f64>(q >> <i64>shift));
    store<f64>(to, <f64>((q & mask) * parts + r), 8);
  }
}

/** Returns the first row below the time before it, or -1. */
export function orderTimes(times: usize, from: i32, to: i32, valid: usize, major: f64, minor: f64): i32 {
  let at = timeOf(times, from);
  for (let row = from; row < to; ++row, at += 16) {
    const m = load<f64>(at);
    const n = load<f64>(at, 8);
    if (valid) {
      const bit = row - from;
      const byte = valid + <usize>(bit >> 3);
      const others: i32 = ~(1 << (bit & 7));
      if (m != m) store<u8>(byte, load<u8>(byte) & <u8>others);
      if (!bitAt(valid, bit)) {
        store<f64>(at, major);
        store<f64>(at, minor, 8);
        continue;
      }
    }
    if (m < major || (m == major && n < minor)) return row;
    major = m;
    minor = n;
  }
  return -1;
}

// Differences

/** Whether a is more than (bm, bn) after c: differences, never sums. */
@inline
function isFarther(am: f64, an: f64, cm: f64, cn: f64, bm: f64, bn: f64, base: f64): bool {
  let p = am == cm ? 0.0 : am - cm;
  let q = an - cn;
  if (q < 0) {
    p -= 1;
    q += base;
  }
  return p > bm || (p == bm && q > bn);
}

/** Whether a is at least as far after b as b is after c. */
function isAsFar(am: f64, an: f64, bm: f64, bn: f64, cm: f64, cn: f64, base: f64): bool {
  let p = am == bm ? 0.0 : am - bm;
  let q = an - bn;
  if (q < 0) {
    p -= 1;
    q += base;
  }
  let r = bm == cm ? 0.0 : bm - cm;
  let s = bn - cn;
  if (s < 0) {
    r -= 1;
    s += base;
  }
  return p > r || (p == r && q >= s);
}

// Merges

/** Right rows that come before the time (not strict: or at it) enter the memo; returns the first that does not. */
@inline
function remember(
  times: usize, ids: usize, rows: usize, memo: usize, first: bool, strict: bool, rowBase: i32, from: i32, end: i32, major: f64, minor: f64,
): i32 {
  if (memo || !ids) return rememberTimes(times, ids, rows, memo, first, strict, rowBase, from, end, major, minor);
  // The commonest by far: most of the time of a join with keys is spent here.
  let at = timeOf(times, from);
  let row = from;
  for (; row < end; ++row, at += 16) {
    const m = load<f64>(at);
    if (m >= major) {
      const n = load<f64>(at, 8);
      if (m > major || n > minor || (strict && n == minor)) break;
    }
    const key = i32At(ids, row);
    if (key >= 0) setI32(rows, key, rowBase + row);
  }
  return row;
}

function rememberTimes(
  times: usize, ids: usize, rows: usize, memo: usize, first: bool, strict: bool, rowBase: i32, from: i32, end: i32, major: f64, minor: f64,
): i32 {
  let at = timeOf(times, from);
  let row = from;
  for (; row < end; ++row, at += 16) {
    const m = load<f64>(at);
    if (m >= major) {
      const n = load<f64>(at, 8);
      if (m > major || n > minor || (strict && n == minor)) break;
    }
    const key = ids ? i32At(ids, row) : 0;
    if (key < 0) continue;
    if (memo) {
      const to = timeOf(memo, key);
      if (first && i32At(rows, key) != NONE && load<f64>(to) == m && load<f64>(to, 8) == load<f64>(at, 8)) continue;
      v128.store(to, v128.load(at));
    }
    setI32(rows, key, rowBase + row);
  }
  return row;
}

@inline
function comesBefore(times: usize, row: i32, major: f64, minor: f64, strict: bool): bool {
  const at = timeOf(times, row);
  const m = load<f64>(at);
  if (m != major) return m < major;
  const n = load<f64>(at, 8);
  return n < minor || (!strict && n == minor);
}

/** The first of rows [from, end) that does not come before the time. */
function gallop(times: usize, from: i32, end: i32, major: f64, minor: f64, strict: bool): i32 {
  let low = from;
  let step = 1;
  while (low + step <= end && comesBefore(times, low + step - 1, major, minor, strict)) {
    low += step;
    step <<= 1;
  }
  let high = min(end, low + step - 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comesBefore(times, middle, major, minor, strict)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `flags`: 1 strict, 2 the first of equal times, 4 the right has ended. Results: left, right. */
export function mergeBackward(
  flags: i32, leftTimes: usize, leftIds: usize, rightTimes: usize, rightIds: usize, rows: usize, memo: usize, beforeMajor: f64, beforeMinor: f64,
  base: f64, horizonMajor: f64, horizonMinor: f64, rowBase: i32, left: i32, right: i32, to: i32, end: i32, out: usize,
): void {
  const strict = (flags & 1) != 0;
  const first = (flags & 2) != 0;
  const ended = (flags & 4) != 0;
  const gallops = !leftIds && !rightIds && !first;
  const bounded = memo != 0 && beforeMajor < Infinity;
  for (; left < to; ++left) {
    const key = leftIds ? i32At(leftIds, left) : 0;
    if (key < 0) {
      setI32(out, left, NONE);
      continue;
    }
    const at = timeOf(leftTimes, left);
    const major = load<f64>(at);
    const minor = load<f64>(at, 8);
    if (gallops) {
      const next = gallop(rightTimes, right, end, major, minor, strict);
      if (next > right) {
        setI32(rows, 0, rowBase + next - 1);
        if (memo) v128.store(memo, v128.load(timeOf(rightTimes, next - 1)));
        right = next;
      }
    } else right = remember(rightTimes, rightIds, rows, memo, first, strict, rowBase, right, end, major, minor);
    let row = i32At(rows, key);
    const known = timeOf(memo, key);
    if (right == end && !ended) {
      const passed = horizonMajor > major || (horizonMajor == major && (horizonMinor > minor || (strict && horizonMinor == minor)));
      if (!passed && !(first && row != NONE && load<f64>(known) == major && load<f64>(known, 8) == minor)) break;
    }
    if (bounded && row != NONE && isFarther(major, minor, load<f64>(known), load<f64>(known, 8), beforeMajor, beforeMinor, base)) row = NONE;
    setI32(out, left, row);
  }
  setResult<i32>(0, left);
  setResult<i32>(1, right);
}

/** `flags` as above. Returns the next right row. */
export function advanceBackward(
  flags: i32, rightTimes: usize, rightIds: usize, rows: usize, memo: usize, rowBase: i32, right: i32, end: i32, major: f64, minor: f64,
): i32 {
  return remember(rightTimes, rightIds, rows, memo, (flags & 2) != 0, (flags & 1) != 0, rowBase, right, end, major, minor);
}

export function linkRows(ids: usize, from: i32, to: i32, next: usize, heads: usize, tails: usize): void {
  for (let row = from; row < to; ++row) {
    const key = ids ? i32At(ids, row) : 0;
    setI32(next, row, NONE);
    if (key < 0) continue;
    if (i32At(heads, key) == NONE) setI32(heads, key, row);
    else setI32(next, i32At(tails, key), row);
    setI32(tails, key, row);
  }
}

/** The last row of the queue whose time is that of its head. */
function lastOfGroup(times: usize, next: usize, head: i32): i32 {
  const major = load<f64>(timeOf(times, head));
  const minor = load<f64>(timeOf(times, head), 8);
  let row = head;
  let after = i32At(next, row);
  while (after != NONE && load<f64>(timeOf(times, after)) == major && load<f64>(timeOf(times, after), 8) == minor) {
    row = after;
    after = i32At(next, row);
  }
  return row;
}

/** `flags`: also 8, of equal times ahead the last. `rows` 0: forward. Results: left, popped, memoed. */
export function mergeAhead(
  flags: i32, leftTimes: usize, leftIds: usize, rightTimes: usize, rightIds: usize, rows: usize, memo: usize, beforeMajor: f64, beforeMinor: f64,
  afterMajor: f64, afterMinor: f64, base: f64, horizonMajor: f64, horizonMinor: f64, rowBase: i32, next: usize, heads: usize, left: i32, popped: i32,
  memoed: i32, to: i32, end: i32, out: usize,
): void {
  const strict = (flags & 1) != 0;
  const first = (flags & 2) != 0;
  const ended = (flags & 4) != 0;
  const last = (flags & 8) != 0;
  const nearest = rows != 0;
  // Rows at the time itself that are of no use ahead leave with it.
  const keepsEqual = !strict && !nearest;
  for (; left < to; ++left) {
    const key = leftIds ? i32At(leftIds, left) : 0;
    if (key < 0) {
      setI32(out, left, NONE);
      continue;
    }
    const at = timeOf(leftTimes, left);
    const major = load<f64>(at);
    const minor = load<f64>(at, 8);
    for (; popped < end && comesBefore(rightTimes, popped, major, minor, keepsEqual); ++popped) {
      const other = rightIds ? i32At(rightIds, popped) : 0;
      if (other >= 0) setI32(heads, other, i32At(next, popped));
    }
    if (nearest) memoed = remember(rightTimes, rightIds, rows, memo, first, strict, rowBase, memoed, end, major, minor);
    else memoed = popped;
    const above = horizonMajor > major || (horizonMajor == major && horizonMinor > minor);
    let back = nearest ? i32At(rows, key) : NONE;
    let bm: f64 = 0;
    let bn: f64 = 0;
    if (back != NONE) {
      bm = load<f64>(timeOf(memo, key));
      bn = load<f64>(timeOf(memo, key), 8);
      if (bm == major && bn == minor) {
        // At the very time: of the rows there the first is known, the last only once the time has passed.
        if (!first && !ended && !above) break;
        setI32(out, left, back);
        continue;
      }
      if (isFarther(major, minor, bm, bn, beforeMajor, beforeMinor, base)) back = NONE;
    }
    const head = i32At(heads, key);
    if (head == NONE) {
      if (!ended) {
        // A horizon below T is a negative distance above it.
        if (
          !isFarther(horizonMajor, horizonMinor, major, minor, afterMajor, afterMinor, base) &&
          (back == NONE || !isAsFar(horizonMajor, horizonMinor, major, minor, bm, bn, base))
        ) break;
      }
      setI32(out, left, back);
      continue;
    }
    const hm = load<f64>(timeOf(rightTimes, head));
    const hn = load<f64>(timeOf(rightTimes, head), 8);
    if (
      (back != NONE && isAsFar(hm, hn, major, minor, bm, bn, base)) || isFarther(hm, hn, major, minor, afterMajor, afterMinor, base)
    ) {
      setI32(out, left, back);
      continue;
    }
    if (!last) {
      setI32(out, left, rowBase + head);
      continue;
    }
    if (!ended && !(horizonMajor > hm || (horizonMajor == hm && horizonMinor > hn))) break;
    // No later left row walks over the group again. Its rows leave the queue all at once, so the head may be any of them.
    const group = lastOfGroup(rightTimes, next, head);
    setI32(heads, key, group);
    setI32(out, left, rowBase + group);
  }
  setResult<i32>(0, left);
  setResult<i32>(1, popped);
  setResult<i32>(2, memoed);
}
