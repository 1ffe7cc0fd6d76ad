/**
 * Tables addressed by key - min, for integer keys of 4 or 8 bytes: 4 bytes a possible key, no hash.
 *
 *     | ~value of key min | of min + 1 | ... | of max |        0 where there is no key, and where the value is NONE
 *
 * - The difference is taken modulo 2^64 and compared with the range as an unsigned 64-bit number before it is narrowed.
 *   That is exact: min + range - 1 is itself a key, so the range does not wrap, and only its members have a difference
 *   below it. Keys 2^32 apart, and ranges from the smallest to the largest integer, are told apart.
 * - A probe has no branch: misses of neighbouring rows overlap by themselves, so nothing is touched ahead. O(1) a key.
 */
import { NONE, i32At, isValid, setResult } from "./memory";

/** T is the key's own type: signed 4-byte keys extend their sign. */
@inline
function offsetOf<T>(keys: usize, row: i32, min: i64): u64 {
  return <u64>(<i64>load<T>(keys + <usize>row * sizeof<T>()) - min);
}

@inline
function insert<T>(base: usize, min: i64, range: u64, count: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): void {
  for (let i = from; i < to; ++i, out += 4) {
    const offset = offsetOf<T>(keys, i, min);
    if (!isValid(valid, i)) {
      store<i32>(out, NONE);
      continue;
    }
    // The caller sized the table by these keys; a key outside would be written outside the region.
    assert(offset < range);
    if (offset >= range) {
      store<i32>(out, NONE);
      continue;
    }
    const at = base + (<usize>offset << 2);
    let value = ~load<i32>(at);
    if (value == NONE) {
      value = first < 0 ? count : first + i;
      store<i32>(at, ~value);
      ++count;
    }
    store<i32>(out, value);
  }
  setResult<i32>(0, count);
}

@inline
function probe<T>(base: usize, min: i64, range: u64, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  if (valid) {
    for (let i = from; i < to; ++i, out += 4) {
      const offset = offsetOf<T>(keys, i, min);
      const inside = (offset < range) & isValid(valid, i);
      const stored = load<i32>(base + (<usize>select<u64>(offset, 0, inside) << 2));
      store<i32>(out, select<i32>(~stored, NONE, inside));
    }
    return;
  }
  for (let i = from; i < to; ++i, out += 4) {
    const offset = offsetOf<T>(keys, i, min);
    const inside = offset < range;
    const stored = load<i32>(base + (<usize>select<u64>(offset, 0, inside) << 2));
    store<i32>(out, select<i32>(~stored, NONE, inside));
  }
}

/** i64 parameters would cross from the host as BigInt: min comes in two halves. */
@inline
function join64(low: u32, high: u32): i64 {
  return <i64>((<u64>high << 32) | <u64>low);
}

/** Result 0 is the new count. */
export function insertDirect(
  base: usize, width: i32, signed: bool, minLow: u32, minHigh: u32, range: u32, count: i32,
  keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize,
): void {
  const min = join64(minLow, minHigh);
  if (width == 8) insert<i64>(base, min, range, count, keys, valid, from, to, first, out);
  else if (signed) insert<i32>(base, min, range, count, keys, valid, from, to, first, out);
  else insert<u32>(base, min, range, count, keys, valid, from, to, first, out);
}

export function probeDirect(
  base: usize, width: i32, signed: bool, minLow: u32, minHigh: u32, range: u32,
  keys: usize, valid: usize, from: i32, to: i32, out: usize,
): void {
  const min = join64(minLow, minHigh);
  if (width == 8) probe<i64>(base, min, range, keys, valid, from, to, out);
  else if (signed) probe<i32>(base, min, range, keys, valid, from, to, out);
  else probe<u32>(base, min, range, keys, valid, from, to, out);
}

/** Cells [from, to): value v becomes handles[v]. */
export function relabelDirect(base: usize, handles: usize, from: u32, to: u32): void {
  for (let at = base + (<usize>from << 2), end = base + (<usize>to << 2); at < end; at += 4) {
    const stored = load<i32>(at);
    if (stored) store<i32>(at, ~i32At(handles, ~stored));
  }
}
