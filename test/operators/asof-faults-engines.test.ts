/** Faults that other systems' as-of joins have had (public reports, by their name in the collection's Part 2): other query engines (E). */

import { describe, expect, it } from "vitest";
import { everyKind, KEYED, rowsTable, TIMED, times } from "../support/asof-faults.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readTable } from "../support/rows.ts";
import { join, runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { gate, inTime, source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const KERNELS = ["wasm", "ts"] as const;

describe("faults of other engines", () => {
  it("ClickHouse 112514: a right row whose time is NaN changes no answer", async () => {
    const floats = { ...TIMED, t: c.float64 };
    const left = rowsTable({ t: c.float64 }, [[2.5]]);
    const nan = "NaN(7ff8000000000000)";
    await everyKind(
      left,
      rowsTable(floats, [
        [1, "a"],
        [2, "b"],
        [nan, "z"],
      ]),
      { on: "t" },
      ["b"],
    );
    await everyKind(
      left,
      rowsTable(floats, [
        [nan, "z"],
        [1, "a"],
        [nan, "y"],
        [2, "b"],
      ]),
      { on: "t" },
      ["b"],
    );
    for (const direction of ["forward", "nearest"] as const)
      await everyKind(
        left,
        rowsTable(floats, [
          [nan, "z"],
          [nan, "y"],
        ]),
        { on: "t", direction },
        [null],
      );
  });

  it("ClickHouse 12958: a left row without a match has nulls, of every type", async () => {
    const right = table({
      t: c.int32([5]),
      v: c.utf8(["v"]),
      n: c.int32([1]),
      b: c.bool([true]),
      s: c.struct({ a: c.int32() }, [{ a: 1 }]),
    });
    await expectJoinAsof(
      times([1, 6]),
      right,
      { on: "t" },
      {
        rows: [
          [1, null, null, null, null],
          [6, "v", 1, true, { a: 1 }],
        ],
      },
    );
  });

  it("QuestDB tie-straddle: a tie that goes over batches is answered from all of it", async () => {
    const xs = Array.from({ length: 3000 }, (_, i) => i + 1);
    const second = (n: number) => (n >= 900 && n <= 1100 ? 900 : n);
    const right = table(
      { t: c.int32(xs.map(second)), k: c.utf8(xs.map((n) => (n === 500 || n === 1100 ? "K" : "A"))), x: c.int32(xs) },
      { split: [1000, 1000, 1000] },
    );
    const left = rowsTable({ t: c.int32, k: c.utf8 }, [
      [10, "A"],
      [900, "K"],
    ]);
    await expectJoinAsof(left, right, { on: "t", by: "k", select: ["x"] }, { rows: [[10], [1100]], part: [0, 4] });
    await expectJoinAsof(left, right, { on: "t", by: "k", ties: "first", select: ["x"] }, { rows: [[10], [1100]], part: [1, 4] });
    await expectJoinAsof(left, right, { on: "t", select: ["x"] }, { rows: [[10], [1100]], part: [2, 4] });
    await expectJoinAsof(
      left,
      right,
      { on: "t", direction: "forward", ties: "last", select: ["x"] },
      { rows: [[10], [1100]], part: [3, 4] },
    );
  });

  it("QuestDB 7635: a left out of order is an error, or sorted, and never matched from the future", async () => {
    const [left, right] = [
      times([3, 1]),
      rowsTable(TIMED, [
        [1, "a"],
        [3, "b"],
      ]),
    ];
    for (const kernel of KERNELS) {
      for (const split of [[2], [1, 1]]) {
        const input = times([3, 1], split);
        await expectError(() => runJoinAsof(input, right, { on: "t", kernel }, {}), "UNSORTED", "left", /\b1\b/, /\b3\b/);
        await expectError(
          () => runJoinAsofStream(source(input), right, { on: "t", kernel }, {}).then((stream) => stream.toTable()),
          "UNSORTED",
          "left",
        );
      }
      const { rows } = readTable(runJoinAsof(left, right, { on: "t", unsorted: "sort", kernel }, {}));
      expect(rows).toEqual([
        [3, "b"],
        [1, "a"],
      ]);
    }
  });

  it("QuestDB 5610: a right with its columns in another order, and a filter, gives the same", async () => {
    const rows: Cell[][] = [
      [1, 10, "a"],
      [2, 20, "b"],
      [3, 30, "c"],
    ];
    const filter = x.lt(r("n"), 25);
    for (const right of [
      rowsTable({ t: c.int32, n: c.int32, v: c.utf8 }, rows),
      rowsTable(
        { v: c.utf8, n: c.int32, t: c.int32 },
        rows.map((row) => [...row].reverse()),
      ),
      rowsTable(
        { n: c.int32, v: c.utf8, t: c.int32 },
        rows.map(([t, n, v]) => [n, v, t]),
      ),
    ]) {
      await everyKind(times([0, 1, 9]), right, { on: "t", filter }, [null, "a", "b"]);
      await everyKind(times([0, 1, 9]), right, { on: "t" }, [null, "a", "c"]);
    }
  });

  it("QuestDB 3301: a right without rows behind another join gives nulls", async () => {
    const one = join(rowsTable(KEYED, [[1, "k", "v"]]), rowsTable({ k: c.utf8, w: c.int32 }, [["k", 5]]), { on: "k" });
    for (const split of [[0], []]) {
      const none = table({ t: c.int32([]), z: c.int32([]) }, { split });
      await expectJoinAsof(one, none, { on: "t" }, { rows: [[1, "k", "v", 5, null]] });
      await expectJoinAsof(
        one,
        [{ table: none }, { table: one, suffix: "_again" }],
        { on: "t", select: ["z", "right1.w"] },
        { rows: [[null, 5]] },
      );
    }
  });

  it("RisingWave 25223: a right out of order is sorted where asked, else an error", async () => {
    const right = rowsTable({ t: c.int32, v: c.int32 }, [
      [3, 3],
      [1, 1],
      [2, 2],
    ]);
    for (const kernel of KERNELS) {
      expect(readTable(runJoinAsof(times([5]), right, { on: "t", unsorted: "sort", kernel }, {})).rows).toEqual([[5, 3]]);
      await expectError(() => runJoinAsof(times([5]), right, { on: "t", kernel }, {}), "UNSORTED", "right", /\b1\b/, /\b3\b/);
    }
  });

  it("Feldera 6829: the last right row before a watermark is there for later left rows", async () => {
    const opened = gate();
    const right = rowsTable(
      { t: c.int32, k: c.utf8, v: c.utf8 },
      [
        [1, "a", "x"],
        [2, "b", "y"],
        [50, "b", "z"],
      ],
      [2, 1],
    );
    const left = rowsTable(
      { t: c.int32, k: c.utf8 },
      [
        [2, "b"],
        [60, "a"],
        [60, "b"],
      ],
      [1, 2],
    );
    async function* marked() {
      yield right.batches[0];
      yield { watermark: 40 };
      await opened.opened;
      yield right.batches[1];
      yield { watermark: 100 };
    }
    async function* markedLeft() {
      yield left.batches[0];
      yield { watermark: 60 };
      opened.open();
      yield left.batches[1];
    }
    for (const kernel of KERNELS) {
      const inputs = [
        { schema: left.schema, batches: markedLeft() },
        { schema: right.schema, batches: marked() },
      ] as const;
      const stream = await runJoinAsofStream(...inputs, { on: "t", by: "k", kernel, select: ["v"] }, {});
      expect(readTable(await inTime(stream.toTable(), "the join")).rows).toEqual([["y"], ["x"], ["z"]]);
    }
  });

  it("Spark 58950: what a stream has given stays known over all its batches", async () => {
    const keys = ["a", "b", "c", "d"];
    const right = rowsTable(
      KEYED,
      keys.map((k, i) => [i, k, k.toUpperCase()]),
      [1, 1, 1, 1],
    );
    const left = rowsTable(
      { t: c.int32, k: c.utf8 },
      keys.map((k, i) => [10 + i, k]),
      [1, 1, 1, 1],
    );
    for (const kernel of KERNELS) {
      const stream = await runJoinAsofStream(source(left), source(right), { on: "t", by: "k", kernel, select: ["v"] }, {});
      expect(readTable(await stream.toTable()).rows.flat()).toEqual(["A", "B", "C", "D"]);
    }
    await everyKind(left, right, { on: "t", by: "k" }, ["A", "B", "C", "D"]);
  });

  it("SPARK-59529: a constant is no time column", async () => {
    const right = rowsTable(TIMED, [[1, "a"]]);
    for (const on of [{ t: 5 }, 5, [{ left: "t", right: 5 }], [], ["t", "v"]])
      await expectError(() => runJoinAsof(times([1]), right, { on: on as never }, {}), "INVALID_OPTION", "on");
    await expectError(() => runJoinAsof(times([1]), right, { on: "5" }, {}), "COLUMN_NOT_FOUND", "5");
  });

  it("Tempo 115: a match is one row, nulls and all", async () => {
    const right = rowsTable(
      { t: c.int32, x: c.int32, y: c.int32 },
      [
        [1, 1, 1],
        [2, null, 2],
      ],
      [1, 1],
    );
    await expectJoinAsof(times([3]), right, { on: "t" }, { rows: [[3, null, 2]] });
    await expectJoinAsof(times([3]), right, { on: "t", filter: x.isNotNull(r("x")) }, { rows: [[3, 1, 1]] });
  });

  it("ibis 3295: a key of one name on both sides is there once, the left's", async () => {
    const right = rowsTable(KEYED, [[1, "a", "v"]]);
    const left = rowsTable({ t: c.int32, k: c.utf8 }, [[2, "a"]]);
    await expectJoinAsof(left, right, { on: "t", by: "k" }, { rows: [[2, "a", "v"]] });
    const filter = x.lt(l("t"), x.add(r("t"), 2));
    await expectJoinAsof(left, right, { on: "t", by: "k", filter }, { rows: [[2, "a", "v"]] });
    await expectJoinAsof(left, right, { on: "t", by: "k", rightTime: "matched" }, { rows: [[2, "a", 1, "v"]] });
  });
});
