/**
 * Composes key cells: values of one column written at a place of every row's cell, in the form in which equal keys have equal bytes.
 *
 *     row i of the block    | column a | column b      | pad |       stride bytes a row, column b at `at`, `cell` bytes wide
 *
 * Cost: O(count * cell). A column that is the whole key is one block copy; all else goes through DataViews, which read and write any
 * alignment by plain moves: 2 ns a row for 4 bytes, 3 for 8, up to 10 for odd widths and small integers with their padding.
 */

import type { KeyForm } from "../contract.ts";
import { NULL_VALUE } from "../contract.ts";
import { copyRun, viewOf } from "./byte-runs.ts";

export function packFixed(
  dst: Uint8Array,
  stride: number,
  at: number,
  cell: number,
  src: Uint8Array,
  width: number,
  form: KeyForm,
  count: number,
): void {
  const end = at + count * stride;
  if (stride === width) dst.set(src.subarray(0, count * width));
  else {
    const d = viewOf(dst);
    const s = viewOf(src);
    for (let p = at, from = 0; p < end; p += stride, from += width) {
      if (width === 4) d.setInt32(p, s.getInt32(from, true), true);
      else if (width === 8) {
        d.setInt32(p, s.getInt32(from, true), true);
        d.setInt32(p + 4, s.getInt32(from + 4, true), true);
      } else copyRun(s, from, width, d, p);
    }
    if (width < cell) padCells(dst, stride, at + width, cell - width, form === "int", end);
  }
  if (form === "float") canonicalise(viewOf(dst), stride, at, width, end);
}

/** Fills `pad` bytes from `at` on with the sign of the byte before, or with zeros. */
function padCells(d: Uint8Array, stride: number, at: number, pad: number, signed: boolean, end: number): void {
  for (let p = at; p < end; p += stride) {
    const byte = signed ? d[p - 1] >> 7 : 0;
    for (let j = 0; j < pad; j++) d[p + j] = -byte;
  }
}

/** Every NaN becomes one pattern, -0 becomes +0: by the half or word that has the sign and the exponent. */
function canonicalise(d: DataView, stride: number, at: number, width: number, end: number): void {
  const [infinity, nan] = width === 2 ? [0x7c00, 0x7e00] : width === 4 ? [0x7f800000, 0x7fc00000] : [0x7ff00000, 0x7ff80000];
  for (let p = at; p < end; p += stride) {
    const low = width === 8 ? d.getInt32(p, true) : 0;
    const top = width === 8 ? p + 4 : p;
    const magnitude = width === 2 ? d.getUint16(p, true) & 0x7fff : d.getInt32(top, true) & 0x7fffffff;
    const nanBits = magnitude > infinity || (magnitude === infinity && low !== 0);
    if (!nanBits && (magnitude !== 0 || low !== 0)) continue;
    if (width === 2) d.setInt16(p, nanBits ? nan : 0, true);
    else {
      if (width === 8) d.setInt32(p, 0, true);
      d.setInt32(top, nanBits ? nan : 0, true);
    }
  }
}

export function packBits(d: Uint8Array, stride: number, at: number, cell: number, src: Uint8Array, srcBit: number, count: number): void {
  for (let i = 0, p = at, bit = srcBit; i < count; i++, p += stride, bit++) {
    d[p] = (src[bit >>> 3] >> (bit & 7)) & 1;
    for (let j = 1; j < cell; j++) d[p + j] = 0;
  }
}

/** Returns -1, or the first valid row whose code is outside the map. */
export function packCodes(
  dst: Int32Array,
  stride: number,
  at: number,
  src: DataView,
  width: number,
  signed: boolean,
  map: Int32Array,
  mapLength: number,
  valid: Uint8Array,
  count: number,
): number {
  const words = stride >> 2;
  // A negative narrow code reads as at least half of the unsigned range; wider ones as a negative number.
  const limit = width < 4 && signed ? Math.min(mapLength, 1 << (width * 8 - 1)) : mapLength;
  for (let i = 0, p = at >> 2, from = 0; i < count; i++, p += words, from += width) {
    let value = 0;
    if ((valid[i >> 3] >> (i & 7)) & 1) {
      const code = width === 1 ? src.getUint8(from) : width === 2 ? src.getUint16(from, true) : src.getInt32(from, true);
      if (code < 0 || code >= limit || (width === 8 && src.getInt32(from + 4, true) !== 0)) return i;
      value = map[code];
      if (value === NULL_VALUE) {
        valid[i >> 3] &= ~(1 << (i & 7));
        value = 0;
      }
    }
    dst[p] = value;
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
