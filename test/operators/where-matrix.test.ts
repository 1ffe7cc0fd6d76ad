/**
 * `joinWhere`: every kind x predicates of every sort, through every axis of the asserter: hash keys and range indexes where the predicate has
 * them, the nested loop forced, one pass and many.
 */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import { int32 } from "../support/column.ts";
import { expectJoinWhere } from "../support/expect-join.ts";
import { BOTH_SIDES, CONSTANT, LEFT_ONLY, RIGHT_ONLY } from "../support/filters.ts";
import { ALL_KINDS } from "../support/random.ts";
import { columnsRead, type SideSpec, tableOf } from "../support/random-tree.ts";
import { rowNumbers } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

/** Seeds choose the cells. */
const side = (rows: number, salt: number, cuts: readonly number[], slice: boolean): SideSpec => ({
  rows: Array.from({ length: rows }, (_, i) => ({ key: i % 4, seed: i * 7 + salt })),
  cuts,
  slice,
});

function sides(tree: Tree, salt: number): [Table, Table] {
  const columns = columnsRead(tree);
  return [
    tableOf(side(9, salt, [3, 7], salt % 2 === 0), "left", columns),
    tableOf(side(8, salt + 3, [1, 6], salt % 3 === 0), "right", columns),
  ];
}

let number = 0;
/** Each case runs a part of the combinations, in turn. */
const turn = (parts = 38) => ({ part: [number++, parts] }) as const;

for (const how of ALL_KINDS) {
  const select = rowNumbers(how);

  describe(`a ${how} join where a predicate holds gives what testing every pair gives`, () => {
    const groups = { "both sides": BOTH_SIDES, "the left alone": LEFT_ONLY, "the right alone": RIGHT_ONLY, "no side": CONSTANT };
    for (const [reads, predicates] of Object.entries(groups)) {
      for (const [name, predicate] of Object.entries(predicates)) {
        const salt = number++;
        it(`of ${reads}: ${name}`, async () => {
          const [left, right] = sides(predicate, salt % 40);
          await expectJoinWhere(left, right, predicate, { how, ...(salt % 4 > 0 && { select }) }, { part: [salt, 38] });
        });
      }
    }

    const mixed = x.and(x.or(x.lt(l("i"), r("i")), x.isNull(r("f"))), x.ne(l("s"), "b"));

    it("where a side has no rows, or no row that the predicate leaves", async () => {
      const some = table({ v: int32([1, 2, 3, null]), lrow: int32([0, 1, 2, 3]) }, { split: [2, 2] });
      const none = table({ v: int32([]), lrow: int32([]) }, { split: [0, 0] });
      const noBatch = table({ v: int32([]) }, { split: [] });
      for (const [a, b] of [
        [some, none],
        [none, some],
        [none, noBatch],
        [noBatch, some],
      ]) {
        await expectJoinWhere(a, b, x.lt(l("v"), r("v")), { how }, turn());
        await expectJoinWhere(a, b, x.ne(l("v"), r("v")), { how }, turn());
        await expectJoinWhere(a, b, x.eq(l("v"), r("v")), { how }, turn());
        await expectJoinWhere(a, b, x.gt(l("v"), 1), { how }, turn());
        await expectJoinWhere(a, b, lit(true), { how }, turn());
      }
      await expectJoinWhere(some, some, x.and(x.gt(l("v"), 99), x.ne(l("v"), r("v"))), { how }, turn());
      await expectJoinWhere(some, some, x.and(x.gt(r("v"), 99), x.lt(l("v"), r("v"))), { how }, turn());
    });

    it("of one row on either side", async () => {
      const one = (v: number | null) => table({ v: int32([v]) });
      for (const predicate of [x.lt(l("v"), r("v")), x.ne(x.mod(x.add(l("v"), r("v")), 2), 1), lit(true)]) {
        await expectJoinWhere(one(1), one(2), predicate, { how }, turn());
        await expectJoinWhere(one(2), one(1), predicate, { how }, turn());
        await expectJoinWhere(one(1), one(null), predicate, { how }, turn());
      }
    });

    it("where one side has many rows and the other few, and rows beyond a word of a bitmap", async () => {
      const rows = (count: number, step: number) =>
        table(
          {
            v: int32(Array.from({ length: count }, (_, i) => (i % 11 === 7 ? null : (i * step) % 101))),
            at: int32(Array.from({ length: count }, (_, i) => i)),
          },
          { split: [count >> 1, (count + 1) >> 1] },
        );
      const predicate = x.and(x.ne(x.mod(x.add(l("v"), r("v")), 3), 0), x.lt(x.mul(l("v"), 2), r("v")));
      await expectJoinWhere(rows(131, 37), rows(3, 50), predicate, { how }, turn(14));
      await expectJoinWhere(rows(3, 20), rows(131, 37), predicate, { how }, turn(14));
      await expectJoinWhere(rows(67, 37), rows(65, 41), x.eq(x.mod(x.add(l("v"), r("v")), 40), 7), { how }, turn(14));
    });

    it("with no output columns", async () => {
      const [left, right] = sides(mixed, 8);
      await expectJoinWhere(left, right, mixed, { how, select: [] }, turn());
      await expectJoinWhere(left, right, x.gt(l("i"), 0), { how, select: [] }, turn());
      await expectJoinWhere(left, right, lit(true), { how, select: [] }, turn());
    });

    it("in the right's order, and in any", async () => {
      const [left, right] = sides(mixed, 9);
      for (const order of ["left", "right", "any"] as const) {
        await expectJoinWhere(left, right, mixed, { how, order }, turn());
        await expectJoinWhere(left, right, x.lt(l("i"), r("i")), { how, order, select }, turn());
        await expectJoinWhere(left, right, x.eq(l("i"), r("i")), { how, order }, turn());
        await expectJoinWhere(left, right, x.isNotNull(r("f")), { how, order }, turn());
      }
    });

    it("written with the builder, as a function, an expression or its tree", async () => {
      const [left, right] = sides(mixed, 5);
      type Columns = Record<string, { lt(other: unknown): { and(other: unknown): unknown } }>;
      await expectJoinWhere(left, right, (a: Columns, b: Columns) => a.i.lt(b.i).and(a.s.lt("b")), { how }, turn());
      await expectJoinWhere(left, right, JSON.parse(JSON.stringify(mixed)), { how }, turn());
    });
  });
}
