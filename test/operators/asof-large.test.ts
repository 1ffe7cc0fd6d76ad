/** As-of joins of more rows than any block, chunk or first table holds, against a search in each key's sorted times: both kernels, streams too. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { random } from "../support/axes.ts";
import * as c from "../support/column.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type AsofOptions, runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";

const ROWS = 20_000;

interface Side {
  readonly times: readonly number[];
  readonly keys: readonly number[];
}

/** Times go on by 0 to `step`; of `step` 0 all rows have one time. */
function sideOf(seed: number, rows: number, step: number, keys: number): Side {
  const pick = random(Math.imul(seed + 1, 0x9e3779b1));
  let now = -rows >> 1;
  const times = Array.from({ length: rows }, () => {
    now += pick(step + 1);
    return now;
  });
  return { times, keys: times.map(() => pick(keys)) };
}

const tableOf = ({ times, keys }: Side, split: readonly number[]): Table =>
  table({ t: c.int32(times), k: c.int32(keys), row: c.int32(times.map((_, i) => i)) }, { split });

/** The first index whose time is at least, or above, `time`. */
function lowerBound(rows: readonly number[], times: readonly number[], time: number, above: boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (above ? times[rows[middle]] <= time : times[rows[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function partners(left: Side, right: Side, options: AsofOptions): (number | null)[] {
  const { direction = "backward", allowExactMatches = true, ties = "adjacent", tolerance = Number.POSITIVE_INFINITY, by } = options;
  const groups = new Map<number, number[]>();
  right.times.forEach((_, row) => {
    const key = by ? right.keys[row] : 0;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  });
  const within = (distance: number) => distance <= (tolerance as number);
  return left.times.map((T, l) => {
    const rows = groups.get(by ? left.keys[l] : 0) ?? [];
    const before = lowerBound(rows, right.times, T, allowExactMatches) - 1;
    const after = lowerBound(rows, right.times, T, !allowExactMatches);
    const tied = (at: number, takesFirst: boolean) => {
      const time = right.times[rows[at]];
      return rows[takesFirst ? lowerBound(rows, right.times, time, false) : lowerBound(rows, right.times, time, true) - 1];
    };
    const back = before >= 0 && within(T - right.times[rows[before]]) ? tied(before, ties === "first") : null;
    const ahead = after < rows.length && within(right.times[rows[after]] - T) ? tied(after, ties !== "last") : null;
    if (direction === "backward" || ahead === null) return direction === "forward" ? null : back;
    if (direction === "forward" || back === null) return ahead;
    return T - right.times[back] <= right.times[ahead] - T ? back : ahead;
  });
}

const VARIANTS: readonly AsofOptions[] = [
  {},
  { allowExactMatches: false },
  { ties: "first", tolerance: 3 },
  { direction: "forward" },
  { direction: "forward", ties: "last", tolerance: 10 },
  { direction: "nearest", tolerance: 50 },
  { direction: "nearest", ties: "first" },
  { direction: "nearest", ties: "last", allowExactMatches: false },
];

/** 6000 rows of each time. */
const inSteps = ({ times, keys }: Side): Side => ({ keys, times: times.map((_, i) => Math.floor(i / 6000) * 700 - 1500) });

const SHAPES: readonly { readonly name: string; readonly left: Side; readonly right: Side }[] = [
  { name: "as many on both sides", left: sideOf(1, ROWS, 2, 300), right: sideOf(2, ROWS, 2, 300) },
  { name: "few on the left", left: sideOf(3, 40, 900, 300), right: sideOf(4, ROWS, 2, 300) },
  { name: "few on the right", left: sideOf(5, ROWS, 2, 3), right: sideOf(6, 40, 900, 3) },
  { name: "long groups of equal times", left: sideOf(7, 3000, 1, 2), right: inSteps(sideOf(8, ROWS, 0, 2)) },
  { name: "as many keys as rows", left: sideOf(9, ROWS, 2, ROWS), right: sideOf(10, ROWS, 2, ROWS) },
];

describe("as-of joins of many rows", () => {
  for (const { name, left, right } of SHAPES) {
    it(`${name} find what a search finds`, async () => {
      const cut = left.times.length >> 2;
      const [l, r] = [tableOf(left, [cut, left.times.length - cut]), tableOf(right, [right.times.length])];
      let number = 0;
      for (const variant of VARIANTS)
        for (const by of [{}, { by: "k" }]) {
          const options = { on: "t", ...variant, ...by, select: ["right.row"] };
          const expected = partners(left, right, options);
          for (const kernel of ["wasm", "ts"] as const) {
            const found = readTable(runJoinAsof(l, r, { ...options, kernel }, {})).rows.map(([row]) => row);
            expect(found, JSON.stringify({ ...options, kernel })).toEqual(expected);
          }
          const [rowsLeft, rowsRight] = [
            [700, 5000],
            [5000, 700],
            [64, 64],
          ][number++ % 3];
          const inputs = [resplit(l, rowsLeft, false), resplit(r, rowsRight, false)] as const;
          const kernel = number % 2 ? "wasm" : "ts";
          const stream = await runJoinAsofStream(...inputs, { ...options, kernel }, number % 4 < 2 ? { compactBytes: 0 } : {});
          const batches = [];
          for await (const batch of stream) batches.push(batch);
          const found = readBatches(stream.schema, batches).rows.map(([row]) => row);
          expect(found, JSON.stringify({ ...options, kernel, rowsLeft, rowsRight })).toEqual(expected);
        }
    });
  }
});
