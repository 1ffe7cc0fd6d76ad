/** A prepared side in joins of every kind, order, mode, layout and batch size, on both kernels, compared with the oracle. */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import * as c from "../support/column.ts";
import { byText, checkBatches, checkMetrics, compareFields, compareMetadata, compareRows, type Plan, same } from "../support/compare.ts";
import { matchRows } from "../support/matches.ts";
import { type Expected, keysOf, oracleJoin, outputSides } from "../support/oracle.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream, type Metrics, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";
import { KERNELS, kernelOf, LAYOUTS, left, prepareJoin, readStream, right } from "./prepare-join.fixture.ts";

const SIZES = [1, 2, undefined, 3, 1000];
let turn = 0;

const SIDED = ALL_KINDS.filter((how) => !(outputSides(how).left && outputSides(how).right));

/** The parts of the options that are fixed when the side is prepared. */
function split({ on, nullsEqual, ...rest }: Options): [fixed: object, rest: Options] {
  return [{ on, ...(nullsEqual !== undefined && { nullsEqual }) }, rest as Options];
}

/** Modes and orders: a stream is in left order unless a side of its own is output. */
const RUNS = [
  ...([undefined, "left", "right", "any"] as const).map((order) => ["join", order] as const),
  ...([undefined, "any", "right"] as const).map((order) => ["stream", order] as const),
];

