/** The oracle of as-of joins against cases worked out by hand, rule by rule of SEMANTICS 7. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { decidedRows, disorderOf, type Known, timesOf } from "./asof-oracle.ts";
import { ASOF_AXES, pairwise } from "./axes.ts";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import { oracleOf } from "./expect-asof.ts";
import { readTable } from "./rows.ts";
import type { AsofOptions } from "./run.ts";
import { table } from "./table.ts";
import { l, r, x } from "./tree.ts";

type Make = (cells: readonly Cell[]) => c.Column;

const times = (cells: readonly Cell[], make: Make = c.int32, keys?: readonly Cell[]): Table =>
  table({ t: make(cells), ...(keys && { k: c.int32(keys) }) });

/** The row of each left row's partner in the one right; -1 for none. */
const partners = (left: Table, right: Table, options: AsofOptions = {}): number[] =>
  oracleOf(left, right, { on: "t", ...options }).partners.map(([row]) => row);

describe("the closest row, in the oracle", () => {
  const left = times([0, 2, 3, 5, 9]);
  const right = times([1, 3, 3, 7]);

  it("is the last at or before, the first at or after, or the nearer of both", () => {
    expect(partners(left, right)).toEqual([-1, 0, 2, 2, 3]);
    expect(partners(left, right, { direction: "forward" })).toEqual([0, 1, 1, 3, -1]);
    expect(partners(left, right, { direction: "nearest" })).toEqual([0, 0, 2, 2, 3]);
  });

  it("is no row of the same time without allowExactMatches", () => {
    const allowExactMatches = false;
    expect(partners(left, right, { allowExactMatches })).toEqual([-1, 0, 0, 2, 3]);
    expect(partners(left, right, { direction: "forward", allowExactMatches })).toEqual([0, 1, 3, 3, -1]);
    expect(partners(left, right, { direction: "nearest", allowExactMatches })).toEqual([0, 0, 0, 2, 3]);
  });

  it("is the tied row that ties names", () => {
    expect(partners(left, right, { ties: "first" })).toEqual([-1, 0, 1, 1, 3]);
    expect(partners(left, right, { ties: "last" })).toEqual([-1, 0, 2, 2, 3]);
    expect(partners(left, right, { direction: "forward", ties: "last" })).toEqual([0, 2, 2, 3, -1]);
    expect(partners(times([2, 3, 4]), times([3, 3]), { direction: "nearest" })).toEqual([0, 1, 1]);
  });

  it("is within the tolerance, inclusive, on each side its own", () => {
    expect(partners(left, right, { tolerance: 1 })).toEqual([-1, 0, 2, -1, -1]);
    expect(partners(left, right, { direction: "nearest", tolerance: { before: 2n } })).toEqual([0, 0, 2, 2, 3]);
    expect(partners(left, right, { direction: "nearest", tolerance: { before: 1, after: 0 } })).toEqual([-1, 0, 2, -1, -1]);
    expect(partners(left, right, { direction: "nearest", tolerance: { before: 0, after: 2 } })).toEqual([0, 1, 2, 3, -1]);
    expect(partners(times([30]), times([0, 30]), { tolerance: 10, allowExactMatches: false })).toEqual([-1]);
  });

  it("of floats treats infinities as at distance 0, NaN as no time and -0 as 0", () => {
    const inf = Number.POSITIVE_INFINITY;
    const f = (...cells: Cell[]) => times(cells, c.float64);
    expect(partners(f(-inf, "-0", "NaN(7ff8000000000000)", 1, inf), f(-inf, 0, "NaN(7ff8000000000000)", inf), { tolerance: 0.5 })).toEqual([
      0, 1, -1, -1, 3,
    ]);
    expect(partners(f(1), f(-inf, inf), { direction: "nearest" })).toEqual([0]);
    expect(partners(f(1), f(-inf), { tolerance: inf })).toEqual([0]);
  });

  it("of times of two units is exact, and durations are of any unit", () => {
    const left = times([1n, 2n], c.timestamp("s"));
    const right = times([999_999_999n, 2_000_000_001n], c.timestamp("ns"));
    expect(partners(left, right)).toEqual([0, 0]);
    expect(partners(left, right, { tolerance: "1ns" })).toEqual([0, -1]);
    expect(partners(left, right, { direction: "nearest", tolerance: 1 })).toEqual([0, 1]);
    expect(partners(times([1n, 2n], c.timestamp("s")), right, { tolerance: "1s1ns" })).toEqual([0, 0]);
    expect(partners(times([3], c.date32), times([86_400_000n], c.date64), { tolerance: 1 })).toEqual([-1]);
    expect(partners(times([3], c.date32), times([86_400_000n], c.date64), { tolerance: 2 })).toEqual([0]);
    expect(partners(times([3], c.date32), times([86_400_000n], c.date64), { tolerance: "1d23h60m" })).toEqual([0]);
  });

  it("of the whole range of int64 and uint64 has a distance that no word holds", () => {
    const [low, high] = [-(2n ** 63n), 2n ** 63n - 1n];
    expect(partners(times([high], c.int64), times([low], c.int64), { tolerance: 2n ** 64n - 1n })).toEqual([0]);
    expect(partners(times([high], c.int64), times([low], c.int64), { tolerance: 2n ** 64n - 2n })).toEqual([-1]);
    expect(partners(times([0n], c.int64), times([2n ** 64n - 1n], c.uint64), { direction: "forward" })).toEqual([0]);
  });

  it("has an equal key, null with null only when asked", () => {
    const left = times([1, 2, 3, 4], c.int32, [1, 2, null, 1]);
    const right = times([0, 1, 2, 3], c.int32, [2, null, 1, 1]);
    expect(partners(left, right, { by: "k" })).toEqual([-1, 0, -1, 3]);
    expect(partners(left, right, { by: "k", nullsEqual: true })).toEqual([-1, 0, 1, 3]);
    expect(partners(left, right, { by: [{ left: "k", right: "k", nullsEqual: true }] })).toEqual([-1, 0, 1, 3]);
  });

  it("passes the filter, which is asked before the choice", () => {
    const left = table({ t: c.int32([5, 6]), v: c.int32([1, 9]) });
    const right = table({ t: c.int32([3, 4, 5]), w: c.int32([0, null, 5]) });
    expect(partners(left, right, { filter: x.lt(r("w"), l("v")) })).toEqual([0, 2]);
    expect(partners(left, right, { filter: x.gt(l("v"), 5) })).toEqual([-1, 2]);
    expect(partners(left, right, { filter: x.lt(r("w"), 5) })).toEqual([0, 0]);
  });
});

