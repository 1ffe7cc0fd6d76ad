/**
 * Dictionary codes to key ids: cell := map[code], 4 bytes.
 *
 * A code is compared as an unsigned 64-bit number before anything is narrowed: a negative or an oversized code is out of range, never
 * an address. A negative narrow code reads as at least half of the unsigned range, so its limit is that half. O(count).
 */
import { loadWord } from "./cells";
import { NULL_VALUE, bitAt, i32At } from "./memory";

/** Returns -1, or the first row whose code is not in [0, mapLength). */
export function packCodes(dst: usize, stride: usize, src: usize, width: i32, signed: bool, map: usize, mapLength: u32, valid: usize, count: i32): i32 {
  const limit = signed ? min(<u64>mapLength, <u64>1 << (width * 8 - 1)) : <u64>mapLength;
  for (let i = 0; i < count; ++i, dst += stride, src += width) {
    let id = 0;
    if (bitAt(valid, i)) {
      const code = loadWord(src, width);
      if (code >= limit) return i;
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
