import {
  type Data,
  type DataType,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  makeData,
  type Table,
  tableFromIPC,
  tableToIPC,
  Vector,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { CodesView, ColumnView } from "../../src/arrow/column.ts";
import { DictionaryUnifier } from "../../src/arrow/dictionary.ts";
import { ViewCache } from "../../src/arrow/dictionary-view.ts";
import { readInput } from "../../src/arrow/input.ts";
import { OutputSchema } from "../../src/arrow/output.ts";
import { ColumnSource } from "../../src/arrow/source.ts";
import { rebuildType } from "../../src/arrow/type.ts";
import { viewColumn } from "../../src/arrow/view.ts";
import { ColumnWriter } from "../../src/arrow/writer.ts";
import type { Kernel, Segment } from "../../src/kernel/contract.ts";
import { createTsKernel } from "../../src/kernel/ts/kernel.ts";
import { putI32 } from "../kernel/regions.ts";
import type { Cell } from "../support/cell.ts";
import { dictionary, int32, list, struct, utf8 } from "../support/column.ts";
import { readTable } from "../support/rows.ts";
import { table } from "../support/table.ts";
import { internCells } from "./intern.ts";
import { cells, foreignTable, layouts, ROWS } from "./layouts.ts";

const SPLIT = [0, 7, 20, 0, 14];
const starts = [0, 0, 7, 27, 27];
const kernel = (): Kernel => createTsKernel({ hashSeed: 1 });

function sourceOf(k: Kernel, input: Table, unify: boolean): { source: ColumnSource; type: DataType } {
  const { fields, batches } = readInput(input, "left");
  const source = new ColumnSource(unify ? () => new DictionaryUnifier(k, internCells()) : undefined);
  for (const batch of batches) source.add(batch.column(0));
  let id = 100;
  return { source, type: rebuildType(fields[0].type, () => id++) };
}

function cellsOf(type: DataType, datas: readonly Data[]): Cell[] {
  const out = new OutputSchema([{ name: "x", type, nullable: true }]);
  const made = out.makeTable(datas.map((d) => out.makeBatch([d], d.length)));
  const read = readTable(made).rows.map((row) => row[0]);
  // What is written must also survive Arrow's own writer and reader.
  expect(readTable(tableFromIPC(tableToIPC(made))).rows.map((row) => row[0])).toEqual(read);
  return read;
}

const locate = (row: number) => {
  if (row < 0) return { source: 0, row: -1 };
  const source = row < 7 ? 1 : row < 27 ? 2 : 4;
  return { source, row: row - starts[source] };
};

const picks = [40, 3, 3, 0, 26, 27, 7, 6, 12, 39, 1, 2, 33, 21, 5];
const holes = [-1, 40, 3, -1, -1, 0, 26, 27, 7, -1, 6, 13, 39, -1];

function located(k: Kernel, rows: readonly number[]): Segment {
  const places = rows.map(locate);
  return {
    kind: "located",
    sources: putI32(k, [9, ...places.map((p) => p.source)]),
    rows: putI32(k, [9, ...places.map((p) => p.row)]),
    from: 1,
    count: rows.length,
    hasNone: rows.includes(-1),
  } as Segment;
}

const rowsOf = (k: Kernel, rows: readonly number[], source = 0): Segment =>
  ({ kind: "rows", source, rows: putI32(k, [9, ...rows]), from: 1, count: rows.length, hasNone: rows.includes(-1) }) as Segment;
const run = (source: number, start: number, count: number): Segment => ({ kind: "run", source, start, count, hasNone: false });
const expected = (all: readonly Cell[], rows: readonly number[]) => rows.map((r) => (r < 0 ? null : all[r]));

const variants = [false, true].flatMap((nulls) =>
  [false, true].flatMap((slice) => [false, true].map((other) => ({ nulls, slice, other }))),
);

describe.each(layouts)("a writer of $name", ({ make }) => {
  it.each(variants)("gathers runs, rows and located rows (nulls $nulls, slices $slice, another copy $other)", ({ nulls, slice, other }) => {
    const k = kernel();
    const column = make(nulls);
    const copy = (t: Table) => (other ? foreignTable(t) : t);
    const one = sourceOf(k, copy(table({ x: column }, { slice })), false);
    const many = sourceOf(k, copy(table({ x: column }, { slice, split: SPLIT })), false);
    const writer = new ColumnWriter(k, one.type);
    writer.reserve(10);

    expect(writer.append(one.source, run(0, 5, 9))).toBe(true);
    expect(writer.append(one.source, rowsOf(k, picks))).toBe(true);
    expect(writer.append(one.source, rowsOf(k, holes))).toBe(true);
    writer.appendNulls(3);
    expect(writer.append(one.source, run(0, 40, 1))).toBe(true);
    expect(writer.rows).toBe(9 + picks.length + holes.length + 4);
    const first = writer.finish();
    expect(writer.rows).toBe(0);

    expect(writer.append(many.source, run(2, 1, 19))).toBe(true);
    expect(writer.append(many.source, located(k, holes))).toBe(true);
    expect(writer.append(many.source, located(k, picks))).toBe(true);
    expect(writer.append(many.source, run(4, 0, 14))).toBe(true);
    const second = writer.finish();

    const all = column.cells;
    const span = (from: number, count: number) => all.slice(from, from + count);
    expect(cellsOf(one.type, [first])).toEqual([
      ...span(5, 9),
      ...expected(all, picks),
      ...expected(all, holes),
      null,
      null,
      null,
      all[40],
    ]);
    expect(cellsOf(one.type, [second])).toEqual([...span(8, 19), ...expected(all, holes), ...expected(all, picks), ...span(27, 14)]);
  });

  it("forgets the rows of a truncate, and what lay there shows nowhere", () => {
    const k = kernel();
    const { source, type } = sourceOf(k, table({ x: make(true) }), false);
    const all = make(true).cells;
    const writer = new ColumnWriter(k, type);
    writer.append(source, run(0, 0, ROWS));
    writer.append(source, rowsOf(k, holes));
    writer.truncate(13);
    writer.appendNulls(2);
    writer.append(source, run(0, 2, 5));
    writer.truncate(19);
    expect(cellsOf(type, [writer.finish()])).toEqual([...all.slice(0, 13), null, null, ...all.slice(2, 6)]);
  });

  it("gives nothing but nulls from a source without batches", () => {
    const k = kernel();
    const { type } = sourceOf(k, table({ x: make(false) }), false);
    const writer = new ColumnWriter(k, type);
    writer.append(new ColumnSource(), rowsOf(k, [-1, -1]));
    expect(cellsOf(type, [writer.finish()])).toEqual([null, null]);
  });

  it("makes no bitmap where no null occurs, and counts the nulls that do", () => {
    const k = kernel();
    const { source, type } = sourceOf(k, table({ x: make(false) }), false);
    const writer = new ColumnWriter(k, type);
    writer.append(source, rowsOf(k, picks));
    const clean = writer.finish();
    if (type.typeId !== 1) expect([clean.nullCount, clean.nullBitmap ?? null]).toEqual([0, null]);
    writer.append(source, rowsOf(k, holes));
    expect(writer.finish().nullCount).toBe(type.typeId === 1 ? holes.length : holes.filter((r) => r < 0).length);
  });
});

describe("a writer", () => {
  it("never writes into what it has handed out", () => {
    const k = kernel();
    const { source, type } = sourceOf(k, table({ x: int32(cells((i) => i, true)) }), false);
    const writer = new ColumnWriter(k, type);
    writer.reserve(1000);
    writer.append(source, run(0, 0, 20));
    const first = writer.finish();
    const before = cellsOf(type, [first]);
    writer.append(source, run(0, 20, 20));
    writer.finish();
    expect(cellsOf(type, [first])).toEqual(before);
  });

  it("trims buffers of which less than half is used", () => {
    const k = kernel();
    const { source, type } = sourceOf(k, table({ x: utf8(cells((i) => `text ${i}`, false)) }), false);
    const writer = new ColumnWriter(k, type);
    writer.reserve(100_000);
    expect(writer.heldBytes).toBeGreaterThan(400_000);
    writer.append(source, run(0, 0, 20));
    const data = writer.finish();
    expect(data.valueOffsets.buffer.byteLength).toBe(21 * 4);
    expect(data.values.buffer.byteLength).toBeLessThan(400);
    expect(writer.heldBytes).toBeLessThan(100);
  });

  it.each([
    ["strings", utf8(cells((i) => "x".repeat(i), true))],
    [
      "lists",
      list(
        int32(),
        cells((i) => Array.from({ length: i }, () => i), true),
      ),
    ],
    [
      "a list in a struct",
      struct(
        { n: int32(), l: list(utf8()) },
        cells((i) => ({ n: i, l: Array.from({ length: i }, () => "yy") }), true),
      ),
    ],
    [
      "strings in a list",
      list(
        struct({ t: utf8() }),
        cells((i) => Array.from({ length: i % 5 }, () => ({ t: "x".repeat(i) })), true),
      ),
    ],
  ])("refuses to take %s past the largest offset, and changes nothing", (_, column) => {
    const k = kernel();
    const { source, type } = sourceOf(k, table({ x: column }), false);
    const writer = new ColumnWriter(k, type, { maxBytes: 200 });
    expect(writer.append(source, run(0, 0, 12))).toBe(true);
    for (const segment of [
      run(0, 12, 29),
      rowsOf(
        k,
        Array.from({ length: 29 }, (_, i) => 12 + i),
      ),
      located(k, []),
    ]) {
      if (segment.count > 0) expect(writer.append(source, segment)).toBe(false);
    }
    expect(writer.rows).toBe(12);
    expect(writer.append(source, rowsOf(k, [2, -1, 3]))).toBe(true);
    expect(cellsOf(type, [writer.finish()])).toEqual([...column.cells.slice(0, 12), column.cells[2], null, column.cells[3]]);
    expect(k.usedBytes).toBeLessThan(1000);
  });

  it("gathers a placed column by global row ids", () => {
    const k = kernel();
    const column = layouts[3].make(true);
    const { source, type } = sourceOf(k, table({ x: column }, { split: SPLIT, slice: true }), false);
    const used = k.usedBytes;
    expect(source.place(k)).toBe(ROWS * 8);
    expect(source.place(k)).toBe(0);
    const writer = new ColumnWriter(k, type);
    writer.append(source, rowsOf(k, holes));
    writer.append(source, rowsOf(k, picks));
    expect(cellsOf(type, [writer.finish()])).toEqual([...expected(column.cells, holes), ...expected(column.cells, picks)]);
    expect(k.usedBytes).toBeGreaterThanOrEqual(used + ROWS * 8);
  });

  it("does not place what is not of fixed width", () => {
    const k = kernel();
    const { source } = sourceOf(k, table({ x: utf8(cells(() => "a", false)) }), false);
    expect([source.place(k), source.placed]).toEqual([0, null]);
  });

  it("refuses rows of two dictionaries in one batch, and takes the second one after the first is out", () => {
    const k = kernel();
    const column = dictionary(utf8(cells((i) => `v${i % 4}`, false)), { perBatch: true });
    const { source, type } = sourceOf(k, table({ x: column }, { split: [20, 21] }), false);
    const writer = new ColumnWriter(k, type);
    writer.append(source, run(0, 0, 20));
    expect(() => writer.append(source, run(1, 0, 1))).toThrow(/two dictionaries/i);
    const first = writer.finish();
    writer.append(source, run(1, 0, 21));
    const second = writer.finish();
    writer.appendNulls(1);
    writer.append(source, run(0, 0, 20));
    const third = writer.finish();
    expect([...cellsOf(type, [first]), ...cellsOf(type, [second]), ...cellsOf(type, [third])]).toEqual([
      ...column.cells,
      null,
      ...column.cells.slice(0, 20),
    ]);
  });

  it("takes lists with more elements than a kernel call does", () => {
    const k = kernel();
    const column = list(int32(), [Array.from({ length: 40_000 }, (_, i) => i), null, [1, 2]]);
    const { source, type } = sourceOf(k, table({ x: column }), false);
    const writer = new ColumnWriter(k, type);
    writer.append(source, run(0, 0, 3));
    writer.append(source, rowsOf(k, [2, 0, -1]));
    writer.append(source, located(k, []));
    expect(cellsOf(type, [writer.finish()])).toEqual([...column.cells, column.cells[2], column.cells[0], null]);
  });

  it("weighs rows by the values under them", () => {
    const k = kernel();
    const weight = (column: Parameters<typeof table>[0][string]) => sourceOf(k, table({ x: column }), false).source.rowWeight;
    expect(weight(int32(cells((i) => i, true)))).toBe(1);
    expect(
      weight(
        list(
          int32(),
          cells(() => [1, 2, 3, 4], false),
        ),
      ),
    ).toBe(5);
    expect(
      weight(
        struct(
          { a: int32(), b: int32() },
          cells(() => ({ a: 1, b: 2 }), false),
        ),
      ),
    ).toBe(3);
    expect(weight(utf8(cells(() => "x".repeat(320), false)))).toBe(11);
    expect(new ColumnSource().rowWeight).toBe(1);
  });
});

describe("unified dictionaries", () => {
  const options = [{}, { nullValue: true }, { repeated: true }, { chunks: 2 }, { index: "uint8" as const }];
  it.each(options)("keep the values of every batch (%j)", (extra) => {
    const k = kernel();
    const column = dictionary(utf8(cells((i) => `v${(i * i) % 11}`, true)), { perBatch: true, ...extra });
    const { source, type } = sourceOf(k, table({ x: column }, { split: SPLIT, slice: true }), true);
    const int32Codes = rebuildType({ typeId: -1, indices: int32().type, dictionary: utf8().type } as never, () => 7);
    expect(type.typeId).toBe(-1);
    const writer = new ColumnWriter(k, int32Codes);
    writer.append(source, located(k, holes));
    writer.append(source, run(2, 3, 9));
    const first = writer.finish();
    writer.append(source, located(k, picks));
    const second = writer.finish();
    expect(cellsOf(int32Codes, [first])).toEqual([...expected(column.cells, holes), ...column.cells.slice(10, 19)]);
    expect(cellsOf(int32Codes, [second])).toEqual(expected(column.cells, picks));
    expect(second.dictionary).toBe(first.dictionary);
    expect(first.dictionary?.data.length).toBe(1);
  });

  it("keep a dictionary that is the only one as the object that it is", () => {
    const k = kernel();
    const column = dictionary(utf8(cells((i) => `v${i % 4}`, true)), { chunks: 2 });
    const { source } = sourceOf(k, table({ x: column }, { split: SPLIT }), true);
    expect(source.unifier?.vector).toBe((source.views[2] as CodesView).dictionary.vector);
    expect(source.codes.every((c) => c.map === null)).toBe(true);
  });

  it("grow with a dictionary that grows by chunks, without a map", () => {
    const k = kernel();
    const chunk = (...values: string[]) => utf8().encode(values, values);
    const chunks = [chunk("a", "b"), chunk("c"), chunk("d", "a")];
    const type = rebuildType({ typeId: -1, indices: int32().type, dictionary: utf8().type } as never, () => 7);
    const unifier = new DictionaryUnifier(k, () => {
      throw new Error("nothing is to be compared");
    });
    const cache = new ViewCache();
    const view = (count: number) =>
      viewColumn(
        makeData({ type, data: Int32Array.of(1), dictionary: new Vector(chunks.slice(0, count)) } as never),
        "x",
        cache,
      ) as CodesView;
    expect([1, 2, 1, 3, 2].map((count) => unifier.add(view(count)))).toEqual([null, null, null, null, null]);
    expect([...unifier.vector]).toEqual(["a", "b", "c", "d", "a"]);
  });

  it("are right where a dictionary grows by chunks after another one was added", () => {
    const chunk = (...values: string[]) => utf8().encode(values, values);
    const [ab, c, bd] = [chunk("a", "b"), chunk("c"), chunk("b", "d")];
    const type = rebuildType({ typeId: -1, indices: int32().type, dictionary: utf8().type } as never, () => 7);
    const unifier = new DictionaryUnifier(kernel(), internCells());
    const cache = new ViewCache();
    const maps = [[ab], [bd], [ab, c]].map((chunks) =>
      unifier.add(viewColumn(makeData({ type, data: Int32Array.of(1), dictionary: new Vector(chunks) } as never), "x", cache) as CodesView),
    );
    expect(maps.map((map) => map && [...map].map((code) => unifier.vector.get(code)))).toEqual([null, ["b", "d"], ["a", "b", "c"]]);
  });

  it("go on growing after they were handed out", () => {
    const k = kernel();
    const make = (values: Cell[]) => readInput(table({ x: dictionary(utf8(values)) }), "right").batches[0].column(0);
    const source = new ColumnSource(() => new DictionaryUnifier(k, internCells()));
    const type = rebuildType({ typeId: -1, indices: int32().type, dictionary: utf8().type } as never, () => 7);
    const writer = new ColumnWriter(k, type);
    const all: Cell[] = [];
    const seen: Cell[] = [];
    for (const values of [["a", "b"], ["b", "c", null], ["c", "d", "a"], ["e"]] as Cell[][]) {
      source.add(make(values));
      all.push(...values);
      writer.append(source, run(source.views.length - 1, 0, values.length));
      seen.push(...cellsOf(type, [writer.finish()]));
    }
    expect(seen).toEqual(all);
  });

  it("reach into lists and structs", () => {
    const k = kernel();
    const column = list(
      struct({ d: dictionary(utf8(), { perBatch: true }) }),
      cells((i) => Array.from({ length: i % 3 }, (_, j) => ({ d: `v${(i + j) % 6}` })), true),
    );
    const { source, type } = sourceOf(k, table({ x: column }, { split: SPLIT, slice: true }), true);
    const writer = new ColumnWriter(k, type);
    writer.append(source, located(k, holes));
    writer.append(source, run(4, 0, 14));
    expect(cellsOf(type, [writer.finish()])).toEqual([...expected(column.cells, holes), ...column.cells.slice(27)]);
  });

  it("of nested values are put one after the other", () => {
    const k = kernel();
    const column = dictionary(
      list(
        int32(),
        cells((i) => [i % 3, 1], false),
      ) as never,
      { perBatch: true },
    );
    const views: ColumnView[] = readInput(table({ x: column }, { split: [20, 21] }), "left").batches.map((b) => b.column(0));
    const unifier = new DictionaryUnifier(k, () => {
      throw new Error("nested values are not interned");
    });
    const source = new ColumnSource(() => unifier);
    for (const view of views) source.add(view);
    expect(unifier.vector.length).toBe(views.reduce((sum, v) => sum + (v.layout === "codes" ? v.dictionary.length : 0), 0));
    const writer = new ColumnWriter(
      k,
      rebuildType(column.type, () => 1),
    );
    writer.append(source, run(0, 0, 20));
    writer.append(source, run(1, 0, 21));
    expect(
      cellsOf(
        rebuildType(column.type, () => 1),
        [writer.finish()],
      ),
    ).toEqual(column.cells);
  });
});

describe("a column that would pass 2 GiB", () => {
  it.each([
    ["values", new FixedSizeBinary(1 << 26)],
    ["lists", new FixedSizeList(1 << 24, new Field("item", new Float32()))],
  ])("of wide %s takes no more rows, null ones neither, before any memory is taken", (_, type) => {
    const writer = new ColumnWriter(kernel(), type);
    expect(writer.appendNulls(32)).toBe(false);
    expect([writer.rows, writer.heldBytes]).toEqual([0, 0]);
    expect(writer.rowBytes).toBe(1 << 26);
  });
});
