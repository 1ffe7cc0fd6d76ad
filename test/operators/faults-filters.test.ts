/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), each reduced to a small input with the right
 * answer and run over every axis: filters, NOT IN, marks, columns that are not there (of A, D, and all of G).
 */

import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { bool, int32, utf8 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, x } from "../support/tree.ts";

const keyed = (rows: readonly (readonly [Cell, Cell])[], split?: readonly number[]) =>
  table({ k: int32(rows.map(([k]) => k)), v: int32(rows.map(([, v]) => v)) }, split && { split });
const ids = (values: readonly Cell[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });

describe("A. match bookkeeping with a filter", () => {
  it("9: semi and anti joins with a filter look at every batch of the other side", async () => {
    const left = keyed([[1, 5]]);
    const right = keyed(
      [
        [1, 1],
        [1, 9],
      ],
      [1, 1],
    );
    const filter = x.lt(l("v"), r("v"));
    for (const batchSize of [1, 2, 3]) {
      await expectJoin(left, right, { on: "k", how: "leftSemi", filter, batchSize }, { rows: [[1, 5]] });
      await expectJoin(left, right, { on: "k", how: "leftAnti", filter, batchSize }, { rows: [] });
    }
    for (const how of ALL_KINDS) {
      await expectJoin(left, right, { on: "k", how, filter });
      await expectJoin(right, left, { on: "k", how, filter: x.lt(r("v"), l("v")) });
    }
  });

  it("10: an anti join whose filter no pair passes keeps the row, at batches of one row too", async () => {
    const t1 = keyed([[11, 12]]);
    const t2 = keyed(
      [
        [11, 13],
        [11, 14],
      ],
      [1, 1],
    );
    const filter = x.lt(r("v"), l("v"));
    for (const batchSize of [1, 2, 8192]) await expectJoin(t1, t2, { on: "k", how: "leftAnti", filter, batchSize }, { rows: [[11, 12]] });
    await expectJoin(t2, t1, { on: "k", how: "rightAnti", filter: x.lt(l("v"), r("v")) }, { rows: [[11, 12]] });
    await expectJoin(t1, t2, { on: "k", how: "leftMark", filter }, { rows: [[11, 12, false]] });
  });
});

