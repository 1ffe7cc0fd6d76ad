/**
 * Columns whose rows are large, keys that are wide, dictionaries over several batches and result files: what does not show on narrow
 * columns in one batch.
 */

import * as A from "apache-arrow";
import { describe, expect, it } from "vitest";
import { runJoin } from "../../src/api/run-join.ts";
import { join, joinStream } from "../../src/index.ts";

const ints = (values: readonly number[]) => A.makeData({ type: new A.Int32(), length: values.length, data: Int32Array.from(values) });

function tableOf(columns: Record<string, A.Data>): A.Table {
  const fields = Object.entries(columns).map(([name, data]) => new A.Field(name, data.type, true));
  const schema = new A.Schema(fields);
  const length = Object.values(columns)[0].length;
  const data = A.makeData({ type: new A.Struct(fields), length, nullCount: 0, children: Object.values(columns) });
  return new A.Table(schema, [new A.RecordBatch(schema, data)]);
}

const binary = (width: number, rows: number) =>
  A.makeData({
    type: new A.FixedSizeBinary(width),
    length: rows,
    nullCount: 0,
    data: Uint8Array.from({ length: width * rows }, (_, i) => i / width),
  });

const dictionaryType = new A.Dictionary(new A.Utf8(), new A.Int32(), 7);
const dictionarySchema = new A.Schema([new A.Field("id", new A.Int32(), true), new A.Field("s", dictionaryType, true)]);

/** Rows `ids`, their strings taken from the dictionary in turn. */
function dictionaryBatch(values: readonly string[], ids: readonly number[]): A.RecordBatch {
  const codes = Int32Array.from(ids, (_, i) => i % values.length);
  const column = new A.Data(
    dictionaryType,
    0,
    ids.length,
    0,
    [undefined, codes, undefined] as never,
    [],
    A.vectorFromArray(values, new A.Utf8()),
  );
  return new A.RecordBatch(
    dictionarySchema,
    A.makeData({ type: new A.Struct(dictionarySchema.fields), length: ids.length, nullCount: 0, children: [ints(ids), column] }),
  );
}

const kernels = ["wasm", "ts"] as const;

describe.each(kernels)("on the %s kernel", (kernel) => {
  it("a wide list column is made for the rows that come, not for those that might", () => {
    const [size, rows] = [1536, 1000];
    const item = new A.Field("item", new A.Float32());
    const child = A.makeData({
      type: new A.Float32(),
      length: rows * size,
      nullCount: 0,
      data: Float32Array.from({ length: rows * size }, (_, i) => Math.floor(i / size)),
    });
    const embedding = A.makeData({ type: new A.FixedSizeList(size, item), length: rows, nullCount: 0, child });
    const schema = new A.Schema([new A.Field("id", new A.Int32())]);
    const batch = (ids: readonly number[]) =>
      new A.RecordBatch(schema, A.makeData({ type: new A.Struct(schema.fields), length: ids.length, nullCount: 0, children: [ints(ids)] }));
    const probe = [batch(Array.from({ length: 2000 }, (_, i) => (i * 7) % rows)), batch(new Array(500_000).fill(-9))];
    const result = join(probe, tableOf({ id: ints(Array.from({ length: rows }, (_, i) => i)), e: embedding }), { on: "id", kernel });
    expect(result.numRows).toBe(2000);
    expect(result.getChild("e")?.get(3).get(5)).toBe(21);
  });

  it.each([65, 4096, 70_000, 300_000])("a payload of %i bytes a row comes out exactly", (width) => {
    const result = join(tableOf({ id: ints([3, 1, 2]) }), tableOf({ id: ints([1, 2, 3]), p: binary(width, 3) }), { on: "id", kernel });
    expect(result.toArray().map((row) => [row.p.length, row.p[0], row.p[width - 1]])).toEqual([
      [width, 2, 2],
      [width, 0, 0],
      [width, 1, 1],
    ]);
  });

  it.each([70_000, 300_000])("a key of %i bytes takes memory for its rows", (width) => {
    const result = join(tableOf({ k: binary(width, 3) }), tableOf({ k: binary(width, 2), y: ints([7, 8]) }), {
      on: "k",
      how: "left",
      kernel,
    });
    expect(result.getChild("y")?.toJSON()).toEqual([7, 8, null]);
  });

  it.each(["leftSemi", "leftAnti"] as const)("a %s join that hashes its own side lists no pairs", (how) => {
    // 100 000 x 100 000 rows of one key: 10^10 pairs.
    const n = 100_000;
    const same = new Array(n).fill(1);
    const left = new A.Table(dictionarySchema, [dictionaryBatch(["x", "y"], same)]);
    const result = join(left, tableOf({ id: ints(same) }), { on: "id", how, build: "left", kernel });
    expect(result.numRows).toBe(how === "leftSemi" ? n : 0);
  });
});

