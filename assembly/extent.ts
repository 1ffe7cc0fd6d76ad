/**
 * Smallest and largest key of a range of rows, as 64-bit integers in results 0 and 1.
 *
 * Sixteen 4-byte keys a step in registers where all rows are valid; else one row a step. O(rows).
 */
import { isValid, setResult } from "./memory";

@inline
function scalar<T>(keys: usize, valid: usize, from: i32, to: i32): bool {
  let min: T = 0;
  let max: T = 0;
  let any = false;
  for (let i = from; i < to; ++i) {
    if (!isValid(valid, i)) continue;
    const key = load<T>(keys + <usize>i * sizeof<T>());
    if (!any) {
      min = max = key;
      any = true;
    } else {
      if (key < min) min = key;
      if (key > max) max = key;
    }
  }
  setResult<i64>(0, <i64>min);
  setResult<i64>(1, <i64>max);
  return any;
}

/** T is i32 or u32; at least 16 rows. The last step overlaps the one before it. */
@inline
function vector<T>(keys: usize, from: i32, to: i32): bool {
  const last = keys + (<usize>(to - 16) << 2);
  let at = keys + (<usize>from << 2);
  let min = v128.load(at);
  let max = min;
  for (;;) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    min = v128.min<T>(min, v128.min<T>(v128.min<T>(a, b), v128.min<T>(c, d)));
    max = v128.max<T>(max, v128.max<T>(v128.max<T>(a, b), v128.max<T>(c, d)));
    if (at == last) break;
    at += 64;
    if (at > last) at = last;
  }
  let low = v128.extract_lane<T>(min, 0);
  let high = v128.extract_lane<T>(max, 0);
  for (let lane = 1; lane < 4; ++lane) {
    min = v128.shuffle<u32>(min, min, 1, 2, 3, 0);
    max = v128.shuffle<u32>(max, max, 1, 2, 3, 0);
    const a = v128.extract_lane<T>(min, 0);
    const b = v128.extract_lane<T>(max, 0);
    if (a < low) low = a;
    if (b > high) high = b;
  }
  setResult<i64>(0, <i64>low);
  setResult<i64>(1, <i64>high);
  return true;
}

/** Returns whether there is a valid key. */
export function minMax(keys: usize, width: i32, signed: bool, valid: usize, from: i32, to: i32): bool {
  if (width == 4) {
    if (valid == 0 && to - from >= 16) return signed ? vector<i32>(keys, from, to) : vector<u32>(keys, from, to);
    return signed ? scalar<i32>(keys, valid, from, to) : scalar<u32>(keys, valid, from, to);
  }
  return signed ? scalar<i64>(keys, valid, from, to) : scalar<u64>(keys, valid, from, to);
}