describe("D. null filter results, NOT IN, marks", () => {
  it("34: a filter that is null is no match, and both rows of a full join stay", async () => {
    const left = table({ k: int32([1]), b: int32([1]) });
    const right = table({ k: int32([1]), b: int32([null]) });
    const filter = x.lt(l("b"), x.add(r("b"), 1));
    await expectJoin(
      left,
      right,
      { on: "k", how: "full", filter, coalesceKeys: false },
      {
        rows: [
          [1, 1, null, null],
          [null, null, 1, null],
        ],
      },
    );
    for (const how of ALL_KINDS) {
      await expectJoin(left, right, { on: "k", how, filter });
      await expectJoin(left, right, { on: "k", how, filter: x.not(filter) });
      await expectJoin(left, right, { on: "k", how, filter: x.isNull(filter) });
    }
  });

  it("42: a null-aware mark is true, null and false, and false for every row of an empty list", async () => {
    const left = ids([1, 3, null]);
    const mark: Options = { on: "k", how: "leftMark", nullAware: true };
    const marks: readonly (readonly [readonly Cell[], readonly Cell[]])[] = [
      [
        [1, null],
        [true, null, null],
      ],
      [[1], [true, false, null]],
      [[], [false, false, false]],
    ];
    for (const [list, expected] of marks) {
      for (const split of list.length === 2 ? [[2], [1, 1], [0, 1, 1]] : [[list.length], [list.length, 0]]) {
        await expectJoin(left, ids(list, split), { ...mark, select: ["mark"] }, { rows: expected.map((cell) => [cell]) });
        await expectJoin(ids(list, split), left, { ...mark, how: "rightMark", select: ["mark"] }, { rows: expected.map((cell) => [cell]) });
      }
    }
  });

  it("43: a constant is NOT IN a list with a null for no row", async () => {
    const rows = table({ three: int32([3, 3]), id: int32([1, 2]) });
    const list = table({ three: int32([1, null]) });
    const anti: Options = { on: "three", how: "leftAnti", nullAware: true };
    await expectJoin(rows, list, anti, { rows: [] });
    await expectJoin(rows, table({ three: int32([1]) }), anti, { rows: readTable(rows).rows });
    await expectJoin(rows, table({ three: int32([3]) }), anti, { rows: [] });
    await expectJoin(list, rows, { ...anti, how: "rightAnti" }, { rows: [] });
  });

  it("45: a correlated NOT IN sees a null in its own list only", async () => {
    const out = table({ three: int32([3, 3]), id: int32([1, 2]), g: int32([1, 2]) });
    const list = table({ three: int32([1, null]), g: int32([1, 2]) });
    const filter = x.eq(l("g"), r("g"));
    await expectJoin(out, list, { on: "three", how: "leftAnti", nullAware: true, filter }, { rows: [[3, 1, 1]] });
    await expectJoin(
      out,
      list,
      { on: "three", how: "leftMark", nullAware: true, filter, select: ["id", "mark"] },
      {
        rows: [
          [1, false],
          [2, null],
        ],
      },
    );
  });

  it("46: a key that is null where its field says it may not be in the source keeps no row of NOT IN, unless the list is empty", async () => {
    // The key is computed by the caller: an expression that is null though its columns are not.
    const rows = table({ k: int32([null, null]), id: int32([1, 2]) });
    for (const list of [[5], [5, 6], [null]])
      await expectJoin(rows, ids(list), { on: "k", how: "leftAnti", nullAware: true }, { rows: [] });
    await expectJoin(rows, ids([]), { on: "k", how: "leftAnti", nullAware: true }, { rows: readTable(rows).rows });
    const filter = x.lt(r("k"), 5);
    await expectJoin(rows, ids([5, 6]), { on: "k", how: "leftAnti", nullAware: true, filter }, { rows: readTable(rows).rows });
  });
});