describe("dictionaries of several batches", () => {
  const three = [
    dictionaryBatch(["a", "b"], [1, 1, 1, 1]),
    dictionaryBatch(["c", "d"], [1, 1, 1, 1]),
    dictionaryBatch(["e"], [1, 1, 1, 1]),
  ];
  const one = tableOf({ id: ints([1]) });

  it.each([{ order: "any" }, { how: "rightSemi" }, { how: "rightSemi", build: "left" }, { order: "any", build: "left" }, {}] as const)(
    "of the unified side are one object in all batches, with %o",
    (options) => {
      const result = join(one, three, { on: "id", batchSize: 2, ...options });
      expect(result.batches.length).toBe(6);
      expect(new Set(result.batches.map((batch) => batch.data.children.at(-1)?.dictionary)).size).toBe(1);
      const back = A.tableFromIPC(A.tableToIPC(result as A.Table, "file"));
      expect([...(back.getChild("s") ?? [])].join("")).toBe("ababcdcdeeee");
    },
  );

  it("survive rows without a partner, so that a file can be written", () => {
    for (const [ids, how] of [
      [[1, 2, 3], "full"],
      [[1, 2, 3], "right"],
      [[], "right"],
    ] as const) {
      const result = join([dictionaryBatch(["a", "b"], ids)], tableOf({ id: ints([3, 9]), z: ints([1, 2]) }), { on: "id", how });
      const back = A.tableFromIPC(A.tableToIPC(result as A.Table, "file"));
      expect(back.toString()).toBe(result.toString());
    }
  });

  it("are told apart though their buffers are the same bytes filled anew", () => {
    const bytesOf = (values: readonly string[]) => A.tableToIPC(new A.Table(dictionarySchema, [dictionaryBatch(values, [1, 2])]), "stream");
    const right = tableOf({ id: ints([1, 2]) });
    const buffer = new Uint8Array(bytesOf(["aa", "bb"]).length);
    for (const values of [
      ["aa", "bb"],
      ["cc", "dd"],
    ]) {
      buffer.set(bytesOf(values));
      for (const copy of [false, true]) {
        expect([...(join(A.tableFromIPC(buffer), right, { on: "id", copy }).getChild("s") ?? [])]).toEqual(values);
        expect([...(join(right, A.tableFromIPC(buffer), { on: "id", copy }).getChild("s") ?? [])]).toEqual(values);
      }
    }
  });

  it("may change after a batch that left as slices because a column was full", () => {
    const strings = (values: readonly string[]) => A.vectorFromArray(values, new A.Utf8()).data[0];
    const fields = [...dictionarySchema.fields, new A.Field("t", new A.Utf8(), true)];
    const schema = new A.Schema(fields);
    const withStrings = (batch: A.RecordBatch, values: readonly string[]) =>
      new A.RecordBatch(
        schema,
        A.makeData({
          type: new A.Struct(fields),
          length: values.length,
          nullCount: 0,
          children: [...batch.data.children, strings(values)],
        }),
      );
    const left = [
      withStrings(dictionaryBatch(["a", "b"], [1, 2, 3]), ["xxxx", "yyyy", "zzzz"]),
      withStrings(dictionaryBatch(["c", "e"], [1, 9, 3, 4, 1]), ["p", "q", "r", "s", "t"]),
    ];
    const result = runJoin(left, tableOf({ id: ints([1, 2, 3]) }), { on: "id", batchSize: 10 }, { maxColumnBytes: 8 });
    expect([...(result.getChild("s") ?? [])].join("")).toBe("abaccc");
    expect([...(result.getChild("t") ?? [])].join("")).toBe("xxxxyyyyzzzzprt");
  });

  it("of lists may be empty", () => {
    const type = new A.Dictionary(new A.List(new A.Field("item", new A.Int32(), true)), new A.Int32());
    const schema = new A.Schema([new A.Field("id", new A.Int32()), new A.Field("d", type, true)]);
    for (const copy of [false, true]) {
      const result = join({ schema, batches: [], numRows: 0 }, tableOf({ id: ints([1, 2]) }), { on: "id", how: "right", copy });
      expect(A.tableFromIPC(A.tableToIPC(result as A.Table, "stream")).numRows).toBe(2);
    }
  });
});

describe("results of joins as inputs", () => {
  it("may be empty: a stream knows its schema", async () => {
    const empty = await joinStream(tableOf({ id: ints([1]) }), tableOf({ id: ints([9]) }), { on: "id" });
    const stream = await joinStream(empty, tableOf({ id: ints([1]), z: ints([1]) }), { on: "id", how: "right" });
    expect((await stream.toTable()).numRows).toBe(1);
  });
});
