/** `prepareJoin`: what a prepared side takes and refuses, alone and in the joins that it serves. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { runPrepareJoin } from "../../src/api/run-join.ts";
import * as library from "../../src/index.ts";
import { PreparedRight } from "../../src/run/prepared-right.ts";
import * as c from "../support/column.ts";
import { compareRows } from "../support/compare.ts";
import { expectError } from "../support/errors.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream } from "../support/run.ts";
import { source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { r, x } from "../support/tree.ts";
import { joinIndices, KERNELS, kernelOf, LAYOUTS, left, type Prepared, prepareJoin, right } from "./prepare-join.fixture.ts";

describe("a prepared side", () => {
  it("takes validate, unmatched and multiple", async () => {
    for (const kernel of KERNELS) {
      using prepared = prepareJoin(right, { on: "id", kernel });
      await expectError(() => join(left, prepared, { validate: "m:1" }), "CARDINALITY", "left row");
      await expectError(() => join(left, prepared, { unmatched: "error" }), "UNMATCHED");
      await expectError(() => join(left, prepared, { how: "left", unmatched: "error" }), "UNMATCHED", "right");
      for (const multiple of ["first", "last"] as const)
        for (const how of ["inner", "left", "right", "full"] as const)
          for (const order of ["left", "right"] as const)
            expect(readTable(join(left, prepared, { multiple, how, order })).rows).toEqual(
              readTable(join(left, right, { on: "id", multiple, how, order })).rows,
            );
      expect(kernelOf(prepared).usedBytes).toBe(prepared.memoryBytes);
    }
  });

  it("gives row numbers", () => {
    for (const kernel of KERNELS)
      for (const layout of LAYOUTS) {
        using prepared = prepareJoin(layout(right), { on: "id", kernel });
        for (const how of ALL_KINDS.filter((kind) => !kind.endsWith("Mark")))
          for (const order of ["left", "right"] as const)
            for (const batchSize of [1, 3, undefined])
              for (const filter of [undefined, x.le(r("w"), 7)]) {
                const options = { how, order, batchSize, filter };
                const found = joinIndices(layout(left), prepared, options);
                const expected = joinIndices(left, right, { on: "id", ...options });
                expect([...found.left], JSON.stringify(options)).toEqual([...expected.left]);
                expect([...found.right], JSON.stringify(options)).toEqual([...expected.right]);
                // They are the caller's: the next join does not see what becomes of them.
                found.right.fill(9);
              }
        expect([...joinIndices(left, prepared).right]).toEqual([...joinIndices(left, right, { on: "id" }).right]);
      }
  });

  it("needs no options beside it", async () => {
    using prepared = prepareJoin(right, { on: "id" });
    const expected = readTable(join(left, right, { on: "id" })).rows;
    const bare = { join: library.join as any, joinStream: library.joinStream as any };
    expect(readTable(bare.join(left, prepared)).rows).toEqual(expected);
    expect(readTable(bare.join(left, prepared, {})).rows).toEqual(expected);
    expect(readTable(await (await bare.joinStream(left, prepared)).toTable()).rows).toEqual(expected);
    for (const options of [null, 5, "id", []])
      await expectError(() => bare.join(left, prepared, options), "INVALID_OPTION", "join takes options");
    await expectError(() => bare.join(left, right), "INVALID_OPTION", "join takes options", "undefined");
  });

  it("keeps large sides apart from what is read: chunks and batches of the index are many", async () => {
    const n = 50_000;
    const ids = Array.from({ length: n }, (_, i) => (i * 7919) % n);
    const big = table({ id: c.int32(ids), w: c.int32(ids.map((id) => id + 1)) }, { split: [20_000, 30_000] });
    const asking = table({ id: c.int32(ids.map((id) => id * 2)) }, { split: [45_000, 5_000] });
    for (const kernel of KERNELS) {
      using prepared = prepareJoin(big, { on: "id", kernel });
      for (const how of ["inner", "right", "rightSemi", "leftMark"] as const)
        for (const order of ["left", "right"] as const) {
          const expected = readTable(join(asking, big, { on: "id", how, order, kernel })).rows;
          compareRows(readTable(join(asking, prepared, { how, order, batchSize: 10_000 })).rows, expected, `${how}, ${order}`);
        }
      expect(kernelOf(prepared).usedBytes).toBe(prepared.memoryBytes);
    }
  });
});

describe("options of a join", () => {
  it("that repeat what was prepared are fine", () => {
    const rows = (result: Table) => readTable(result).rows;
    const ordinary = rows(join(left, right, { on: "id", nullsEqual: true }));
    using one = prepareJoin(right, { on: "id", nullsEqual: true, kernel: "ts", hashSeed: 3 });
    for (const options of [
      { on: "id" },
      { on: ["id"] },
      { on: { id: "id" } },
      { on: [{ left: "id", right: "id" }] },
      { on: [{ left: "id", right: "id", nullsEqual: true }] },
      { nullsEqual: true },
      { kernel: "ts" },
      { hashSeed: 3 },
      { build: "right" },
      { build: "auto" },
      { on: "id", nullsEqual: true, kernel: "ts", hashSeed: 3, build: "right", order: "left" },
      { on: undefined, nullsEqual: undefined, kernel: undefined, hashSeed: undefined, build: undefined },
      Object.create({ on: "id", nullsEqual: true }),
    ])
      expect(rows(join(left, one, options)), JSON.stringify(options)).toEqual(ordinary);
    using two = prepareJoin(right, { on: ["id", "w"] });
    const both = rows(join(right, right, { on: ["id", "w"] }));
    expect(rows(join(right, two, { on: ["w", "id"], nullsEqual: false, kernel: "auto" }))).toEqual(both);
    // Changed after it was read.
    const on = ["id"];
    using three = prepareJoin(right, { on });
    on.push("nope");
    expect(rows(join(left, three, {}))).toEqual(rows(join(left, right, { on: "id" })));
  });

  it("that contradict it are refused, with words", async () => {
    using prepared = prepareJoin(right, { on: "id", kernel: "ts", hashSeed: 3 });
    using plain = prepareJoin(right, { on: [{ left: "id", right: "id", nullsEqual: true }] });
    const cases: [Prepared, object, ...string[]][] = [
      [prepared, { on: "w" }, 'on is "w"', 'prepared with "id"', "leave on out"],
      [prepared, { on: { v: "id" } }, 'on is {"v":"id"}'],
      [prepared, { on: ["id", "w"] }, 'on is ["id","w"]'],
      [prepared, { on: [{ left: "id", right: "id", nullsEqual: true }] }, "on is", "leave on out"],
      [
        prepared,
        { on: "id", nullsEqual: true },
        "nullsEqual is true",
        "prepared with its default",
        "leave nullsEqual out here, or prepare it with nullsEqual: true",
      ],
      [prepared, { nullsEqual: true }, "nullsEqual is true"],
      [prepared, { kernel: "wasm" }, 'kernel is "wasm"', 'prepared with "ts"', "leave kernel out"],
      [prepared, { kernel: "auto" }, 'kernel is "auto"'],
      [prepared, { hashSeed: 4 }, "hashSeed is 4", "prepared with 3"],
      [prepared, { build: "left" }, 'build: "left"', "leave build out"],
      [plain, { on: "id" }, 'on is "id"', "nullsEqual"],
      [plain, { kernel: "ts" }, 'kernel is "ts"', "prepared with its default"],
      [plain, { hashSeed: 4 }, "hashSeed is 4", "prepared with its default"],
    ];
    for (const [side, options, ...words] of cases) {
      await expectError(() => join(left, side, options), "INVALID_OPTION", ...words);
      await expectError(() => joinIndices(left, side, options), "INVALID_OPTION", ...words);
      const input = source(left);
      await expectError(() => joinStream(input, side, options), "INVALID_OPTION", ...words);
      expect(input.pulls()).toBe(0);
    }
    await expectError(() => joinStream(left, prepared, { order: "right" }), "INVALID_OPTION", 'order: "right"', 'build: "left"');
    await expectError(
      () => join(left, prepared, { memoryLimit: 5 }),
      "INVALID_OPTION",
      'no option "memoryLimit"',
      "an option of prepareJoin",
    );
    await expectError(() => join(left, prepared, { how: "outer" }), "INVALID_OPTION", "how must be");
    await expectError(() => join(left, prepared, { kernel: "simd" }), "INVALID_OPTION", "kernel must be");
    await expectError(() => joinIndices(left, prepared, { how: "leftMark" }), "INVALID_OPTION", "leftMark");
  });

  it("may ask for right order where it is not a stream", () => {
    using prepared = prepareJoin(right, { on: "id" });
    const result = readTable(join(left, prepared, { how: "full", order: "right", select: ["right.t", "left.s"] }));
    expect(result.rows).toEqual([
      ["t", null],
      ["t", "d"],
      ["u", null],
      ["v", null],
      [null, "a"],
      [null, "f"],
      ["x", null],
      ["x", "d"],
      ["y", "a"],
      ["y", "f"],
      [null, "b"],
      [null, "e"],
      [null, "g"],
    ]);
  });

  it("of prepareJoin are checked", async () => {
    const cases: [unknown, ...string[]][] = [
      [undefined, "prepareJoin takes options", "second argument"],
      [{}, "on is required"],
      [{ on: [] }, "on names no key"],
      [{ on: "id", how: "left" }, 'prepareJoin has no option "how"', "an option of join."],
      [{ on: "id", memoryLimit: 0 }, "memoryLimit must be a number of bytes above 0"],
      [{ on: "id", memoryLimit: "1" }, "memoryLimit"],
      [{ on: "id", memoryLimit: Number.NaN }, "memoryLimit"],
      [{ on: "id", kernel: "gpu" }, "kernel must be"],
    ];
    for (const [options, ...words] of cases) await expectError(() => prepareJoin(right, options), "INVALID_OPTION", ...words);
    await expectError(() => prepareJoin(right, { on: "nope" }), "COLUMN_NOT_FOUND", "right", '"nope"', '"id", "w", "t"');
    await expectError(() => prepareJoin(right, { on: { id: "nope" } }), "COLUMN_NOT_FOUND", "right", '"nope"');
    const lists = table({ k: c.list(c.int32(), [[1]]) });
    await expectError(() => prepareJoin(lists, { on: "k" }), "UNSUPPORTED_TYPE", "right", '"k"');
  });
});

describe("inputs", () => {
  it("of prepareJoin are tables", async () => {
    for (const input of [null, 5, "id", {}, [], new Uint8Array()])
      await expectError(() => prepareJoin(input, { on: "id" }), "INVALID_INPUT", "right input");
    for (const input of [right.batches[0], right.batches, { schema: right.schema, batches: right.batches }]) {
      using prepared = prepareJoin(input, { on: "id" });
      expect(join(left, prepared, {}).numRows).toBe(join(left, input, { on: "id" }).numRows);
    }
  });

  it("a prepared side is the right one", async () => {
    using prepared = prepareJoin(right, { on: "id" });
    const words = ["prepared", "right side of join", "second"];
    await expectError(() => join(prepared, right, { on: "id" }), "INVALID_INPUT", ...words);
    await expectError(() => join(prepared, prepared, {}), "INVALID_INPUT", ...words);
    await expectError(() => joinIndices(prepared, right, { on: "id" }), "INVALID_INPUT", ...words);
    await expectError(() => prepareJoin(prepared, { on: "id" }), "INVALID_INPUT", ...words);
    const input = source(right);
    await expectError(() => joinStream(prepared, input, { on: "id" }), "INVALID_INPUT", ...words);
    expect(input.returns()).toBe(1);
  });

  it("must have the keys and their types when they meet", async () => {
    using prepared = prepareJoin(right, { on: { key: "id" } });
    const verbs = [join, joinIndices, joinStream] as ((left: unknown, right: unknown, options: unknown) => unknown)[];
    for (const verb of verbs) {
      await expectError(() => verb(left, prepared, {}), "COLUMN_NOT_FOUND", "left", '"key"', '"id", "v", "s"');
      const other = table({ key: c.utf8(["1"]) });
      await expectError(() => verb(other, prepared, {}), "KEY_TYPE_MISMATCH", '"key" is utf8', '"id" is int32');
      await expectError(() => verb(table({ key: c.int64([1n]) }), prepared, {}), "KEY_TYPE_MISMATCH", "int64");
    }
    expect(join(table({ key: c.int32([1]) }), prepared, {}).numRows).toBe(2);
    using strings = prepareJoin(table({ k: c.dictionary(c.utf8(["1", "2"])) }), { on: "k" });
    await expectError(() => join(table({ k: c.binary(["00"]) }), strings, {}), "KEY_TYPE_MISMATCH", '"k"');
    expect(join(table({ k: c.utf8(["1", "1"]) }), strings, {}).numRows).toBe(2);
  });

  it("are not changed", () => {
    const before = [readTable(left), readTable(right)];
    using prepared = prepareJoin(right, { on: "id" });
    for (const how of ALL_KINDS) join(left, prepared, { how, order: "right" });
    expect([readTable(left), readTable(right)]).toEqual(before);
  });
});

it("is an index of its own for every switch of tests", () => {
  const expected = readTable(join(left, right, { on: "id", how: "full" })).rows;
  for (const kernel of KERNELS)
    for (const switches of [{ collideHashes: true, forceTable: "swiss" }, { tinyTables: true }, { forceTable: "direct" }] as const) {
      using prepared = runPrepareJoin(right, { on: "id", kernel }, switches);
      expect(prepared).toBeInstanceOf(PreparedRight);
      expect(readTable(join(left, prepared, { how: "full" })).rows).toEqual(expected);
    }
});
