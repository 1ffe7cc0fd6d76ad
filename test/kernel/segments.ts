/** Every kind of segment over sources of given sizes, with what each row of the result must be. */

import type { Kernel, Segment } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import type { Random } from "./random.ts";
import { putI32 } from "./regions.ts";

export interface SegmentCase {
  readonly segment: Segment;
  /** The source row of each result row; null: NONE. */
  readonly expected: readonly ({ readonly source: number; readonly row: number } | null)[];
}

export function cases(kernel: Kernel, r: Random, sizes: readonly number[]): SegmentCase[] {
  const found: SegmentCase[] = [];
  sizes.forEach((rows, source) => {
    for (const [start, count] of [
      [0, rows],
      [0, 0],
      [rows, 0],
      [rows >> 1, rows - (rows >> 1)],
      [rows >> 2, rows >> 2],
    ]) {
      const expected = Array.from({ length: count }, (_, i) => ({ source, row: start + i }));
      found.push({ segment: { kind: "run", source, start, count, hasNone: false }, expected });
    }
  });
  for (const count of [0, 1, 9, 100]) {
    for (const hasNone of [false, true]) {
      const from = r.below(4);
      const spot = (): { source: number; row: number } | null => {
        const source = r.below(sizes.length);
        return hasNone && r.chance(0.3) ? null : { source, row: r.below(sizes[source]) };
      };
      const located = Array.from({ length: count }, spot);
      // Elements before and after the segment's are no rows at all: a reader who strays is noticed.
      const padding = new Array<number>(from).fill(1_000_000);
      const rows = putI32(kernel, [...padding, ...located.map((each) => each?.row ?? NONE), 1_000_000]);
      const sources = putI32(kernel, [...padding, ...located.map((each) => each?.source ?? 0), 1_000_000]);
      found.push({ segment: { kind: "located", sources, rows, from, count, hasNone }, expected: located });

      const source = r.below(sizes.length);
      const single = Array.from({ length: count }, () => (hasNone && r.chance(0.3) ? null : { source, row: r.below(sizes[source]) }));
      const singleRows = putI32(kernel, [...padding, ...single.map((each) => each?.row ?? NONE), 1_000_000]);
      found.push({ segment: { kind: "rows", source, rows: singleRows, from, count, hasNone }, expected: single });
    }
  }
  return found;
}
