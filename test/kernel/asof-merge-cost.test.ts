/** As-of merges stay linear where many left rows and many right rows have one time: 100 000 of each, far from a second; squared, 10 seconds. */

import { describe, expect, it } from "vitest";
import { type Kernel, NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { putI32, takeI32 } from "./regions.ts";

const ROWS = 100_000;
const KEYS = 2;
const MOST_MS = 2000;

/** All rows of a side at one time; keys in turn. */
function side(kernel: Kernel, time: number) {
  const times = kernel.alloc(16 * ROWS, "times");
  const values = kernel.f64(times);
  for (let row = 0; row < ROWS; row++) values.set([time, 0], 2 * row);
  return {
    times,
    ids: putI32(
      kernel,
      Int32Array.from({ length: ROWS }, (_, row) => row % KEYS),
    ),
  };
}

function common(kernel: Kernel, strict: boolean, rightTime: number) {
  const [left, right] = [side(kernel, 2), side(kernel, rightTime)];
  return {
    leftTimes: left.times,
    leftIds: left.ids,
    rightTimes: right.times,
    rightIds: right.ids,
    base: 1,
    strict,
    before: null,
    horizon: { major: 9, minor: 0, ended: false },
    rowBase: 0,
    memo: { rows: putI32(kernel, [NONE, NONE]), times: kernel.alloc(16 * KEYS, "times") },
  };
}

const CASES = [false, true].flatMap((strict) => [false, true].flatMap((other) => [1, 2, 3].map((time) => ({ strict, other, time }))));

describe.each(implementations)("as-of merges of the $name kernel, rows of one time", ({ make }) => {
  it.each(CASES)("backward: strict $strict, first $other, the right at $time, the left at 2", ({ strict, other, time }) => {
    const kernel = make();
    const out = kernel.alloc(4 * ROWS, "partners");
    const cursor = { left: 0, right: 0 };
    const merge = { ...common(kernel, strict, time), first: other };
    const started = performance.now();
    kernel.mergeBackward(merge, cursor, ROWS, ROWS, out);
    expect(performance.now() - started).toBeLessThan(MOST_MS);
    const found = time < 2 || (time === 2 && !strict) ? (other ? [0, 1] : [ROWS - 2, ROWS - 1]) : [NONE, NONE];
    expect(takeI32(kernel, out, ROWS)).toEqual(Array.from({ length: ROWS }, (_, row) => found[row % KEYS]));
  });

  it.each(CASES)("ahead: strict $strict, last $other, the right at $time, the left at 2", ({ strict, other, time }) => {
    const kernel = make();
    const out = kernel.alloc(4 * ROWS, "partners");
    for (const nearest of [false, true]) {
      const { memo, ...merge } = common(kernel, strict, time);
      const queues = { next: kernel.alloc(4 * ROWS, "next"), heads: putI32(kernel, [NONE, NONE]), tails: putI32(kernel, [NONE, NONE]) };
      kernel.linkRows(merge.rightIds, 0, ROWS, queues);
      const cursor = { left: 0, popped: 0, memoed: 0 };
      const ahead = { ...merge, memo: nearest ? memo : null, queues, backFirst: false, aheadLast: other, after: null };
      const started = performance.now();
      // In two calls: what the first has found is kept.
      kernel.mergeAhead(ahead, cursor, ROWS / 2, ROWS, out);
      kernel.mergeAhead(ahead, cursor, ROWS, ROWS, out);
      expect(performance.now() - started).toBeLessThan(MOST_MS);
      if (time === 3) {
        const found = other ? [ROWS - 2, ROWS - 1] : [0, 1];
        expect(takeI32(kernel, out, ROWS)).toEqual(Array.from({ length: ROWS }, (_, row) => found[row % KEYS]));
      }
    }
  });
});
