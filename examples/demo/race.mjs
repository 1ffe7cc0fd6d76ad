/**
 * The same joins three ways: arrow-join's WASM kernels, their TypeScript twin, and the hand-written `Map` loop. Every way starts
 * from Arrow tables and ends with an Arrow table of the same columns. Rounds are interleaved, so that a slow moment of the
 * machine hits all three; what is told is the median.
 */

import { join } from "arrow-join";
import { digest } from "./digest.mjs";
import { joinOptions } from "./joins.mjs";
import { mapJoin } from "./map-loop.mjs";

const WAYS = {
  WASM: (left, right, question) => join(left, right, { ...joinOptions(question), kernel: "wasm" }),
  TypeScript: (left, right, question) => join(left, right, { ...joinOptions(question), kernel: "ts" }),
  "Map loop": (left, right, question) => mapJoin(left, right, question).table,
};

/**
 * @param {import("apache-arrow").Table} left
 * @param {import("apache-arrow").Table} right
 * @param {import("./joins.mjs").Question} question
 * @param {number} rounds timed ones, after one that warms up and is compared
 * @returns {{ ms: Record<string, number>, same: boolean }} medians; whether all ways gave the same rows in the same order
 */
export function race(left, right, question, rounds) {
  const digests = new Set(Object.values(WAYS).map((run) => digest(run(left, right, question))));
  const times = Object.fromEntries(Object.keys(WAYS).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(WAYS)) {
      const start = performance.now();
      run(left, right, question);
      times[name].push(performance.now() - start);
    }
  }
  return { ms: Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)])), same: digests.size === 1 };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