describe("G. filters, projections, zero columns, mark", () => {
  it("67: an anti join takes notice of its filter", async () => {
    const t = keyed([
      [1, 2],
      [3, 4],
    ]);
    const filter = x.ne(r("v"), l("v"));
    await expectJoin(t, t, { on: "k", how: "leftAnti", filter }, { rows: readTable(t).rows });
    await expectJoin(t, t, { on: "k", how: "rightAnti", filter }, { rows: readTable(t).rows });
    await expectJoin(t, t, { on: "k", how: "leftSemi", filter }, { rows: [] });
  });

  it("69: a constant filter over batches without columns keeps their row counts", async () => {
    const left = table({ same: int32([0, 0]) }, { split: [1, 1] });
    const right = table({ same: int32([0]) });
    await expectJoin(left, right, { on: "same", filter: lit(true), select: [] }, { rows: [[], []] });
    await expectJoin(left, right, { on: "same", how: "left", filter: lit(false), select: [] }, { rows: [[], []] });
    for (const filter of [lit(true), lit(false), lit(null)])
      for (const how of ALL_KINDS) await expectJoin(left, right, { on: "same", how, filter, select: [] });
  });

  it("70: a left join with a filter on the left alone keeps the left rows that it does not pass", async () => {
    const left = table({ same: int32([1, 1, 1]), name: utf8(["Alice", "Bob", "Carol"]) });
    const right = table({ same: int32([1]), dept: utf8(["HR"]) });
    const filter = x.in(l("name"), "Alice", "Bob");
    const select = ["name", "dept"];
    await expectJoin(
      left,
      right,
      { on: "same", how: "left", filter, select },
      {
        rows: [
          ["Alice", "HR"],
          ["Bob", "HR"],
          ["Carol", null],
        ],
      },
    );
    await expectJoin(
      right,
      left,
      { on: "same", how: "right", filter: x.in(r("name"), "Alice", "Bob"), select },
      {
        rows: [
          ["Alice", "HR"],
          ["Bob", "HR"],
          ["Carol", null],
        ],
      },
    );
    for (const how of ALL_KINDS) await expectJoin(left, right, { on: "same", how, filter });
  });

  it("72: a result without columns has the right count, and no column is read for it but the filter's", async () => {
    const left = table({ k: int32([1, 1, 2, 4]), v: int32([1, 5, 2, 3]), unread: utf8(["a", "b", "c", "d"]) }, { split: [1, 3] });
    const right = table({ k: int32([1, 2, 2]), v: int32([3, 9, 9]), unread: bool([true, false, null]) });
    const filter = x.lt(l("v"), r("v"));
    for (const how of ALL_KINDS) {
      await expectJoin(left, right, { on: "k", how, select: [] });
      await expectJoin(left, right, { on: "k", how, filter, select: [] });
    }
    // A column that nothing needs may be one that nothing could read.
    const broken = table({ k: int32([1, 2]), v: int32([0, 0]), bad: utf8(["x", "y"]) });
    (broken.batches[0].data.children[2].valueOffsets as Int32Array)[1] = 1_000_000;
    for (const kernel of ["wasm", "ts"]) {
      expect(join(broken, right, { on: "k", filter, select: [], kernel }).numRows).toBe(3);
      const stream = await joinStream(broken, right, { on: "k", how: "leftMark", filter, select: ["mark"], kernel });
      expect(readTable(await stream.toTable()).rows).toEqual([[true], [true]]);
    }
  });

  it("73: sides of different column counts do not confuse a right anti join, nor any other kind", async () => {
    const left = ids([1, 2]);
    const right = table({ k: int32([2, 3, null]), a: utf8(["x", "y", "z"]), b: bool([true, null, false]) });
    await expectJoin(
      left,
      right,
      { on: "k", how: "rightAnti" },
      {
        rows: [
          [3, "y", null],
          [null, "z", false],
        ],
      },
    );
    const filter = x.and(x.ge(l("k"), r("k")), r("b"));
    for (const how of ALL_KINDS) {
      await expectJoin(left, right, { on: "k", how, filter });
      await expectJoin(right, left, { on: "k", how, filter: x.isDistinctFrom(l("a"), "x") });
    }
  });

  it("75: a mark keeps its place in a reordered output and is no column of a side", async () => {
    const left = table({ k: int32([1, 2, 3]), a: utf8(["p", "q", "r"]), b: bool([true, true, false]) });
    const right = table({ k: int32([3, 1]), c: int32([7, 8]) });
    const filter = x.ne(r("c"), 8);
    const rows = [
      ["p", false, 1],
      ["q", false, 2],
      ["r", true, 3],
    ];
    await expectJoin(left, right, { on: "k", how: "leftMark", filter, select: ["left.a", "mark", "left.k"] }, { rows });
    await expectJoin(right, left, { on: "k", how: "rightMark", filter: x.ne(l("c"), 8), select: ["right.a", "mark", "right.k"] }, { rows });
    await expectJoin(
      left,
      right,
      { on: "k", how: "leftMark", filter, select: { mark: "left.b", found: "mark" } },
      {
        rows: [
          [true, false],
          [true, false],
          [false, true],
        ],
      },
    );
    for (const how of ["leftMark", "rightMark"] as const)
      await expectJoin(left, right, { on: "k", how, filter, markName: "c0", select: ["c0", how === "leftMark" ? "left.b" : "right.c"] });
  });

  it("76: metadata of both sides under one key is the left's, with a filter and without", async () => {
    const options = (who: string) => ({ metadata: { who, [who]: "yes" } });
    const left = table({ k: int32([1, 2]), v: int32([1, 2]) }, options("left"));
    const right = table({ k: int32([2, 1]), w: int32([1, 2]) }, options("right"));
    for (const how of ALL_KINDS) {
      await expectJoin(left, right, { on: "k", how });
      await expectJoin(left, right, { on: "k", how, filter: x.le(l("v"), r("w")) });
    }
    const joined = readTable(join(left, right, { on: "k", filter: x.le(l("v"), r("w")) }));
    expect(joined.metadata).toEqual({ who: "left", left: "yes", right: "yes" });
  });
});