describe("the result of an as-of join, in the oracle", () => {
  const left = table({ t: c.int32([1, 2]), k: c.int32([1, 2]), v: c.int32([10, 20]) }, { metadata: { who: "left" } });
  const right = table({ t: c.int32([0, 1]), k: c.int32([1, 1]), v: c.int32([7, 8]) }, { metadata: { who: "right", r: "1" } });
  const other = table({ u: c.int32([2]), w: c.dictionary(c.utf8(["x"]), { index: "int8" }) });
  const names = (options: AsofOptions) => oracleOf(left, right, { on: "t", by: "k", ...options }).fields.map(({ name }) => name);

  it("drops keys and time where they have the left's names, and suffixes what clashes", () => {
    expect(names({})).toEqual(["t", "k", "v", "v_right"]);
    expect(names({ rightTime: "at" })).toEqual(["t", "k", "v", "at", "v_right"]);
    expect(names({ by: { v: "k" } })).toEqual(["t", "k", "v", "k_right", "v_right"]);
    expect(names({ suffix: ["_l", ""] })).toEqual(["t", "k", "v_l", "v"]);
    expect(names({ select: ["right.v", "left.k", "v_right", "right.t"] })).toEqual(["v", "k", "v_right", "t"]);
    expect(names({ select: { a: "right.v" } })).toEqual(["a"]);
    expect(() => names({ suffix: "" })).toThrow("duplicate");
  });

  it("keeps unmatched rows in left joins alone, and makes the right nullable there", () => {
    const of = (how: AsofOptions["how"]) => oracleOf(left, right, { on: "t", by: "k", how });
    expect(of("left").rows).toEqual([
      [1, 1, 10, 8],
      [2, 2, 20, null],
    ]);
    expect(of("left").fields.map(({ nullable }) => nullable)).toEqual([false, false, false, true]);
    expect(of("inner").rows).toEqual([[1, 1, 10, 8]]);
    expect(of("inner").fields.map(({ nullable }) => nullable)).toEqual([false, false, false, false]);
    expect(of("leftSemi").rows).toEqual([[1, 1, 10]]);
    expect(of("leftAnti").rows).toEqual([[2, 2, 20]]);
    expect([of("left").metadata, of("leftSemi").metadata]).toEqual([{ who: "left", r: "1" }, { who: "left" }]);
  });

  it("of several rights has each left row once, and wants a match in every one", () => {
    const rights = [
      { table: right, by: "k" },
      { table: other, on: { t: "u" } },
    ];
    const all = oracleOf(left, rights, { on: "t" });
    expect(all.fields.map(({ name }) => name)).toEqual(["t", "k", "v", "v_right", "u", "w"]);
    expect(all.fields[5].type).toBe("dictionary<int32, utf8>");
    expect(all.rows).toEqual([
      [1, 1, 10, 8, null, null],
      [2, 2, 20, null, 2, "x"],
    ]);
    expect(oracleOf(left, rights, { on: "t", how: "inner" }).rows).toEqual([]);
    expect(oracleOf(left, rights, { on: "t", how: "leftAnti" }).rows.length).toBe(2);
    expect(oracleOf(left, rights, { on: "t", select: ["right1.w", "right.v"] }).fields.map(({ name }) => name)).toEqual(["w", "v"]);
  });
});

