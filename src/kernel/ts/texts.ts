/**
 * Comparisons of byte strings that lie in regions: two i32 a row, offset (unsigned) and length.
 *
 * By unaligned 4-byte words, big-endian for the order; the last word of a length that is no multiple of 4 overlaps the one before, whose
 * bytes are equal by then. Cost: O(shorter length) a row; `contains` O(length) while first bytes differ, at worst O(length * needle).
 */

import { equalRuns } from "./byte-runs.ts";

export type TextTest = "eq" | "lt" | "startsWith" | "endsWith" | "contains";

/** Steps are 2 or, for a constant, 0. Writes whole words of bits, those after `count` clear. */
export function compareTexts(
  test: TextTest,
  a: Int32Array,
  aStep: number,
  aData: DataView,
  b: Int32Array,
  bStep: number,
  bData: DataView,
  count: number,
  out: Int32Array,
): void {
  for (let i = 0, p = 0, q = 0; i < count; ) {
    let bits = 0;
    for (const end = Math.min(count, i + 32); i < end; i++, p += aStep, q += bStep) {
      const from = a[p] >>> 0;
      const length = a[p + 1];
      const otherFrom = b[q] >>> 0;
      const other = b[q + 1];
      let holds = false;
      if (test === "lt") holds = isLess(aData, from, length, bData, otherFrom, other);
      else if (test === "eq") holds = length === other && equalRuns(aData, from, bData, otherFrom, other);
      else if (test === "contains") holds = contains(aData, from, length, bData, otherFrom, other);
      else {
        const at = test === "startsWith" ? from : from + length - other;
        holds = other <= length && equalRuns(aData, at, bData, otherFrom, other);
      }
      if (holds) bits |= 1 << i;
    }
    out[(i - 1) >> 5] = bits;
  }
}

function isLess(a: DataView, aAt: number, aLength: number, b: DataView, bAt: number, bLength: number): boolean {
  const length = Math.min(aLength, bLength);
  if (length < 4) {
    for (let i = 0; i < length; i++) {
      const x = a.getUint8(aAt + i);
      const y = b.getUint8(bAt + i);
      if (x !== y) return x < y;
    }
    return aLength < bLength;
  }
  for (let i = 0; i < length; i += 4) {
    const at = Math.min(i, length - 4);
    const x = a.getUint32(aAt + at);
    const y = b.getUint32(bAt + at);
    if (x !== y) return x < y;
  }
  return aLength < bLength;
}

function contains(a: DataView, from: number, length: number, b: DataView, otherFrom: number, other: number): boolean {
  if (other === 0) return true;
  const first = b.getUint8(otherFrom);
  for (let at = from, last = from + length - other; at <= last; at++) {
    if (a.getUint8(at) === first && equalRuns(a, at, b, otherFrom, other)) return true;
  }
  return false;
}
