/**
 * Ordinals: unsigned integers of 4 or 8 bytes in the order of the values they stand for. The largest or smallest one each id has seen, and
 * rows tested against it: what a bound on one value per key needs, so that no pair is made at all.
 *
 *     unsigned    as it is, widened to 4 bytes
 *     signed      widened, sign bit flipped
 *     float       sign bit flipped; negative: all bits flipped; NaN: all ones, above infinity; -0 as +0
 *
 * One loop serves all widths: a value is an unaligned 8-byte load, cut to its width. Loops of their own are a kilobyte more and no faster.
 * An id without an extreme has its bit in `seen` clear and arbitrary bytes in `extremes`. O(count), random access by id.
 */
import { bitAt, i32At } from "./memory";

/** Lanes of 1 << shift bytes; kind 0: unsigned, 1: signed, 2: float. */
export function ordinals(src: usize, shift: u32, kind: i32, count: i32, dst: usize): void {
  const all = onesOf(shift);
  const sign = all ^ (all >> 1);
  const float = kind == 2;
  const infinity: u64 = shift == 3 ? 0x7ff0000000000000 : 0x7f800000;
  const flip = kind ? sign : 0;
  // What a sign bit of 1 or 2 bytes, flipped, lacks of the sign bit of 4.
  const raise: u64 = kind && shift < 2 ? 0x80000000 - sign : 0;
  for (let i = 0; i < count; ++i) {
    const value = cell(src, i, shift, all);
    let ordinal = (value ^ flip) + raise;
    if (float) {
      const magnitude = value & ~sign;
      ordinal = select<u64>(ordinal, value ^ all, value == magnitude);
      ordinal = select<u64>(ordinal, sign, magnitude != 0);
      ordinal = select<u64>(ordinal, all, magnitude <= infinity);
    }
    if (shift == 3) store<u64>(dst + (<usize>i << 3), ordinal);
    else store<u32>(dst + (<usize>i << 2), <u32>ordinal);
  }
}

/** extremes[ids[i]] := the larger (`max`) or smaller of itself and ordinals[i]. Ordinals of 1 << shift bytes; `valid` are bytes. */
export function updateExtremes(
  ids: usize, ordinals: usize, shift: u32, valid: usize, count: i32, max: bool, extremes: usize, seen: usize,
): void {
  const all = onesOf(shift);
  // The complement turns the order around.
  const flip = max ? 0 : all;
  for (let i = 0; i < count; ++i) {
    const id = i32At(ids, i);
    if (id < 0 || (valid && !load<u8>(valid + <usize>i))) continue;
    const ordinal = cell(ordinals, i, shift, all);
    const extreme = extremes + (<usize>id << shift);
    if (bitAt(seen, id)) {
      // As wide as it was stored: a wider load waits for the store, and sorted rows meet their id again at once.
      const old = shift == 3 ? load<u64>(extreme) : <u64>load<u32>(extreme);
      if ((ordinal ^ flip) <= (old ^ flip)) continue;
    } else {
      const byte = seen + <usize>(id >> 3);
      store<u8>(byte, <u8>(<i32>load<u8>(byte) | (1 << (id & 7))));
    }
    if (shift == 3) store<u64>(extreme, ordinal);
    else store<u32>(extreme, <u32>ordinal);
  }
}

/**
 * Bit i := ids[i] has an extreme, valid[i], and `extreme < ordinals[i]`, with `swap` `ordinals[i] < extreme`; with `negate` the comparison
 * must not hold. Without a branch on a row: a row without an id looks at id 0.
 */
export function testExtremes(
  ids: usize, ordinals: usize, shift: u32, valid: usize, count: i32, swap: bool, negate: bool, extremes: usize, seen: usize, out: usize,
): void {
  const all = onesOf(shift);
  const flip = swap ? all : 0;
  let word: u64 = 0;
  for (let i = 0; i < count; ) {
    const id = i32At(ids, i);
    const known = max(id, 0);
    const holds = i32((cell(extremes, known, shift, all) ^ flip) < (cell(ordinals, i, shift, all) ^ flip)) ^ i32(negate);
    const counts = i32(id >= 0) & i32(bitAt(seen, known)) & i32(valid == 0 || load<u8>(valid + <usize>i) != 0);
    word |= <u64>(holds & counts) << (i & 63);
    ++i;
    if (!(i & 63) || i == count) {
      store<u64>(out + (<usize>((i - 1) >> 6) << 3), word);
      word = 0;
    }
  }
}

/** All bits of 1 << shift bytes. */
@inline
function onesOf(shift: u32): u64 {
  return ~(<u64>0) >> (64 - (8 << shift));
}

@inline
function cell(base: usize, index: i32, shift: u32, all: u64): u64 {
  return load<u64>(base + (<usize>index << shift)) & all;
}
