/**
 * Tables addressed by key - min, for integer keys of 4 or 8 bytes: 4 bytes a possible key, no hash.
 *
 *     | ~value of key min | of min + 1 | ... | of max |        0 where there is no key, and where the value is NONE
 *
 * - The difference is taken modulo 2^64 (2^32 for 4-byte keys) and compared as an unsigned number of that width before it is narrowed.
 *   That is exact: min + range - 1 is itself a key, so the range does not wrap, and only its members have a difference
 *   below it. Keys 2^32 apart, and ranges from the smallest to the largest integer, are told apart.
 * - A probe has no branch: misses of neighbouring rows overlap by themselves, so nothing is touched ahead. O(1) a key.
 */
import { fillNulls } from "./matches";
import { NONE, i32At, isValid, setI32, setResult } from "./memory";

/** T is u32 or u64: the range of 4-byte keys fits into 32 bits, so their difference modulo 2^32 tells as much. */
@inline
function offsetOf<T>(keys: usize, row: i32, min: u64): u64 {
  // The type is given: a load in the context of u64 would be extended before the subtraction.
  const difference: T = load<T>(keys + <usize>row * sizeof<T>()) - <T>min;
  return <u64>difference;
}

@inline
function insert<T>(base: usize, min: u64, range: u64, count: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): void {
  for (let i = from; i < to; ++i, out += 4) {
    let value = NONE;
    if (isValid(valid, i)) {
      const offset = offsetOf<T>(keys, i, min);
      // The caller sized the table by these keys; a key outside would be written outside the region.
      assert(offset < range);
      if (offset < range) {
        const at = base + (<usize>offset << 2);
        value = ~load<i32>(at);
        if (value == NONE) {
          value = first < 0 ? count : first + i;
          store<i32>(at, ~value);
          ++count;
        }
      }
    }
    store<i32>(out, value);
  }
  setResult<i32>(0, count);
}

/** Rows without a key are looked up like any other, and overwritten. */
@inline
function probe<T>(base: usize, min: u64, range: u64, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  out -= <usize>from << 2;
  for (let i = from; i < to; ++i) {
    const offset = offsetOf<T>(keys, i, min);
    const inside = offset < range;
    const stored = load<i32>(base + (<usize>select<u64>(offset, 0, inside) << 2));
    setI32(out, i, select<i32>(~stored, NONE, inside));
  }
  if (valid) fillNulls(out, valid, from, to, NONE);
}

/** Finds or inserts; with a negative count only finds. Result 0 is the new count. i64 parameters would cross as BigInt: min comes in halves. */
export function seekDirect(
  width: i32, base: usize, minLow: u32, minHigh: u32, range: u32, count: i32,
  keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize,
): void {
  const min = (<u64>minHigh << 32) | <u64>minLow;
  if (count < 0) {
    if (width == 8) probe<u64>(base, min, range, keys, valid, from, to, out);
    else probe<u32>(base, min, range, keys, valid, from, to, out);
  } else if (width == 8) insert<u64>(base, min, range, count, keys, valid, from, to, first, out);
  else insert<u32>(base, min, range, count, keys, valid, from, to, first, out);
}

/** Cells [from, to): value v becomes handles[v]. */
export function relabelDirect(base: usize, handles: usize, from: u32, to: u32): void {
  for (let at = base + (<usize>from << 2), end = base + (<usize>to << 2); at < end; at += 4) {
    const stored = load<i32>(at);
    if (stored) store<i32>(at, ~i32At(handles, ~stored));
  }
}
