/**
 * Composes key cells: values of one column written at a place of every row's cell, in the form in which equal keys have equal bytes.
 *
 *     row i of the block    | column a | column b      | pad |       stride bytes a row, column b at `at`, `cell` bytes wide
 *
 * Cost: O(count * cell), in two or three passes over a chunk that lies in L2: place the value, pad the rest of the cell, canonicalise
 * floats. Aligned cells go by words; anything else by bytes (odd widths, cells narrower than a word).
 */

import type { KeyForm } from "../contract.ts";
import { NULL_VALUE } from "../contract.ts";
import type { TsRegion } from "./memory.ts";

const NAN16 = 0x7e00;
const NAN32 = 0x7fc00000;
const NAN64_HIGH = 0x7ff80000;

export function packFixed(
  dst: TsRegion,
  stride: number,
  at: number,
  cell: number,
  src: TsRegion,
  width: number,
  form: KeyForm,
  count: number,
): void {
  const aligned = ((stride | at | cell) & 3) === 0;
  if (!aligned || (width & 3 && width > 2)) {
    packByBytes(dst.u8, stride, at, cell, src.u8, width, form, count);
    return;
  }
  const d = dst.i32;
  const strideWords = stride >> 2;
  const first = at >> 2;
  const signed = form === "int";
  if (width === 1) widen8(d, strideWords, first, src.u8, signed, count);
  else if (width === 2) widen16(d, strideWords, first, new Uint16Array(src.u8.buffer, 0, count), signed, count);
  else if (stride === width) d.set(src.i32.subarray(0, (count * width) >> 2));
  else if (width === 4) placeWords(d, strideWords, first, src.i32, count);
  else if (width === 8) placePairs(d, strideWords, first, src.i32, count);
  else placeMany(d, strideWords, first, src.i32, width >> 2, count);
  const valueWords = Math.max(1, width >> 2);
  if (valueWords < cell >> 2) padCells(d, strideWords, first + valueWords, (cell >> 2) - valueWords, signed, count);
  if (form === "float") {
    if (width === 2) canonicalise16(d, strideWords, first, count);
    else if (width === 4) canonicalise32(d, strideWords, first, count);
    else canonicalise64(d, strideWords, first, count);
  }
}

function widen8(d: Int32Array, stride: number, first: number, src: Uint8Array, signed: boolean, count: number): void {
  const shift = signed ? 24 : 0;
  for (let i = 0, p = first; i < count; i++, p += stride) d[p] = (src[i] << shift) >> shift;
}

function widen16(d: Int32Array, stride: number, first: number, src: Uint16Array, signed: boolean, count: number): void {
  const shift = signed ? 16 : 0;
  for (let i = 0, p = first; i < count; i++, p += stride) d[p] = (src[i] << shift) >> shift;
}

function placeWords(d: Int32Array, stride: number, first: number, src: Int32Array, count: number): void {
  for (let i = 0, p = first; i < count; i++, p += stride) d[p] = src[i];
}

function placePairs(d: Int32Array, stride: number, first: number, src: Int32Array, count: number): void {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    d[p] = src[2 * i];
    d[p + 1] = src[2 * i + 1];
  }
}

function placeMany(d: Int32Array, stride: number, first: number, src: Int32Array, words: number, count: number): void {
  for (let i = 0, p = first, from = 0; i < count; i++, p += stride) {
    for (let j = 0; j < words; j++) d[p + j] = src[from++];
  }
}

/** Fills `words` words from `first` on with the sign of the word before, or with zeros. */
function padCells(d: Int32Array, stride: number, first: number, words: number, signed: boolean, count: number): void {
  const keep = signed ? -1 : 0;
  for (let i = 0, p = first; i < count; i++, p += stride) {
    const pad = (d[p - 1] >> 31) & keep;
    for (let j = 0; j < words; j++) d[p + j] = pad;
  }
}

function canonicalise16(d: Int32Array, stride: number, first: number, count: number): void {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    const magnitude = d[p] & 0x7fff;
    if (magnitude > 0x7c00) d[p] = NAN16;
    else if (magnitude === 0) d[p] = 0;
  }
}

function canonicalise32(d: Int32Array, stride: number, first: number, count: number): void {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    const magnitude = d[p] & 0x7fffffff;
    if (magnitude > 0x7f800000) d[p] = NAN32;
    else if (magnitude === 0) d[p] = 0;
  }
}

function canonicalise64(d: Int32Array, stride: number, first: number, count: number): void {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    const magnitude = d[p + 1] & 0x7fffffff;
    if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && d[p] !== 0)) {
      d[p] = 0;
      d[p + 1] = NAN64_HIGH;
    } else if (magnitude === 0 && d[p] === 0) d[p + 1] = 0;
  }
}

function packByBytes(
  d: Uint8Array,
  stride: number,
  at: number,
  cell: number,
  src: Uint8Array,
  width: number,
  form: KeyForm,
  count: number,
): void {
  const take = Math.min(width, cell);
  const view = new DataView(d.buffer);
  for (let i = 0, p = at, from = 0; i < count; i++, p += stride, from += width) {
    for (let j = 0; j < take; j++) d[p + j] = src[from + j];
    const pad = form === "int" && d[p + take - 1] >= 0x80 ? 0xff : 0;
    for (let j = take; j < cell; j++) d[p + j] = pad;
    if (form === "float") canonicaliseBytes(view, p, width);
  }
}

