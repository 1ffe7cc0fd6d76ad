/** NOT IN and IN (SEMANTICS 3.4): antis and marks with `nullAware`, several keys, keys that take nulls as equal, and a filter. */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { bool, float64, int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { join, joinStream, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, mirrored, r, type Tree, x } from "../support/tree.ts";

const KINDS = ["leftAnti", "leftMark", "rightAnti", "rightMark"] as const;

type Keys = readonly (readonly [Cell, Cell])[];

function sides(left: Keys, right: Keys): [Table, Table] {
  const side = (keys: Keys, name: string, split: readonly number[] | undefined, slice: boolean) =>
    table(
      {
        a: int32(keys.map(([a]) => a)),
        b: utf8(keys.map(([, b]) => b)),
        v: int32(keys.map((_, i) => (i % 5 === 4 ? null : i % 4))),
        [name]: int32(keys.map((_, i) => i)),
      },
      { split, slice },
    );
  return [
    side(left, "lrow", left.length > 3 ? [3, left.length - 3] : undefined, false),
    side(right, "rrow", right.length > 1 ? [1, right.length - 1] : undefined, true),
  ];
}

const SOME: Keys = [
  [1, "x"],
  [1, null],
  [null, "x"],
  [2, "y"],
  [null, null],
  [3, "z"],
  [1, "y"],
];
const OTHERS: { readonly [name: string]: Keys } = {
  "no null": [
    [1, "x"],
    [2, "q"],
    [4, "y"],
    [1, "x"],
  ],
  "a null in the first key": [
    [null, "x"],
    [2, "y"],
    [7, "x"],
  ],
  "a null in the last key": [
    [2, null],
    [1, "x"],
    [9, "y"],
  ],
  "a row of nulls": [
    [9, "y"],
    [null, null],
  ],
  "nulls in both keys": [
    [null, "z"],
    [3, null],
    [5, "w"],
    [2, "y"],
    [2, "y"],
  ],
  "no row": [],
};

const FILTERS: { readonly [name: string]: Tree | undefined } = {
  "no filter": undefined,
  "a filter between the sides": x.le(l("v"), r("v")),
  "a filter on the row alone": x.gt(l("v"), 0),
  "a filter on the list alone": x.lt(r("v"), 2),
  "a filter on each and between": x.and(x.ne(l("v"), 3), x.ne(r("v"), 1), x.le(r("v"), l("v"))),
  "a filter that is never true": lit(null),
};

const ON: { readonly [name: string]: Options["on"] } = {
  "one key": "a",
  "two keys": ["a", "b"],
  "a key that takes nulls as equal": [{ left: "a", right: "a", nullsEqual: true }],
  "two keys of which the first takes nulls as equal": [
    { left: "a", right: "a", nullsEqual: true },
    { left: "b", right: "b" },
  ],
  "two keys of which both take nulls as equal": [
    { left: "a", right: "a", nullsEqual: true },
    { left: "b", right: "b", nullsEqual: true },
  ],
};

/** Each case runs a part of the combinations, in turn. */
let number = 0;

for (const how of KINDS) {
  describe(`a null-aware ${how} join`, () => {
    for (const [onName, on] of Object.entries(ON)) {
      for (const [filterName, filter] of Object.entries(FILTERS)) {
        it(`on ${onName}, with ${filterName}, is what the standard says`, async () => {
          for (const others of Object.values(OTHERS)) {
            const [left, right] = how.startsWith("left") ? sides(SOME, others) : sides(others, SOME);
            const turned = filter && how.startsWith("right") ? mirrored(filter) : filter;
            await expectJoin(left, right, { on, how, nullAware: true, ...(turned && { filter: turned }) }, { part: [number++, 5] });
          }
        });
      }
    }

    it("of many rows, with long groups and few nulls", async () => {
      const keys = (rows: number, step: number, nulls: number): Keys =>
        Array.from(
          { length: rows },
          (_, i) => [i % nulls === nulls - 1 ? null : (i * step) % 5, (i * step) % 19 === 7 ? null : `${(i * step) % 3}`] as const,
        );
      const [left, right] = sides(keys(50, 7, 17), keys(40, 3, 23));
      for (const on of ["a", ["a", "b"]]) {
        await expectJoin(left, right, { on, how, nullAware: true });
        await expectJoin(left, right, { on, how, nullAware: true, filter: x.eq(l("v"), x.sub(r("v"), 1)) });
        await expectJoin(left, right, { on, how, nullAware: true, filter: x.and(x.eq(l("v"), 2), x.gt(r("v"), l("v"))) });
      }
    });

    it("of keys that are all null, and of NaN keys, which equal each other", async () => {
      const nulls = table({ k: int32([null, null, null]) }, { split: [2, 1] });
      const one = table({ k: int32([1]) });
      const floats = table({ k: float64(["NaN(7ff8000000000000)", "-0", null, 1]), row: bool([true, false, true, null]) });
      const others = table({ k: float64([0, "NaN(fff8000000000001)"]) });
      for (const [a, b] of [
        [nulls, one],
        [one, nulls],
        [nulls, nulls],
      ]) {
        await expectJoin(a, b, { on: "k", how, nullAware: true });
      }
      await expectJoin(floats, others, { on: "k", how, nullAware: true });
      await expectJoin(others, floats, { on: "k", how, nullAware: true });
    });

    it("keeps every row where the other side is empty, null keys too", async () => {
      const [some, none] = sides(SOME, []);
      const [left, right] = how.startsWith("left") ? [some, none] : [none, some];
      await expectJoin(left, right, { on: ["a", "b"], how, nullAware: true });
      await expectJoin(left, right, { on: "a", how, nullAware: true, filter: x.le(l("v"), r("v")) });
    });
  });
}

describe("NOT IN and IN by hand", () => {
  const left = table({ k: int32([1, 3, null]) });
  const list = (cells: readonly Cell[]) => table({ k: int32(cells) });

  it("are TRUE, null and FALSE as the list has the value, a null, or neither", async () => {
    const mark = { on: "k", how: "leftMark", nullAware: true } as const;
    await expectJoin(left, list([1, null]), mark, {
      rows: [
        [1, true],
        [3, null],
        [null, null],
      ],
    });
    await expectJoin(left, list([1]), mark, {
      rows: [
        [1, true],
        [3, false],
        [null, null],
      ],
    });
    await expectJoin(left, list([]), mark, {
      rows: [
        [1, false],
        [3, false],
        [null, false],
      ],
    });
    const anti = { on: "k", how: "leftAnti", nullAware: true } as const;
    await expectJoin(left, list([1, null]), anti, { rows: [] });
    await expectJoin(left, list([1]), anti, { rows: [[3]] });
    await expectJoin(left, list([]), anti, { rows: [[1], [3], [null]] });
  });

  it("of two keys are FALSE as soon as one differs, else unknown", async () => {
    const [pairs, others] = sides(
      [
        [1, "x"],
        [1, null],
        [2, "x"],
        [null, "y"],
      ],
      [[1, null]],
    );
    const select = ["lrow", "mark"];
    await expectJoin(
      pairs,
      others,
      { on: ["a", "b"], how: "leftMark", nullAware: true, select },
      {
        rows: [
          [0, null],
          [1, null],
          [2, false],
          [3, null],
        ],
      },
    );
    await expectJoin(pairs, others, { on: ["a", "b"], how: "leftAnti", nullAware: true, select: ["lrow"] }, { rows: [[2]] });
  });

  it("look only at the rows for which the filter is true", async () => {
    const some = table({ k: int32([5, null, 6]), v: int32([1, 2, 3]) });
    const others = table({ k: int32([null, 5]), v: int32([2, 9]) });
    const filter = x.lt(l("v"), r("v"));
    await expectJoin(
      some,
      others,
      { on: "k", how: "leftMark", nullAware: true, filter, select: ["left.v", "mark"] },
      {
        rows: [
          [1, true],
          [2, null],
          [3, false],
        ],
      },
    );
  });
});

describe("nullAware", () => {
  const [left, right] = sides(SOME, OTHERS["no null"]);

  it("is refused for kinds that are neither anti nor mark, by name", async () => {
    for (const how of ["inner", "left", "right", "full", "leftSemi", "rightSemi"] as const) {
      await expectError(() => join(left, right, { on: "a", how, nullAware: true }), "INVALID_OPTION", "nullAware", how);
      await expectError(() => joinStream(left, right, { on: "a", how, nullAware: true }), "INVALID_OPTION", "nullAware", how);
    }
  });

  it("is true or false", async () => {
    for (const nullAware of [1, "yes", null])
      await expectError(() => join(left, right, { on: "a", how: "leftAnti", nullAware }), "INVALID_OPTION", "nullAware");
    await expectJoin(left, right, { on: "a", how: "inner", nullAware: false });
  });
});
