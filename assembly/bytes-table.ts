/**
 * Hash tables of byte strings: a bucket is one cache line of four keys; the bytes lie in an append-only key store.
 *
 *     bucket     | hash 0..3 | position 0..3 | length 0..3 | value 0..3 |      4 x u32 each, slots / 4 buckets
 *     key store  | bytes of the first key | of the second | ...
 *
 * Invariants
 * - Lanes fill in order, values are stored with their highest bit flipped so that 0 is an empty lane, and a search ends at
 *   the first bucket whose last lane is empty: as in bucket.ts.
 * - 32 bits of the hash are compared four at a time, then length, then bytes: two different keys are compared byte by byte
 *   once in 2^32 lanes, so a miss reads one line and a hit two. Tags beside slots would be one more miss for each.
 * - The bucket's number is the high end of the stored hash: a rehash reads no key. 32 bits suffice for the 2^26 buckets that
 *   4 GiB hold.
 * - At most 3/4 of the slots are in use: with four lanes a bucket, 7/8 would double the buckets that a miss walks.
 *
 * O(length) a key. Positions are u32, the key store has at most 4 GiB.
 */
import { equalBytes, hashBytes, hashMask, hashSeed } from "./hash";
import { NONE, SINK, TOUCHED, TOUCH_BYTES, TOUCH_ROWS, i32At, isValid, setResult } from "./memory";

const LINE: usize = 64;
const POSITION: usize = 16;
const LENGTH: usize = 32;
const VALUE: usize = 48;
const LAST_VALUE: usize = 60;

@inline
function flip(value: i32): i32 {
  return value ^ i32.MIN_VALUE;
}

/** Bit n: lane n has this hash (an empty lane has hash 0). */
@inline
function lanesOf(bucket: usize, hash: u32): u32 {
  return <u32>i32x4.bitmask(i32x4.eq(v128.load(bucket), i32x4.splat(<i32>hash)));
}

@inline
function homeOf(base: usize, shift: u32, hash: u32): usize {
  return base + (<usize>(hash >> shift) << 6);
}

@inline
function hashAt(offsets: usize, data: usize, row: i32, seed: u64, mask: u64): u32 {
  const start = i32At(offsets, row);
  return <u32>(hashBytes(data + <usize>start, i32At(offsets, row + 1) - start, seed, mask) >> 32);
}

/** Hashes 64 keys and reads their buckets; then reads the bytes of the first key of equal hash in each. */
@inline
function touchAhead(base: usize, shift: u32, keyStore: usize, offsets: usize, data: usize, row: i32, rows: i32, valid: usize, seed: u64, mask: u64): void {
  let sum: u32 = 0;
  for (let j = 0; j < rows; ++j) {
    // A null row's offsets are valid too, but its bytes may be long: skip them.
    const hash = isValid(valid, row + j) ? hashAt(offsets, data, row + j, seed, mask) : 0;
    store<u32>(TOUCHED + (<usize>j << 2), hash);
    sum += load<u32>(homeOf(base, shift, hash));
  }
  for (let j = 0; j < rows; ++j) {
    const hash = load<u32>(TOUCHED + (<usize>j << 2));
    const bucket = homeOf(base, shift, hash);
    const lane = <usize>((ctz(lanesOf(bucket, hash)) & 3) << 2);
    sum += load<u8>(keyStore + <usize>load<u32>(bucket + lane, POSITION));
  }
  store<u32>(SINK, sum);
}

/** The lane's value as stored if it holds the key, else 0. */
@inline
function storedIn(bucket: usize, lane: usize, keyStore: usize, key: usize, length: u32): i32 {
  const stored = load<i32>(bucket + lane, VALUE);
  if (!stored || load<u32>(bucket + lane, LENGTH) != length) return 0;
  return equalBytes(keyStore + <usize>load<u32>(bucket + lane, POSITION), key, length) ? stored : 0;
}

@inline
function find(bucket: usize, base: usize, end: usize, keyStore: usize, hash: u32, key: usize, length: u32): i32 {
  for (;;) {
    for (let found = lanesOf(bucket, hash); found; found &= found - 1) {
      const stored = storedIn(bucket, <usize>(ctz(found) << 2), keyStore, key, length);
      if (stored) return flip(stored);
    }
    if (!load<i32>(bucket, LAST_VALUE)) break;
    bucket += LINE;
    if (bucket == end) bucket = base;
  }
  return NONE;
}

/** `data` is where offset 0 would lie: the host has subtracted the chunk's origin. */
export function probeBytes(base: usize, slots: u32, keyStore: usize, offsets: usize, data: usize, valid: usize, from: i32, to: i32, out: usize): void {
  const buckets = slots >> 2;
  const end = base + (<usize>buckets << 6);
  const shift: u32 = 32 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const touch = end - base > TOUCH_BYTES;
  let ahead = from;
  for (let i = from; i < to; ++i, out += 4) {
    if (touch && i == ahead) {
      const rows = min(TOUCH_ROWS, to - i);
      touchAhead(base, shift, keyStore, offsets, data, i, rows, valid, seed, mask);
      ahead = i + rows;
    }
    let value = NONE;
    if (isValid(valid, i)) {
      const start = i32At(offsets, i);
      const length = i32At(offsets, i + 1) - start;
      const key = data + <usize>start;
      const hash = touch
        ? load<u32>(TOUCHED + (<usize>((i - from) & (TOUCH_ROWS - 1)) << 2))
        : <u32>(hashBytes(key, length, seed, mask) >> 32);
      value = find(homeOf(base, shift, hash), base, end, keyStore, hash, key, length);
    }
    store<i32>(out, value);
  }
}

