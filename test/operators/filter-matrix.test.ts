/** Every kind x filters of every sort x keys with and without equal nulls, through every axis of the asserter. */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import { int32 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { BOTH_SIDES, CONSTANT, LEFT_ONLY, RIGHT_ONLY } from "../support/filters.ts";
import { ALL_KINDS } from "../support/random.ts";
import { columnsRead, type SideSpec, tableOf } from "../support/random-tree.ts";
import { rowNumbers } from "../support/run.ts";
import { table } from "../support/table.ts";
import { conjunctsOf, l, r, sidesRead, type Tree, x } from "../support/tree.ts";

/** Key 3 is null. Seeds choose the cells. */
const side = (keys: readonly number[], salt: number, cuts: readonly number[], slice: boolean): SideSpec => ({
  rows: keys.map((key, i) => ({ key, seed: i * 7 + salt })),
  cuts,
  slice,
});

const LEFT_KEYS = [0, 1, 1, 3, 0, 2, 1, 3, 0, 1, 2];
const RIGHT_KEYS = [1, 0, 3, 1, 1, 0, 3, 1, 0];

function sides(tree: Tree, salt: number): [Table, Table] {
  const columns = columnsRead(tree);
  return [
    tableOf(side(LEFT_KEYS, salt, [4, 9], salt % 2 === 0), "left", columns),
    tableOf(side(RIGHT_KEYS, salt + 3, [1, 6], salt % 3 === 0), "right", columns),
  ];
}

let number = 0;
/** Each case runs a part of the combinations, in turn. */
const turn = () => ({ part: [number++, 2] }) as const;
for (const how of ALL_KINDS) {
  const select = [...rowNumbers(how), ...(/^(left|right)[A-Z]/.test(how) ? [] : ["k"])];

  describe(`a ${how} join with a filter gives what testing every pair gives`, () => {
    const groups = { "both sides": BOTH_SIDES, "the left alone": LEFT_ONLY, "the right alone": RIGHT_ONLY, "no side": CONSTANT };
    for (const [reads, filters] of Object.entries(groups)) {
      for (const [name, filter] of Object.entries(filters)) {
        const salt = number++;
        it(`of ${reads}: ${name}`, async () => {
          const [left, right] = sides(filter, salt % 40);
          const nullsEqual = salt % 3 === 0;
          await expectJoin(left, right, { on: "k", how, filter, nullsEqual, ...(salt % 4 > 0 && { select }) }, { part: [salt, 4] });
        });
      }
    }

    const mixed = x.and(x.or(x.lt(l("i"), r("i")), x.isNull(r("f"))), x.ne(l("s"), "b"));

    it("on several keys, some null, that equal each other or not", async () => {
      const [left, right] = sides(mixed, 5);
      await expectJoin(left, right, { on: ["k", "m"], how, filter: mixed }, turn());
      await expectJoin(left, right, { on: ["m", "k"], how, filter: mixed, nullsEqual: true }, turn());
      await expectJoin(
        left,
        right,
        {
          on: [
            { left: "k", right: "k", nullsEqual: true },
            { left: "m", right: "m" },
          ],
          how,
          filter: mixed,
          select,
        },
        turn(),
      );
    });

    it("where every key is unique", async () => {
      const left = table({ k: int32([5, 3, 1, 4, 2, 9]), i: int32([1, 2, 3, 4, null, 6]) }, { split: [2, 4] });
      const right = table({ k: int32([1, 2, 3, 4, 5, 7]), i: int32([3, 9, 9, 3, 0, 1]) }, { split: [5, 1], slice: true });
      await expectJoin(left, right, { on: "k", how, filter: x.lt(l("i"), r("i")) }, turn());
      await expectJoin(left, right, { on: "k", how, filter: x.ge(l("i"), r("i")) }, turn());
    });

    it("where groups have 1, 2 and 100 rows on either side", async () => {
      const group = (sizes: readonly number[]) => sizes.flatMap((size, key) => Array.from({ length: size }, () => key));
      const keyed = (keys: readonly number[], step: number, turn: number) =>
        table(
          {
            k: int32(keys.map((_, i) => keys[(i * step + turn) % keys.length])),
            v: int32(keys.map((_, i) => (i % 11 === 7 ? null : (i * step) % 101))),
          },
          { split: [keys.length >> 1, (keys.length + 1) >> 1] },
        );
      const many = keyed(group([100, 1, 2, 3]), 5, 3);
      const few = keyed(group([2, 2, 1, 0, 1]), 5, 1);
      const filter = x.and(x.lt(l("v"), r("v")), x.ne(x.add(l("v"), r("v")), 77));
      await expectJoin(many, few, { on: "k", how, filter }, turn());
      await expectJoin(few, many, { on: "k", how, filter }, turn());
    });

    it("where a side has no rows, or no row that the filter leaves", async () => {
      const some = table({ k: int32([1, 2, null, 2]), v: int32([1, 2, 3, null]) }, { split: [2, 2] });
      const none = table({ k: int32([]), v: int32([]) }, { split: [0, 0] });
      for (const [a, b] of [
        [some, none],
        [none, some],
        [none, none],
      ]) {
        await expectJoin(a, b, { on: "k", how, filter: x.lt(l("v"), r("v")) }, turn());
        await expectJoin(a, b, { on: "k", how, filter: x.gt(l("v"), 1) }, turn());
      }
      await expectJoin(some, some, { on: "k", how, filter: x.gt(l("v"), 99), nullsEqual: true }, turn());
      await expectJoin(some, some, { on: "k", how, filter: x.gt(r("v"), 99) }, turn());
    });

    it("with no output columns", async () => {
      const [left, right] = sides(mixed, 8);
      await expectJoin(left, right, { on: "k", how, filter: mixed, select: [] }, turn());
      await expectJoin(left, right, { on: "k", how, filter: x.gt(l("i"), 0), select: [] }, turn());
    });

    it("in the right's order, and in any", async () => {
      const [left, right] = sides(mixed, 9);
      await expectJoin(left, right, { on: "k", how, filter: mixed, order: "right" }, turn());
      await expectJoin(left, right, { on: "k", how, filter: mixed, order: "any" }, turn());
      await expectJoin(
        left,
        right,
        { on: "k", how, filter: conjunctsOf(mixed).find((one) => sidesRead(one).right), order: "right" },
        turn(),
      );
    });

    it("that reads the key itself", async () => {
      const [left, right] = sides(mixed, 11);
      await expectJoin(left, right, { on: "k", how, filter: x.and(x.gt(l("k"), 0), x.lt(r("i"), l("i"))) }, turn());
      await expectJoin(left, right, { on: "m", how, filter: x.ne(l("k"), r("k")) }, turn());
    });
  });
}
