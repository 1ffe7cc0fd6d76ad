import {
  Bool,
  Data,
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Int8,
  Int32,
  Int64,
  List,
  type RecordBatch,
  Struct,
  type Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { ColumnView } from "../../src/arrow/column.ts";
import { dictionariesOf, ViewCache } from "../../src/arrow/dictionary-view.ts";
import { readInput } from "../../src/arrow/input.ts";
import { OutputSchema } from "../../src/arrow/output.ts";
import { sliceData } from "../../src/arrow/slice.ts";
import { ColumnSource } from "../../src/arrow/source.ts";
import { rebuildType } from "../../src/arrow/type.ts";
import { viewColumn } from "../../src/arrow/view.ts";
import { ColumnWriter } from "../../src/arrow/writer.ts";
import { createTsKernel } from "../../src/kernel/ts/kernel.ts";
import type { Cell } from "../support/cell.ts";
import { dictionary, int32, list, nullType, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { table } from "../support/table.ts";
import { cells, foreign, foreignTable, layouts } from "./layouts.ts";

/** Data as apache-arrow makes it, buffers given as they are. */
const raw = (
  type: DataType,
  length: number,
  buffers: (ArrayBufferView | undefined)[],
  extra: { offset?: number; nullCount?: number; children?: Data[]; dictionary?: Vector } = {},
): Data => new Data(type, extra.offset ?? 0, length, extra.nullCount ?? 0, buffers as never, extra.children ?? [], extra.dictionary);

function cellsOf(type: DataType, data: Data): Cell[] {
  const out = new OutputSchema([{ name: "x", type, nullable: true }]);
  return readTable(out.makeTable([out.makeBatch([data], data.length)])).rows.map((row) => row[0]);
}

const viewed = (input: Table): ColumnView => readInput(input, "left").batches[0].column(0);
const ints = (...values: number[]) => Int32Array.from(values);

describe.each(layouts)("a column of $name", ({ make }) => {
  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("is the same through its view and every slice of it (nulls %s, sliced %s)", (nulls, slice) => {
    const column = make(nulls);
    for (const input of [table({ x: column }, { slice }), foreignTable(table({ x: column }, { slice }))]) {
      const view = viewed(input);
      const type = rebuildType(input.schema.fields[0].type, () => 9);
      const nullCount = column.cells.filter((c) => c === null).length;
      expect(view.validity === null).toBe(view.nullCount === 0);
      if (!("hasNullValue" in column && column.hasNullValue)) expect(view.nullCount).toBe(nullCount);
      for (const [start, count] of [
        [0, 41],
        [0, 0],
        [3, 17],
        [8, 8],
        [33, 8],
        [41, 0],
      ]) {
        const part = sliceData(view, start, count, type);
        expect(cellsOf(type, part)).toEqual(column.cells.slice(start, start + count));
        // A slice of a slice, seen again.
        if (count > 0)
          expect(cellsOf(type, sliceData(viewColumn(part, "again"), 1, count - 1, type))).toEqual(
            column.cells.slice(start + 1, start + count),
          );
      }
    }
  });
});

describe.each(layouts)("a fixed-size list of $name", ({ make }) => {
  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("may lack the elements of its last null lists (nulls %s, sliced %s)", (nulls, slice) => {
    const column = make(nulls);
    const child = table({ x: column }, { slice }).batches[0].data.children[0];
    const type = new FixedSizeList(41, new Field("item", child.type));
    const view = viewColumn(raw(type, 3, [undefined, undefined, Uint8Array.of(0b001)], { nullCount: 2, children: [child] }), "x");
    const part = sliceData(view, 0, 3, type);
    expect(part.children[0].length).toBe(123);
    const elements = sliceData(viewColumn(part.children[0], "x"), 3, 80, child.type);
    expect(cellsOf(child.type, elements)).toEqual([...column.cells.slice(3), ...new Array(42).fill(null)]);
  });
});

describe("validity", () => {
  const values = ints(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  const view = (bitmap: Uint8Array | undefined, nullCount: number, offset = 0) =>
    viewColumn(raw(new Int32(), 10, [undefined, values, bitmap], { nullCount, offset }), "x");

  it("is what the bitmap says, whatever the null count says", () => {
    expect(view(Uint8Array.of(0xfe, 0x03), 0).nullCount).toBe(1);
    expect(view(Uint8Array.of(0xff, 0x03), 7)).toMatchObject({ nullCount: 0, validity: null });
    expect(view(Uint8Array.of(0x00, 0x00), -1).nullCount).toBe(10);
  });

  it("has no bitmap where there is none, an empty one, or one without nulls", () => {
    for (const bitmap of [undefined, new Uint8Array(0), Uint8Array.of(255, 255)]) expect(view(bitmap, -1).validity).toBe(null);
  });

  it("may have a bitmap that is too long, not one that is too short", async () => {
    expect(view(Uint8Array.of(0xfd, 0xff, 0, 0, 0, 0, 0, 0), -1).nullCount).toBe(1);
    await expectError(() => view(Uint8Array.of(0xfd), -1), "INVALID_INPUT", "x", "null bits", "2 bytes");
    await expectError(() => view(Uint8Array.of(0xfd, 0xff), -1, 7), "INVALID_INPUT", "null bits");
  });

  it("starts at the offset", () => {
    const shifted = view(Uint8Array.of(0b1010_1000, 0b1111_1111, 0xff), -1, 5);
    expect(shifted.nullCount).toBe(1);
    expect(shifted.validity?.bit).toBe(5);
  });

  it("of a column of type Null has every bit clear", () => {
    const nulls = viewed(table({ x: nullType([null, null, null]) }));
    expect([nulls.nullCount, nulls.validity?.bytes[0], nulls.validity?.bit]).toEqual([3, 0, 0]);
    expect(viewed(table({ x: nullType([]) })).validity).toBe(null);
  });
});

describe("damaged buffers", () => {
  const text = new TextEncoder().encode("abcdef");

  it.each<[string, () => Data, string[]]>([
    ["short values", () => raw(new Int64(), 4, [undefined, new BigInt64Array(3)]), ["int64", "32 bytes", "has 24"]],
    ["no values at all", () => raw(new Int32(), 1, [undefined, undefined]), ["4 bytes", "has 0"]],
    ["short bits", () => raw(new Bool(), 9, [undefined, new Uint8Array(1)]), ["values", "2 bytes"]],
    ["short offsets", () => raw(new Utf8(), 3, [ints(0, 1, 2), text]), ["offsets", "16 bytes"]],
    ["offsets that run backwards", () => raw(new Utf8(), 3, [ints(0, 3, 2, 4), text]), ["after row 1 is 2", "3 to 6 bytes"]],
    ["a negative offset", () => raw(new Utf8(), 1, [ints(-1, 2), text]), ["row 0 is -1"]],
    ["offsets past the bytes", () => raw(new Utf8(), 3, [ints(0, 3, 7, 9), text]), ["after row 1", "6 bytes"]],
    [
      "lists past their child",
      () => raw(new List(new Field("item", new Int32())), 2, [ints(0, 1, 3)], { children: [raw(new Int32(), 2, [undefined, ints(1, 2)])] }),
      ["after row 1", "2 child rows"],
    ],
    ["a list without child", () => raw(new List(new Field("item", new Int32())), 1, [ints(0, 0)]), ["item"]],
    [
      "a short fixed-size list",
      () =>
        raw(new FixedSizeList(2, new Field("item", new Int32())), 2, [], { children: [raw(new Int32(), 3, [undefined, ints(1, 2, 3)])] }),
      ["item", "3 rows", "4"],
    ],
    [
      "a short struct member",
      () => raw(new Struct([new Field("a", new Int32())]), 2, [], { children: [raw(new Int32(), 1, [undefined, ints(1)])] }),
      ['"a"', "1 rows"],
    ],
    [
      "a code outside the dictionary",
      () =>
        raw(new Dictionary(new Utf8(), new Int8()), 3, [undefined, Int8Array.of(0, 1, 2)], {
          dictionary: vectorFromArray(["a", "b"], new Utf8()),
        }),
      ["row 2", "2 values"],
    ],
    [
      "a negative code",
      () =>
        raw(new Dictionary(new Utf8(), new Int8()), 1, [undefined, Int8Array.of(-1)], {
          dictionary: vectorFromArray(["a", "b"], new Utf8()),
        }),
      ["row 0"],
    ],
    [
      "a 64-bit code with high bits",
      () =>
        raw(new Dictionary(new Utf8(), new Int64() as never), 1, [undefined, BigInt64Array.of(2n ** 32n)], {
          dictionary: vectorFromArray(["a"], new Utf8()),
        }),
      ["row 0"],
    ],
    ["no dictionary", () => raw(new Dictionary(new Utf8(), new Int8()), 1, [undefined, Int8Array.of(0)]), ["row 0", "0 values"]],
  ])("with %s are INVALID_INPUT naming the column and the row", async (_, make, words) => {
    await expectError(() => viewColumn(make(), 'left column "x"'), "INVALID_INPUT", 'left column "x', ...words);
  });

  it("under nulls do not matter", () => {
    const codes = raw(new Dictionary(new Utf8(), new Int8()), 2, [undefined, Int8Array.of(0, 99), Uint8Array.of(1)], {
      dictionary: vectorFromArray(["a"], new Utf8()),
    });
    expect(viewColumn(codes, "x").nullCount).toBe(1);
  });

  it("that are misaligned are copied", () => {
    const bytes = new Uint8Array(33);
    bytes[1] = 7;
    const type = rebuildType({ typeId: 15, byteWidth: 16 }, () => 0);
    const view = viewColumn(raw(type, 2, [undefined, bytes.subarray(1)]), "x");
    expect(view.layout === "words" && [view.words[0], view.perRow, view.width]).toEqual([7, 4, 16]);
  });
});

describe("fixed-width types beyond 8 bytes", () => {
  it.each([
    [{ typeId: 11, unit: 0 }, 4],
    [{ typeId: 11, unit: 1 }, 8],
    [{ typeId: 11, unit: 2 }, 16],
    [{ typeId: 7, precision: 50, scale: 2, bitWidth: 256 }, 32],
    [{ typeId: 7, precision: 9, scale: 2, bitWidth: 32 }, 4],
    [{ typeId: 15, byteWidth: 0 }, 0],
    [{ typeId: 15, byteWidth: 10 }, 10],
  ])("are words of their width, slices and writers included (%j)", (raw_, width) => {
    const type = rebuildType(raw_, () => 0);
    const bytes = Uint8Array.from({ length: 5 * width }, (_, i) => i + 1);
    const view = viewColumn(sliceData(viewColumn(raw(type, 5, [undefined, bytes]), "x"), 1, 3, type), "x");
    expect([view.layout === "words" && view.width, view.length]).toEqual([width, 3]);
    const writer = new ColumnWriter(createTsKernel({ hashSeed: 1 }), type);
    writer.append(new ColumnSource().add(view), { kind: "run", source: 0, start: 1, count: 2, hasNone: false });
    writer.appendNulls(1);
    const { values, length, nullCount } = writer.finish();
    expect([length, nullCount, [...new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]]).toEqual([
      3,
      1,
      [...bytes.slice(2 * width, 4 * width), ...new Uint8Array(width)],
    ]);
  });
});

describe("views of children", () => {
  it("of slices of one list column are made once", () => {
    const input = table({
      x: list(
        int32(),
        cells((i) => [i], false),
      ),
    });
    const parts = [0, 10, 20].map((at) => input.batches[0].slice(at, at + 10));
    const { batches } = readInput(parts, "left");
    const views = batches.map((b) => b.column(0));
    expect(new Set(views.map((v) => v.layout === "list" && v.children[0])).size).toBe(1);
  });
});

describe("dictionaries", () => {
  const column = () => dictionary(utf8(cells((i) => `v${i % 5}`, true)));
  const dictionaryOf = (view: ColumnView) => (view.layout === "codes" ? view.dictionary : undefined);

  it("are the same object where batches share a Vector", () => {
    const { batches } = readInput(table({ x: column() }, { split: [20, 21] }), "left");
    expect(dictionaryOf(batches[0].column(0))).toBe(dictionaryOf(batches[1].column(0)));
  });

  it("are told apart where another Vector lies over the same buffers, which may have been filled anew", () => {
    const data = table({ x: column() }).batches[0].data.children[0];
    const again = data.clone();
    again.dictionary = new Vector(data.dictionary!.data.map((d) => d.clone()));
    const cache = new ViewCache();
    const [a, b, c] = [data, again, data].map((x) => dictionaryOf(viewColumn(x, "x", cache)));
    expect([b === a, c === a]).toEqual([false, true]);
    expect(dictionaryOf(viewColumn(data, "x", new ViewCache()))).not.toBe(a);
  });

  it("are different objects where they are equal by chance", () => {
    expect(dictionaryOf(viewed(table({ x: column() })))).not.toBe(dictionaryOf(viewed(table({ x: column() }))));
  });

  it("with several chunks have them all", () => {
    const view = viewed(table({ x: dictionary(utf8(cells((i) => `v${i % 9}`, false)), { chunks: 3 }) }));
    const found = dictionaryOf(view);
    expect(found && [found.chunks.length, found.length, found.vector.length]).toEqual([3, 10, 10]);
  });

  it("stay memoized if they were", () => {
    const data = table({ x: column() }).batches[0].data.children[0];
    data.dictionary = data.dictionary!.memoize();
    const found = dictionaryOf(viewColumn(data, "x"));
    expect(found?.vector.isMemoized).toBe(true);
  });

  it("are found under lists and structs", () => {
    const view = viewed(
      table({
        x: list(
          dictionary(utf8()),
          cells((i) => [`v${i}`], false),
        ),
      }),
    );
    expect(dictionariesOf(view).length).toBe(1);
    expect(dictionariesOf(viewed(table({ x: int32([1]) })))).toEqual([]);
  });
});

describe("a batch that is a slice", () => {
  it("reads as its own rows, whatever bitmap its struct carries", () => {
    const input = table({ x: int32(cells((i) => i, true)) });
    const batch = input.batches[0].slice(9, 20);
    const marked = foreign(batch) as unknown as { data: { nullBitmap: Uint8Array; _nullCount: number } };
    marked.data.nullBitmap = new Uint8Array(8);
    for (const one of [batch, marked as unknown as RecordBatch]) {
      const view = readInput(one, "left").batches[0].column(0);
      expect(cellsOf(new Int32(), sliceData(view, 0, view.length, new Int32()))).toEqual(cells((i) => i, true).slice(9, 20));
    }
  });
});
