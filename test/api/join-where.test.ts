/** `joinWhere` and `joinWhereStream` as a caller meets them: predicates that are none, options that they have not, inputs, metrics. */

import { tableFromArrays } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { ArrowJoinErrorCode } from "../../src/error.ts";
import { col, lit as literal, prepareJoin } from "../../src/index.ts";
import { int32, list, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { joinWhere, joinWhereStream } from "../support/run.ts";
import { source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const left = table({ id: int32([1, 2, 3]), v: utf8(["a", "b", "c"]), items: list(int32(), [[1], [2], [3]]) });
const right = table({ id: int32([3, 2, 9]), w: int32([1, 2, 3]) });
const less = x.lt(l("id"), r("w"));

/** Both verbs refuse it in the same words, and no input is read. */
async function refused(
  predicate: unknown,
  options: unknown,
  code: ArrowJoinErrorCode,
  ...words: readonly (string | RegExp)[]
): Promise<void> {
  await expectError(() => joinWhere(left, right, predicate, options), code, ...words);
  const inputs = [source(left), source(right)];
  await expectError(() => joinWhereStream(inputs[0], inputs[1], predicate, options), code, ...words);
  expect(inputs.map((input) => input.pulls())).toEqual([0, 0]);
}

type Columns = Record<string, { lt(other: unknown): unknown; add(other: unknown): unknown }>;

describe("a predicate", () => {
  it("is required, and nothing else is one", async () => {
    for (const none of [undefined, null, true, 5, "l.id < r.w", Symbol("x"), [], [less], new Date(0), new Map()])
      await refused(none, {}, "INVALID_EXPRESSION", /joinWhere|predicate/);
    await expectError(() => (joinWhere as (...args: unknown[]) => unknown)(left, right), "INVALID_EXPRESSION", /joinWhere|predicate/);
    await expectError(() => joinWhere(left, right, { how: "left" }), "INVALID_EXPRESSION");
  });

  it("is no function that returns something else", async () => {
    const functions = [
      () => undefined,
      () => null,
      () => true,
      () => 1,
      () => "id",
      () => ({}),
      (a: Columns) => a,
      () => [less],
      async () => less,
      (a: Columns, b: Columns) => () => a.id.lt(b.w),
    ];
    for (const predicate of functions) await refused(predicate, {}, "INVALID_EXPRESSION");
  });

  it("is no function that lets go of one of the conditions that it made", async () => {
    await refused((a: Columns, b: Columns) => a.id.lt(b.w) && a.id.lt(5), {}, "INVALID_EXPRESSION", ".and(");
  });

  it("passes on what a function throws", async () => {
    const error = new Error("mine");
    const throws = () => {
      throw error;
    };
    expect(() => joinWhere(left, right, throws)).toThrow(error);
    await expect(joinWhereStream(left, right, throws)).rejects.toBe(error);
  });

  it("is true or false, over columns that there are, of types that meet", async () => {
    await refused((a: Columns, b: Columns) => a.id.add(b.w), {}, "INVALID_EXPRESSION");
    await refused(l("id"), {}, "INVALID_EXPRESSION", "id");
    await refused(x.lt(l("nope"), r("w")), {}, "INVALID_EXPRESSION", "nope", /left/, "id");
    await refused(x.lt(l("id"), r("v")), {}, "INVALID_EXPRESSION", "v", /right/);
    await refused(x.lt(l("v"), r("w")), {}, "INVALID_EXPRESSION", "utf8", "int32");
    await refused(x.eq(l("v"), r("w")), {}, "INVALID_EXPRESSION", "utf8", "int32");
    await refused(x.eq(l("items"), l("items")), {}, "INVALID_EXPRESSION", "items");
    await refused(x.and(less, x.eq(x.div(1, 0), r("w"))), {}, "INVALID_EXPRESSION");
  });

  it("is called once, with the columns of both inputs", () => {
    let calls = 0;
    const predicate = (a: Columns, b: Columns) => {
      calls++;
      return a.id.lt(b.w);
    };
    expect(readTable(joinWhere(left, right, predicate, { how: "leftSemi", select: ["id"] })).rows).toEqual([[1], [2]]);
    expect(calls).toBe(1);
  });

  it("may be an expression, its JSON, and read columns of any name", async () => {
    const expression = col("left", "id").lt(col("right", "w"));
    const expected = readTable(joinWhere(left, right, less));
    expect(readTable(joinWhere(left, right, expression))).toEqual(expected);
    expect(readTable(joinWhere(left, right, JSON.parse(JSON.stringify(expression))))).toEqual(expected);
    const odd = table({ "unit price": int32([1, 2]), eq: int32([1, 2]), and: int32([5, 6]) });
    const rows = readTable(joinWhere(odd, right, (a: Columns, b: Columns) => a["unit price"].lt(b.w), { select: ["eq", "and"] })).rows;
    expect(rows).toEqual([
      [1, 5],
      [1, 5],
      [2, 6],
    ]);
    expect(joinWhere(left, right, literal(true)).numRows).toBe(9);
  });
});

describe("the options of joinWhere", () => {
  it("are none where none are given", async () => {
    const inner = readTable(joinWhere(left, right, less, { how: "inner" }));
    expect(readTable(joinWhere(left, right, less))).toEqual(inner);
    expect(readTable(joinWhere(left, right, less, undefined))).toEqual(inner);
    expect(readTable(await (await joinWhereStream(left, right, less)).toTable()).rows).toEqual(inner.rows);
  });

  it("have no keys: on, filter, nullsEqual, nullAware and coalesceKeys are refused by name", async () => {
    const given = { on: "id", filter: less, nullsEqual: true, nullAware: true, coalesceKeys: false };
    for (const [name, value] of Object.entries(given)) await refused(less, { [name]: value }, "INVALID_OPTION", name, "joinWhere");
    await refused(less, { how: "leftAnti", nullAware: true }, "INVALID_OPTION", "nullAware");
  });

  it("that are unknown, or of another verb, are refused by name", async () => {
    for (const name of ["batchsize", "switches", "wherePath", "chunkRows", "predicate", "by", "tolerance"])
      await refused(less, { [name]: 1 }, "INVALID_OPTION", name);
    for (const [name, value] of Object.entries({ flush: "full", signal: new AbortController().signal, onProgress: () => {} }))
      await expectError(() => joinWhere(left, right, less, { [name]: value }), "INVALID_OPTION", name);
  });

  it("are an object", async () => {
    for (const options of [null, 5, "left", true, [], () => ({})]) await refused(less, options, "INVALID_OPTION", /options/);
  });

  const values: { readonly [option: string]: readonly unknown[] } = {
    how: ["outer", "", null, 5, "Inner", "cross", "leftOuter", {}, "toString"],
    select: ["id", 5, [5], [null], { x: 5 }],
    suffix: [5, null, ["_a"], {}],
    markName: ["", 5, null],
    validate: ["1:n", "", null, 1],
    unmatched: ["warn", null, true, { left: "warn" }, { up: "error" }],
    multiple: ["one", "", null, 1],
    order: ["up", "", null, 1],
    build: ["middle", "", null, true],
    batchSize: [0, -1, 1.5, Number.NaN, "8192", null, 8192n],
    copy: ["no", 1, null],
    kernel: ["gpu", "", null],
    hashSeed: ["x", 1n, null, Number.NaN],
    onMetrics: ["log", {}, 1],
    memoryLimit: [0, -1, Number.NaN, "32MB", null, 5n, {}, Number.NEGATIVE_INFINITY],
    spill: [{}, null, "/tmp", 5, true, { create: "x" }],
  };
  for (const [option, wrong] of Object.entries(values)) {
    it(`${option} with a value that it has not is refused by name`, async () => {
      for (const value of wrong) await refused(less, { [option]: value }, "INVALID_OPTION", option);
    });
  }

  it("that are undefined are as if they were not given", () => {
    const names = ["how", "on", "filter", "select", "suffix", "memoryLimit", "spill", "validate", "batchSize", "nullAware"];
    const given = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(readTable(joinWhere(left, right, less, given))).toEqual(readTable(joinWhere(left, right, less)));
  });

  it("contradict each other where order and build of a stream do", async () => {
    for (const order of ["left", "right"] as const) {
      await expectError(() => joinWhereStream(left, right, less, { order, build: order }), "INVALID_OPTION", "order", "build");
      const other = order === "left" ? "right" : "left";
      const stream = await joinWhereStream(left, right, less, { order, build: other });
      expect(readTable(await stream.toTable()).rows).toEqual(readTable(joinWhere(left, right, less, { order })).rows);
    }
  });

  it("refuse columns that are missing or of one name before any work", async () => {
    await refused(less, { select: ["left.nope"] }, "COLUMN_NOT_FOUND", "nope");
    await refused(less, { select: ["id", "left.id"] }, "DUPLICATE_COLUMN", "id");
    await refused(less, { suffix: "" }, "DUPLICATE_COLUMN", "id");
    await refused(less, { how: "leftMark", markName: "v" }, "DUPLICATE_COLUMN", "v");
  });
});

describe("the inputs of joinWhere", () => {
  it("are tables, batches and arrays of them", () => {
    const expected = readTable(joinWhere(left, right, less)).rows;
    expect(readTable(joinWhere(left.batches[0], right.batches, less)).rows).toEqual(expected);
    expect(readTable(joinWhere({ schema: left.schema, batches: left.batches }, right, less)).rows).toEqual(expected);
    expect(joinWhere({ schema: left.schema, batches: [] }, right, less, { how: "right" }).numRows).toBe(3);
  });

  it("are Arrow's: anything else is refused with its side", async () => {
    for (const wrong of [undefined, null, 5, "x", {}, [], [5], { batches: [] }]) {
      await expectError(() => joinWhere(wrong, right, less), "INVALID_INPUT", /left/);
      await expectError(() => joinWhere(left, wrong, less), "INVALID_INPUT", /right/);
    }
  });

  it("are no prepared side: its keys would say nothing here", async () => {
    const prepared = prepareJoin(right, { on: "id" });
    await expectError(() => joinWhere(left, prepared, less), /./ as unknown as ArrowJoinErrorCode).catch((error) => {
      expect(String(error)).toMatch(/INVALID_(INPUT|OPTION)/);
    });
    prepared.close();
  });

  it("are not changed", () => {
    const before = [readTable(left), readTable(right)];
    for (const predicate of [less, x.eq(l("id"), r("id")), x.ne(l("id"), r("w"))]) joinWhere(left, right, predicate, { how: "full" });
    expect([readTable(left), readTable(right)]).toEqual(before);
  });

  it("may be what tableFromArrays makes", () => {
    const visits = tableFromArrays({ at: Int32Array.of(5, 12, 30) });
    const shifts = tableFromArrays({ from: Int32Array.of(0, 10), to: Int32Array.of(10, 20), who: ["Ada", "Bob"] });
    const within = x.and(x.le(r("from"), l("at")), x.lt(l("at"), r("to")));
    expect(readTable(joinWhere(visits, shifts, within, { how: "left", select: ["at", "who"] })).rows).toEqual([
      [5, "Ada"],
      [12, "Bob"],
      [30, null],
    ]);
  });
});

describe("onMetrics of joinWhere", () => {
  it("is called once, with counts and the plan, and the stream's metrics are the same", async () => {
    for (const predicate of [less, x.eq(l("id"), r("id")), x.ne(l("id"), r("w"))]) {
      const seen: Record<string, unknown>[] = [];
      const onMetrics = (metrics: Record<string, unknown>) => seen.push(metrics);
      const { numRows } = joinWhere(left, right, predicate, { how: "full", onMetrics });
      expect(seen.length).toBe(1);
      expect(seen[0]).toMatchObject({ leftRows: 3, rightRows: 3, outRows: numRows });
      expect(seen[0].plan).toMatch(/full/);
      const stream = await joinWhereStream(left, right, predicate, { how: "full", onMetrics });
      await stream.toTable();
      expect(seen.length).toBe(2);
      const same = ["leftRows", "rightRows", "outRows", "leftUnmatched", "rightUnmatched"];
      for (const name of same) expect(seen[1][name], name).toEqual(seen[0][name]);
    }
  });
});
