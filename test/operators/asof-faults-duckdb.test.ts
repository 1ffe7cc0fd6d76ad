/** Faults that other systems' as-of joins have had (public reports, by their name in the collection's Part 2): DuckDB's (D). */

import { describe, expect, it } from "vitest";
import { everyKind, rowsTable, times } from "../support/asof-faults.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { join, runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { inTime, source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const KERNELS = ["wasm", "ts"] as const;

describe("faults of DuckDB", () => {
  it("DuckDB 9183, 19027: an OR in the condition holds for each pair", async () => {
    const left = rowsTable({ t: c.int32, k: c.int32, item: c.utf8 }, [[1, 0, "A"]]);
    const right = rowsTable({ t: c.int32, k: c.int32, item: c.utf8, v: c.int32 }, [
      [1, 0, "A", 8],
      [1, 0, "B", 12],
    ]);
    const filter = x.or(x.eq(l("item"), r("item")), x.eq(l("item"), "*"));
    await everyKind(left, right, { on: "t", by: "k", filter }, [8]);
    const any = rowsTable({ t: c.int32, k: c.int32, item: c.utf8 }, [
      [1, 0, "*"],
      [1, 0, "C"],
      [2, 0, "B"],
    ]);
    await everyKind(any, right, { on: "t", by: "k", filter }, [12, null, 12]);
  });

  it("DuckDB 10867: a filter of the right alone removes no left row", async () => {
    const all = [
      [0, 0],
      [1, null],
    ] as const;
    const left = rowsTable({ t: c.int32, l: c.int32 }, all);
    await everyKind(left, rowsTable({ t: c.int32, v: c.int32 }, all), { on: "t", filter: x.isNotNull(r("v")) }, [0, 0]);
  });

  it("DuckDB 13899: a condition on the right alone fills gaps with the last value", async () => {
    const rows = [1, null, null, null, 2].map((amount, i): Cell[] => [i + 1, amount]);
    const right = rowsTable({ t: c.int32, v: c.int32 }, rows);
    await everyKind(times([1, 2, 3, 4, 5]), right, { on: "t", filter: x.isNotNull(r("v")) }, [1, 1, 1, 1, 2]);
    await everyKind(times([1, 2, 3, 4, 5]), right, { on: "t", filter: x.isNotNull(r("v")), direction: "forward" }, [1, 2, 2, 2, 2]);
  });

  it("DuckDB 17046: a condition on the left alone drops no left row of a left join", async () => {
    const right = rowsTable({ t: c.int32, v: c.int32 }, [[1, 3]]);
    await everyKind(times([1, 2]), right, { on: "t", filter: x.eq(l("t"), 1) }, [3, null]);
    await everyKind(times([1, 2]), right, { on: "t", direction: "nearest", filter: x.gt(l("t"), 1) }, [null, 3]);
  });

  it("DuckDB 18303: a right row whose payload is null is a match, however few left rows there are", async () => {
    const right = rowsTable({ t: c.int32, v: c.int32 }, [
      [0, 42],
      [60, null],
    ]);
    for (const count of [1, 2, 63, 64, 65])
      await expectJoinAsof(times(Array(count).fill(120)), right, { on: "t" }, { rows: Array(count).fill([120, null]), part: [count, 3] });
    await everyKind(times([120]), right, { on: "t" }, [null]);
    await expectJoinAsof(times([120]), right, { on: "t", how: "inner" }, { rows: [[120, null]] });
    await expectJoinAsof(times([120]), right, { on: "t", how: "leftAnti" }, { rows: [] });
  });

  it("DuckDB 23933: null keys that are equal match", async () => {
    const [left, right] = [
      rowsTable({ t: c.int32, k: c.int32 }, [[5, null]]),
      rowsTable({ t: c.int32, k: c.int32, v: c.int32 }, [[3, null, 2]]),
    ];
    await everyKind(left, right, { on: "t", by: "k", nullsEqual: true }, [2]);
    await everyKind(left, right, { on: "t", by: "k" }, [null]);
  });

  it("DuckDB 24672: a left that is itself a result has its columns where they are", async () => {
    const some = table({ k: c.int32([3, 1, 2]), t: c.int32([2, 5, 9]), s: c.utf8(["x", "y", "z"]) }, { split: [1, 2] });
    const gone = table({ k: c.int32([3]), t: c.int32([2]) });
    const left = join(some, gone, { on: ["t", "k"], how: "leftAnti" });
    const right = rowsTable({ v: c.utf8, t: c.int32 }, [
      ["a", 4],
      ["b", 9],
    ]);
    await expectJoinAsof(
      left,
      right,
      { on: "t" },
      {
        rows: [
          [1, 5, "y", "a"],
          [2, 9, "z", "b"],
        ],
      },
    );
  });

  it("DuckDB 21244: the first rows are rows of the whole result", async () => {
    const rows = 200;
    const numbers = Array.from({ length: rows }, (_, i) => i);
    const left = table({ t: c.int32(numbers) }, { split: [100, 100] });
    const right = table({ t: c.int32(numbers), v: c.int32(numbers.map((i) => i * 2)) }, { split: [50, 150] });
    for (const direction of ["backward", "forward", "nearest"] as const) {
      const stream = await runJoinAsofStream(source(left), source(right), { on: "t", direction, batchSize: 10 }, {});
      const { done, value } = await inTime(stream.next(), "the first rows");
      if (done) throw new Error("no row");
      expect(readBatches(stream.schema, [value]).rows).toEqual(numbers.slice(0, 10).map((t) => [t, 2 * t]));
      await stream.return();
    }
  });

  it("DuckDB 25631: hundreds of thousands of rows are merged, not looped over", () => {
    const rows = 300_000;
    const numbers = Array.from({ length: rows }, (_, i) => i);
    const side = (name: string) => table({ t: c.int32(numbers), k: c.int32(numbers.map((i) => i % 100)), [name]: c.int32(numbers) });
    const [left, right] = [side("l"), side("r")];
    for (const kernel of KERNELS) {
      const start = performance.now();
      const result = runJoinAsof(left, right, { on: "t", by: "k", allowExactMatches: false, kernel, select: ["r"] }, {});
      // Comparing every pair would take minutes.
      expect(performance.now() - start).toBeLessThan(5000);
      const found = readTable(result).rows;
      expect(found.length).toBe(rows);
      expect(found.every(([r], i) => r === (i < 100 ? null : i - 100))).toBe(true);
    }
  });
});
