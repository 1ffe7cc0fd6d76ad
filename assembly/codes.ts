/**
 * Dictionary codes to key ids: cell := map[code], 4 bytes.
 *
 * A code is compared with the map's length as an unsigned 64-bit number before anything is narrowed: a negative or an
 * oversized code is out of range, never an address. O(count).
 */
import { NULL_VALUE, bitAt, i32At } from "./memory";

/** S is the code's own type; signed ones extend to huge unsigned numbers when negative. */
@inline
function translate<S>(dst: usize, stride: usize, src: usize, map: usize, mapLength: u32, valid: usize, count: i32): i32 {
  for (let i = 0; i < count; ++i, dst += stride) {
    let id = 0;
    if (bitAt(valid, i)) {
      const code = <u64>load<S>(src + <usize>i * sizeof<S>());
      if (code >= <u64>mapLength) return i;
      id = i32At(map, <i32>code);
      if (id == NULL_VALUE) {
        const at = valid + <usize>(i >> 3);
        store<u8>(at, load<u8>(at) & ~(<u8>1 << (<u8>i & 7)));
        id = 0;
      }
    }
    store<i32>(dst, id);
  }
  return -1;
}

/** Returns -1, or the first row whose code is not in [0, mapLength). */
export function packCodes(dst: usize, stride: usize, src: usize, width: i32, signed: bool, map: usize, mapLength: u32, valid: usize, count: i32): i32 {
  if (width == 4) {
    return signed
      ? translate<i32>(dst, stride, src, map, mapLength, valid, count)
      : translate<u32>(dst, stride, src, map, mapLength, valid, count);
  }
  if (width == 2) {
    return signed
      ? translate<i16>(dst, stride, src, map, mapLength, valid, count)
      : translate<u16>(dst, stride, src, map, mapLength, valid, count);
  }
  if (width == 1) {
    return signed
      ? translate<i8>(dst, stride, src, map, mapLength, valid, count)
      : translate<u8>(dst, stride, src, map, mapLength, valid, count);
  }
  return translate<u64>(dst, stride, src, map, mapLength, valid, count);
}
