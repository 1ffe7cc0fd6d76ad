/** Faults that other systems' as-of joins have had (public reports, by their name in the collection's Part 2): Arrow's own (A). */

import { Field, Int32, makeData, Schema, Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { everyKind, KEYED, rowsTable, times } from "../support/asof-faults.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readTable } from "../support/rows.ts";
import { runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { quiet } from "../support/scheduled.ts";
import { endless, gate, inTime, source } from "../support/source.ts";
import { batchOf, table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;

describe("faults of Acero", () => {
  it("Acero 35838: an endless right is paused while the left is gated, and read again when it is needed", async () => {
    const rows = 8192;
    const right = endless(table({ t: c.int32(Array(rows).fill(1)), v: c.int32(Array(rows).fill(7)) }).batches[0]);
    const opened = gate();
    const left = source(times([0, 1, 1], [1, 1, 1]), (pull) => (pull === 1 ? opened.opened : undefined));
    const stream = await runJoinAsofStream(left, right, { on: "t", direction: "forward", select: ["v"] }, {});
    const batches: unknown[] = [];
    const all = (async () => {
      for await (const batch of stream) batches.push(batch);
    })();
    await quiet(() => `${right.pulls()} ${batches.length}`);
    const paused = right.pulls();
    expect(paused).toBeLessThan(64);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(right.pulls()).toBe(paused);
    opened.open();
    await inTime(all, "the join");
    expect(batches.length).toBe(3);
    expect(right.returns()).toBe(1);
  });

  it("Acero 36482: a key that stands in batches of one row is the same key whenever it comes again", async () => {
    const left = rowsTable(
      { t: c.int32, k: c.int32 },
      [
        [0, 1],
        [1, 2],
        [2, 1],
      ],
      [1, 1, 1],
    );
    const right = rowsTable({ t: c.int32, k: c.int32, v: c.utf8 }, [[0, 1, "a"]]);
    for (let run = 0; run < 5; run++) await everyKind(left, right, { on: "t", by: "k", tolerance: 1000 }, ["a", null, "a"]);
  });

  it("Acero 39803: columns are found by name on each side, wherever they stand", async () => {
    const left = rowsTable({ t: c.int32, k: c.utf8, lv: c.int32 }, [
      [1, "a", 1],
      [2, "b", 2],
      [3, "a", 3],
    ]);
    const right = rowsTable({ k: c.utf8, rv: c.int32, t: c.int32 }, [
      ["b", 20, 1],
      ["a", 10, 1],
      ["a", 30, 3],
    ]);
    await expectJoinAsof(
      left,
      right,
      { on: "t", by: "k" },
      {
        rows: [
          [1, "a", 1, 10],
          [2, "b", 2, 20],
          [3, "a", 3, 30],
        ],
      },
    );
  });

  it("Acero 40675: a right whose rows are of other keys gives none of them, forward within a tolerance", async () => {
    const left = rowsTable({ t: c.int32, k: c.utf8 }, [
      [1, "a"],
      [1, "b"],
      [5, "a"],
      [6, "b"],
      [7, "f"],
    ]);
    const right = rowsTable({ t: c.int32, k: c.utf8, v: c.float64 }, [
      [2, "a", 1],
      [9, "b", 3],
      [15, "g", 5],
    ]);
    await everyKind(left, right, { on: "t", by: "k", direction: "forward", tolerance: 1 }, [1, null, null, null, null]);
  });

  it("Acero 41706: two million times in order are in order", () => {
    const rows = 2_000_000;
    const cut = 1_048_575;
    const times = Int32Array.from({ length: rows }, (_, i) => i - 1_000_000);
    const schema = new Schema([new Field("t", new Int32(), false)]);
    const part = (from: number, to: number) => {
      const data = makeData({ type: new Int32(), length: to - from, nullCount: 0, data: times.subarray(from, to) });
      return batchOf(schema, [data], to - from);
    };
    const input = new Table(schema, [part(0, cut), part(cut, rows)]);
    for (const kernel of KERNELS) {
      const result = runJoinAsof(input, input, { on: "t", tolerance: 10, rightTime: "at", kernel }, {});
      expect(result.numRows).toBe(rows);
      let row = 0;
      let wrong = 0;
      for (const { data, numRows } of result.batches) {
        const at = data.children[1];
        for (let i = 0; i < numRows; i++) if (!at.getValid(i) || at.values[i] !== times[row++]) wrong++;
      }
      expect(wrong).toBe(0);
    }
  });

  it("Acero 44526: what cannot be is a clean error before any input is read", async () => {
    const [left, right] = [source(times([1])), source(times([1]))];
    await expectError(() => runJoinAsofStream(left, right, { on: "t", select: ["nothing"] }, {}), "COLUMN_NOT_FOUND", "nothing");
    await expectError(() => runJoinAsofStream(left, right, { on: "t", flush: "never" }, {}), "INVALID_OPTION", "flush", "never");
    expect([left.pulls(), right.pulls()]).toEqual([0, 0]);
  });

  it("Acero 46421: a consumer that stops taking stops all pulling", async () => {
    const left = endless(table({ t: c.int32(Array(1000).fill(3)) }).batches[0]);
    const right = endless(table({ t: c.int32(Array(1000).fill(3)), v: c.int32(Array(1000).fill(1)) }).batches[0]);
    const stream = await runJoinAsofStream(left, right, { on: "t", ties: "first", batchSize: 100 }, {});
    for (let batch = 0; batch < 3; batch++) {
      expect((await inTime(stream.next(), "a batch")).value?.numRows).toBe(100);
      await quiet(() => `${left.pulls()} ${right.pulls()}`);
      const pulled = [left.pulls(), right.pulls()];
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect([left.pulls(), right.pulls()]).toEqual(pulled);
      expect(Math.max(...pulled)).toBeLessThan(200);
    }
    await stream.return();
    expect([left.returns(), right.returns()]).toEqual([1, 1]);
  });

  it("Acero 36651: output batches are the left's", async () => {
    const left = times([1, 2, 3, 4, 5], [3, 2]);
    for (const flush of ["full", "eager"] as const) {
      const stream = await runJoinAsofStream(left, times([0, 9], [1, 1]), { on: "t", flush }, {});
      expect(readTable(await stream.toTable()).batches).toEqual([3, 2]);
    }
    expect(runJoinAsof(left, times([0, 9]), { on: "t" }, {}).batches.map((batch) => batch.numRows)).toEqual([3, 2]);
  });

  it("Acero 44485: dictionary columns are keys and payload as any", async () => {
    const currency = (cells: readonly never[]) => c.dictionary(c.utf8(cells), { index: "int8", perBatch: true });
    const right = rowsTable({ t: c.int32, k: c.int32, v: currency as never }, [[0, 1, "EUR"]]);
    await everyKind(rowsTable({ t: c.int32, k: c.int32 }, [[1, 1]]), right, { on: "t", by: "k", tolerance: 5 }, ["EUR"]);
    await everyKind(
      rowsTable({ t: c.int32, v: currency as never }, [
        [1, "EUR"],
        [2, "USD"],
      ]),
      right,
      { on: "t", by: "v" },
      ["EUR", null],
    );
  });

  it("Acero 17653: keys of one hash stay apart", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    const left = rowsTable(
      { t: c.int32, k: c.utf8 },
      names.map((name) => [5, name]),
    );
    const right = rowsTable(
      KEYED,
      names
        .slice(0, 20)
        .map((name, i) => [i % 5, name, `of ${name}`])
        .sort((a, b) => Number(a[0]) - Number(b[0])),
    );
    const expected = names.map((name, i) => (i < 20 ? `of ${name}` : null));
    for (const kernel of KERNELS)
      for (const switches of [{ collideHashes: true }, { collideHashes: true, tinyTables: true }])
        expect(readTable(runJoinAsof(left, right, { on: "t", by: "k", kernel, select: ["v"] }, switches)).rows.map(([v]) => v)).toEqual(
          expected,
        );
  });
});