/** Words, then the rest in at most three steps: a call of memory.copy costs more than most keys are long. */
@inline
function appendBytes(dst: usize, src: usize, length: u32): void {
  const end = src + length;
  for (; src + 8 <= end; src += 8, dst += 8) store<u64>(dst, load<u64>(src));
  if (length & 4) {
    store<u32>(dst, load<u32>(src));
    src += 4;
    dst += 4;
  }
  if (length & 2) {
    store<u16>(dst, load<u16>(src));
    src += 2;
    dst += 2;
  }
  if (length & 1) store<u8>(dst, load<u8>(src));
}

/** Finds or inserts; result 0 is the new count, result 1 the bytes used of the key store. Returns the first row not done. */
export function insertBytes(
  base: usize, slots: u32, count: i32, limit: i32, keyStore: usize, used: u32, room: u32,
  offsets: usize, data: usize, valid: usize, from: i32, to: i32, first: i32, out: usize,
): i32 {
  const buckets = slots >> 2;
  const end = base + (<usize>buckets << 6);
  const shift: u32 = 32 - ctz(buckets);
  const seed = hashSeed();
  const mask = hashMask();
  const touch = end - base > TOUCH_BYTES;
  let ahead = from;
  let i = from;
  for (; i < to; ++i, out += 4) {
    if (touch && i == ahead) {
      const rows = min(TOUCH_ROWS, to - i);
      touchAhead(base, shift, keyStore, offsets, data, i, rows, valid, seed, mask);
      ahead = i + rows;
    }
    if (!isValid(valid, i)) {
      store<i32>(out, NONE);
      continue;
    }
    const start = i32At(offsets, i);
    const length: u32 = i32At(offsets, i + 1) - start;
    const key = data + <usize>start;
    const hash = touch
      ? load<u32>(TOUCHED + (<usize>((i - from) & (TOUCH_ROWS - 1)) << 2))
      : <u32>(hashBytes(key, length, seed, mask) >> 32);
    let bucket = homeOf(base, shift, hash);
    let stored = 0;
    for (;;) {
      for (let found = lanesOf(bucket, hash); found; found &= found - 1) {
        stored = storedIn(bucket, <usize>(ctz(found) << 2), keyStore, key, length);
        if (stored) break;
      }
      if (stored || !load<i32>(bucket, LAST_VALUE)) break;
      bucket += LINE;
      if (bucket == end) bucket = base;
    }
    if (stored) {
      store<i32>(out, flip(stored));
      continue;
    }
    if (count >= limit || length > room - used) break;
    const value = first < 0 ? count : first + i;
    place(bucket, hash, used, length, flip(value));
    appendBytes(keyStore + <usize>used, key, length);
    used += length;
    store<i32>(out, value);
    ++count;
  }
  setResult<i32>(0, count);
  setResult<u32>(1, used);
  return i;
}

/** Into the first empty lane of a bucket that is not full. */
@inline
function place(bucket: usize, hash: u32, position: u32, length: u32, stored: i32): void {
  const at = bucket + <usize>(ctz(i32x4.bitmask(i32x4.eq(v128.load(bucket, VALUE), i32x4.splat(0)))) << 2);
  store<u32>(at, hash);
  store<u32>(at, position, POSITION);
  store<u32>(at, length, LENGTH);
  store<i32>(at, stored, VALUE);
}

/** The buckets of slots [from, to) are those that begin in it. */
@inline
function firstBucket(base: usize, slot: u32): usize {
  return base + (<usize>((slot + 3) >> 2) << 6);
}

/** Moves the keys of slots [from, to) by their stored hashes. Returns how many. */
export function rehashBytes(old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  const buckets = slots >> 2;
  const end = base + (<usize>buckets << 6);
  const shift: u32 = 32 - ctz(buckets);
  const stop = firstBucket(old, to);
  let moved = 0;
  for (let source = firstBucket(old, from); source < stop; source += LINE) {
    for (let at = source; at < source + 16; at += 4) {
      const stored = load<i32>(at, VALUE);
      if (!stored) break;
      const hash = load<u32>(at);
      let bucket = homeOf(base, shift, hash);
      while (load<i32>(bucket, LAST_VALUE)) {
        bucket += LINE;
        if (bucket == end) bucket = base;
      }
      place(bucket, hash, load<u32>(at, POSITION), load<u32>(at, LENGTH), stored);
      ++moved;
    }
  }
  return moved;
}

/** Slots [from, to): value v becomes handles[v]. */
export function relabelBytes(base: usize, from: u32, to: u32, handles: usize): void {
  const stop = firstBucket(base, to);
  for (let bucket = firstBucket(base, from); bucket < stop; bucket += LINE) {
    for (let at = bucket; at < bucket + 16; at += 4) {
      const stored = load<i32>(at, VALUE);
      if (!stored) break;
      store<i32>(at, flip(i32At(handles, flip(stored))), VALUE);
    }
  }
}
