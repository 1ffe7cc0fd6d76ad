/** Faults that other systems' as-of joins have had (public reports, by their name in the collection's Part 2): data frames (B, C). */

import { describe, expect, it } from "vitest";
import { everyKind, KEYED, rowsTable, TIMED, times } from "../support/asof-faults.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { gate, inTime, source } from "../support/source.ts";
import { table } from "../support/table.ts";

const days = (...cells: readonly (number | null)[]) => cells.map((day) => (day === null ? null : BigInt(day) * 86_400_000n));

describe("faults of pandas", () => {
  const right = rowsTable(TIMED, [
    [0, "1"],
    [30, "2"],
  ]);
  const strict = { on: "t", allowExactMatches: false, tolerance: 10 };

  it("pandas 13695: the tolerance holds when exact matches are excluded", async () => {
    await everyKind(times([30]), right, strict, [null]);
    await everyKind(times([30]), right, { ...strict, tolerance: 30 }, ["1"]);
    await everyKind(times([0]), right, { ...strict, direction: "forward", tolerance: 29 }, [null]);
  });

  it("pandas 13709: the tolerance holds when left times repeat", async () => {
    await everyKind(times([30, 30]), right, strict, [null, null]);
    await everyKind(times([30, 30, 40, 40]), right, strict, [null, null, "2", "2"]);
  });

  it("pandas 25059: a right without rows gives nulls, for times with a zone too", async () => {
    const zoned = c.timestamp("ms", "UTC");
    const hours = Array.from({ length: 10 }, (_, i) => BigInt(i) * 3_600_000n);
    const left = table({ t: zoned(hours) });
    for (const split of [[0], [], [0, 0]]) {
      for (const direction of ["backward", "forward", "nearest"] as const)
        await everyKind(left, table({ t: zoned([]), v: c.utf8([]) }, { split }), { on: "t", direction }, Array(10).fill(null));
    }
  });

  it("pandas 28870: every type of integer takes a tolerance", async () => {
    const values = [50, 150, 250];
    for (const make of [c.int16, c.int32, c.uint8, c.uint16, c.uint32]) {
      const right = table({ t: (make === c.uint8 ? c.uint16 : make)(values), v: c.int32([1, 2, 3]) });
      await everyKind(table({ t: make([0, 100, 200]) }), right, { on: "t", tolerance: 100 }, [null, 1, 2]);
    }
    for (const make of [c.int64, c.uint64])
      await everyKind(
        table({ t: make([0n, 100n, 200n]) }),
        table({ t: make(values.map(BigInt)), v: c.int32([1, 2, 3]) }),
        { on: "t", tolerance: 100 },
        [null, 1, 2],
      );
  });

  it("pandas 48709: a row without a match leaves the others' integers as they are", async () => {
    const big = 1_549_049_937_688_215_000n;
    const right = table({ t: c.int64([big]), v: c.int64([big]) });
    await everyKind(table({ t: c.int64([0n, 1_549_049_940_000_000_000n]) }), right, { on: "t" }, [null, big]);
    const read = readTable(runJoinAsof(table({ t: c.int64([0n, big]) }), right, { on: "t" }, {}));
    expect(read.fields[1].type).toBe("int64");
  });

  it("pandas 55453: keys may be dates and times", async () => {
    const make = c.timestamp("ms");
    const left = table({ t: make(days(1, 2, 3)), k: make(days(100, 100, 200)) });
    const right = table({ t: make(days(32)), k: make(days(100)), v: c.utf8(["x"]) });
    await everyKind(left, right, { on: "t", by: "k" }, [null, null, null]);
    await everyKind(left, right, { on: "t", by: "k", direction: "forward" }, ["x", "x", null]);
    const zoned = c.timestamp("ms", "Europe/Berlin");
    const of = (cells: readonly (bigint | null)[]) => table({ t: make(days(1, 2, 3)), k: zoned(cells) });
    await everyKind(
      of(days(1, null, 2)),
      table({ t: make(days(1)), k: c.timestamp("ms", "UTC")(days(1)), v: c.utf8(["x"]) }),
      { on: "t", by: "k" },
      ["x", null, null],
    );
  });
});

