/** Blocks: rows of a batch as bytes and back, exactly those rows, whatever slice they lie in. */

import type { RecordBatch, Table } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockFormat } from "../../src/arrow/block.ts";
import { type InputBatch, type InputField, type OneShotInput, ROW_NUMBERS, ROW_POSITIONS, readInput } from "../../src/arrow/input.ts";
import { OutputSchema } from "../../src/arrow/output.ts";
import { sliceData } from "../../src/arrow/slice.ts";
import { rebuildType } from "../../src/arrow/type.ts";
import type { Cell, Row } from "../support/cell.ts";
import { type Column, dictionary, int32, int64, list, struct, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { seed } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { join } from "../support/run.ts";
import { table } from "../support/table.ts";
import { foreignTable, layouts, ROWS } from "./layouts.ts";

const everyColumn = (fields: readonly InputField[]) => fields.map((_, i) => i);
const formatOf = ({ fields }: OneShotInput, columns = everyColumn(fields)) => new BlockFormat(fields, columns, "left");

/** The rows of these columns of a batch, read through its views. */
function rowsOf(batch: InputBatch, fields: readonly InputField[], columns = everyColumn(fields)): Row[] {
  let id = 0;
  const types = columns.map((i) => rebuildType(fields[i].type, () => id++));
  const output = new OutputSchema(columns.map((i, at) => ({ name: fields[i].name, type: types[at], nullable: true })));
  const data = columns.map((i, at) => sliceData(batch.column(i), 0, batch.length, types[at]));
  return [...readTable(output.makeTable([output.makeBatch(data, batch.length)])).rows];
}

/** Rows [start, start + count) of the first batch, written and read again; the count of their bytes is checked. */
function trip(input: OneShotInput, start: number, count: number, format = formatOf(input), firstRow = 0): InputBatch {
  const block = format.encode(input.batches[0], start, count);
  expect(format.blockBytes(input.batches[0], start, count)).toBe(block.length);
  expect(block.length % 8).toBe(0);
  return format.decode(block, firstRow, 0);
}

const RANGES = [
  [0, ROWS],
  [0, 0],
  [3, 17],
  [8, 8],
  [33, 8],
  [40, 1],
  [41, 0],
];

describe.each(layouts)("a column of $name", ({ make }) => {
  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("comes back from every range of its rows (nulls %s, sliced %s)", (nulls, slice) => {
    const column = make(nulls);
    for (const input of [table({ x: column }, { slice }), foreignTable(table({ x: column }, { slice }))]) {
      const read = readInput(input, "left");
      const format = formatOf(read);
      for (const [start, count] of RANGES) {
        const back = trip(read, start, count, format);
        expect(rowsOf(back, read.fields)).toEqual(column.cells.slice(start, start + count).map((cell) => [cell]));
        // What was read is written again as well.
        if (count > 1) {
          const again = format.decode(format.encode(back, 1, count - 1), 0, 0);
          expect(rowsOf(again, read.fields)).toEqual(column.cells.slice(start + 1, start + count).map((cell) => [cell]));
        }
      }
    }
  });

  it("takes the same bytes whatever slice its rows lie in", () => {
    // Without nulls: what lies under a null may be any bytes.
    const whole = readInput(table({ x: make(false) }), "left");
    const sliced = readInput(table({ x: make(false) }, { slice: true }), "left");
    for (const [start, count] of RANGES)
      expect(formatOf(sliced).blockBytes(sliced.batches[0], start, count)).toBe(formatOf(whole).blockBytes(whole.batches[0], start, count));
  });
});

describe("a block", () => {
  const columns = { id: int32([1, null, 3, 4]), name: utf8(["a", "", null, "dddd"]), big: int64([1n, 2n, 3n, 4n]) };
  const input = readInput(table(columns, { slice: true }), "left");

  it("is exactly its header and its parts, each from a multiple of 8 on", () => {
    // Header: rows and a count of nulls a column. Parts: bitmap 8, values 16; bitmap 8, offsets 24, bytes 8; values 32.
    expect(formatOf(input).encode(input.batches[0], 0, 4).length).toBe(16 + 8 + 16 + 8 + 24 + 8 + 32);
    // No null among these rows, no bitmap.
    expect(formatOf(input).encode(input.batches[0], 3, 1).length).toBe(16 + 8 + 8 + 8 + 8);
  });

  it("of no columns keeps its rows", () => {
    const none = readInput(table({}, { rows: 7 }), "left");
    expect(trip(none, 2, 5).length).toBe(5);
  });

  it("has only the columns that are to be written; the others do not pass for columns", async () => {
    const format = formatOf(input, [2, 0]);
    const back = format.decode(format.encode(input.batches[0], 1, 3), 0, 0);
    expect(rowsOf(back, input.fields, [0, 2])).toEqual([
      [null, 2n],
      [3, 3n],
      [4, 4n],
    ]);
    await expectError(() => back.column(1), "INVALID_INPUT", '"name"');
  });

  it("is viewed, not copied", () => {
    const format = formatOf(input);
    const block = format.encode(input.batches[0], 0, 4);
    const back = format.decode(block, 0, 0);
    const view = back.column(2);
    expect(view.layout === "words" && view.words.buffer).toBe(block.buffer);
    expect(back.bufferBytes([0, 1, 2], new Set())).toBe(block.length);
  });

  it("may lie anywhere in a buffer, from a multiple of 8 on", () => {
    const format = formatOf(input);
    const block = format.encode(input.batches[0], 0, 4);
    const larger = new Uint8Array(block.length + 48).fill(255);
    larger.set(block, 24);
    expect(rowsOf(format.decode(larger.subarray(24, 24 + block.length), 0, 0), input.fields)).toHaveLength(4);
  });

  it("of a column that no join reads is refused when the format is made", async () => {
    const union = { name: "u", type: { typeId: 14, mode: 0, children: [] }, nullable: true };
    const fields = readInput({ schema: { fields: [union] }, batches: [] }, "left").fields;
    await expectError(() => new BlockFormat(fields, [0], "left"), "UNSUPPORTED_TYPE", '"u"');
    expect(new BlockFormat(fields, [], "left").dictionaryBytes).toBe(0);
  });
});

describe("row numbers of a batch that was read", () => {
  it("go on from the first row", () => {
    const input = readInput(table({ id: int32([5, 6, 7]) }), "left");
    const back = trip(input, 1, 2, formatOf(input), 40);
    const numbers = back.column(ROW_NUMBERS);
    const positions = back.column(ROW_POSITIONS);
    expect(numbers.layout === "words" && [...numbers.words]).toEqual([40, 41]);
    expect(positions.layout === "words" && [...new Float64Array(positions.words.buffer)]).toEqual([40, 41]);
    expect(back.column(ROW_NUMBERS)).toBe(numbers);
  });

  it("are exact beyond 2^31 as positions", () => {
    const input = readInput(table({ id: int32([5, 6]) }), "left");
    const positions = trip(input, 0, 2, formatOf(input), 2 ** 40).column(ROW_POSITIONS);
    expect(positions.layout === "words" && [...new Float64Array(positions.words.buffer)]).toEqual([2 ** 40, 2 ** 40 + 1]);
  });
});

describe("dictionaries", () => {
  const dictionaryOf = (batch: InputBatch, column = 0) => {
    const view = batch.column(column);
    return view.layout === "codes" ? view.dictionary : null;
  };

  it("are the same objects again, and not in the block", () => {
    const input = readInput(table({ d: dictionary(utf8(["a", "b", "c".repeat(1000)])) }, { split: [2, 1] }), "left");
    const format = formatOf(input);
    const blocks = input.batches.map((batch) => format.encode(batch, 0, batch.length));
    for (const block of blocks) expect(block.length).toBeLessThan(64);
    blocks.forEach((block, i) => {
      const before = dictionaryOf(input.batches[i]);
      expect(before).not.toBe(null);
      expect(dictionaryOf(format.decode(block, 0, i))).toBe(before);
    });
  });

  it("are told apart where each batch has its own, and each counted once", () => {
    const column = dictionary(utf8(["a", "b", "c", "d"]), { perBatch: true });
    const input = readInput(table({ d: column }, { split: [2, 1, 1] }), "left");
    const format = formatOf(input);
    const blocks = input.batches.map((batch) => format.encode(batch, 0, batch.length));
    const kept = format.dictionaryBytes;
    expect(kept).toBeGreaterThan(0);
    for (const i of [2, 0, 1]) expect(dictionaryOf(format.decode(blocks[i], 0, i))).toBe(dictionaryOf(input.batches[i]));
    format.encode(input.batches[1], 0, 1);
    expect(format.dictionaryBytes).toBe(kept);
  });

  it("are kept when rows are written, not when they are counted", () => {
    const input = readInput(table({ d: dictionary(utf8(["a"])) }), "left");
    const format = formatOf(input);
    format.blockBytes(input.batches[0], 0, 1);
    expect(format.dictionaryBytes).toBe(0);
  });

  it("under lists and structs are the same objects too", () => {
    const column = struct({ l: list(dictionary(utf8(), { perBatch: true })) }, [{ l: ["a", "b"] }, { l: [] }, { l: ["c"] }]);
    const input = readInput(table({ s: column }, { split: [1, 2] }), "left");
    const format = formatOf(input);
    const innerOf = (batch: InputBatch) => {
      const view = batch.column(0);
      const inner = view.layout === "struct" && view.children[0].layout === "list" ? view.children[0].children[0] : view;
      return inner.layout === "codes" ? inner.dictionary : null;
    };
    for (const batch of input.batches) {
      expect(innerOf(batch)).not.toBe(null);
      expect(innerOf(format.decode(format.encode(batch, 0, batch.length), 0, 0))).toBe(innerOf(batch));
    }
  });
});

describe("batches that a join has put out", () => {
  it("come back, from streams of small batches too", () => {
    const left = table({ id: int32([1, 2, 3, 2]), a: dictionary(utf8(["x", "y", "x", null])) }, { split: [3, 1] });
    const right = table({ id: int32([2, 3, 2]), b: dictionary(utf8(["u", "v", "w"])), c: utf8(["1", null, "3"]) });
    const result: Table = join(left, right, { on: "id", how: "full", batchSize: 2 });
    const { rows } = readTable(result);
    expect(rows.length).toBeGreaterThan(4);
    const { fields } = readInput(result, "left");
    const format = new BlockFormat(fields, everyColumn(fields), "left");
    let at = 0;
    for (const batch of result.batches as readonly RecordBatch[]) {
      const [input] = readInput({ schema: result.schema, batches: [batch] }, "left").batches;
      const back = format.decode(format.encode(input, 0, input.length), at, 0);
      expect(rowsOf(back, fields)).toEqual(rows.slice(at, at + input.length));
      at += input.length;
    }
    expect(at).toBe(rows.length);
  });
});

describe("random rows", () => {
  it("come back in any order, from any blocks", () => {
    const chosen = fc.record({
      columns: fc.array(fc.tuple(fc.nat(layouts.length - 1), fc.boolean()), { minLength: 1, maxLength: 4 }),
      slice: fc.boolean(),
      ranges: fc.array(
        fc.nat(ROWS).chain((start) => fc.tuple(fc.constant(start), fc.nat(ROWS - start))),
        { minLength: 1, maxLength: 6 },
      ),
    });
    fc.assert(
      fc.property(chosen, ({ columns, slice, ranges }) => {
        const made = columns.map(([layout, nulls]): Column => layouts[layout].make(nulls));
        const input = readInput(table(Object.fromEntries(made.map((column, i) => [`c${i}`, column])), { slice }), "left");
        const format = formatOf(input);
        const blocks = ranges.map(([start, count]) => format.encode(input.batches[0], start, count));
        for (let i = ranges.length - 1; i >= 0; i--) {
          const [start, count] = ranges[i];
          expect(blocks[i].length).toBe(format.blockBytes(input.batches[0], start, count));
          const cells = (row: number): Cell[] => made.map((column) => column.cells[row]);
          expect(rowsOf(format.decode(blocks[i], 0, 0), input.fields)).toEqual(
            Array.from({ length: count }, (_, row) => cells(start + row)),
          );
        }
      }),
      { numRuns: 200, ...seed() },
    );
  });
});
