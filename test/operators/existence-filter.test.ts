/** Semi, anti and mark kinds of both sides, with and without a filter: the mark column, its name and place, and what the kinds have in common. */

import { type Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { dictionary, float64, int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, joinStream, mirrorKind, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, mirrored, r, type Tree, x } from "../support/tree.ts";

const EXISTENCE = ["leftSemi", "leftAnti", "leftMark", "rightSemi", "rightAnti", "rightMark"] as const;
const MARKS = ["leftMark", "rightMark"] as const;

const left = table(
  { k: int32([1, 2, null, 3, 1, 2, 1, null]), v: int32([5, 1, 2, 9, 0, null, 7, 3]), name: utf8(["a", "b", null, "d", "", "f", "g", "h"]) },
  { split: [3, 5], metadata: { of: "left" }, fieldMetadata: { v: { unit: "m" } } },
);
const right = table(
  {
    w: float64([1, 6, 6, null, "NaN(7ff8000000000000)", 2]),
    k: int32([1, 1, 2, 4, 3, null]),
    word: dictionary(utf8(["x", null, "y", "x", "z", "z"]), { index: "int8", perBatch: true }),
  },
  { split: [4, 2], slice: true, metadata: { of: "right" } },
);

const FILTERS: { readonly [name: string]: Tree | undefined } = {
  "no filter": undefined,
  "a filter between the sides": x.lt(l("v"), r("w")),
  "a filter on the left alone": x.gt(l("v"), 1),
  "a filter on the right alone": x.startsWith(r("word"), "x"),
  "filters on each side and between": x.and(x.ne(l("v"), 9), x.isNotNull(r("word")), x.ge(r("w"), l("v"))),
  "a filter that nothing passes": x.gt(l("v"), x.add(r("w"), 1e9)),
  "a filter that everything passes": x.or(x.isNull(l("v")), x.isNotNull(l("v"))),
};

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = () => ({ part: [number++, 3] }) as const;

for (const how of EXISTENCE) {
  describe(`a ${how} join`, () => {
    for (const [name, filter] of Object.entries(FILTERS)) {
      it(`with ${name} gives what comparing every pair gives`, async () => {
        await expectJoin(left, right, { on: "k", how, ...(filter && { filter }) }, turn());
        await expectJoin(left, right, { on: "k", how, nullsEqual: true, ...(filter && { filter }) }, turn());
      });

      it(`with ${name} gives the same from the other side`, async () => {
        await expectJoin(right, left, { on: "k", how: mirrorKind(how), ...(filter && { filter: mirrored(filter) }) }, turn());
      });
    }

    it("of many rows of one key keeps each row once", async () => {
      const many = table(
        {
          k: int32(Array.from({ length: 70 }, (_, i) => (i % 9 === 4 ? 2 : 1))),
          v: int32(Array.from({ length: 70 }, (_, i) => (i * 37) % 64)),
        },
        { split: [33, 37] },
      );
      const some = table({ k: int32([1, 2, 1, 3]), v: int32([60, 0, 3, 9]) });
      await expectJoin(many, some, { on: "k", how });
      await expectJoin(some, many, { on: "k", how, filter: x.eq(x.mod(x.add(l("v"), r("v")), 16), 5) });
      await expectJoin(many, some, { on: "k", how, filter: x.and(x.gt(l("v"), r("v")), x.ne(l("v"), 61)) });
    });

    it("without rows on a side, or on both", async () => {
      const none = table({ k: int32([]), v: int32([]), w: float64([]) }, { split: [0] });
      for (const [a, b] of [
        [left, none],
        [none, right],
        [none, none],
      ] as const) {
        await expectJoin(a, b, { on: "k", how });
        await expectJoin(a, b, { on: "k", how, filter: x.lt(l("v"), r("w")) });
      }
    });

    it("selects columns of its side only", async () => {
      const own = how.startsWith("left") ? "left.v" : "right.w";
      const other = how.startsWith("left") ? "right.w" : "left.v";
      await expectJoin(left, right, { on: "k", how, select: [own], filter: x.lt(l("v"), r("w")) });
      await expectJoin(left, right, { on: "k", how, select: [], filter: x.lt(l("v"), r("w")) });
      await expectJoin(left, right, { on: "k", how, select: [] });
      await expectError(() => join(left, right, { on: "k", how, select: [other] }), "INVALID_OPTION", other, how);
    });
  });
}

describe("the column of a mark join", () => {
  for (const how of MARKS) {
    const own = how === "leftMark" ? "left" : "right";

    it(`comes after the columns of its side, is Bool and not nullable (${how})`, () => {
      const { fields } = readTable(join(left, right, { on: "k", how, filter: x.lt(l("v"), r("w")) }));
      const columns = own === "left" ? ["k", "v", "name"] : ["w", "k", "word"];
      expect(fields.map(({ name }) => name)).toEqual([...columns, "mark"]);
      expect(fields.at(-1)).toEqual({ name: "mark", type: "bool", nullable: false, metadata: {} });
    });

    it(`is nullable with nullAware (${how})`, () => {
      expect(readTable(join(left, right, { on: "k", how, nullAware: true })).fields.at(-1)).toMatchObject({ name: "mark", nullable: true });
    });

    it(`has the name that markName gives (${how})`, async () => {
      for (const markName of ["found", "left.x", "a b"]) await expectJoin(left, right, { on: "k", how, markName });
      await expectJoin(left, right, { on: "k", how, markName: "found", select: ["found", `${own}.k`] });
      await expectError(() => join(left, right, { on: "k", how, markName: "k" }), "DUPLICATE_COLUMN", "k");
    });

    it(`stands where select places it, under any name, or nowhere (${how})`, async () => {
      const filter = x.lt(l("v"), r("w"));
      await expectJoin(left, right, { on: "k", how, filter, select: ["mark"] });
      await expectJoin(left, right, { on: "k", how, filter, select: ["mark", `${own}.k`] });
      await expectJoin(left, right, { on: "k", how, filter, select: { hit: "mark", key: `${own}.k` } });
      await expectJoin(left, right, { on: "k", how, filter, select: [`${own}.k`] });
      await expectJoin(left, right, { on: "k", how, filter, select: [] });
    });

    it(`is no column of a side (${how})`, async () => {
      await expectError(() => join(left, right, { on: "k", how, select: [`${own}.mark`] }), "COLUMN_NOT_FOUND", "mark");
      await expectError(() => join(left, right, { on: "k", how, select: ["mark"], markName: "found" }), "COLUMN_NOT_FOUND", "mark");
      await expectError(() => join(left, right, { on: "k", how, filter: x.eq(l("mark"), true) }), "INVALID_EXPRESSION", "mark");
    });

    it(`survives what Arrow writes and reads (${how})`, () => {
      const result = join(left, right, { on: "k", how, nullAware: true });
      expect(readTable(tableFromIPC(tableToIPC(result, "stream"))).rows).toEqual(readTable(result).rows);
    });
  }
});

describe("marks and the other kinds", () => {
  const rows = (how: How, filter: Tree | undefined, kernel: "wasm" | "ts") => {
    const options: Options = {
      on: "k",
      how,
      kernel,
      select: [how.startsWith("left") ? "left.v" : "right.w", ...(how.endsWith("Mark") ? ["mark"] : [])],
    };
    return readTable(join(left, right, filter ? { ...options, filter } : options)).rows;
  };

  for (const [name, filter] of Object.entries(FILTERS)) {
    it(`agree about ${name}`, () => {
      for (const kernel of ["wasm", "ts"] as const) {
        for (const side of ["left", "right"] as const) {
          const marked = rows(`${side}Mark`, filter, kernel);
          expect(rows(`${side}Semi`, filter, kernel)).toEqual(marked.filter(([, mark]) => mark === true).map(([value]) => [value]));
          expect(rows(`${side}Anti`, filter, kernel)).toEqual(marked.filter(([, mark]) => mark === false).map(([value]) => [value]));
        }
      }
    });
  }

  it("stop reading the other side when every row is decided, and end it", async () => {
    const one = table({ k: int32([1]), v: int32([0]) });
    let pulled = 0;
    let ended = 0;
    const endless = {
      schema: one.schema,
      batches: {
        async *[Symbol.asyncIterator]() {
          try {
            while (pulled < 1000) {
              pulled++;
              yield one.batches[0];
            }
          } finally {
            ended++;
          }
        },
      },
    };
    for (const how of ["rightSemi", "rightAnti", "rightMark"] as const) {
      for (const filter of [undefined, x.eq(l("v"), r("v"))]) {
        [pulled, ended] = [0, 0];
        const options = { on: "k", how, build: "right", ...(filter && { filter }) };
        const result: Table = await (await joinStream(endless, one, options)).toTable();
        expect(result.numRows).toBe(how === "rightAnti" ? 0 : 1);
        expect(pulled).toBeLessThan(20);
        expect(ended).toBe(1);
      }
    }
  });

  it("of a constant filter need no row of the other side", async () => {
    await expectJoin(left, right, { on: "k", how: "leftAnti", filter: lit(false) });
    await expectJoin(left, right, { on: "k", how: "leftMark", filter: lit(null) });
    await expectJoin(left, right, { on: "k", how: "rightSemi", filter: lit(true) });
  });
});