/** The join, in every mode and order, against sides prepared in every layout and by turns in both kernels, compared with the oracle. */
async function check(left: Table, right: Table, options: Options): Promise<void> {
  const matches = matchRows(readTable(left), readTable(right), keysOf(options), options);
  const [fixed, rest] = split(options);
  const how = options.how ?? "inner";
  for (const [number, layout] of LAYOUTS.entries()) {
    const kernel = KERNELS[(number + Math.floor(turn / RUNS.length)) % 2];
    using prepared = prepareJoin(layout(right), { ...fixed, kernel, hashSeed: 7 });
    const used = kernelOf(prepared).usedBytes;
    same(prepared.memoryBytes, used, "memoryBytes");
    const inputs = { left: LAYOUTS[(number + turn) % 3](left), right: layout(right) };
    const read = { left: readTable(inputs.left), right: readTable(inputs.right) };
    for (const [mode, order] of RUNS) {
      // Every size meets every value of the others, not every combination of them.
      const given = { ...rest, ...(order && { order }), batchSize: SIZES[turn++ % SIZES.length] };
      if (mode === "stream" && order === "right" && !SIDED.includes(how)) continue;
      const real = order === "right" && mode === "join" ? "right" : "left";
      const unified = real === "left" || (options.nullAware && how.startsWith("right")) ? "right" : "left";
      const plan: Plan = { options: { ...options, ...given }, order: real, anyOrder: order === "any", unified, built: "right" };
      const expected = oracleJoin(read.left, read.right, { ...plan.options, order: real, unified, matches });
      const metrics: Metrics[] = [];
      const asked = { ...given, onMetrics: (one: Metrics) => metrics.push(one) };
      try {
        const actual =
          mode === "join" ? readTable(join(inputs.left, prepared, asked)) : await readStream(joinStream(inputs.left, prepared, asked));
        compareFields(actual.fields, expected.fields);
        compareMetadata(actual, expected);
        if (plan.anyOrder) compareRows([...actual.rows].sort(byText), [...expected.rows].sort(byText), "rows without order");
        else compareRows(actual.rows, expected.rows, "rows");
        checkBatches(actual, expected, plan, mode === "join", read);
        same(metrics.length, 1, "calls of onMetrics");
        checkMetrics(metrics[0], withoutPairs(expected, options), read, plan);
        same(kernelOf(prepared).usedBytes, used, "bytes of the kernel after the join");
      } catch (error) {
        const what = `${mode}, ${kernel}, layout ${number}, ${JSON.stringify(given)}`;
        throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
  }
}

/** Conditions on the prepared side alone are tested with the pairs, not before: more of them are counted. */
const withoutPairs = (expected: Expected, { filter }: Options): Expected =>
  filter === undefined ? expected : { ...expected, pairs: null };

const unique = table({ id: c.int32([5, 1, 2]), w: c.int32([1, 2, 3]) }, { split: [1, 2] });
const empty = table({ id: c.int32([]), w: c.int32([]) }, { split: [] });

describe.each(ALL_KINDS)("a prepared side in joins of kind %s gives what the rules say", (how) => {
  const nullAware = /Anti|Mark/.test(how) ? [false, true] : [false];

  it("with duplicates, nulls and nulls that are equal", async () => {
    for (const aware of nullAware) {
      await check(left, right, { on: "id", how, nullAware: aware });
      await check(left, right, { on: "id", how, nullAware: aware, nullsEqual: true });
    }
  });

  it("with unique keys, and with a side that is empty", async () => {
    for (const aware of nullAware)
      for (const [a, b] of [
        [left, unique],
        [unique, left],
        [left, empty],
        [empty, unique],
        [empty, empty],
      ])
        await check(a, b, { on: "id", how, nullAware: aware });
  });

  const filters: { readonly [name: string]: Tree } = {
    "on both sides": x.lt(l("v"), r("w")),
    "on the left": x.gt(l("v"), 2),
    "on the right": x.le(r("w"), 2),
    "on each side and on both": x.and(x.isNotNull(l("s")), x.ne(r("t"), "u"), x.ne(l("s"), r("t")), x.ge(r("w"), l("v"))),
    "that is never true": x.and(lit(false), x.lt(l("v"), r("w"))),
  };
  it.each(Object.entries(filters))("with a filter %s", async (_, filter) => {
    for (const aware of nullAware) await check(left, right, { on: "id", how, nullAware: aware, filter });
    if (filter === filters["on both sides"]) await check(left, right, { on: { v: "w" }, how, filter: x.ge(l("id"), r("id")) });
  });

  const plain = c.utf8(["a", "bb", null, "", "a", "a text that fits no register", "zz"]);
  const other = c.utf8(["bb", "a", "a", null, "", "q", "a text that fits no register", "bb"]);
  const dictionaries = {
    "plain strings": (column: c.Column) => column,
    "a dictionary": (column: c.Column) => c.dictionary(column, { index: "int8" }),
    "a dictionary a batch": (column: c.Column) =>
      c.dictionary(column, { index: "uint16", perBatch: true, nullValue: true, repeated: true }),
  };
  it.each(Object.keys(dictionaries) as (keyof typeof dictionaries)[])("with string keys, the right's being %s", async (form) => {
    const strings = table(
      { k: dictionaries[form](other), w: c.int32([1, 2, 3, 4, 5, 6, 7, 8]) },
      { split: [3, 5], nullable: true, slice: true },
    );
    for (const of of Object.values(dictionaries)) {
      const lookup = table({ k: of(plain), v: c.int32([1, 2, 3, 4, 5, 6, 7]) }, { split: [4, 3], nullable: true });
      await check(lookup, strings, { on: "k", how });
      await check(lookup, strings, { on: "k", how, nullsEqual: true, ...(nullAware.length > 1 && { nullAware: true }) });
    }
  });

  it("with several keys, some of whose nulls are equal", async () => {
    const a = table(
      { a: c.int32([1, 1, null, 2, 2, null]), b: c.utf8(["x", "y", "x", null, "x", null]), v: c.int32([1, 2, 3, 4, 5, 6]) },
      { split: [2, 4], slice: true },
    );
    const b = table(
      { a: c.int32([2, 1, null, 2, null, 1]), k: c.dictionary(c.utf8(["x", "y", "x", null, null, "y"])), w: c.int32([1, 2, 3, 4, 5, 6]) },
      { split: [5, 1], nullable: true },
    );
    for (const aware of nullAware) {
      await check(a, b, { on: { a: "a", b: "k" }, how, nullAware: aware });
      const on = [
        { left: "a", right: "a", nullsEqual: true },
        { left: "b", right: "k" },
      ];
      await check(a, b, { on, how, nullAware: aware, filter: x.ne(l("v"), r("w")) });
    }
  });

  it("with floats and long keys", async () => {
    const floats = ["-0", 0, "NaN(7ff8000000000000)", 1.5, null, "NaN(fff8000000000001)"];
    const wide = ["01".repeat(20), null, "02".repeat(20), "01".repeat(20), "03".repeat(20), "02".repeat(20)];
    const a = table({ f: c.float64(floats), b: c.fixedSizeBinary(20)(wide) }, { split: [1, 5], slice: true });
    const b = table({ f: c.float64([...floats].reverse()), b: c.fixedSizeBinary(20)([...wide].reverse()) }, { split: [4, 2] });
    await check(a, b, { on: "f", how });
    await check(a, b, { on: ["f", "b"], how, nullsEqual: true });
    await check(a, b, { on: "b", how });
  });
});

it("a prepared side takes the options that shape the result", async () => {
  const select = { a: "left.v", b: "right.t", id: "id", w: "w" };
  await check(left, right, { on: "id", how: "left", select });
  await check(left, right, { on: "id", how: "full", select: ["right.w", "id"] });
  await check(left, right, { on: "id", how: "inner", select: [] });
  await check(left, right, { on: "id", how: "rightMark", select: ["mark", "right.w"], markName: "mark" });
  await check(left, left, { on: "id", how: "full", suffix: ["_l", "_r"], coalesceKeys: false });
  await check(left, right, { on: "id", how: "right", copy: true });
});
