/**
 * Hash tables of fixed-width keys of 16 bytes and more (`width` is a multiple of 8): a SwissTable.
 *
 *     | tags: one byte a slot, 0 or 0x80 | 7 bits of the hash | slots: key (width), value (4), key, value, ...   |
 *
 * Invariants
 * - Tags are examined 16 at a time, in groups at multiples of 16; a search begins in the home group, goes on group by group
 *   and ends at the first that has an empty tag. Nothing is ever removed.
 * - The key lies beside its value, without padding: of 20 bytes at a multiple of 4, as of 24 at a multiple of 8, one in four
 *   crosses a cache line, and the smaller table misses less.
 * - At most 7/8 of the slots are in use, so a search always ends.
 *
 * Touch-ahead has two stages here: the tags of 64 keys, then the slots that their tags point to. O(1) a key.
 */
import { equalWords, hashMask, hashSeed, hashWords } from "./hash";
import { NONE, SINK, TOUCHED, TOUCH_BYTES, TOUCH_ROWS, isValid, setResult } from "./memory";

@inline
function tagOf(hash: u64): i32 {
  return (<i32>(hash >> 25) & 0x7f) | 0x80;
}

/** Bit n: slot n of the group has this tag (0: is empty). */
@inline
function tagged(tags: v128, tag: i32): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(tags, i8x16.splat(<i8>tag)));
}

/** Shift that leaves the number of the home group: by way of 63, since one group would need a shift by 64. */
@inline
function groupShift(slots: u32): u64 {
  return 63 - ctz(slots >> 4);
}

@inline
function homeGroup(hash: u64, shift: u64): u32 {
  return <u32>((hash >> 1) >> shift);
}

/** Stage one hashes 64 keys and reads their tags; stage two reads the first slot of each that may hold the key. */
function touchAhead(base: usize, entries: usize, stride: usize, shift: u64, keys: usize, width: usize, rows: i32, seed: u64, mask: u64): void {
  let sum: u32 = 0;
  for (let j = 0; j < rows; ++j, keys += width) {
    const hash = hashWords(keys, width, seed, mask);
    store<u64>(TOUCHED + (<usize>j << 3), hash);
    sum += load<u8>(base + (<usize>homeGroup(hash, shift) << 4));
  }
  for (let j = 0; j < rows; ++j) {
    const hash = load<u64>(TOUCHED + (<usize>j << 3));
    const group = homeGroup(hash, shift);
    const found = tagged(v128.load(base + (<usize>group << 4)), tagOf(hash));
    const slot = (<usize>group << 4) + <usize>(ctz(found) & 15);
    sum += load<u32>(entries + slot * stride);
  }
  store<u32>(SINK, sum);
}

@inline
function place(base: usize, slots: u32, slot: usize, tag: i32, key: usize, width: usize, value: i32): void {
  store<u8>(base + slot, <u8>tag);
  const entry = base + <usize>slots + slot * (width + 4);
  for (let b: usize = 0; b < width; b += 8) store<u64>(entry + b, load<u64>(key + b));
  store<i32>(entry + width, value);
}

/** Finds or inserts; with a negative limit only finds. Result 0 is the new count. Returns the first row not done. */
export function seekWide(base: usize, slots: u32, count: i32, limit: i32, keys: usize, width: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  const entries = base + <usize>slots;
  const stride = width + 4;
  const shift = groupShift(slots);
  const lastGroup = (slots >> 4) - 1;
  const seed = hashSeed();
  const mask = hashMask();
  const touch = <u64>slots * <u64>stride > <u64>TOUCH_BYTES;
  let ahead = from;
  let i = from;
  let key = keys + <usize>from * width;
  for (; i < to; ++i, out += 4, key += width) {
    if (touch && i == ahead) {
      const rows = min(TOUCH_ROWS, to - i);
      touchAhead(base, entries, stride, shift, key, width, rows, seed, mask);
      ahead = i + rows;
    }
    if (!isValid(valid, i)) {
      store<i32>(out, NONE);
      continue;
    }
    const hash = touch ? load<u64>(TOUCHED + (<usize>((i - from) & (TOUCH_ROWS - 1)) << 3)) : hashWords(key, width, seed, mask);
    const tag = tagOf(hash);
    let group = homeGroup(hash, shift);
    let known: usize = 0;
    let empty: u32;
    for (;;) {
      const tags = v128.load(base + (<usize>group << 4));
      for (let found = tagged(tags, tag); found; found &= found - 1) {
        const entry = entries + ((<usize>group << 4) + <usize>ctz(found)) * stride;
        if (equalWords(entry, key, width)) {
          known = entry;
          break;
        }
      }
      empty = tagged(tags, 0);
      if (known | empty) break;
      group = (group + 1) & lastGroup;
    }
    if (known) {
      store<i32>(out, load<i32>(known + width));
      continue;
    }
    let value = NONE;
    if (limit >= 0) {
      if (count >= limit) break;
      value = first < 0 ? count : first + i;
      place(base, slots, (<usize>group << 4) + <usize>ctz(empty), tag, key, width, value);
      ++count;
    }
    store<i32>(out, value);
  }
  setResult<i32>(0, count);
  return i;
}

/** Moves the keys of slots [from, to); they are distinct, so nothing is compared. Returns how many. */
export function rehashWide(old: usize, oldSlots: u32, from: u32, to: u32, base: usize, slots: u32, width: usize): i32 {
  const shift = groupShift(slots);
  const lastGroup = (slots >> 4) - 1;
  const seed = hashSeed();
  const mask = hashMask();
  let moved = 0;
  for (let number = from; number < to; ++number) {
    if (!load<u8>(old + <usize>number)) continue;
    const source = old + <usize>oldSlots + <usize>number * (width + 4);
    const hash = hashWords(source, width, seed, mask);
    let group = homeGroup(hash, shift);
    let empty: u32;
    while (!(empty = tagged(v128.load(base + (<usize>group << 4)), 0))) group = (group + 1) & lastGroup;
    place(base, slots, (<usize>group << 4) + <usize>ctz(empty), tagOf(hash), source, width, load<i32>(source + width));
    ++moved;
  }
  return moved;
}

/** Slots [from, to): value v becomes handles[v]. */
export function relabelWide(base: usize, slots: u32, from: u32, to: u32, width: usize, handles: usize): void {
  const stride = width + 4;
  let value = base + <usize>slots + <usize>from * stride + width;
  for (let slot = from; slot < to; ++slot, value += stride) {
    if (load<u8>(base + <usize>slot)) store<i32>(value, load<i32>(handles + (<usize>load<i32>(value) << 2)));
  }
}
