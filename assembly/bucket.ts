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
 * Two or three SIMD compares replace the tag array: tags beside slots are two cache misses a probe. At 1 M keys a probe
 * costs 38 ns (4 bytes) and 48 ns (8 bytes) here, 86 ns in swiss.ts with 16 bytes (bench/kernels/table.mjs, busy machine).
 * O(1) a key; all keys of one hash: O(keys / lanes).
 */
import { hashMask, hashSeed, hashWord } from "./hash";
import { NONE, SINK, TOUCHED, TOUCH_BYTES, TOUCH_ROWS, i32At, isValid, setI32, setResult } from "./memory";

const LINE: usize = 64;

/** T is u32 or u64. Slots a bucket stands for: 8-byte buckets have 5 lanes for 4 slots. */
@inline
function slotsShift<T>(): u32 {
  return sizeof<T>() == 4 ? 3 : 2;
}

@inline
function valuesAt<T>(): usize {
  return sizeof<T>() == 4 ? 32 : 40;
}

@inline
function lanes<T>(): i32 {
  return sizeof<T>() == 4 ? 8 : 5;
}

@inline
function flip(value: i32): i32 {
  return value ^ i32.MIN_VALUE;
}

@inline
function isFull<T>(bucket: usize): bool {
  return load<i32>(bucket, sizeof<T>() == 4 ? 60 : 56) != 0;
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

/** The first empty lane of a bucket that is not full. */
@inline
function emptyLane<T>(bucket: usize): u32 {
  const none = i32x4.splat(0);
  const low = <u32>i32x4.bitmask(i32x4.eq(v128.load(bucket, valuesAt<T>()), none));
  if (sizeof<T>() == 4) return ctz(low | (<u32>i32x4.bitmask(i32x4.eq(v128.load(bucket, 48), none)) << 4));
  return ctz(low | 16);
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
@inline
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
  while (!found && isFull<T>(bucket)) {
    bucket += LINE;
    if (bucket == end) bucket = base;
    found = lanesOf<T>(bucket, key);
  }
  // No lane: ctz is 32, any lane is read and not used.
  const stored = load<i32>(bucket + valuesAt<T>() + <usize>((ctz(found) & 7) << 2));
  return select<i32>(flip(stored), NONE, (found != 0) & (stored != 0));
}

@inline
function probe<T>(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  const buckets = slots >> slotsShift<T>();
  const end = base + (<usize>buckets << 6);
  const shift: u64 = 64 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  if (end - base <= TOUCH_BYTES) {
    for (let i = from; i < to; ++i, out += 4) {
      const key = keyAt<T>(keys, i);
      store<i32>(out, isValid(valid, i) ? find<T>(homeOf<T>(base, shift, key, seed, mask), base, end, key) : NONE);
    }
    return;
  }
  for (let i = from; i < to; i += TOUCH_ROWS) {
    const rows = min(TOUCH_ROWS, to - i);
    touchAhead<T>(base, shift, keys, i, rows, seed, mask);
    for (let j = 0; j < rows; ++j, out += 4) {
      const row = i + j;
      store<i32>(out, isValid(valid, row) ? find<T>(<usize>i32At(TOUCHED, j), base, end, keyAt<T>(keys, row)) : NONE);
    }
  }
}

/** Finds or inserts; result 0 is the new count. Returns the first row not done. */
@inline
function insert<T>(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  const buckets = slots >> slotsShift<T>();
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
    let lane: u32 = 0;
    let stored = 0;
    for (;;) {
      const found = lanesOf<T>(bucket, key);
      if (found) {
        lane = ctz(found);
        stored = load<i32>(bucket + valuesAt<T>() + <usize>(lane << 2));
        break;
      }
      if (!isFull<T>(bucket)) {
        lane = emptyLane<T>(bucket);
        break;
      }
      bucket += LINE;
      if (bucket == end) bucket = base;
    }
    if (stored) {
      store<i32>(out, flip(stored));
      continue;
    }
    if (count >= limit) break;
    const value = first < 0 ? count : first + i;
    store<T>(bucket + <usize>lane * sizeof<T>(), key);
    store<i32>(bucket + valuesAt<T>() + <usize>(lane << 2), flip(value));
    store<i32>(out, value);
    ++count;
  }
  setResult<i32>(0, count);
  return i;
}

/** The buckets that stand for slots [from, to): every bucket belongs to exactly one of any division of the slots. */
@inline
function firstBucket<T>(base: usize, slot: u32): usize {
  const per: u32 = 1 << slotsShift<T>();
  return base + (<usize>((slot + per - 1) >> slotsShift<T>()) << 6);
}

/** Moves all keys of some buckets; they are distinct, so nothing is compared. Returns how many. */
@inline
function rehash<T>(old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  const buckets = slots >> slotsShift<T>();
  const end = base + (<usize>buckets << 6);
  const shift: u64 = 64 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const stop = firstBucket<T>(old, to);
  let moved = 0;
  for (let source = firstBucket<T>(old, from); source < stop; source += LINE) {
    for (let lane = 0; lane < lanes<T>(); ++lane) {
      const stored = load<i32>(source + valuesAt<T>() + <usize>(lane << 2));
      if (!stored) break;
      const key = keyAt<T>(source, lane);
      let bucket = homeOf<T>(base, shift, key, seed, mask);
      while (isFull<T>(bucket)) {
        bucket += LINE;
        if (bucket == end) bucket = base;
      }
      const empty = emptyLane<T>(bucket);
      store<T>(bucket + <usize>empty * sizeof<T>(), key);
      store<i32>(bucket + valuesAt<T>() + <usize>(empty << 2), stored);
      ++moved;
    }
  }
  return moved;
}

@inline
function relabel<T>(base: usize, from: u32, to: u32, handles: usize): void {
  const stop = firstBucket<T>(base, to);
  for (let bucket = firstBucket<T>(base, from); bucket < stop; bucket += LINE) {
    for (let lane = 0; lane < lanes<T>(); ++lane) {
      const at = bucket + valuesAt<T>() + <usize>(lane << 2);
      const stored = load<i32>(at);
      if (!stored) break;
      store<i32>(at, flip(i32At(handles, flip(stored))));
    }
  }
}

export function probe4(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  probe<u32>(base, slots, keys, valid, from, to, out);
}

export function probe8(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  probe<u64>(base, slots, keys, valid, from, to, out);
}

export function insert4(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  return insert<u32>(base, slots, count, limit, keys, valid, from, to, first, out);
}

export function insert8(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  return insert<u64>(base, slots, count, limit, keys, valid, from, to, first, out);
}

export function rehash4(old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  return rehash<u32>(old, from, to, base, slots);
}

export function rehash8(old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  return rehash<u64>(old, from, to, base, slots);
}

export function relabel4(base: usize, from: u32, to: u32, handles: usize): void {
  relabel<u32>(base, from, to, handles);
}

export function relabel8(base: usize, from: u32, to: u32, handles: usize): void {
  relabel<u64>(base, from, to, handles);
}