function canonicaliseBytes(view: DataView, p: number, width: number): void {
  if (width === 2) {
    const magnitude = view.getUint16(p, true) & 0x7fff;
    if (magnitude > 0x7c00) view.setUint16(p, NAN16, true);
    else if (magnitude === 0) view.setUint16(p, 0, true);
    return;
  }
  const high = width === 8 ? p + 4 : p;
  const low = width === 8 ? view.getInt32(p, true) : 0;
  const magnitude = view.getInt32(high, true) & 0x7fffffff;
  const infinity = width === 8 ? 0x7ff00000 : 0x7f800000;
  if (magnitude > infinity || (magnitude === infinity && low !== 0)) {
    if (width === 8) view.setInt32(p, 0, true);
    view.setInt32(high, width === 8 ? NAN64_HIGH : NAN32, true);
  } else if (magnitude === 0 && low === 0) view.setInt32(high, 0, true);
}

export function packBits(d: Uint8Array, stride: number, at: number, cell: number, src: Uint8Array, srcBit: number, count: number): void {
  for (let i = 0, p = at, bit = srcBit; i < count; i++, p += stride, bit++) {
    d[p] = (src[bit >>> 3] >> (bit & 7)) & 1;
    for (let j = 1; j < cell; j++) d[p + j] = 0;
  }
}

/** Returns -1, or the first valid row whose code is outside the map. */
export function packCodes(
  dst: TsRegion,
  stride: number,
  at: number,
  src: TsRegion,
  width: number,
  signed: boolean,
  map: Int32Array,
  mapLength: number,
  valid: Uint8Array,
  count: number,
): number {
  const s = stride >> 2;
  const first = at >> 2;
  // A negative narrow code reads as at least half of the unsigned range; wider ones fail the unsigned test by themselves.
  if (width === 1) return codes8(dst.i32, s, first, src.u8, Math.min(mapLength, signed ? 0x80 : 0x100), map, valid, count);
  if (width === 2)
    return codes16(
      dst.i32,
      s,
      first,
      new Uint16Array(src.u8.buffer, 0, count),
      Math.min(mapLength, signed ? 0x8000 : 0x10000),
      map,
      valid,
      count,
    );
  if (width === 4) return codes32(dst.i32, s, first, src.i32, mapLength, map, valid, count);
  return codes64(dst.i32, s, first, src.i32, mapLength, map, valid, count);
}

function codes8(
  d: Int32Array,
  stride: number,
  first: number,
  src: Uint8Array,
  limit: number,
  map: Int32Array,
  valid: Uint8Array,
  count: number,
): number {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    let value = 0;
    if ((valid[i >> 3] >> (i & 7)) & 1) {
      const code = src[i];
      if (code >= limit) return i;
      value = map[code];
      if (value === NULL_VALUE) {
        valid[i >> 3] &= ~(1 << (i & 7));
        value = 0;
      }
    }
    d[p] = value;
  }
  return -1;
}

function codes16(
  d: Int32Array,
  stride: number,
  first: number,
  src: Uint16Array,
  limit: number,
  map: Int32Array,
  valid: Uint8Array,
  count: number,
): number {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    let value = 0;
    if ((valid[i >> 3] >> (i & 7)) & 1) {
      const code = src[i];
      if (code >= limit) return i;
      value = map[code];
      if (value === NULL_VALUE) {
        valid[i >> 3] &= ~(1 << (i & 7));
        value = 0;
      }
    }
    d[p] = value;
  }
  return -1;
}

function codes32(
  d: Int32Array,
  stride: number,
  first: number,
  src: Int32Array,
  limit: number,
  map: Int32Array,
  valid: Uint8Array,
  count: number,
): number {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    let value = 0;
    if ((valid[i >> 3] >> (i & 7)) & 1) {
      const code = src[i];
      if (code < 0 || code >= limit) return i;
      value = map[code];
      if (value === NULL_VALUE) {
        valid[i >> 3] &= ~(1 << (i & 7));
        value = 0;
      }
    }
    d[p] = value;
  }
  return -1;
}

function codes64(
  d: Int32Array,
  stride: number,
  first: number,
  src: Int32Array,
  limit: number,
  map: Int32Array,
  valid: Uint8Array,
  count: number,
): number {
  for (let i = 0, p = first; i < count; i++, p += stride) {
    let value = 0;
    if ((valid[i >> 3] >> (i & 7)) & 1) {
      const code = src[2 * i];
      if (src[2 * i + 1] !== 0 || code < 0 || code >= limit) return i;
      value = map[code];
      if (value === NULL_VALUE) {
        valid[i >> 3] &= ~(1 << (i & 7));
        value = 0;
      }
    }
    d[p] = value;
  }
  return -1;
}

/** Rows not valid: zeroes the cell, then ors `mask` into the row's byte at `maskAt`. */
export function nullCells(
  d: Uint8Array,
  stride: number,
  at: number,
  cell: number,
  maskAt: number,
  mask: number,
  valid: Uint8Array,
  count: number,
): void {
  for (let i = 0, row = 0; i < count; i++, row += stride) {
    if ((valid[i >> 3] >> (i & 7)) & 1) continue;
    d.fill(0, row + at, row + at + cell);
    d[row + maskAt] |= mask;
  }
}
