/**
 * Hash tables of 4-byte and 8-byte keys: a bucket is one cache line, so a probe is one cache miss.
 *
 *     4-byte keys   | key 0 .. key 7 (32 bytes)      | value 0 .. value 7 (32 bytes) |             slots / 8 buckets
 *     8-byte keys   | key 0 .. key 4 (40 bytes)      | value 0 .. value 4 (20 bytes) | 4 unused |  slots / 4 buckets
 *
 * Invariants
 * - Lanes fill in order and nothing is ever removed: a key lies in its home bucket or, when that is full, in the next one
 *   that was not; so a search ends at the first bucket whose last lane is empty.
 * - A value is stored with its highest bit flipped: 0 is an empty lane, so zeroed memory is an empty table. The one value
 *   that cannot be stored is Multi(2^31 - 2): a group has two rows, so no group has that number.
 * - An empty lane has key 0. Key 0 therefore first matches either its own lane or the first empty one.
 * - Fewer keys than lanes (7/8 of them, 7/10 with 8 bytes), so a search always ends.
 *
 * Loops over rows are specialised by key width; what happens once a key (rehash, taking a lane) takes it as a parameter.
 *
 * Two or three SIMD compares replace the tag array: tags beside slots are two cache misses a probe. At 1 M keys a probe
 * costs 38 ns (4 bytes) and 48 ns (8 bytes) here, 86 ns in swiss.ts with 16 bytes (bench/kernels/table.mjs, busy machine).
 * O(1) a key; all keys of one hash: O(keys / lanes).
 */
import { hashMask, hashSeed, hashWord } from "./hash";
import { fillNulls } from "./matches";
import { NONE, SINK, TOUCHED, TOUCH_BYTES, TOUCH_ROWS, i32At, isValid, setI32, setResult } from "./memory";

const LINE: usize = 64;

/** Slots a bucket stands for, as a shift: 8-byte buckets have 5 lanes for 4 slots. */
@inline
function slotsShift(narrow: bool): u32 {
  return narrow ? 3 : 2;
}

@inline
function valuesAt(narrow: bool): usize {
  return narrow ? 32 : 40;
}

/** T is u32 or u64, the key's type. */
@inline
function isNarrow<T>(): bool {
  return sizeof<T>() == 4;
}

@inline
function flip(value: i32): i32 {
  return value ^ i32.MIN_VALUE;
}

@inline
function isFull(bucket: usize, narrow: bool): bool {
  return load<i32>(bucket + (narrow ? 60 : 56)) != 0;
}

/** Bit n: lane n holds the key (or is empty, and the key is 0). */
@inline
function lanesOf<T>(bucket: usize, key: T): u32 {
  if (sizeof<T>() == 4) {
    const wanted = i32x4.splat(<i32>key);
    const low = i32x4.eq(v128.load(bucket), wanted);
    const high = i32x4.eq(v128.load(bucket, 16), wanted);
    return <u32>i16x8.bitmask(i16x8.narrow_i32x4_s(low, high));
  } else {
    const wanted = i64x2.splat(<i64>key);
    const low = i64x2.eq(v128.load(bucket), wanted);
    const high = i64x2.eq(v128.load(bucket, 16), wanted);
    const pairs = i32x4.bitmask(v128.shuffle<u32>(low, high, 0, 2, 4, 6));
    return <u32>pairs | (<u32>(load<u64>(bucket, 32) == <u64>key) << 4);
  }
}

/** Puts a key into the first empty lane of a bucket that is not full. */
function take(bucket: usize, narrow: bool, key: u64, stored: i32): void {
  const none = i32x4.splat(0);
  const low = <u32>i32x4.bitmask(i32x4.eq(v128.load(bucket + valuesAt(narrow)), none));
  // Of 8-byte keys the fifth lane is the only one left when the first four are taken.
  const lane = <usize>ctz(low | (narrow ? <u32>i32x4.bitmask(i32x4.eq(v128.load(bucket, 48), none)) << 4 : 16));
  if (narrow) store<u32>(bucket + (lane << 2), <u32>key);
  else store<u64>(bucket + (lane << 3), key);
  store<i32>(bucket + valuesAt(narrow) + (lane << 2), stored);
}

@inline
function homeOf<T>(base: usize, shift: u64, key: T, seed: u64, mask: u64): usize {
  return base + (<usize>(hashWord(<u64>key, seed, mask) >> shift) << 6);
}

@inline
function keyAt<T>(keys: usize, row: i32): T {
  return load<T>(keys + <usize>row * sizeof<T>());
}

/** Reads the home buckets of `rows` rows, independently of one another so that their cache misses overlap, and keeps their addresses. */
function touchAhead<T>(base: usize, shift: u64, keys: usize, row: i32, rows: i32, seed: u64, mask: u64): void {
  let sum: u32 = 0;
  for (let j = 0; j < rows; ++j) {
    const home = homeOf<T>(base, shift, keyAt<T>(keys, row + j), seed, mask);
    setI32(TOUCHED, j, <i32>home);
    sum += load<u32>(home);
  }
  store<u32>(SINK, sum);
}

