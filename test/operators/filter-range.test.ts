/**
 * Equality and a range in the filter (`l.k = r.k and l.v > r.v`), in groups that are large enough to be sorted: every comparison, every
 * kind, every type that has an order, with nulls, NaN and ties.
 */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import { combinationsFor } from "../support/axes.ts";
import { int32 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { ORDERED, orderedColumn } from "../support/ordered.ts";
import { ALL_KINDS } from "../support/random.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const OPERATORS = ["lt", "le", "gt", "ge"] as const;

/** `rows` rows of which most have key 1: a group that is worth sorting; 2 and 3 have few rows, 0 is null. */
function side(type: string, rows: number, step: number, slice: boolean): Table {
  const at = Array.from({ length: rows }, (_, i) => (i * step) % 1009);
  return table(
    {
      k: int32(at.map((n) => (n % 13 === 5 ? null : n % 11 === 3 ? 2 : n % 17 === 4 ? 3 : 1))),
      v: orderedColumn(type, at),
      row: int32(at.map((_, i) => i)),
    },
    { split: [rows - (rows >> 2), rows >> 2], slice },
  );
}

const few = (type: string) => side(type, 22, 271, false);
const many = (type: string) => side(type, 80, 389, true);

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = () => ({ part: [number++, 6] }) as const;

for (const how of ALL_KINDS) {
  describe(`a ${how} join with a range in its filter gives what testing every pair gives`, () => {
    for (const type of Object.keys(ORDERED)) {
      it(`over ${type}`, async () => {
        const [left, right] = [few(type), many(type)];
        const op = OPERATORS[(how.length + type.length) % 4];
        await expectJoin(left, right, { on: "k", how, filter: x[op](l("v"), r("v")) }, turn());
        await expectJoin(right, left, { on: "k", how, filter: x[op](r("v"), l("v")) }, turn());
      });
    }

    for (const op of OPERATORS) {
      it(`by ${op}, of doubles and of integers, written either way`, async () => {
        await expectJoin(many("float64"), few("float64"), { on: "k", how, filter: x[op](l("v"), r("v")) }, turn());
        await expectJoin(few("int32"), many("int32"), { on: "k", how, filter: x[op](r("v"), l("v")), nullsEqual: true }, turn());
      });
    }

    it("in groups that are sorted without being told to", async () => {
      const [left, right] = [side("int32", 9, 271, false), side("int32", 300, 389, true)];
      const combinations = combinationsFor(how).filter(({ batchSize, filterPath }) => batchSize !== 1 && filterPath === "as chosen");
      for (const [a, b] of [
        [left, right],
        [right, left],
      ])
        await expectJoin(a, b, { on: "k", how, filter: x.lt(l("v"), r("v")) }, { combinations });
    });

    const filters: { readonly [name: string]: Tree } = {
      "beside a conjunct on both sides": x.and(x.gt(l("v"), r("v")), x.ne(l("row"), r("row"))),
      "beside conjuncts on one side": x.and(x.gt(r("row"), 5), x.le(l("v"), r("v")), x.lt(l("row"), 60)),
      "of sums": x.lt(x.add(l("v"), 3), x.sub(r("v"), 1)),
      "twice, as a band": x.and(x.ge(l("v"), r("v")), x.le(l("v"), x.add(r("v"), 5))),
      "as between": x.between(l("v"), r("v"), x.add(r("v"), 7)),
      "against a part that is null for some rows": x.gt(l("v"), x.div(r("v"), r("row"))),
      "that every pair passes, but for nulls": x.ge(l("v"), x.sub(r("v"), 10_000_000_000n)),
      "that no pair passes": x.gt(l("v"), x.add(r("v"), 10_000_000_000n)),
      "and a constant beside it": x.and(x.lt(l("v"), r("v")), lit(true)),
    };
    for (const [name, filter] of Object.entries(filters)) {
      it(name, async () => {
        await expectJoin(few("int32"), many("int32"), { on: "k", how, filter }, turn());
      });
    }
  });
}
