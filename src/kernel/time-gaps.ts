/** Gaps between times of two float64 (asof-contract.ts), compared by differences, never by sums, which round. Equal infinities are no gap. O(1). */

import type { TimePoint } from "./asof-contract.ts";

/** Whether a is more than `bound` after b, which is not later. */
export function exceeds(am: number, an: number, bm: number, bn: number, bound: TimePoint, base: number): boolean {
  let major = am === bm ? 0 : am - bm;
  let minor = an - bn;
  if (minor < 0) {
    major--;
    minor += base;
  }
  return major > bound.major || (major === bound.major && minor > bound.minor);
}

/** Below 0, 0 or above 0: how the gap from b up to a compares with that from c up to b. */
export function compareGaps(am: number, an: number, bm: number, bn: number, cm: number, cn: number, base: number): number {
  let p = am === bm ? 0 : am - bm;
  let q = an - bn;
  if (q < 0) {
    p--;
    q += base;
  }
  let r = bm === cm ? 0 : bm - cm;
  let s = bn - cn;
  if (s < 0) {
    r--;
    s += base;
  }
  return p < r ? -1 : p > r ? 1 : q - s;
}
