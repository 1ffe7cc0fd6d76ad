/**
 * The largest or smallest ordinal an id has seen, and rows tested against it: what a bound on one value per key needs, so that no pair
 * is made at all.
 *
 * Ordinals are unsigned integers of 4 or 8 bytes in the order of the values they stand for. An id without one has its bit in `seen` clear
 * and arbitrary bytes in `extremes`. O(count), random access by id.
 */
import { bitAt, i32At } from "./memory";

export function updateExtremes(
  ids: usize, ordinals: usize, width: i32, valid: usize, count: i32, max: bool, extremes: usize, seen: usize,
): void {
  if (width == 4) update<u32>(ids, ordinals, valid, count, max, extremes, seen);
  else update<u64>(ids, ordinals, valid, count, max, extremes, seen);
}

function update<T>(ids: usize, ordinals: usize, valid: usize, count: i32, max: bool, extremes: usize, seen: usize): void {
  // The complement turns the order around.
  const flip: T = max ? 0 : <T>(-1);
  for (let i = 0; i < count; ++i) {
    const id = i32At(ids, i);
    if (id < 0 || (valid && !load<u8>(valid + <usize>i))) continue;
    const ordinal = load<T>(ordinals + (<usize>i << alignof<T>()));
    const extreme = extremes + (<usize>id << alignof<T>());
    if (bitAt(seen, id)) {
      if ((ordinal ^ flip) > (load<T>(extreme) ^ flip)) store<T>(extreme, ordinal);
      continue;
    }
    const byte = seen + <usize>(id >> 3);
    store<u8>(byte, <u8>(<i32>load<u8>(byte) | (1 << (id & 7))));
    store<T>(extreme, ordinal);
  }
}

/** Bit i := id, validity and `extreme < ordinal` hold, or with `swap` `ordinal < extreme`; with `negate` the comparison must not hold. */
export function testExtremes(
  ids: usize, ordinals: usize, width: i32, valid: usize, count: i32, swap: bool, negate: bool, extremes: usize, seen: usize, out: usize,
): void {
  if (width == 4) test<u32>(ids, ordinals, valid, count, swap, negate, extremes, seen, out);
  else test<u64>(ids, ordinals, valid, count, swap, negate, extremes, seen, out);
}

/** Without a branch on a row: a row without an id looks at id 0. */
function test<T>(
  ids: usize, ordinals: usize, valid: usize, count: i32, swap: bool, negate: bool, extremes: usize, seen: usize, out: usize,
): void {
  const flip: T = swap ? <T>(-1) : 0;
  for (let base = 0; base < count; base += 64) {
    let word: u64 = 0;
    const stop = min(base + 64, count);
    for (let i = base; i < stop; ++i) {
      const id = i32At(ids, i);
      const known = max(id, 0);
      const extreme = load<T>(extremes + (<usize>known << alignof<T>()));
      const ordinal = load<T>(ordinals + (<usize>i << alignof<T>()));
      const holds = i32((extreme ^ flip) < (ordinal ^ flip)) ^ i32(negate);
      const counts = i32(id >= 0) & i32(bitAt(seen, known)) & i32(valid == 0 || load<u8>(valid + <usize>i) != 0);
      word |= <u64>(holds & counts) << (i & 63);
    }
    store<u64>(out + <usize>(base >> 3), word);
  }
}
