import { Field, Int32, makeData, RecordBatch, Schema, Struct, Table, tableFromArrays, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { readInput } from "../../src/arrow/input.ts";
import { dictionary, int32, list, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { batchOf, table } from "../support/table.ts";
import { foreignTable } from "./layouts.ts";

const make = () =>
  table(
    { id: int32([1, 2, 3]), name: utf8(["a", null, "c"]) },
    { split: [1, 0, 2], metadata: { m: "1" }, fieldMetadata: { id: { unit: "kg" } } },
  );

describe("an input", () => {
  it.each([
    ["a table", (t: Table) => t],
    ["an array of batches", (t: Table) => t.batches],
    ["a schema with batches", (t: Table) => ({ schema: t.schema, batches: t.batches })],
    ["a table of another copy", foreignTable],
  ])("may be %s", (_, form) => {
    const input = readInput(form(make()), "left");
    expect(input.rows).toBe(3);
    expect(input.batches.map((b) => b.length)).toEqual([1, 0, 2]);
    expect(input.fields.map(({ name, info, nullable }) => ({ name, info, nullable }))).toEqual([
      { name: "id", info: { name: "int32" }, nullable: false },
      { name: "name", info: { name: "utf8" }, nullable: true },
    ]);
    expect([[...input.metadata], [...input.fields[0].metadata]]).toEqual([[["m", "1"]], [["unit", "kg"]]]);
  });

  it("may be one batch, or a table without batches, rows or columns", () => {
    expect(readInput(make().batches[2], "left").rows).toBe(2);
    expect(readInput(new Table(make().schema), "left")).toMatchObject({ rows: 0, batches: [] });
    expect(readInput(table({}, { rows: 0 }), "left").fields).toEqual([]);
    expect(readInput(batchOf(new Schema([]), [], 0), "left").fields).toEqual([]);
  });

  it.each([
    [null, ["right", "null", "Table"]],
    [undefined, ["right", "undefined"]],
    [Promise.resolve(make()), ["Promise", "await it first"]],
    [[], ["empty array", "{ schema, batches }"]],
    [[{ id: 1 }], ["array of an object", "id"]],
    [{ id: [1] }, ["members id"]],
    ["text", ["a string"]],
    [new Map(), ["class Map"]],
    [new Uint8Array(4), ["Uint8Array"]],
    [
      [make().batches[0], 7],
      ["a number", "batch 1"],
    ],
  ])("that is none is refused with words that help (%#)", async (input, words) => {
    await expectError(() => readInput(input, "right"), "INVALID_INPUT", ...words);
  });

  it("with two columns of one name is refused", async () => {
    const schema = new Schema([new Field("a", new Int32()), new Field("a", new Utf8())]);
    await expectError(() => readInput(new Table(schema), "left"), "DUPLICATE_COLUMN", "left", '"a"');
  });

  it.each([
    ["names", table({ id: int32([1]), nom: utf8(["a"]) }), ['"nom"', '"name"']],
    ["types", table({ id: utf8(["1"]), name: utf8(["a"]) }), ['"id"', "utf8", "int32"]],
    ["column counts", table({ id: int32([1]) }), ["column 1", "nothing", '"name"']],
  ])("whose batches differ in their %s is refused", async (_, other, words) => {
    await expectError(() => readInput([...make().batches, ...other.batches], "left"), "INVALID_INPUT", "batch 3", ...words);
  });

  it("may have batches with dictionaries of their own, whose ids differ", () => {
    const one = table({ d: dictionary(utf8(["a"])) });
    const two = table({ d: dictionary(utf8(["b"])) });
    expect(readInput([...one.batches, ...two.batches], "left").rows).toBe(2);
  });

  it("has a column nullable if any batch says so", () => {
    const [a, b] = [table({ id: int32([1]) }, { nullable: false }), table({ id: int32([null]) })];
    const input = readInput([...a.batches, ...b.batches], "left");
    expect(input.fields[0].nullable).toBe(true);
    expect(input.batches[1].column(0).nullCount).toBe(1);
  });

  it("whose columns are not as long as its batch is refused", async () => {
    const schema = new Schema([new Field("a", new Int32())]);
    const batch = make().batches[0];
    const bent = {
      schema,
      data: {
        ...batch.data,
        type: new Struct(schema.fields),
        length: 5,
        children: [makeData({ type: new Int32(), data: new Int32Array(4) })],
      },
    };
    await expectError(() => readInput(bent, "left"), "INVALID_INPUT", "5 rows", '"a"', "4");
    await expectError(() => readInput({ schema, data: { ...bent.data, children: [] } }, "left"), "INVALID_INPUT", '"a"');
  });
});

describe("a batch", () => {
  it("never touches a column that nobody asks for", () => {
    const { batches } = readInput(make(), "left");
    const child = make().batches[0].data.children[1];
    Object.defineProperty(child, "values", {
      get: () => {
        throw new Error("touched");
      },
    });
    const batch = new RecordBatch(
      make().schema,
      makeData({ type: new Struct(make().schema.fields), length: 1, children: [make().batches[0].data.children[0], child] }),
    );
    const input = readInput([batch], "left");
    expect(input.batches[0].column(0).length).toBe(1);
    expect(() => input.batches[0].column(1)).toThrow("touched");
    expect(batches[0].column(0)).toBe(batches[0].column(0));
  });

  it("counts each buffer once, whole, and those of the columns asked for only", () => {
    const whole = new Int32Array(100);
    const data = makeData({ type: new Int32(), data: whole }).slice(10, 20);
    const schema = new Schema([new Field("a", new Int32()), new Field("b", new Int32()), new Field("c", new Int32())]);
    const c = makeData({ type: new Int32(), data: new Int32Array(20) });
    const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: 20, children: [data, data, c] }));
    const [view] = readInput([batch], "left").batches;
    const seen = new Set<ArrayBufferLike>();
    expect(view.bufferBytes([0, 1], seen)).toBe(400);
    expect(view.bufferBytes([0, 1, 2], seen)).toBe(80);
    expect(view.bufferBytes([0, 1, 2], seen)).toBe(0);
  });

  it("counts the buffers of children and dictionaries", () => {
    const [view] = readInput(table({ d: dictionary(utf8(["a", "b"])), l: list(int32(), [[1], [2, 3]]) }), "left").batches;
    const d = view.bufferBytes([0], new Set());
    const l = view.bufferBytes([1], new Set());
    expect(d).toBeGreaterThan(8 + 16);
    expect(l).toBe(12 + 12);
  });
});

describe("tables as people make them", () => {
  it("are read", () => {
    const input = readInput(tableFromArrays({ id: Int32Array.of(1, 2), name: ["a", null] }), "left");
    expect(input.fields.map((f) => f.info.name)).toEqual(["int32", "dictionary"]);
    expect(input.batches[0].column(1).nullCount).toBe(1);
  });
});
