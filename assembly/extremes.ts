/**
 * Ordinals: unsigned integers of 4 or 8 bytes in the order of the values they stand for. The largest or smallest one each id has seen, and
 * rows tested against it: what a bound on one value per key needs, so that no pair is made at all.
 *
 *     unsigned    as it is, widened to 4 bytes
 *     signed      widened, sign bit flipped
 *     float       sign bit flipped; negative: all bits flipped; NaN: all ones, above infinity; -0 as +0
 *
 * Updating and testing have one loop for both widths: an ordinal is an 8-byte load, cut to its width. That takes 3.2 and 5 ns a row, 1.3 of
 * it for the sake of 0.4 kB; making ordinals, of any lane, 1 to 2 ns (bench/kernels/pairs.mjs).
 * An id without an extreme has its bit in `seen` clear and arbitrary bytes in `extremes`. O(count), random access by id.
 */
import { bitAt, i32At } from "./memory";

/** Lanes of `width` bytes; kind 0: unsigned, 1: signed, 2: float. */
export function ordinals(src: usize, width: usize, kind: i32, count: i32, dst: usize): void {
  if (width == 8) order<u64>(src, width, kind, 0x7ff0000000000000, count, dst);
  else order<u32>(src, width, kind, 0x7f800000, count, dst);
}

function order<T>(src: usize, width: usize, kind: i32, infinity: T, count: i32, dst: usize): void {
  const all = <T>onesOf(width);
  const sign = all ^ (all >> 1);
  const flip: T = kind ? sign : 0;
  // What a sign bit of 1 or 2 bytes, flipped, lacks of the sign bit of 4.
  const raise: T = kind && width < 4 ? <T>0x80000000 - sign : 0;
  for (const end = src + <usize>count * width; src < end; src += width, dst += sizeof<T>()) {
    const value = load<T>(src) & all;
    let ordinal: T = (value ^ flip) + raise;
    if (kind == 2) {
      const magnitude = value & ~sign;
      ordinal = select<T>(ordinal, value ^ all, value == magnitude);
      ordinal = select<T>(ordinal, sign, magnitude != 0);
      ordinal = select<T>(ordinal, all, magnitude <= infinity);
    }
    store<T>(dst, ordinal);
  }
}

/** extremes[ids[i]] := the larger (`max`) or smaller of itself and ordinals[i]. Ordinals of `width` bytes; `valid` are bytes. */
export function updateExtremes(
  ids: usize, ordinals: usize, width: usize, valid: usize, count: i32, max: bool, extremes: usize, seen: usize,
): void {
  const all = onesOf(width);
  // The complement turns the order around.
  const flip = max ? 0 : all;
  for (let i = 0; i < count; ++i, ordinals += width) {
    const id = i32At(ids, i);
    if (id < 0 || (valid && !load<u8>(valid + <usize>i))) continue;
    const ordinal = load<u64>(ordinals) & all;
    const extreme = extremes + <usize>id * width;
    if (bitAt(seen, id)) {
      // As wide as it was stored: a wider load waits for the store, and sorted rows meet their id again at once.
      const old = width == 8 ? load<u64>(extreme) : <u64>load<u32>(extreme);
      if ((ordinal ^ flip) <= (old ^ flip)) continue;
    } else {
      const byte = seen + <usize>(id >> 3);
      store<u8>(byte, <u8>(<i32>load<u8>(byte) | (1 << (id & 7))));
    }
    if (width == 8) store<u64>(extreme, ordinal);
    else store<u32>(extreme, <u32>ordinal);
  }
}

/**
 * Bit i := ids[i] has an extreme, valid[i], and `extreme < ordinals[i]`, with `swap` `ordinals[i] < extreme`; with `negate` the comparison
 * must not hold. Without a branch on a row: a row without an id looks at id 0.
 */
export function testExtremes(
  ids: usize, ordinals: usize, width: usize, valid: usize, count: i32, swap: bool, negate: bool, extremes: usize, seen: usize, out: usize,
): void {
  const all = onesOf(width);
  const flip = swap ? all : 0;
  let word: u64 = 0;
  for (let i = 0; i < count; ordinals += width) {
    const id = i32At(ids, i);
    const known = max(id, 0);
    const extreme = load<u64>(extremes + <usize>known * width) & all;
    const holds = i32((extreme ^ flip) < ((load<u64>(ordinals) & all) ^ flip)) ^ i32(negate);
    const counts = i32(id >= 0) & i32(bitAt(seen, known)) & i32(valid == 0 || load<u8>(valid + <usize>i) != 0);
    word |= <u64>(holds & counts) << (i & 63);
    ++i;
    if (!(i & 63) || i == count) {
      store<u64>(out + (<usize>((i - 1) >> 6) << 3), word);
      word = 0;
    }
  }
}

/** All bits of `width` bytes. */
@inline
function onesOf(width: usize): u64 {
  return ~(<u64>0) >> (64 - (<u64>width << 3));
}