/**
 * The value of a key, or NONE. Branches only on "look into the next bucket": whether a key is there is a coin toss in many
 * joins, and a mispredicted branch costs more than the compares.
 */
@inline
function find<T>(bucket: usize, base: usize, end: usize, key: T): i32 {
  let found = lanesOf<T>(bucket, key);
  while (!found && isFull(bucket, isNarrow<T>())) {
    bucket += LINE;
    if (bucket == end) bucket = base;
    found = lanesOf<T>(bucket, key);
  }
  // No lane: ctz is 32, any lane is read and not used.
  const stored = load<i32>(bucket + valuesAt(isNarrow<T>()) + <usize>((ctz(found) & 7) << 2));
  return select<i32>(flip(stored), NONE, (found != 0) & (stored != 0));
}

/** Rows without a key are looked up like any other, and overwritten. */
@inline
export function probe<T>(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  const buckets = slots >> slotsShift(isNarrow<T>());
  const end = base + (<usize>buckets << 6);
  const shift: u64 = 64 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const touch = end - base > TOUCH_BYTES;
  out -= <usize>from << 2;
  for (let i = from; i < to; ) {
    const first = i;
    const stop = min(i + TOUCH_ROWS, to);
    if (touch) touchAhead<T>(base, shift, keys, i, stop - i, seed, mask);
    for (; i < stop; ++i) {
      const key = keyAt<T>(keys, i);
      const home = touch ? <usize>i32At(TOUCHED, i - first) : homeOf<T>(base, shift, key, seed, mask);
      setI32(out, i, find<T>(home, base, end, key));
    }
  }
  if (valid) fillNulls(out, valid, from, to, NONE);
}

/** Finds or inserts; result 0 is the new count. Returns the first row not done. */
@inline
export function insert<T>(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  const buckets = slots >> slotsShift(isNarrow<T>());
  const end = base + (<usize>buckets << 6);
  const shift: u64 = 64 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const touch = end - base > TOUCH_BYTES;
  let ahead = from;
  let i = from;
  for (; i < to; ++i, out += 4) {
    if (touch && i == ahead) {
      const rows = min(TOUCH_ROWS, to - i);
      touchAhead<T>(base, shift, keys, i, rows, seed, mask);
      ahead = i + rows;
    }
    if (!isValid(valid, i)) {
      store<i32>(out, NONE);
      continue;
    }
    const key = keyAt<T>(keys, i);
    let bucket = touch ? <usize>i32At(TOUCHED, (i - from) & (TOUCH_ROWS - 1)) : homeOf<T>(base, shift, key, seed, mask);
    let found: u32;
    while (!(found = lanesOf<T>(bucket, key)) && isFull(bucket, isNarrow<T>())) {
      bucket += LINE;
      if (bucket == end) bucket = base;
    }
    // A lane found may be the first empty one, if the key is 0.
    const stored = found ? load<i32>(bucket + valuesAt(isNarrow<T>()) + <usize>(ctz(found) << 2)) : 0;
    if (stored) {
      store<i32>(out, flip(stored));
      continue;
    }
    if (count >= limit) break;
    const value = first < 0 ? count : first + i;
    take(bucket, isNarrow<T>(), <u64>key, flip(value));
    store<i32>(out, value);
    ++count;
  }
  setResult<i32>(0, count);
  return i;
}

/** Moves the keys of the buckets of slots [from, to); they are distinct, so nothing is compared. Returns how many. */
export function rehashBuckets(narrow: bool, old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  const per = slotsShift(narrow);
  const buckets = slots >> per;
  const end = base + (<usize>buckets << 6);
  const shift: u64 = 64 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const stop = firstBucket(old, to, per);
  let moved = 0;
  for (let source = firstBucket(old, from, per); source < stop; source += LINE) {
    for (let lane: usize = 0, lanes: usize = narrow ? 8 : 5; lane < lanes; ++lane) {
      const stored = load<i32>(source + valuesAt(narrow) + (lane << 2));
      if (!stored) break;
      const key = narrow ? <u64>load<u32>(source + (lane << 2)) : load<u64>(source + (lane << 3));
      let bucket = homeOf<u64>(base, shift, key, seed, mask);
      while (isFull(bucket, narrow)) {
        bucket += LINE;
        if (bucket == end) bucket = base;
      }
      take(bucket, narrow, key, stored);
      ++moved;
    }
  }
  return moved;
}

/** The first bucket that begins at or after a slot: every bucket belongs to exactly one of any division of the slots. */
@inline
export function firstBucket(base: usize, slot: u32, per: u32): usize {
  return base + (<usize>((slot + (1 << per) - 1) >> per) << 6);
}

/** In the buckets of slots [from, to), whose values lie at [first, last) of each: value v becomes handles[v]. Byte-string tables too. */
export function relabelBuckets(base: usize, from: u32, to: u32, per: u32, first: usize, last: usize, handles: usize): void {
  const stop = firstBucket(base, to, per);
  for (let bucket = firstBucket(base, from, per); bucket < stop; bucket += LINE) {
    for (let at = bucket + first; at < bucket + last; at += 4) {
      const stored = load<i32>(at);
      if (!stored) break;
      store<i32>(at, flip(i32At(handles, flip(stored))));
    }
  }
}
