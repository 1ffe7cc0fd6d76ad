/**
 * Ranges over groups of thousands of rows, where sorted search is chosen by itself: the same rows as testing every pair, in every kind, with
 * keys or without, whichever side is built; what is searched and what is tested as `explain()` says; work that does not grow with the pairs.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { JoinMetrics } from "../../src/index.ts";
import * as c from "../support/column.ts";
import { memoryStore } from "../support/memory-store.ts";
import { ALL_KINDS } from "../support/random.ts";
import { type How, runJoin, runJoinWhere, runJoinWhereStream, type Switches } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

/** A linear congruential generator: integers below a bound. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Points `p`, intervals [lo, hi) of which one in 50 is long, a key of which two values have most of the rows; nulls and NaN among all.
 * `spread`: points are below it, so that rows match 1 in spread / 10 of the others.
 */
function side(rows: number, seed: number, spread: number): Table {
  const next = random(seed);
  const odd = (n: number) => (n % 97 === 5 ? null : n % 89 === 3 ? Number.NaN : n);
  const points = Array.from({ length: rows }, () => next(spread));
  const ends = points.map((n) => n + (next(50) === 0 ? next(spread) : next(20)) - 1);
  const keys = Array.from({ length: rows }, () => next(10));
  return table(
    {
      k: c.int32(keys.map((n, i) => (n === 0 ? null : n < 5 ? 1 : n < 9 ? 2 : 10 + (i % 7)))),
      p: c.float64(points.map((n, i) => odd(n + (i % 4) / 4))),
      lo: c.float64(points.map(odd)),
      hi: c.float64(ends.map(odd)),
      n: c.int32(points.map((n) => (n % 101 === 7 ? null : n))),
      w: c.int64(keys.map((n) => BigInt(n))),
      row: c.int32(points.map((_, i) => i)),
    },
    { split: [rows >> 1, rows - (rows >> 1)] },
  );
}

const overlap = x.and(x.lt(l("lo"), r("hi")), x.lt(r("lo"), l("hi")));
const SHAPES: { readonly [name: string]: { readonly predicate: Tree; readonly text: string; readonly rest?: string } } = {
  "a band": { predicate: x.and(x.ge(r("p"), l("lo")), x.lt(r("p"), l("hi"))), text: "right.p" },
  "a point in an interval": { predicate: x.and(x.le(r("lo"), l("p")), x.lt(l("p"), r("hi"))), text: "right.lo, right.hi" },
  "an overlap": { predicate: overlap, text: "right.hi, right.lo" },
  "an overlap and more": {
    predicate: x.and(overlap, x.ne(l("w"), r("w")), x.lt(x.add(l("n"), r("n")), 9000)),
    text: "right.hi, right.lo",
    rest: "left.w <> right.w and left.n + right.n < 9000",
  },
  "an equality of a sum": { predicate: x.eq(x.add(l("n"), 1), r("n")), text: "right.n" },
  "most pairs, and more": {
    predicate: x.and(x.lt(l("n"), x.add(r("n"), 4000)), x.eq(x.mod(x.add(l("row"), r("row")), 997), 0)),
    text: "right.n + 4000",
    rest: "(left.row + right.row) % 997 = 0",
  },
};

const [LEFT, RIGHT] = [side(1500, 1, 10_000), side(2500, 2, 10_000)];

/** Rows as numbers, and what the join says of itself. */
function rowsOf(left: Table, right: Table, predicate: Tree, options: object, switches: Switches, on?: string) {
  let metrics: JoinMetrics | undefined;
  const all = { ...options, onMetrics: (final: JoinMetrics) => (metrics = final) };
  const result = on
    ? runJoin(left, right, { ...all, on, filter: predicate }, switches)
    : runJoinWhere(left, right, predicate, all, switches);
  const columns = result.schema.fields.flatMap(({ name }, i) =>
    /^(row|mark)/.test(name) ? [Array.from(result.getChildAt(i) ?? []).join()] : [],
  );
  return { rows: columns.join(" | "), numRows: result.numRows, metrics: metrics as JoinMetrics };
}

/** Each case runs with one kernel and builds one side, in turn. */
let number = 0;

