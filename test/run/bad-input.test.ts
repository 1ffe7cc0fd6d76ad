/** What cannot be joined is refused with a code and a sentence that helps, before any work, and never reads out of bounds, traps or hangs. */

import {
  type Data,
  type DataType,
  Field,
  FixedSizeList,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { ArrowJoinErrorCode } from "../../src/error.ts";
import { bool, dictionary, float64, int32, int64, list, map, timestamp, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream } from "../support/run.ts";
import { batchOf, table } from "../support/table.ts";

const good = table({ id: int32([1, 2, 3]), v: utf8(["a", "b", "c"]) });
const other = table({ id: int32([3, 2, 9]), w: int32([1, 2, 3]) });

/** Both verbs refuse it in the same words. */
async function refused(
  left: unknown,
  right: unknown,
  options: unknown,
  code: ArrowJoinErrorCode,
  ...words: readonly (string | RegExp)[]
): Promise<void> {
  await expectError(() => join(left, right, options), code, ...words);
  await expectError(async () => (await joinStream(left, right, options)).toTable(), code, ...words);
}

describe("columns", () => {
  it("that are missing are named, with their side and the columns there are", async () => {
    await refused(good, other, { on: "nope" }, "COLUMN_NOT_FOUND", "nope", /left/, "id", "v");
    await refused(good, other, { on: { id: "nope" } }, "COLUMN_NOT_FOUND", "nope", /right/, "id", "w");
    await refused(good, other, { on: ["id", "v"] }, "COLUMN_NOT_FOUND", "v", /right/);
    await refused(good, other, { on: "id", select: ["left.nope"] }, "COLUMN_NOT_FOUND", "nope");
    await refused(good, other, { on: "id", select: ["right.v"] }, "COLUMN_NOT_FOUND", "v", /right/);
    await refused(good, other, { on: "id", select: { x: "nope" } }, "COLUMN_NOT_FOUND", "nope");
  });

  it("of a name that only objects have are missing too", async () => {
    for (const name of ["constructor", "__proto__", "toString", "length"])
      await refused(good, other, { on: name }, "COLUMN_NOT_FOUND", name);
  });

  it("of one name twice in an input are refused", async () => {
    const type = new Int32();
    const twice = [new Field("id", type), new Field("x", type), new Field("x", type)];
    const data = int32([]).encode([1, 2], []);
    const schema = new Schema(twice);
    const batch = Object.assign(Object.create(RecordBatch.prototype), {
      schema,
      data: makeData({ type: new Struct(twice), length: 2, children: [data, data, data] }),
      _metadata: new Map(),
    });
    await refused(batch, other, { on: "id" }, "DUPLICATE_COLUMN", "x", /left/);
    await refused(other, [batch], { on: "id" }, "DUPLICATE_COLUMN", "x", /right/);
  });

  it("that would have one name in the output are refused, with a way out", async () => {
    await refused(good, good, { on: "id", suffix: "" }, "DUPLICATE_COLUMN", "v", /suffix|select/);
    await refused(good, other, { on: "id", select: ["v", "left.v"] }, "DUPLICATE_COLUMN", "v");
  });
});

describe("keys", () => {
  it("must be given", async () => {
    for (const on of [undefined, null, [], {}, "", 5, [{}], [{ left: "id" }], [5], { id: 5 }])
      await refused(good, other, { on }, on === "" ? "COLUMN_NOT_FOUND" : "INVALID_OPTION", /on/);
    await refused(good, other, {}, "INVALID_OPTION", /on/);
  });

  it("of types that cannot meet name both columns, both types and a cast", async () => {
    const texts = table({ id: utf8(["1"]), key: utf8(["2"]) });
    await refused(good, texts, { on: "id" }, "KEY_TYPE_MISMATCH", "id", /int32/i, /utf8/i, /cast/i);
    await refused(good, texts, { on: { id: "key" } }, "KEY_TYPE_MISMATCH", "id", "key", /int32/i, /utf8/i);
    await refused(table({ id: dictionary(utf8(["1"])) }), good, { on: "id" }, "KEY_TYPE_MISMATCH", /utf8/i, /int32/i);
    await refused(
      table({ t: timestamp("ms")([1n]) }),
      table({ t: timestamp("ms", "UTC")([1n]) }),
      { on: "t" },
      "KEY_TYPE_MISMATCH",
      /timestamp/i,
    );
    await refused(table({ b: bool([true]) }), table({ b: int32([1]) }), { on: "b" }, "KEY_TYPE_MISMATCH", /bool/i, /int32/i);
    await refused(table({ b: float64([1]) }), table({ b: int64([1n]) }), { on: "b" }, "KEY_TYPE_MISMATCH", /float64/i, /int64/i);
  });

  it("of types that are no keys are named", async () => {
    const maps = table({ m: map(utf8(), int32(), [[["a", 1]]]) });
    await refused(maps, maps, { on: "m" }, "UNSUPPORTED_TYPE", "m", /map/i);
  });
});

describe("options", () => {
  const values: { readonly [option: string]: readonly unknown[] } = {
    how: ["outer", "", null, 5, "Inner", "cross", {}, "toString"],
    nullsEqual: ["yes", 1, null],
    select: ["id", 5, [5], [null], { x: 5 }, [["left.v"]]],
    suffix: [5, null, ["_a"], ["_a", "_b", "_c"], [1, 2], {}],
    coalesceKeys: ["yes", 0, null],
    order: ["up", "", null, 1],
    build: ["middle", "", null, true],
    batchSize: [0, -1, 1.5, Number.NaN, "8192", null, 8192n, Number.NEGATIVE_INFINITY],
    copy: ["no", 1, null],
    kernel: ["gpu", "", null, "WASM"],
    hashSeed: ["x", 1n, null, Number.NaN],
    onMetrics: ["log", {}, 1],
  };
  for (const [option, wrong] of Object.entries(values)) {
    it(`${option} with a value that it has not is refused by name`, async () => {
      for (const value of wrong) await refused(good, other, { on: "id", [option]: value }, "INVALID_OPTION", option);
    });
  }

  it("for streams are checked too", async () => {
    for (const [option, wrong] of Object.entries({ flush: ["lazy", "", null, 1], onProgress: ["x", {}], signal: ["x", {}, 1] })) {
      for (const value of wrong) await expectError(() => joinStream(good, other, { on: "id", [option]: value }), "INVALID_OPTION", option);
    }
  });

  it("that are unknown are refused, with the nearest name where there is one", async () => {
    await refused(good, other, { on: "id", how_: "left" }, "INVALID_OPTION", "how_");
    await refused(good, other, { on: "id", batchsize: 5 }, "INVALID_OPTION", "batchsize");
    await refused(good, other, { on: "id", switches: {} }, "INVALID_OPTION", "switches");
    await refused(good, other, { on: "id", collideHashes: true }, "INVALID_OPTION", "collideHashes");
  });

  it("that are undefined are as if they were not given", () => {
    const given = {
      how: undefined,
      suffix: undefined,
      select: undefined,
      batchSize: undefined,
      kernel: undefined,
      order: undefined,
      build: undefined,
      onMetrics: undefined,
    };
    expect(readTable(join(good, other, { on: "id", ...given })).rows).toEqual(readTable(join(good, other, { on: "id" })).rows);
  });

  it("of which batchSize may be Infinity", async () => {
    expect(join(good, other, { on: "id", batchSize: Number.POSITIVE_INFINITY }).numRows).toBe(2);
    expect((await (await joinStream(good, other, { on: "id", batchSize: Number.POSITIVE_INFINITY })).toTable()).numRows).toBe(2);
  });

  it("must be an object", async () => {
    for (const options of [undefined, null, "id", 5]) await refused(good, other, options, "INVALID_OPTION");
  });
});

describe("inputs", () => {
  it("that are no tables are refused, with their side", async () => {
    for (const nothing of [null, undefined, 5, "table", {}, true, () => good, new Date(0), { schema: good.schema }]) {
      await refused(nothing, other, { on: "id" }, "INVALID_INPUT", /left/);
      await refused(good, nothing, { on: "id" }, "INVALID_INPUT", /right/);
    }
  });

  it("that are empty arrays have no schema to go by", async () => {
    await refused([], other, { on: "id" }, "INVALID_INPUT", /left/);
    await refused(good, [], { on: "id" }, "INVALID_INPUT", /right/);
  });

  it("that hold something else among their batches are refused", async () => {
    for (const wrong of [null, undefined, 5, {}, "batch"])
      await refused(good, [other.batches[0], wrong], { on: "id" }, "INVALID_INPUT", /right/);
  });

  it("whose batches have different schemas name the batch and the column", async () => {
    const batches = [good.batches[0], table({ id: int64([1n]), v: utf8(["a"]) }).batches[0]];
    await refused(batches, other, { on: "id" }, "INVALID_INPUT", /left/, "id", /batch 1|second batch/, /int64/i, /int32/i);
    await refused([good.batches[0], table({ id: int32([1]) }).batches[0]], other, { on: "id" }, "INVALID_INPUT", /left/);
    await refused(
      [good.batches[0], table({ id: int32([1]), x: utf8(["a"]) }).batches[0]],
      other,
      { on: "id" },
      "INVALID_INPUT",
      /left/,
      /"?v"?|"?x"?/,
    );
    await refused([good.batches[0], table({ v: utf8(["a"]), id: int32([1]) }).batches[0]], other, { on: "id" }, "INVALID_INPUT", /left/);
  });

  it("whose one-shot form is a stream are told to use the stream verb", async () => {
    const batches = async function* () {
      yield good.batches[0];
    };
    await expectError(() => join(batches(), other, { on: "id" }), "INVALID_INPUT", /joinStream/);
  });
});

describe("buffers", () => {
  const schemaOf = (type: DataType, name = "v") => new Schema([new Field("id", new Int32(), false), new Field(name, type, true)]);
  /** A batch as someone else might have made it: nothing is padded or corrected on the way. */
  const raw = (schema: Schema, children: Data[], length: number): RecordBatch =>
    Object.assign(Object.create(RecordBatch.prototype), {
      schema,
      data: makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }),
      _metadata: new Map(),
    });
  const ids = (rows: number) =>
    int32([]).encode(
      Array.from({ length: rows }, (_, i) => i),
      [],
    );
  const rowsOf = (batch: RecordBatch) => [batch, [batch], new Table(batch.schema, [batch])];

  /** Both as payload, from either side, and as key. */
  async function corrupt(type: DataType, data: Data, rows: number, ...words: readonly (string | RegExp)[]): Promise<void> {
    const schema = schemaOf(type);
    for (const input of rowsOf(raw(schema, [ids(rows), data], rows))) {
      await refused(input, other, { on: "id", how: "left" }, "INVALID_INPUT", "v", /left/, ...words);
      await refused(other, input, { on: "id", how: "full" }, "INVALID_INPUT", "v", /right/, ...words);
    }
  }

  it("whose columns have different lengths are refused", async () => {
    const utf = utf8(["a", "b"]).encode(["a", "b"], []);
    await corrupt(new Utf8(), utf, 3, /2/, /3/);
  });

  it("that are shorter than their column are refused", async () => {
    await corrupt(new Int32(), Object.assign(int32([]).encode([1, 2], []), { length: 3 }), 3);
    await corrupt(float64([]).type, Object.assign(float64([]).encode([1, 2], []), { length: 3 }), 3);
    await corrupt(bool([]).type, Object.assign(bool([]).encode([true, false], []), { length: 9 }), 9);
    await corrupt(new Utf8(), Object.assign(utf8([]).encode(["a", "b"], []), { length: 3 }), 3);
  });

  it("whose bitmap is too short are refused", async () => {
    const nine = Array.from({ length: 9 }, (_, i) => i);
    const data = int32([]).encode(nine, []);
    Object.assign(data, { nullBitmap: Uint8Array.of(255), _nullCount: -1 });
    await corrupt(new Int32(), data, 9);
  });

  it("whose offsets run backwards are refused, with the row", async () => {
    const data = utf8([]).encode(["aa", "bb", "cc"], []);
    (data.valueOffsets as Int32Array)[1] = 5;
    await corrupt(new Utf8(), data, 3, /offset/i, /1/);
    const negative = utf8([]).encode(["aa", "bb", "cc"], []);
    (negative.valueOffsets as Int32Array)[0] = -2;
    await corrupt(new Utf8(), negative, 3, /offset/i);
  });

  it("whose offsets run past the values are refused", async () => {
    const data = utf8([]).encode(["aa", "bb", "cc"], []);
    (data.valueOffsets as Int32Array)[3] = 7;
    await corrupt(new Utf8(), data, 3, /offset/i);
    const far = utf8([]).encode(["aa", "bb", "cc"], []);
    (far.valueOffsets as Int32Array).set([2147483640, 2147483641, 2147483642], 1);
    await corrupt(new Utf8(), far, 3, /offset/i);
  });

  it("whose lists run past their elements are refused", async () => {
    const data = list(int32()).encode([[1, 2], [3], []], []);
    (data.valueOffsets as Int32Array)[3] = 4;
    await corrupt(data.type, data, 3, /offset/i);
    const type = new FixedSizeList(2, new Field("item", new Int32(), true));
    await corrupt(type, makeData({ type, length: 3, child: int32([]).encode([1, 2, 3, 4], []) as Data<Int32> }), 3);
    const inner = new List(new Field("item", new Utf8(), true));
    const strings = utf8([]).encode(["a", "b"], []);
    (strings.valueOffsets as Int32Array)[2] = 9;
    await corrupt(
      inner,
      makeData({ type: inner, length: 2, valueOffsets: Int32Array.of(0, 1, 2), child: strings as Data<Utf8> }),
      2,
      /offset/i,
    );
  });

  it("whose dictionary codes are out of range are refused, with the row", async () => {
    for (const code of [3, -1, 2147483647]) {
      const column = dictionary(utf8(["a", "b"]), { index: "int32" });
      const data = column.encode(["a", "b", "a"], column.cells);
      (data.values as Int32Array)[1] = code;
      await corrupt(column.type, data, 3, /row 1\b/i, /code/i);
    }
  });

  it("are refused as keys too", async () => {
    const backwards = utf8([]).encode(["aa", "bb", "cc"], []);
    (backwards.valueOffsets as Int32Array)[1] = 5;
    const column = dictionary(utf8(["a", "b"]), { index: "int8" });
    const codes = column.encode(["a", "b", "a"], column.cells);
    (codes.values as Int8Array)[2] = 77;
    const short = Object.assign(int32([]).encode([1, 2], []), { length: 3 });
    const partners: [DataType, Data, Table][] = [
      [new Utf8(), backwards, table({ v: utf8(["aa", "b"]) })],
      [column.type, codes, table({ v: utf8(["a", "b"]) })],
      [new Int32(), short, table({ v: int32([1, 2]) })],
    ];
    for (const [type, data, partner] of partners) {
      const bad = raw(schemaOf(type), [ids(3), data], 3);
      await refused(bad, partner, { on: "v" }, "INVALID_INPUT", "v", /left/);
      await refused(partner, bad, { on: "v", how: "rightAnti" }, "INVALID_INPUT", "v", /right/);
    }
  });

  it("that nothing needs are never read", async () => {
    const backwards = utf8([]).encode(["aa", "bb", "cc"], []);
    (backwards.valueOffsets as Int32Array)[1] = 5;
    const bad = raw(schemaOf(new Utf8()), [ids(3), backwards], 3);
    expect(join(bad, other, { on: "id", select: ["right.w"] }).numRows).toBe(1);
  });

  it("may be longer than needed, with a bitmap that is empty or too long", () => {
    const long = int32([]).encode([1, null, 3], []);
    Object.assign(long, { nullBitmap: Uint8Array.of(0b11111101, 255, 255, 255) });
    const spare = makeData({ type: new Int32(), length: 3, data: Int32Array.of(7, 8, 9, 10, 11), nullBitmap: new Uint8Array(0) });
    const batch = batchOf(new Schema([new Field("id", new Int32(), true), new Field("v", new Int32(), true)]), [long, spare], 3);
    expect(readTable(join(batch, other, { on: "id", how: "left" })).rows).toEqual([
      [1, 7, null],
      [null, 8, null],
      [3, 9, 1],
    ]);
  });
});
