/** Faults that as-of joins of other systems have, found by trying them (by their name in the collection's Part 2, F). */

import { describe, expect, it } from "vitest";
import { everyKind, rowsTable, TIMED, times } from "../support/asof-faults.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;

describe("faults found by trying", () => {
  it("pyarrow 25.0.1, negative time: it is below zero, and not a large positive one", async () => {
    const one = (make: typeof c.int8, t: number | bigint, v?: string) =>
      rowsTable({ t: make, ...(v && { v: c.utf8 }) }, [[t, ...(v ? [v] : [])]]);
    await everyKind(one(c.int8, -1), one(c.int8, 127, "9"), { on: "t", tolerance: 0 }, [null]);
    await everyKind(one(c.int64, -(2n ** 63n)), one(c.int64, 0n, "9"), { on: "t", tolerance: 0 }, [null]);
    await everyKind(one(c.int64, 0n), one(c.int64, -(2n ** 63n), "9"), { on: "t", tolerance: 0 }, [null]);
    await everyKind(one(c.int64, 0n), one(c.int64, -(2n ** 63n), "9"), { on: "t" }, ["9"]);
    await everyKind(one(c.int8, -1), one(c.int8, 127, "9"), { on: "t", tolerance: 127, direction: "forward" }, [null]);
  });

  it("pyarrow 25.0.1, key 0: it is not the null key", async () => {
    const [L, R] = [
      { t: c.int32, k: c.int64 },
      { t: c.int32, k: c.int64, v: c.utf8 },
    ];
    for (const [l, r] of [
      [0n, null],
      [null, 0n],
    ]) {
      for (const nullsEqual of [false, true])
        await everyKind(rowsTable(L, [[5, l]]), rowsTable(R, [[4, r, "9"]]), { on: "t", by: "k", nullsEqual }, [null]);
    }
    const many = { on: "t", by: ["k", "j"], nullsEqual: true };
    const [left, right] = [
      rowsTable({ t: c.int32, k: c.int8, j: c.int8 }, [[5, 0, null]]),
      rowsTable({ t: c.int32, k: c.int8, j: c.int8, v: c.utf8 }, [[4, null, 0, "9"]]),
    ];
    await everyKind(left, right, many, [null]);
  });

  it("pyarrow 25.0.1, null time: it is no time, not 0, and breaks no order", async () => {
    await everyKind(times([1, null, 3]), rowsTable(TIMED, [[0, "v"]]), { on: "t" }, ["v", null, "v"]);
    await everyKind(
      times([1, null, 3]),
      rowsTable(TIMED, [
        [1, "v"],
        [null, "w"],
        [2, "x"],
      ]),
      { on: "t" },
      ["v", null, "x"],
    );
    await everyKind(
      times([-3, null, -2]),
      rowsTable(TIMED, [
        [-3, "v"],
        [null, "w"],
      ]),
      { on: "t", direction: "nearest" },
      ["v", null, "v"],
    );
  });

  it("pyarrow 25.0.1, ties: of those that straddle batches the last one counts, on every run", async () => {
    const right = rowsTable(
      TIMED,
      [
        [10, "1"],
        [10, "2"],
        [10, "3"],
        [20, "4"],
        [20, "5"],
      ],
      [1, 1, 2, 1],
    );
    for (let run = 0; run < 5; run++) await everyKind(times([10, 20]), right, { on: "t" }, ["3", "5"]);
    await everyKind(times([10, 20]), right, { on: "t", ties: "first" }, ["1", "4"]);
    await everyKind(times([10, 20]), right, { on: "t", direction: "forward", ties: "last" }, ["3", "5"]);
  });

  it("pyarrow 25.0.1, nullability: a field that gets nulls is nullable, though the right's is not", async () => {
    const right = table({ t: c.int32([5]), v: c.int32([1]) }, { nullable: false });
    const read = readTable(runJoinAsof(times([1, 6]), right, { on: "t" }, {}));
    expect(read.rows).toEqual([
      [1, null],
      [6, 1],
    ]);
    expect(read.fields.map(({ nullable }) => nullable)).toEqual([false, true]);
    expect(readTable(runJoinAsof(times([1, 6]), right, { on: "t", how: "inner" }, {})).fields[1].nullable).toBe(false);
  });

  it("pyarrow 25.0.1, unsorted tail: a one-shot join notices it, a stream as far as it reads", async () => {
    const right = rowsTable(
      TIMED,
      [
        [4, "a"],
        [9, "b"],
        [1, "c"],
      ],
      [1, 1, 1],
    );
    for (const kernel of KERNELS) {
      await expectError(() => runJoinAsof(times([5]), right, { on: "t", kernel }, {}), "UNSORTED", "right", /\b2\b/, /\b9\b/, /\b1\b/);
      const stream = await runJoinAsofStream(times([5]), right, { on: "t", kernel, select: ["v"] }, {});
      const { done, value } = await stream.next();
      if (done) throw new Error("no row");
      expect(readBatches(stream.schema, [value]).rows).toEqual([["a"]]);
      await stream.return();
    }
  });

  it("duckdb 1.5.6, ties: the answer is one row, whatever path finds it", async () => {
    const right = rowsTable(TIMED, [
      [5, "1"],
      [5, "2"],
      [5, "3"],
    ]);
    for (const count of [1, 63, 64, 65, 300]) {
      const left = times(Array(count).fill(5));
      for (const kernel of KERNELS)
        for (const [options, v] of [
          [{}, "3"],
          [{ direction: "forward" }, "1"],
          [{ direction: "nearest" }, "3"],
        ] as const) {
          const { rows } = readTable(runJoinAsof(left, right, { on: "t", ...options, kernel, select: ["v"] }, {}));
          expect(rows).toEqual(Array(count).fill([v]));
        }
    }
    await everyKind(times([5]), right, { on: "t" }, ["3"]);
    await everyKind(times([5]), right, { on: "t", direction: "forward" }, ["1"]);
  });
});
