/**
 * How many distinct keys a side has, from a sample: short runs of rows at places spread evenly over all of them.
 *
 * With D equally frequent keys, n rows drawn show D (1 - e^(-n/D)) of them; this is solved for D. Keys of unequal frequency are
 * underestimated; the table then grows. O(sample).
 */

/** 256 runs of 16 rows: about 0.5 ms, and a run of equal keys (sorted input) spoils one place only. */
export const SAMPLE_PLACES = 256;
export const SAMPLE_RUN = 16;

/** `sampled` rows with a key showed `seen` distinct keys; there are `rows` rows. */
export function estimateDistinct(sampled: number, seen: number, rows: number): number {
  if (seen === 0) return 0;
  // No repeat at all: as if there had been half a one, about 17 million keys from a full sample.
  if (sampled === seen) return Math.min(rows, sampled * sampled);
  let low = seen;
  let high = rows;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (middle * -Math.expm1(-sampled / middle) < seen) low = middle;
    else high = middle;
  }
  return Math.min(rows, Math.ceil(high * 1.05));
}
