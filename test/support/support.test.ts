import { Dictionary, type Int32, RecordBatch, Table, tableFromIPC, tableToIPC, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { pairwise, WHERE_AXES } from "./axes.ts";
import { cellText, floatBits, keyText, rowText } from "./cell.ts";
import * as c from "./column.ts";
import { type OracleOptions, oracleJoin } from "./oracle.ts";
import { arrayBuffers, readData, readTable, typeText } from "./rows.ts";
import { EVERY_TYPE } from "./samples.ts";
import { resplit, table } from "./table.ts";

describe("the table builder and the rows reader", () => {
  for (const [name, column] of Object.entries(EVERY_TYPE)) {
    it(`give back every cell of ${name}, whole, split and sliced`, () => {
      for (const options of [
        {},
        { split: [1, 0, column.cells.length - 1] },
        { slice: true },
        { split: [2, column.cells.length - 2], slice: true },
      ]) {
        const made = table({ x: column }, options);
        const read = readTable(made);
        expect(read.rows.map(rowText)).toEqual(column.cells.map((cell) => `(${cellText(cell)})`));
        expect(read.batches).toEqual(options.split ?? [column.cells.length]);
      }
    });

    it(`agree with Arrow's own writer about ${name}`, () => {
      const made = table({ x: column }, { split: [2, column.cells.length - 2], slice: true });
      expect(readTable(tableFromIPC(tableToIPC(made, "stream"))).rows.map(rowText)).toEqual(
        column.cells.map((cell) => `(${cellText(cell)})`),
      );
    });

    it(`keep ${name} when the batches are split again`, () => {
      const made = table({ x: column }, { slice: true });
      const again = resplit(made, 2, true);
      expect(readTable(again).rows).toEqual(readTable(made).rows);
      expect(readTable(again).batches).toContain(0);
      expect(arrayBuffers(again.batches)).toEqual(arrayBuffers(made.batches));
    });
  }

  it("put every slice where no bitmap is aligned, between other values and nulls", () => {
    const data = table({ x: c.int32([1, null, 2]) }, { slice: true }).batches[0].data.children[0];
    expect(data.offset % 8).not.toBe(0);
    expect((data.values as Int32Array).buffer.byteLength).toBeGreaterThan(12);
  });

  it("lay another row's value under a null", () => {
    expect([...(c.int32([]).encode([5, null], []).values as Int32Array)]).toEqual([5, 5]);
    expect((c.utf8([]).encode(["ab", null], []).valueOffsets as Int32Array)[2]).toBe(4);
  });

  it("make dictionaries per batch that differ, and one that all batches share otherwise", () => {
    const cells = ["a", "b", "c", "a"];
    const dictionaries = (options: c.DictionaryOptions) =>
      table({ x: c.dictionary(c.utf8(cells), options) }, { split: [2, 2] }).batches.map((batch) => batch.data.children[0].dictionary);
    const [p, q] = dictionaries({ perBatch: true });
    expect(readData((p as NonNullable<typeof p>).data[0])).not.toEqual(readData((q as NonNullable<typeof q>).data[0]));
    const [s, t] = dictionaries({});
    expect(s).toBe(t);
  });

  it("make dictionaries that hold a null and dictionaries that hold values twice", () => {
    const read = (options: c.DictionaryOptions) => {
      const data = table({ x: c.dictionary(c.utf8(["a", null, null, "a", "a"]), options) }).batches[0].data.children[0];
      return { nulls: data.nullCount, codes: new Set([0, 3, 4].map((i) => Number(data.values[i]))).size, cells: readData(data) };
    };
    expect(read({ nullValue: true })).toEqual({ nulls: 1, codes: 1, cells: ["a", null, null, "a", "a"] });
    expect(read({ repeated: true })).toEqual({ nulls: 2, codes: 2, cells: ["a", null, null, "a", "a"] });
  });

  it("keep names, nullability and metadata", () => {
    const made = table(
      { a: c.int8([1]), b: c.utf8([null]) },
      { nullable: { a: true }, metadata: { m: "1" }, fieldMetadata: { b: { f: "2" } } },
    );
    expect(readTable(made)).toMatchObject({
      metadata: { m: "1" },
      fields: [
        { name: "a", type: "int8", nullable: true, metadata: {} },
        { name: "b", type: "utf8", nullable: true, metadata: { f: "2" } },
      ],
    });
  });

  it("tell floats apart by their bits", () => {
    expect(readTable(table({ x: c.float64(["NaN(fff8000000000001)", -0, 0, 0.1, Number.NaN]) })).rows.flat()).toEqual([
      "NaN(fff8000000000001)",
      "-0",
      0,
      0.1,
      "NaN(7ff8000000000000)",
    ]);
    expect(floatBits(16, 65504)).toBe(0x7bffn);
    expect(floatBits(16, 2 ** -24)).toBe(1n);
  });

  it("refuse a wrong null count, a short buffer, a code outside the dictionary and a null in a field that is not nullable", () => {
    const wrong = c.int32([1, null]).encode([1, null], []);
    Object.assign(wrong, { _nullCount: 2 });
    expect(() => readData(wrong)).toThrow("nullCount 2, but 1");
    const short = c.int32([]).encode([1, 2, 3], []);
    Object.assign(short, { length: 4 });
    expect(() => readData(short)).toThrow("3 elements where 4");
    const coded = c.dictionary(c.utf8(["a"])).encode(["a"], ["a"]);
    (coded.values as Int32Array)[0] = 9;
    expect(() => readData(coded)).toThrow("code 9");
    expect(() => readTable(table({ x: c.int8([1, null]) }, { nullable: false }))).toThrow("not nullable");
  });

  it("write dictionary types without their ids", () => {
    expect(typeText(new Dictionary(new Utf8(), c.int8([]).type as unknown as Int32))).toBe("dictionary<int8, utf8>");
  });
});

describe("the oracle", () => {
  const left = readTable(table({ id: c.int32([1, 2, null, 2]), l: c.utf8(["a", "b", "c", "d"]) }, { metadata: { who: "left", l: "1" } }));
  const right = readTable(table({ id: c.int32([2, null, 3, 2]), r: c.utf8(["w", "x", "y", "z"]) }, { metadata: { who: "right", r: "2" } }));
  const rows = (options: Partial<OracleOptions>) =>
    oracleJoin(left, right, { on: "id", order: "left", unified: "right", ...options }).rows.map(rowText);

  it("pairs every left row with every right row of its key", () => {
    expect(rows({})).toEqual(['(2, "b", "w")', '(2, "b", "z")', '(2, "d", "w")', '(2, "d", "z")']);
    expect(rows({ order: "right" })).toEqual(['(2, "b", "w")', '(2, "d", "w")', '(2, "b", "z")', '(2, "d", "z")']);
  });

  it("matches null with null only when asked", () => {
    expect(rows({ nullsEqual: true })).toContain('(∅, "c", "x")');
    expect(rows({ on: [{ left: "id", right: "id", nullsEqual: true }] })).toContain('(∅, "c", "x")');
  });

  it("keeps unmatched rows in place on the ordered side and last on the other", () => {
    expect(rows({ how: "left" })).toEqual([
      '(1, "a", ∅)',
      '(2, "b", "w")',
      '(2, "b", "z")',
      '(∅, "c", ∅)',
      '(2, "d", "w")',
      '(2, "d", "z")',
    ]);
    expect(rows({ how: "right" })).toEqual([
      '(2, "b", "w")',
      '(2, "b", "z")',
      '(2, "d", "w")',
      '(2, "d", "z")',
      '(∅, ∅, "x")',
      '(3, ∅, "y")',
    ]);
    expect(rows({ how: "full", order: "right" })).toEqual([
      '(2, "b", "w")',
      '(2, "d", "w")',
      '(∅, ∅, "x")',
      '(3, ∅, "y")',
      '(2, "b", "z")',
      '(2, "d", "z")',
      '(1, "a", ∅)',
      '(∅, "c", ∅)',
    ]);
  });

  it("gives one side for semi and anti kinds", () => {
    expect(rows({ how: "leftSemi" })).toEqual(['(2, "b")', '(2, "d")']);
    expect(rows({ how: "leftAnti" })).toEqual(['(1, "a")', '(∅, "c")']);
    expect(rows({ how: "rightSemi" })).toEqual(['(2, "w")', '(2, "z")']);
    expect(rows({ how: "rightAnti" })).toEqual(['(∅, "x")', '(3, "y")']);
  });

  it("names columns with suffixes, coalesces keys and selects", () => {
    const names = (options: Partial<OracleOptions>) =>
      oracleJoin(left, right, { on: "id", order: "left", unified: "right", ...options }).fields.map(({ name }) => name);
    expect(names({})).toEqual(["id", "l", "r"]);
    expect(names({ coalesceKeys: false })).toEqual(["id", "l", "id_right", "r"]);
    expect(names({ coalesceKeys: false, suffix: ["_a", "_b"] })).toEqual(["id_a", "l", "id_b", "r"]);
    expect(names({ select: ["right.r", "id", "right.id"] })).toEqual(["r", "id", "id_right"]);
    expect(names({ select: { x: "left.l" } })).toEqual(["x"]);
    expect(() => names({ coalesceKeys: false, suffix: "" })).toThrow("duplicate");
  });

  it("makes padded sides nullable, and a full key only when an input is", () => {
    const a = readTable(table({ id: c.int32([1]), v: c.int32([1]) }));
    const b = readTable(table({ id: c.int32([1]), w: c.int32([1]) }));
    const nullable = (how: OracleOptions["how"]) =>
      oracleJoin(a, b, { on: "id", how, order: "left", unified: "right" }).fields.map((field) => field.nullable);
    expect(nullable("inner")).toEqual([false, false, false]);
    expect(nullable("left")).toEqual([false, false, true]);
    expect(nullable("right")).toEqual([false, true, false]);
    expect(nullable("full")).toEqual([false, true, true]);
  });

  it("merges schema metadata with the left winning, and counts what metrics count", () => {
    const { metadata, pairs, leftUnmatched, rightUnmatched, distinctKeys } = oracleJoin(left, right, {
      on: "id",
      order: "left",
      unified: "right",
    });
    expect(metadata).toEqual({ who: "left", l: "1", r: "2" });
    expect({ pairs, leftUnmatched, rightUnmatched, distinctKeys }).toEqual({
      pairs: 4,
      leftUnmatched: 2,
      rightUnmatched: 2,
      distinctKeys: { left: 2, right: 2 },
    });
  });

  it("takes all NaNs as one key and -0 as 0", () => {
    expect(keyText("NaN(7ff8000000000000)")).toBe(keyText("NaN(fff8000000000001)"));
    expect(keyText("-0")).toBe(keyText(0));
    expect(keyText(1)).not.toBe(keyText(1n));
    expect(keyText("1")).not.toBe(keyText(1));
  });
});

describe("the axes", () => {
  it("are covered pairwise by few combinations", () => {
    const set = pairwise(1);
    expect(set.length).toBeLessThan(24);
    for (const kernel of ["wasm", "ts"])
      for (const mode of ["join", "stream of tables", "stream of iterables"])
        expect(set.some((one) => one.kernel === kernel && one.mode === mode)).toBe(true);
    expect(pairwise(1)).toEqual(set);
  });

  it("of joins without keys are too, chunks of every size with every store", () => {
    const set = pairwise(1, WHERE_AXES);
    expect(set.length).toBeLessThan(44);
    for (const chunkRows of WHERE_AXES.chunkRows)
      for (const store of WHERE_AXES.store) expect(set.some((one) => one.chunkRows === chunkRows && one.store === store)).toBe(true);
  });
});

describe("batches", () => {
  it("of a table without columns keep their row count", () => {
    const made = table({}, { rows: 3, split: [1, 2] });
    expect(made.numRows).toBe(3);
    expect(readTable(made).rows).toEqual([[], [], []]);
    expect(made.batches[0]).toBeInstanceOf(RecordBatch);
    expect(new Table(made.schema, made.batches).numCols).toBe(0);
  });
});
