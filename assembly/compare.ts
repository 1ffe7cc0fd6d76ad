/**
 * Comparisons of vectors of numbers, and of texts, to bitmaps.
 *
 *     64 bytes a side    4 masks of 128 bits          narrowed to a byte a row      a bit a row
 *     8 f64, 8 f64   ──▶ ffff.. 0000.. | ... | ...  ──▶  ff 00 ff 00 ff ff 00 00  ──▶  0b00110101
 *
 * - A step is 64 bytes, 0 for a constant, which is repeated over 64 bytes: one loop serves both. 64 bytes are 8 to 64 rows, so
 *   whole words of bits are written, and a last word is cut to its rows.
 * - Packing saturates, so of two lanes of a 64-bit mask it makes one: 64 and 32 bits narrow by the same instruction.
 * - Unsigned order is signed order with the top bit flipped (there is no unsigned order of 64-bit lanes).
 * - Floats: what is read is summed. A NaN makes the sum NaN; so do infinities of both signs, rarely. The caller then starts again.
 *
 * O(rows). ns a row on a busy machine (bench/kernels/expressions.mjs): 1 byte 0.06, 4 bytes 0.2, 8 bytes 0.4; texts of 12 bytes 5 to 8.
 */
import { equalBytes, lowBytes } from "./hash";

@inline
function sum4<T>(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.add<T>(v128.add<T>(a, b), v128.add<T>(c, d));
}

@inline
function flipped<T>(a: v128, flips: v128): v128 {
  return isFloat<T>() ? a : v128.xor(a, flips);
}

/** Returns whether a sum of floats is NaN. */
@inline
function compareLanes<T>(less: bool, a: usize, aStep: usize, b: usize, bStep: usize, flip: T, out: usize, end: usize): bool {
  const flips = v128.splat<T>(flip);
  let sum = v128.splat<T>(0);
  let m0: v128, m1: v128, m2: v128, m3: v128;
  for (; out < end; out += 8 / sizeof<T>(), a += aStep, b += bStep) {
    const a0 = v128.load(a);
    const a1 = v128.load(a, 16);
    const a2 = v128.load(a, 32);
    const a3 = v128.load(a, 48);
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    if (isFloat<T>()) {
      sum = v128.add<T>(sum, v128.add<T>(sum4<T>(a0, a1, a2, a3), sum4<T>(b0, b1, b2, b3)));
    }
    // A branch that always falls the same way, for 8 to 64 rows: two loops would be 40 % more code.
    if (less) {
      m0 = v128.lt<T>(flipped<T>(a0, flips), flipped<T>(b0, flips));
      m1 = v128.lt<T>(flipped<T>(a1, flips), flipped<T>(b1, flips));
      m2 = v128.lt<T>(flipped<T>(a2, flips), flipped<T>(b2, flips));
      m3 = v128.lt<T>(flipped<T>(a3, flips), flipped<T>(b3, flips));
    } else {
      m0 = v128.eq<T>(a0, b0);
      m1 = v128.eq<T>(a1, b1);
      m2 = v128.eq<T>(a2, b2);
      m3 = v128.eq<T>(a3, b3);
    }
    if (sizeof<T>() == 1) {
      store<u16>(out, <u16>i8x16.bitmask(m0));
      store<u16>(out, <u16>i8x16.bitmask(m1), 2);
      store<u16>(out, <u16>i8x16.bitmask(m2), 4);
      store<u16>(out, <u16>i8x16.bitmask(m3), 6);
    } else if (sizeof<T>() == 2) {
      store<u16>(out, <u16>i8x16.bitmask(i8x16.narrow_i16x8_s(m0, m1)));
      store<u16>(out, <u16>i8x16.bitmask(i8x16.narrow_i16x8_s(m2, m3)), 2);
    } else {
      m0 = i16x8.narrow_i32x4_s(m0, m1);
      m1 = i16x8.narrow_i32x4_s(m2, m3);
      if (sizeof<T>() == 4) store<u16>(out, <u16>i8x16.bitmask(i8x16.narrow_i16x8_s(m0, m1)));
      else store<u8>(out, <u8>i16x8.bitmask(i16x8.narrow_i32x4_s(m0, m1)));
    }
  }
  return isFloat<T>() && v128.any_true(v128.ne<T>(sum, sum));
}

/** Lanes of `width` bytes, integers or floats. Steps are 64 or 0. Returns true where floats must be compared again, by the rule for NaNs. */
export function compare(
  less: bool, width: i32, float: bool, unsigned: bool, a: usize, aStep: usize, b: usize, bStep: usize, count: i32, out: usize,
): bool {
  const end = out + (<usize>(count + 63) >> 6 << 3);
  const top: i64 = unsigned ? 1 : 0;
  let again = false;
  if (float) {
    if (width == 8) again = compareLanes<f64>(less, a, aStep, b, bStep, 0, out, end);
    else again = compareLanes<f32>(less, a, aStep, b, bStep, 0, out, end);
  } else if (width == 8) compareLanes<i64>(less, a, aStep, b, bStep, top << 63, out, end);
  else if (width == 4) compareLanes<i32>(less, a, aStep, b, bStep, <i32>top << 31, out, end);
  else if (width == 2) compareLanes<i16>(less, a, aStep, b, bStep, <i16>(top << 15), out, end);
  else compareLanes<i8>(less, a, aStep, b, bStep, <i8>(top << 7), out, end);
  clearAfter(end, count);
  return again;
}

/** Clears the bits from `count` on in the word that ends at `end`. */
@inline
export function clearAfter(end: usize, count: i32): void {
  if (count & 63) store<u64>(end - 8, load<u64>(end - 8) & ((<u64>1 << (count & 63)) - 1));
}

/** Big-endian words compare as their bytes do. May read 7 bytes past both ends. */
@inline
function lessBytes(a: usize, aLength: u32, b: usize, bLength: u32): bool {
  for (let left = <i32>min(aLength, bLength); left > 0; left -= 8, a += 8, b += 8) {
    let x = load<u64>(a);
    let y = load<u64>(b);
    if (left < 8) {
      x &= lowBytes(left);
      y &= lowBytes(left);
    }
    if (x != y) return bswap<u64>(x) < bswap<u64>(y);
  }
  return aLength < bLength;
}

/** Texts: offset into data, length. Steps are 8 or 0. */
export function compareText(
  less: bool, a: usize, aStep: usize, aData: usize, b: usize, bStep: usize, bData: usize, count: i32, out: usize,
): void {
  let word: u64 = 0;
  for (let i = 0; i < count; a += aStep, b += bStep) {
    const x = aData + <usize>load<u32>(a);
    const y = bData + <usize>load<u32>(b);
    const aLength = load<u32>(a, 4);
    const bLength = load<u32>(b, 4);
    const is = less ? lessBytes(x, aLength, y, bLength) : aLength == bLength && equalBytes(x, y, aLength);
    word |= <u64>is << (i & 63);
    ++i;
    if (!(i & 63) || i == count) {
      store<u64>(out + (<usize>((i - 1) >> 6) << 3), word);
      word = 0;
    }
  }
}