describe("the rule of emission, in the oracle", () => {
  /** How many of the left rows are decided once so many rows of the right are known. */
  function decided(left: Table, right: Table, options: AsofOptions, known: Partial<Known>): number[] {
    const expected = oracleOf(left, right, { on: "t", ...options });
    const { least, most } = decidedRows(expected, left.numRows, [{ rows: 0, ended: false, ...known }]);
    return least === most ? [least] : [least, most];
  }
  const byRead = (left: Table, right: Table, options: AsofOptions) =>
    Array.from({ length: right.numRows + 1 }, (_, rows) => decided(left, right, options, { rows })[0]);

  it("backward waits until the right has passed the row's time", () => {
    expect(byRead(times([1, 2, 3]), times([0, 1, 2, 2, 4]), {})).toEqual([0, 0, 0, 1, 1, 3]);
    expect(byRead(times([1, 2, 3]), times([0, 1, 2, 2, 4]), { allowExactMatches: false })).toEqual([0, 0, 1, 2, 2, 3]);
    expect(byRead(times([1, 2, 3]), times([0, 1, 2, 2, 4]), { ties: "first" })).toEqual([0, 0, 1, 2, 2, 3]);
    expect(decided(times([1, 2, 3]), times([0]), {}, { ended: true })).toEqual([3]);
    expect(decided(times([1, 2, 3]), times([]), {}, { watermark: 2 })).toEqual([1]);
  });

  it("forward waits for a hit of its key, or until the right has passed the tolerance", () => {
    expect(byRead(times([1, 2, 3]), times([0, 1, 2, 5]), { direction: "forward" })).toEqual([0, 0, 1, 2, 3]);
    expect(byRead(times([1, 2, 3]), times([2, 2, 5]), { direction: "forward", ties: "last" })).toEqual([0, 0, 0, 2]);
    const keyed = times([1, 2], c.int32, [1, 2]);
    expect(byRead(keyed, times([1, 3, 4, 5], c.int32, [2, 2, 2, 2]), { direction: "forward", by: "k" })).toEqual([0, 0, 0, 0, 0]);
    expect(byRead(keyed, times([1, 3, 4, 5], c.int32, [2, 2, 2, 2]), { direction: "forward", by: "k", tolerance: 2 })).toEqual([
      0, 0, 0, 2, 2,
    ]);
  });

  it("nearest waits until nothing nearer can come", () => {
    const one = times([10]);
    expect(byRead(one, times([7, 9, 10, 10, 11]), { direction: "nearest" })).toEqual([0, 0, 0, 0, 0, 1]);
    expect(byRead(one, times([7, 10]), { direction: "nearest", ties: "first" })).toEqual([0, 0, 1]);
    expect(byRead(one, times([7, 12]), { direction: "nearest" })).toEqual([0, 0, 1]);
    const keyed = times([10], c.int32, [1]);
    expect(byRead(keyed, times([7, 10, 12, 13], c.int32, [1, 2, 2, 2]), { direction: "nearest", by: "k" })).toEqual([0, 0, 0, 0, 1]);
    expect(byRead(keyed, times([7, 10, 11], c.int32, [1, 2, 2]), { direction: "nearest", by: "k", tolerance: { after: 0 } })).toEqual([
      0, 0, 0, 1,
    ]);
    expect(byRead(one, times([7, 12, 13]), { direction: "nearest", ties: "last" })).toEqual([0, 0, 0, 1]);
  });

  it("leaves open when rows without a time, or without a key, are decided", () => {
    expect(decided(times([null, 1, null, 2]), times([2]), {}, { rows: 1 })).toEqual([2, 3]);
    expect(decided(times([1, 2], c.int32, [null, 1]), times([9], c.int32, [1]), { by: "k" }, { rows: 0 })).toEqual([0, 1]);
    expect(decided(times([null, 1]), times([2]), {}, { rows: 0 })).toEqual([0, 1]);
  });

  it("finds disorder behind rows without a time", () => {
    const of = (...cells: Cell[]) => disorderOf(timesOf(readTable(times(cells)), "t")[0]);
    expect(of(-1, null, 0, 0, 2)).toBe(null);
    expect(of(-1, 3, null, 2, 1)).toEqual({ row: 3, before: 1 });
  });
});

describe("the axes of as-of joins", () => {
  it("are covered pairwise by few combinations", () => {
    const set = pairwise(1, ASOF_AXES);
    expect(set.length).toBeLessThan(26);
    for (const layout of ASOF_AXES.layout)
      for (const rightLayout of ASOF_AXES.rightLayout)
        expect(set.some((one) => one.layout === layout && one.rightLayout === rightLayout)).toBe(true);
  });
});
