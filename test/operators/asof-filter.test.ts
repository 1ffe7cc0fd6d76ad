/** Filters of as-of joins: they restrict the candidates before the closest is chosen, and what reads the left may pick a row further back. */

import { describe, it } from "vitest";
import { KEYS, optionSets, SMALL, side } from "../support/asof-samples.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const TOLERANCES = [undefined, undefined, 0, 3, { before: 5, after: 2 }] as const;

let number = 0;
const turn = (parts = 20) => ({ part: [number++, parts] }) as const;

const FILTERS: { readonly [reads: string]: { readonly [name: string]: Tree } } = {
  "the right alone": {
    "a comparison": x.lt(r("v"), 10),
    "no null": x.isNotNull(r("v")),
    "a null": x.isNull(r("v")),
    "two conjuncts": x.and(x.gt(r("v"), 3), x.ne(x.mod(r("v"), 3), 1)),
    "the right's key": x.eq(r("k0"), "ab"),
    "the right's time": x.gt(r("t"), -2),
    "nothing passes": x.lt(r("v"), -1),
  },
  "the left alone": {
    "a comparison": x.ge(l("v"), 8),
    "no null": x.isNotNull(l("v")),
    "the left's time": x.lt(l("t"), 1),
    "nothing passes": x.gt(l("v"), 1000),
  },
  "both sides": {
    "a comparison": x.le(r("v"), l("v")),
    "of what differs": x.ne(r("v"), l("v")),
    "with nulls": x.isDistinctFrom(r("v"), l("v")),
    "of arithmetic": x.gt(x.sub(l("v"), r("v")), 4),
    "of times": x.lt(x.sub(l("t"), r("t")), x.mod(l("v"), 4)),
    "of keys that are not those of by": x.or(x.eq(l("k0"), r("k0")), x.lt(l("v"), 5)),
    "beside a conjunct of each side": x.and(x.lt(r("v"), 15), x.lt(l("v"), 18), x.ne(x.add(l("v"), r("v")), 20)),
  },
  "no side": { TRUE: lit(true), FALSE: lit(false), NULL: lit(null) },
};

describe("the filter of an as-of join", () => {
  for (const [reads, filters] of Object.entries(FILTERS)) {
    for (const [name, filter] of Object.entries(filters)) {
      it(`on ${reads}, ${name}, is asked of each candidate`, async () => {
        for (const options of optionSets(1 + (number % 4), TOLERANCES)) {
          const seed = number;
          const [left, right] = [0, 1].map((i) =>
            side(seed + i, SMALL[i], { name: i === 0 ? "left" : "right", rows: 14, keys: [KEYS.utf8[i], KEYS.int8[i]] }),
          );
          const by = seed % 3 === 0 ? {} : { by: seed % 3 === 1 ? "k0" : ["k1"], nullsEqual: seed % 2 === 0 };
          await expectJoinAsof(left, right, { on: "t", filter, ...by, ...options }, turn());
        }
      });
    }
  }

  const left = table({ t: c.int32([5, 6, 7]), v: c.int32([1, 9, null]) }, { split: [1, 2] });
  const right = table({ t: c.int32([1, 3, 4, 5]), w: c.int32([0, 0, null, 5]) }, { split: [2, 2] });
  it("picks a row further back, ahead, or on the other side, where the closest does not pass", async () => {
    const rows = (options: object, ...expected: readonly (readonly Cell[])[]) =>
      expectJoinAsof(left, right, { on: "t", rightTime: "at", select: ["at"], ...options }, { rows: expected });
    await rows({ filter: x.lt(r("w"), l("v")) }, [3], [5], [null]);
    await rows({ filter: x.lt(r("w"), l("v")), tolerance: 1 }, [null], [5], [null]);
    await rows({ filter: x.lt(r("w"), 5) }, [3], [3], [3]);
    await rows({ filter: x.isNotNull(l("v")) }, [5], [5], [null]);
    await rows({ filter: x.lt(r("t"), l("v")) }, [null], [5], [null]);
    await rows({ filter: x.eq(r("w"), 0), direction: "nearest", ties: "first", tolerance: 2 }, [3], [null], [null]);
    await rows({ filter: x.ne(r("w"), 0), direction: "forward" }, [5], [null], [null]);
    await rows({ filter: lit(null) }, [null], [null], [null]);
  });

  it("decides of tied rows which are tied", async () => {
    const tied = table({ t: c.int32([5, 5, 5]), w: c.int32([1, 2, 3]) }, { split: [1, 1, 1] });
    for (const [ties, w] of [
      ["adjacent", 2],
      ["first", 1],
      ["last", 2],
    ] as const)
      await expectJoinAsof(left, tied, { on: "t", ties, filter: x.lt(r("w"), 3), select: ["right.w"] }, { rows: [[w], [w], [w]] });
    await expectJoinAsof(
      left,
      tied,
      { on: "t", direction: "forward", filter: x.gt(r("w"), l("v")), select: ["w"] },
      { rows: [[2], [null], [null]] },
    );
  });

  it("keeps rows in semi, anti and inner joins by what passes", async () => {
    const filter = x.lt(r("w"), l("v"));
    await expectJoinAsof(
      left,
      right,
      { on: "t", how: "leftSemi", filter },
      {
        rows: [
          [5, 1],
          [6, 9],
        ],
      },
    );
    await expectJoinAsof(left, right, { on: "t", how: "leftAnti", filter }, { rows: [[7, null]] });
    await expectJoinAsof(
      left,
      right,
      { on: "t", how: "inner", filter },
      {
        rows: [
          [5, 1, 0],
          [6, 9, 5],
        ],
      },
    );
  });

  it("may be a function or an expression of the builder", async () => {
    type Columns = Record<string, { lt(other: unknown): unknown }>;
    await expectJoinAsof(
      left,
      right,
      { on: "t", filter: (a: Columns, b: Columns) => b.w.lt(a.v), select: ["w"] },
      { rows: [[0], [5], [null]] },
    );
  });
});