for (const how of ALL_KINDS as readonly How[]) {
  describe(`a ${how} join`, () => {
    for (const [name, { predicate, text, rest }] of Object.entries(SHAPES)) {
      it(`on ${name} finds what testing every pair finds, with a key and without`, () => {
        const turn = number++;
        const kernel = turn % 3 === 0 ? "ts" : "wasm";
        for (const on of [undefined, "k"]) {
          const options = { how, kernel, build: (turn & 1) === Number(on === "k") ? "left" : "right" };
          const found = rowsOf(LEFT, RIGHT, predicate, options, {}, on);
          const expected = rowsOf(LEFT, RIGHT, predicate, options, { rangeSearch: "off" }, on);
          const always = rowsOf(LEFT, RIGHT, predicate, options, { rangeSearch: "always", tileRows: 100 }, on);
          if (found.rows !== expected.rows) throw new Error(`other rows, ${JSON.stringify(options)}`);
          if (always.rows !== expected.rows) throw new Error(`other rows where search is forced, ${JSON.stringify(options)}`);
          expect(found.numRows).toBe(expected.numRows);
          expect(expected.metrics.plan).not.toContain("range index");
          const { plan, pairsTested } = found.metrics;
          // An inverted index has listed the pairs.
          if (plan.includes("pairs sorted back")) continue;
          const restText = rest ? `; rest: ${rest}` : "";
          if (plan.includes("build: right")) expect(plan).toContain(`by range index on ${text}${restText}; ${pairsTested} pairs tested)`);
          else expect(plan).toMatch(/by range index on left\./);
        }
      });
    }
  });
}

describe("what is tested", () => {
  const grown = (predicate: Tree, how: How, rows: number, switches: Switches = {}) => {
    const [left, right] = [side(rows, 3, 10 * rows), side(rows, 4, 10 * rows)];
    return rowsOf(left, right, predicate, { how }, switches).metrics;
  };
  const narrow = x.and(x.lt(l("lo"), r("p")), x.lt(r("lo"), l("p")));

  it("is nothing where all conditions are searched", () => {
    for (const how of ALL_KINDS as readonly How[]) expect(grown(narrow, how, 3000).pairsTested).toBe(0);
  });

  it("are the candidates of a search where others are left, a few a row however many rows there are", () => {
    const predicate = x.and(narrow, x.ne(l("w"), r("w")));
    for (const how of ["inner", "full", "leftSemi", "rightAnti", "leftMark"] as const)
      for (const rows of [2000, 8000]) expect(grown(predicate, how, rows).pairsTested).toBeLessThan(3 * rows);
    expect(grown(predicate, "inner", 2000, { rangeSearch: "off" }).pairsTested).toBeGreaterThan(1_000_000);
  });

  it("is every pair where a side is too small for sorting to pay", () => {
    const few = x.and(x.le(r("lo"), l("p")), x.lt(l("p"), r("hi")));
    const { plan } = rowsOf(side(40, 5, 1000), side(5000, 6, 1000), few, {}, {}).metrics;
    expect(plan).not.toContain("range index");
    expect(rowsOf(side(4000, 5, 1000), side(40, 6, 1000), few, {}, {}).metrics.plan).not.toContain("range index");
  });

  it("says what one inequality is answered by", () => {
    const { plan, pairsTested } = rowsOf(LEFT, RIGHT, x.lt(l("p"), r("p")), { how: "leftSemi" }, {}).metrics;
    expect(plan).toContain("(by one look at the extreme of right.p; 0 pairs tested)");
    expect(pairsTested).toBe(0);
    const keyed = rowsOf(LEFT, RIGHT, x.lt(l("p"), r("p")), { how: "rightAnti" }, {}, "k").metrics.plan;
    expect(keyed).toContain("by one look at the extreme of left.p of a key");
  });
});

it("where its index does not fit it is made of a part of the rows at a time, and the rows are the same", () => {
  const [left, right] = [side(3000, 7, 30_000), side(30_000, 8, 30_000)];
  const free = rowsOf(left, right, overlap, {}, {});
  expect(free.metrics.plan).toContain("range index");
  for (const [memoryLimit, passes] of [
    [32_000_000, false],
    [3_500_000, true],
  ] as const) {
    const held = rowsOf(left, right, overlap, { memoryLimit, spill: memoryStore() }, {});
    expect(held.metrics.peakBytes).toBeLessThanOrEqual(memoryLimit);
    expect(held.metrics.plan).toContain("range index");
    expect(held.metrics.plan.includes("passes: ")).toBe(passes);
    expect(held.rows).toBe(free.rows);
  }
});

it("a stream whose length is not known searches too, batch by batch", async () => {
  const expected = rowsOf(LEFT, RIGHT, overlap, { how: "left" }, {}).rows;
  const stream = await runJoinWhereStream(LEFT.batches, RIGHT, overlap, { how: "left", batchSize: 100 }, {});
  const result = await stream.toTable();
  const columns = ["row", "row_right"].map((name) => Array.from(result.getChild(name) ?? []).join());
  expect(columns.join(" | ")).toBe(expected);
  expect(stream.explain()).toContain("by range index on right.hi, right.lo; ");
});
