/** Every supported type carried along from either side, nulls included, sliced and split, gathered and passed through. */

import { Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { type Column, int32 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { join } from "../support/run.ts";
import { EVERY_TYPE } from "../support/samples.ts";
import { table } from "../support/table.ts";

const take = (column: Column, rows: readonly number[]): Column => ({ ...column, cells: rows.map((row) => column.cells[row]) });

for (const [name, column] of Object.entries(EVERY_TYPE)) {
  describe(`payload of type ${name}`, () => {
    const left = table(
      { id: int32([4, 1, null, 2, 1, 3, 3, 5]), x: take(column, [0, 1, 2, 3, 4, 0, 3, 1]) },
      { split: [3, 0, 5], slice: true },
    );
    const right = table({ x: take(column, [4, 3, 2, 1, 0, 1, 2]), id: int32([1, 6, 3, 2, 1, null, 3]) }, { split: [2, 5] });

    for (const how of ["inner", "left", "right", "full", "leftSemi", "rightAnti"] as const) {
      it(`comes out exactly, null where there is no partner (${how})`, async () => {
        await expectJoin(left, right, { on: "id", how });
      });
    }

    it("comes out of a side that has no nulls, as null where there is no partner", async () => {
      const whole: Cell[] = column.cells.filter((cell) => cell !== null);
      if (whole.length === 0) whole.push(null, null, null);
      const l = table({ id: int32([1, 2, 3]), x: { ...column, cells: whole.slice(0, 3) } });
      const r = table({ id: int32([3, 9, 1]), x: { ...column, cells: whole.slice(-3) } }, { slice: true });
      await expectJoin(l, r, { on: "id", how: "full" });
    });

    it("comes out as null from a table without rows that Arrow itself has read", () => {
      const none = tableFromIPC(tableToIPC(new Table(right.schema, []), "stream"));
      for (const kernel of ["wasm", "ts"] as const) {
        for (const build of ["left", "right"] as const) {
          const result = readTable(join(left, none, { on: "id", how: "left", select: ["left.id", "right.x"], kernel, build }));
          expect(result.rows).toEqual(readTable(left).rows.map((row) => [row[0], null]));
          expect(readTable(join(none, left, { on: "id", how: "full", select: ["left.x", "id"], kernel, build })).rows.length).toBe(8);
        }
      }
    });

    it("comes out as null from a side without rows", async () => {
      await expectJoin(left, table({ id: int32([]), x: take(column, []) }), { on: "id", how: "full" });
      await expectJoin(table({ id: int32([]), x: take(column, []) }, { split: [] }), right, { on: "id", how: "full" });
    });
  });
}
