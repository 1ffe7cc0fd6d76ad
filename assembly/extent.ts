/**
 * Smallest and largest key of a range of rows, as 64-bit integers in results 0 and 1.
 *
 * Unsigned order is signed order with the top bit flipped. Four 4-byte keys a step where all rows are valid; else one row a step: what
 * branches is new extremes, which are rare. O(rows).
 */
import { TOUCHED, isValid, setResult } from "./memory";

/** T is i32 or i64. */
function extremes<T>(keys: usize, signed: bool, valid: usize, from: i32, to: i32): bool {
  const flip: T = signed ? 0 : (<T>1) << <T>(sizeof<T>() * 8 - 1);
  let low: T = 0;
  let high: T = 0;
  let any = false;
  for (let i = from; i < to; ++i) {
    if (!isValid(valid, i)) continue;
    const key: T = load<T>(keys + <usize>i * sizeof<T>()) ^ flip;
    if (!any) low = high = key;
    any = true;
    if (key < low) low = key;
    if (key > high) high = key;
  }
  low ^= flip;
  high ^= flip;
  setResult<i64>(0, signed || sizeof<T>() == 8 ? <i64>low : <i64>(<u32>low));
  setResult<i64>(1, signed || sizeof<T>() == 8 ? <i64>high : <i64>(<u32>high));
  return any;
}

/** Leaves the extremes of four interleaved parts of at least 4 keys at TOUCHED, 8 keys. The last step overlaps the one before it. */
@inline
function quarters(keys: usize, signed: bool, from: i32, to: i32): void {
  const flip = i32x4.splat(signed ? 0 : i32.MIN_VALUE);
  const last = keys + (<usize>(to - 4) << 2);
  let low = i32x4.splat(i32.MAX_VALUE);
  let high = i32x4.splat(i32.MIN_VALUE);
  for (let at = keys + (<usize>from << 2); ; at = min(at + 16, last)) {
    const four = v128.xor(v128.load(at), flip);
    low = i32x4.min_s(low, four);
    high = i32x4.max_s(high, four);
    if (at == last) break;
  }
  v128.store(TOUCHED, v128.xor(low, flip));
  v128.store(TOUCHED, v128.xor(high, flip), 16);
}

/** Returns whether there is a valid key. */
export function minMax(keys: usize, width: i32, signed: bool, valid: usize, from: i32, to: i32): bool {
  if (width == 8) return extremes<i64>(keys, signed, valid, from, to);
  if (valid || to - from < 4) return extremes<i32>(keys, signed, valid, from, to);
  quarters(keys, signed, from, to);
  return extremes<i32>(TOUCHED, signed, 0, 0, 8);
}
