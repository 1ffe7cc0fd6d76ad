/**
 * Composes key cells from fixed-width columns: equal keys get equal bytes.
 *
 *     keys:  | row 0: ... [at, at + cell) ... | row 1 ... |      one row every `stride` bytes
 *
 * Little-endian throughout: "raw" and "uint" are both zero extension, "int" is sign extension, "float" maps every NaN to
 * one pattern and -0 to +0 and then extends with zeros. A column that is the whole key is one block copy, a part of 4 or 8 bytes a loop
 * of plain moves (1 ns a row); floats and small integers share a loop whose tests fall the same way in every row (2 to 3 ns); anything
 * else goes by words and bytes. O(count * cell).
 */

/** Forms as numbered by the host: raw and uint 0, int 1, float 2. */
const FORM_SIGNED: i32 = 1;
const FORM_FLOAT: i32 = 2;

/** `width` is 1, 2, 4 or 8. */
@inline
export function loadWord(at: usize, width: i32): u64 {
  return width == 8 ? load<u64>(at) : width == 4 ? load<u32>(at) : width == 2 ? load<u16>(at) : load<u8>(at);
}

@inline
function copyCells<T>(dst: usize, stride: usize, src: usize, count: i32): void {
  for (const end = src + <usize>count * sizeof<T>(); src < end; src += sizeof<T>(), dst += stride) store<T>(dst, load<T>(src));
}

/** The lowest `cell` bytes of a word; beyond eight, zeros or, of a negative signed one, ones. */
@inline
function storeCell(dst: usize, cell: i32, word: u64, signed: bool): void {
  if (cell == 8) store<u64>(dst, word);
  else if (cell == 4) store<u32>(dst, <u32>word);
  else storeBytes(dst, cell, word, signed);
}

function storeBytes(dst: usize, cell: i32, word: u64, signed: bool): void {
  for (const end = dst + cell; dst < end; ++dst, word = signed ? <u64>(<i64>word >> 8) : word >> 8) store<u8>(dst, <u8>word);
}

/** Writes `count` values of `width` bytes into cells. */
export function packFixed(dst: usize, stride: usize, cell: i32, src: usize, width: i32, form: i32, count: i32): void {
  const signed = form == FORM_SIGNED;
  if (<usize>width == stride && form != FORM_FLOAT) {
    memory.copy(dst, src, stride * count);
    return;
  }
  if (width == cell && form != FORM_FLOAT) {
    if (width == 4) return copyCells<u32>(dst, stride, src, count);
    if (width == 8) return copyCells<u64>(dst, stride, src, count);
  }
  if (width > 8 || popcnt(width) != 1) {
    for (let i = 0; i < count; ++i, dst += stride) {
      let b = 0;
      for (; b + 8 <= width; b += 8) store<u64>(dst + b, load<u64>(src + b));
      for (; b < width; ++b) store<u8>(dst + b, load<u8>(src + b));
      src += width;
      const pad: u8 = signed ? <u8>(<i32>load<i8>(src - 1) >> 7) : 0;
      for (; b < cell; ++b) store<u8>(dst + b, pad);
    }
    return;
  }
  const spare = <u64>(64 - width * 8);
  const magnitudes: u64 = <u64>i64.MAX_VALUE >> spare;
  // Of the exponent's bits, 5, 8 or 11 below the sign.
  const infinity = magnitudes ^ (magnitudes >> (width == 2 ? 5 : width == 4 ? 8 : 11));
  const quiet = magnitudes ^ (magnitudes >> (width == 2 ? 6 : width == 4 ? 9 : 12));
  for (let i = 0; i < count; ++i, dst += stride, src += width) {
    let word = loadWord(src, width);
    if (signed) word = <u64>(<i64>(word << spare) >> spare);
    else if (form == FORM_FLOAT) {
      const magnitude = word & magnitudes;
      word = magnitude > infinity ? quiet : magnitude ? word : 0;
    }
    storeCell(dst, cell, word, signed);
  }
}

/** Writes bits [srcBit, srcBit + count) as 0 or 1 into cells. */
export function packBits(dst: usize, stride: usize, cell: i32, src: usize, srcBit: u32, count: i32): void {
  for (const end = srcBit + count; srcBit < end; ++srcBit, dst += stride) {
    storeCell(dst, cell, (load<u8>(src + (srcBit >> 3)) >> (<u8>srcBit & 7)) & 1, false);
  }
}

/** Rows that are not valid: zeroes the cell, then ors `mask` into the byte at `maskAt` from it. Eight valid rows cost one test. */
export function nullCells(dst: usize, stride: usize, cell: i32, maskAt: usize, mask: u8, valid: usize, count: i32): void {
  for (let first = 0; first < count; first += 8, ++valid) {
    let nulls: u32 = ~(<u32>load<u8>(valid)) & 0xff;
    if (count - first < 8) nulls &= (1 << (count - first)) - 1;
    for (; nulls; nulls &= nulls - 1) {
      const at = dst + stride * <usize>(first + ctz(nulls));
      storeBytes(at, cell, 0, false);
      store<u8>(at + maskAt, load<u8>(at + maskAt) | mask);
    }
  }
}