describe("faults of Polars", () => {
  it("Polars 5718: forward by key gives no row of the past", async () => {
    const left = rowsTable(
      { t: c.int32, k: c.utf8 },
      [1, 2, 3, 5, 12].map((t) => [t, "a"]),
    );
    await everyKind(left, rowsTable(KEYED, [[3, "a", "x"]]), { on: "t", by: "k", direction: "forward" }, ["x", "x", "x", null, null]);
  });

  it("Polars 5740: backward by key gives no later row", async () => {
    const left = rowsTable({ t: c.float64, k: c.utf8 }, [[1, "x"]]);
    await everyKind(
      left,
      rowsTable({ ...KEYED, t: c.float64 }, [
        [0, "x", "p"],
        [2.5, "x", "q"],
      ]),
      { on: "t", by: "k" },
      ["p"],
    );
  });

  it("Polars 10264: a null key is a key that matches nothing, or null", async () => {
    const [left, right] = [rowsTable({ t: c.int32, k: c.utf8 }, [[1, null]]), rowsTable(KEYED, [[0, null, "v"]])];
    await everyKind(left, right, { on: "t", by: "k" }, [null]);
    await everyKind(left, right, { on: "t", by: "k", nullsEqual: true }, ["v"]);
    await everyKind(table({ t: c.int32([1]), k: c.nullType([null]) }), table({ t: c.int32([0]), v: c.utf8(["v"]) }), { on: "t" }, ["v"]);
  });

  it("Polars 10462: nearest has a tolerance", async () => {
    for (const tolerance of [1, 399, { before: 400, after: 399 }])
      await everyKind(times([100]), rowsTable(TIMED, [[500, "v"]]), { on: "t", direction: "nearest", tolerance }, [null]);
    await everyKind(times([100]), rowsTable(TIMED, [[500, "v"]]), { on: "t", direction: "nearest", tolerance: 400 }, ["v"]);
  });

  it("Polars 11966: the only right row is the nearest", async () => {
    const left = rowsTable({ t: c.float64 }, [[0.9], [2.1], [2.8]]);
    await everyKind(left, rowsTable({ t: c.float64, v: c.int32 }, [[2, 100]]), { on: "t", direction: "nearest" }, [100, 100, 100]);
  });

  it("Polars 18014, 20882: a right that is sorted within no key is an error, or sorted", async () => {
    const left = rowsTable({ t: c.int32, k: c.utf8 }, [[20230101, "a"]]);
    const right = rowsTable({ t: c.int32, k: c.utf8, v: c.int32 }, [
      [20230601, "a", 1],
      [20220601, "a", 3],
    ]);
    for (const kernel of ["wasm", "ts"] as const) {
      const options = { on: "t", by: "k", kernel };
      await expectError(() => runJoinAsof(left, right, options, {}), "UNSORTED", "right", /\b1\b/, "20230601", "20220601");
      expect(readTable(runJoinAsof(left, right, { ...options, unsorted: "sort" }, {})).rows).toEqual([[20230101, "a", 3]]);
      for (const input of [right, source(rowsTable({ t: c.int32, k: c.utf8, v: c.int32 }, readTable(right).rows, [1, 1]))]) {
        const answer = runJoinAsofStream(left, input, options, {}).then((stream) => stream.toTable());
        const rows = await answer.then(
          (read) => readTable(read).rows,
          (error) => error.code,
        );
        expect(["UNSORTED", JSON.stringify([[20230101, "a", null]])]).toContain(typeof rows === "string" ? rows : JSON.stringify(rows));
      }
    }
  });

  it("Polars 21276: integers are not compared as floats", async () => {
    const big = 1_608_129_000_134_000_123n;
    const right = table({ t: c.int64([big + 1n, big + 3n]), v: c.int32([111, 333]) });
    await everyKind(table({ t: c.int64([big + 2n]) }), right, { on: "t" }, [111]);
    await everyKind(table({ t: c.int64([big + 2n]) }), right, { on: "t", direction: "forward" }, [333]);
    await everyKind(table({ t: c.int64([big + 2n]) }), right, { on: "t", tolerance: 0 }, [null]);
  });

  it("Polars 23583: a consumer that wants one row gets what it gets of all", async () => {
    const left = rowsTable({ t: c.int32, k: c.utf8 }, [
      [5, "B"],
      [6, "A"],
    ]);
    const right = rowsTable(
      { t: c.int32, k: c.utf8, v: c.int32 },
      [
        [5, "A", 1],
        [5, "B", 1],
        [7, "A", 2],
      ],
      [1, 1, 1],
    );
    for (const kernel of ["wasm", "ts"] as const) {
      const stream = await runJoinAsofStream(left, source(right), { on: "t", by: "k", kernel, batchSize: 1, select: ["k", "v"] }, {});
      const { done, value } = await inTime(stream.next(), "the first row");
      if (done) throw new Error("no row");
      expect(readBatches(stream.schema, [value]).rows).toEqual([["B", 1]]);
      await stream.return();
    }
  });

  it("Polars 25468: nearest without exact matches gives none", async () => {
    const [t, v] = [days(21, 22, 23, 24, 25), [21, 22, 23, 24, 25]];
    const right = table({ t: c.timestamp("ms")(t), v: c.int32(v) });
    const left = table({ t: c.timestamp("ms")(t) });
    await everyKind(left, right, { on: "t", direction: "nearest", allowExactMatches: false }, [22, 21, 22, 23, 24]);
    await everyKind(
      left,
      right,
      { on: "t", direction: "nearest", allowExactMatches: false, ties: "first", tolerance: "23h" },
      Array(5).fill(null),
    );
  });

  it("Polars 27165: rows without a time are passed over, and no row of another key is taken instead", async () => {
    const left = rowsTable({ t: c.float64, k: c.utf8 }, [[1, "g0"]]);
    const right = rowsTable({ t: c.float64, k: c.utf8, v: c.int32 }, [
      [0, null, 2],
      [null, "g0", 3],
    ]);
    for (const nullsEqual of [false, true]) await everyKind(left, right, { on: "t", by: "k", direction: "nearest", nullsEqual }, [null]);
    const more = rowsTable({ t: c.float64, k: c.utf8, v: c.int32 }, [
      [null, "g0", 1],
      [0, "g1", 2],
      [null, "g0", 3],
      [0.5, "g0", 4],
      [null, null, 5],
    ]);
    await everyKind(left, more, { on: "t", by: "k", direction: "nearest" }, [4]);
  });

  it("Polars 27526: a stream is in left order, behind another join too", async () => {
    const rows = 500;
    const numbers = Array.from({ length: rows }, (_, i) => i);
    const left = table({ t: c.int32(numbers), k: c.int32(numbers.map((i) => i % 7)) }, { split: [250, 250] });
    const right = table(
      { t: c.int32(numbers.map((i) => i - 3)), v: c.int32(numbers), k: c.int32(numbers.map((i) => i % 7)) },
      { split: [1, 299, 200] },
    );
    const first = await runJoinAsofStream(left, right, { on: "t" }, {});
    const second = await runJoinAsofStream(
      first,
      right,
      { on: "t", by: "k", suffix: "_again", select: ["left.t", "left.v", "right.v"] },
      {},
    );
    const actual = readTable(await second.toTable()).rows;
    expect(actual.map(([t]) => t)).toEqual(numbers);
    expect(actual.map(([, v]) => v)).toEqual(numbers.map((i) => Math.min(i + 3, rows - 1)));
  });

  it("Polars 27619: left batches wait in their order while the right starves", async () => {
    const opened = gate();
    const left = times([1, 2, 3, 4], [2, 2]);
    const right = source(
      rowsTable(
        TIMED,
        [
          [0, "a"],
          [9, "b"],
        ],
        [1, 1],
      ),
      (pull) => (pull === 1 ? opened.opened : undefined),
    );
    const stream = await runJoinAsofStream(source(left), right, { on: "t", flush: "eager" }, {});
    const all = stream.toTable();
    await new Promise((resolve) => setTimeout(resolve, 10));
    opened.open();
    const read = readTable(await inTime(all, "the join"));
    expect(read.rows).toEqual([1, 2, 3, 4].map((t) => [t, "a"]));
    expect(read.batches).toEqual([2, 2]);
  });

  it('Polars 23834: the suffix "" is one, and names that are twice an error', async () => {
    const left = table({ a: c.int32([1]), b: c.int32([1]) });
    const right = table({ b: c.int32([1]), c: c.int32([2]) });
    await expectError(() => runJoinAsof(left, right, { on: { a: "b" }, suffix: "" }, {}), "DUPLICATE_COLUMN", "b");
    await expectError(() => runJoinAsofStream(left, right, { on: { a: "b" }, suffix: "" }, {}), "DUPLICATE_COLUMN", "b");
    await expectJoinAsof(left, right, { on: { a: "b" } }, { rows: [[1, 1, 1, 2]] });
  });
});
