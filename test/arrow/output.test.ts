import { Dictionary, Int32, makeData, RecordBatch, Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { CodesView } from "../../src/arrow/column.ts";
import { decodeDictionary } from "../../src/arrow/decode.ts";
import { readInput } from "../../src/arrow/input.ts";
import { OutputSchema } from "../../src/arrow/output.ts";
import { sliceData } from "../../src/arrow/slice.ts";
import { createTsKernel } from "../../src/kernel/ts/kernel.ts";
import { dictionary, type IndexType, int64, utf8 } from "../support/column.ts";
import { readTable } from "../support/rows.ts";
import { table } from "../support/table.ts";
import { cells } from "./layouts.ts";

const ids = (...values: number[]) => makeData({ type: new Int32(), data: Int32Array.from(values) });

describe("an output", () => {
  const output = () =>
    new OutputSchema([{ name: "id", type: new Int32(), nullable: false, metadata: new Map([["unit", "m"]]) }], new Map([["made", "here"]]));

  it("gives batches of one schema that are RecordBatches in every way", () => {
    const out = output();
    const [a, b] = [out.makeBatch([ids(1, 2)], 2), out.makeBatch([ids(3)], 1)];
    expect(a).toBeInstanceOf(RecordBatch);
    expect([a.schema === out.schema, b.schema === out.schema, a.numRows, a.numCols, a.nullCount, a.metadata.size]).toEqual([
      true,
      true,
      2,
      1,
      0,
      0,
    ]);
    expect(a.toArray().map((row) => row.toJSON())).toEqual([{ id: 1 }, { id: 2 }]);
    expect(a.slice(1, 2).getChild("id")?.get(0)).toBe(2);
    expect(a.dictionaries.size).toBe(0);
    const made = out.makeTable([a, b]);
    expect([made.numRows, made.schema === out.schema, [...(made.getChild("id") ?? [])]]).toEqual([3, true, [1, 2, 3]]);
    const back = readTable(tableFromIPC(tableToIPC(made)));
    expect([back.rows, back.metadata, back.fields[0].metadata]).toEqual([[[1], [2], [3]], { made: "here" }, { unit: "m" }]);
  });

  it("without rows is a table with its schema", () => {
    const made = output().makeTable([]);
    expect([made.numRows, made.schema.fields[0].name, made.getChild("id")?.length, made.toArray()]).toEqual([0, "id", 0, []]);
    expect(tableFromIPC(tableToIPC(made)).schema.fields[0].name).toBe("id");
  });

  it("without columns keeps its rows", () => {
    const out = new OutputSchema([]);
    const made = out.makeTable([out.makeBatch([], 5), out.makeBatch([], 2)]);
    expect([made.numRows, made.numCols, made.batches.map((b) => b.numRows)]).toEqual([7, 0, [5, 2]]);
    expect(new Table(made.schema, made.batches).numRows).toBe(7);
  });

  it("takes dictionaries that have ids of their own", () => {
    let id = 0;
    const type = () => new Dictionary(new Utf8(), new Int32(), id++);
    const columns = [
      { name: "a", type: type(), nullable: true },
      { name: "b", type: type(), nullable: true },
    ];
    const out = new OutputSchema(columns);
    const data = columns.map((c, i) =>
      makeData({ type: c.type, data: Int32Array.of(1, 0), dictionary: vectorFromArray(i === 0 ? ["x", "y"] : ["p", "q"], new Utf8()) }),
    );
    const made = out.makeTable([out.makeBatch(data, 2)]);
    expect(readTable(tableFromIPC(tableToIPC(made))).rows).toEqual([
      ["y", "q"],
      ["x", "p"],
    ]);
  });
});

describe("a dictionary column", () => {
  const kernel = createTsKernel({ hashSeed: 3 });
  const shapes: [IndexType, object][] = [
    ["int8", {}],
    ["uint16", { chunks: 3 }],
    ["int64", { nullValue: true }],
    ["uint32", { repeated: true, chunks: 2 }],
    ["int32", {}],
  ];

  it.each(shapes)("of %s codes (%j) decodes to its values", (index, extra) => {
    for (const column of [utf8(cells((i) => `v${i % 6}`, true)), int64(cells((i) => BigInt(i % 6), true))]) {
      for (const slice of [false, true]) {
        const view = readInput(table({ x: dictionary(column, { index, ...extra }) }, { slice }), "left").batches[0].column(0);
        const decoded = decodeDictionary(kernel, view as CodesView);
        const out = new OutputSchema([{ name: "x", type: column.type, nullable: true }]);
        const made = out.makeTable([out.makeBatch([sliceData(decoded, 0, decoded.length, column.type)], decoded.length)]);
        expect(readTable(made).rows.map((row) => row[0])).toEqual(column.cells);
      }
    }
    expect(kernel.usedBytes).toBe(0);
  });
});
