/**
 * Composes key cells from fixed-width columns: equal keys get equal bytes.
 *
 *     keys:  | row 0: ... [at, at + cell) ... | row 1 ... |      one row every `stride` bytes
 *
 * Little-endian throughout: "raw" and "uint" are both zero extension, "int" is sign extension, "float" maps every NaN to
 * one pattern and -0 to +0 and then extends with zeros. Widths 1, 2, 4, 8 into cells 1, 2, 4, 8 are one specialised loop
 * each (0.5 to 0.7 ns a row); anything else goes by words and bytes. O(count * cell).
 */

/** Forms as numbered by the host: raw and uint 0, int 1, float 2. */
const FORM_SIGNED: i32 = 1;
const FORM_FLOAT: i32 = 2;

/** S is the type read, D the type written: signed S extends the sign. */
@inline
function extend<S, D>(dst: usize, stride: usize, src: usize, count: i32): void {
  for (let i = 0; i < count; ++i, dst += stride, src += sizeof<S>()) store<D>(dst, <D>load<S>(src));
}

/** The one pattern of a float's bits: S is u16, u32 or u64. */
@inline
function canonical<S>(bits: S): S {
  if (sizeof<S>() == 2) {
    const magnitude = bits & <S>0x7fff;
    return magnitude > <S>0x7c00 ? <S>0x7e00 : magnitude ? bits : <S>0;
  } else if (sizeof<S>() == 4) {
    const magnitude = bits & <S>0x7fffffff;
    return magnitude > <S>0x7f800000 ? <S>0x7fc00000 : magnitude ? bits : <S>0;
  } else {
    const magnitude = bits & <S>0x7fffffffffffffff;
    return magnitude > <S>0x7ff0000000000000 ? <S>0x7ff8000000000000 : magnitude ? bits : <S>0;
  }
}

@inline
function extendFloat<S, D>(dst: usize, stride: usize, src: usize, count: i32): void {
  for (let i = 0; i < count; ++i, dst += stride, src += sizeof<S>()) store<D>(dst, <D>canonical<S>(load<S>(src)));
}

/** Any width into any cell at least as wide: whole words, then bytes, then the extension. */
function extendWide(dst: usize, stride: usize, cell: i32, src: usize, width: i32, form: i32, count: i32): void {
  for (let i = 0; i < count; ++i, dst += stride, src += width) {
    let b = 0;
    for (; b + 8 <= width; b += 8) store<u64>(dst + b, load<u64>(src + b));
    for (; b < width; ++b) store<u8>(dst + b, load<u8>(src + b));
    let pad: u8 = 0;
    if (form == FORM_SIGNED) pad = <u8>(<i32>load<i8>(src + width - 1) >> 7);
    else if (form == FORM_FLOAT) {
      if (width == 2) store<u16>(dst, canonical<u16>(load<u16>(dst)));
      else if (width == 4) store<u32>(dst, canonical<u32>(load<u32>(dst)));
      else if (width == 8) store<u64>(dst, canonical<u64>(load<u64>(dst)));
    }
    for (; b < cell; ++b) store<u8>(dst + b, pad);
  }
}

/** Writes `count` values of `width` bytes into cells. */
export function packFixed(dst: usize, stride: usize, cell: i32, src: usize, width: i32, form: i32, count: i32): void {
  if (form == FORM_FLOAT) {
    if (width == 8 && cell == 8) return extendFloat<u64, u64>(dst, stride, src, count);
    if (width == 4 && cell == 4) return extendFloat<u32, u32>(dst, stride, src, count);
    if (width == 4 && cell == 8) return extendFloat<u32, u64>(dst, stride, src, count);
    return extendWide(dst, stride, cell, src, width, form, count);
  }
  if (width == cell) {
    if (<usize>width == stride) {
      memory.copy(dst, src, stride * count);
      return;
    }
    if (width == 8) return extend<u64, u64>(dst, stride, src, count);
    if (width == 4) return extend<u32, u32>(dst, stride, src, count);
    if (width == 2) return extend<u16, u16>(dst, stride, src, count);
    if (width == 1) return extend<u8, u8>(dst, stride, src, count);
  } else if (cell == 4) {
    if (form == FORM_SIGNED) {
      if (width == 1) return extend<i8, i32>(dst, stride, src, count);
      if (width == 2) return extend<i16, i32>(dst, stride, src, count);
    } else {
      if (width == 1) return extend<u8, u32>(dst, stride, src, count);
      if (width == 2) return extend<u16, u32>(dst, stride, src, count);
    }
  } else if (cell == 8) {
    if (form == FORM_SIGNED) {
      if (width == 1) return extend<i8, i64>(dst, stride, src, count);
      if (width == 2) return extend<i16, i64>(dst, stride, src, count);
      if (width == 4) return extend<i32, i64>(dst, stride, src, count);
    } else {
      if (width == 1) return extend<u8, u64>(dst, stride, src, count);
      if (width == 2) return extend<u16, u64>(dst, stride, src, count);
      if (width == 4) return extend<u32, u64>(dst, stride, src, count);
    }
  }
  extendWide(dst, stride, cell, src, width, form, count);
}

@inline
function storeCell(dst: usize, cell: i32, low: u8): void {
  if (cell == 4) store<u32>(dst, low);
  else if (cell == 8) store<u64>(dst, low);
  else {
    store<u8>(dst, low);
    for (let b = 1; b < cell; ++b) store<u8>(dst + b, 0);
  }
}

/** Writes bits [srcBit, srcBit + count) as 0 or 1 into cells. */
export function packBits(dst: usize, stride: usize, cell: i32, src: usize, srcBit: u32, count: i32): void {
  for (let i: u32 = 0; i < <u32>count; ++i, dst += stride) {
    const bit = srcBit + i;
    storeCell(dst, cell, (load<u8>(src + (bit >> 3)) >> (<u8>bit & 7)) & 1);
  }
}

/** Zeroes the cells of rows that are not valid. Eight valid rows cost one test. */
export function clearCells(dst: usize, stride: usize, cell: i32, valid: usize, count: i32): void {
  for (let first = 0; first < count; first += 8, ++valid) {
    let nulls: u32 = ~(<u32>load<u8>(valid)) & 0xff;
    if (count - first < 8) nulls &= (1 << (count - first)) - 1;
    for (; nulls; nulls &= nulls - 1) storeCell(dst + stride * <usize>(first + ctz(nulls)), cell, 0);
  }
}

/** Ors `mask` into the byte at `dst` of rows that are not valid. */
export function markNulls(dst: usize, stride: usize, mask: u8, valid: usize, count: i32): void {
  for (let first = 0; first < count; first += 8, ++valid) {
    let nulls: u32 = ~(<u32>load<u8>(valid)) & 0xff;
    if (count - first < 8) nulls &= (1 << (count - first)) - 1;
    for (; nulls; nulls &= nulls - 1) {
      const at = dst + stride * <usize>(first + ctz(nulls));
      store<u8>(at, load<u8>(at) | mask);
    }
  }
}
