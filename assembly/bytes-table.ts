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
import { firstBucket } from "./bucket";
import { NONE, SINK, TOUCHED, TOUCH_BYTES, TOUCH_ROWS, i32At, isValid, setI32, setResult } from "./memory";

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
function hashOf(key: usize, length: u32, seed: u64, mask: u64): u32 {
  return <u32>(hashBytes(key, length, seed, mask) >> 32);
}

/** Hashes 64 keys and reads their buckets; then reads the bytes of the first key of equal hash in each. */
function touchAhead(base: usize, shift: u32, keyStore: usize, offsets: usize, data: usize, row: i32, rows: i32, valid: usize, seed: u64, mask: u64): void {
  let sum: u32 = 0;
  for (let j = 0; j < rows; ++j, ++row) {
    // A null row's offsets are valid too, but its bytes may be long: skip them.
    const start = i32At(offsets, row);
    const hash = isValid(valid, row) ? hashOf(data + <usize>start, i32At(offsets, row + 1) - start, seed, mask) : 0;
    setI32(TOUCHED, j, <i32>hash);
    sum += load<u32>(homeOf(base, shift, hash));
  }
  for (let j = 0; j < rows; ++j) {
    const hash = <u32>i32At(TOUCHED, j);
    const bucket = homeOf(base, shift, hash);
    const lane = <usize>((ctz(lanesOf(bucket, hash)) & 3) << 2);
    sum += load<u8>(keyStore + <usize>load<u32>(bucket + lane, POSITION));
  }
  store<u32>(SINK, sum);
}

/** Words, then the rest in at most three steps: a call of memory.copy costs more than most keys are long. */
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

/** The value as stored, or 0. */
@inline
function find(bucket: usize, base: usize, end: usize, keyStore: usize, hash: u32, key: usize, length: u32): i32 {
  for (;;) {
    for (let found = lanesOf(bucket, hash); found; found &= found - 1) {
      const lane = bucket + <usize>(ctz(found) << 2);
      const stored = load<i32>(lane, VALUE);
      if (stored && load<u32>(lane, LENGTH) == length && equalBytes(keyStore + <usize>load<u32>(lane, POSITION), key, length)) return stored;
    }
    if (!load<i32>(bucket, LAST_VALUE)) break;
    bucket += LINE;
    if (bucket == end) bucket = base;
  }
  return 0;
}

/** Into the first empty lane from a bucket on. */
function place(bucket: usize, base: usize, end: usize, hash: u32, position: u32, length: u32, stored: i32): void {
  while (load<i32>(bucket, LAST_VALUE)) {
    bucket += LINE;
    if (bucket == end) bucket = base;
  }
  const at = bucket + <usize>(ctz(i32x4.bitmask(i32x4.eq(v128.load(bucket, VALUE), i32x4.splat(0)))) << 2);
  store<u32>(at, hash);
  store<u32>(at, position, POSITION);
  store<u32>(at, length, LENGTH);
  store<i32>(at, stored, VALUE);
}

/**
 * Finds or inserts; with a negative limit only finds. `data` is where offset 0 would lie: the host has subtracted the chunk's origin.
 * Result 0 is the new count, result 1 the bytes used of the key store. Returns the first row not done.
 */
export function seekBytes(
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
    const hash = touch ? <u32>i32At(TOUCHED, (i - from) & (TOUCH_ROWS - 1)) : hashOf(key, length, seed, mask);
    const home = homeOf(base, shift, hash);
    const stored = find(home, base, end, keyStore, hash, key, length);
    // Hits leave here, before anything else asks which it was: 1 to 4 ns less than one way for both.
    if (stored) {
      store<i32>(out, flip(stored));
      continue;
    }
    let value = NONE;
    if (limit >= 0) {
      if (count >= limit || length > room - used) break;
      value = first < 0 ? count : first + i;
      place(home, base, end, hash, used, length, flip(value));
      appendBytes(keyStore + <usize>used, key, length);
      used += length;
      ++count;
    }
    store<i32>(out, value);
  }
  setResult<i32>(0, count);
  setResult<u32>(1, used);
  return i;
}

/** Moves the keys of slots [from, to) by their stored hashes. Returns how many. */
export function rehashBytes(old: usize, from: u32, to: u32, base: usize, slots: u32): i32 {
  const buckets = slots >> 2;
  const end = base + (<usize>buckets << 6);
  const shift: u32 = 32 - ctz(buckets);
  const stop = firstBucket(old, to, 2);
  let moved = 0;
  for (let source = firstBucket(old, from, 2); source < stop; source += LINE) {
    for (let at = source; at < source + 16; at += 4) {
      const stored = load<i32>(at, VALUE);
      if (!stored) break;
      const hash = load<u32>(at);
      place(homeOf(base, shift, hash), base, end, hash, load<u32>(at, POSITION), load<u32>(at, LENGTH), stored);
      ++moved;
    }
  }
  return moved;
}
