/** What must hold between joins on predicates, whatever the predicate: no oracle is asked. Both kernels, every path, in passes too. */

import type { Table } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinationOf, switchesOf, WHERE_AXES } from "../support/axes.ts";
import { type Row, rowText } from "../support/cell.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { GRAMMAR, predicate as predicateOfDepth, sideSpec, tableOf } from "../support/random-tree.ts";
import { readTable } from "../support/rows.ts";
import {
  type How,
  join,
  joinCross,
  joinWhereStream,
  mirrorKind,
  rowNumbers,
  runJoinWhere,
  type Switches,
  type WhereOptions,
} from "../support/run.ts";
import { l, lit, mirrored, r, type Tree, x } from "../support/tree.ts";

interface Case {
  readonly left: Table;
  readonly right: Table;
  readonly predicate: Tree;
  readonly kernel: "wasm" | "ts";
  readonly switches: Switches;
}

/** Of every construct, with and without an equality or a range that a path may take. */
const predicate: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 3, arbitrary: predicateOfDepth(GRAMMAR, 2) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("lt", "le", "gt", "ge", "eq"), fc.constantFrom("i", "j", "f", "n", "t", "s"), predicateOfDepth(GRAMMAR, 1))
      .map(([op, column, rest]) => x.and(x[op as "lt"](l(column), r(column)), rest)),
  },
  { weight: 1, arbitrary: predicateOfDepth(GRAMMAR, 1).map((rest) => x.and(x.eq(l("k"), r("k")), x.eq(l("m"), r("m")), rest)) },
  { weight: 1, arbitrary: fc.constantFrom(x.between(l("j"), r("i"), r("j")), x.and(x.lt(l("i"), r("j")), x.lt(r("i"), l("j")))) },
);

const cases: fc.Arbitrary<Case> = fc
  .record({ left: sideSpec(12), right: sideSpec(12), predicate, axes: fc.nat() })
  .map(({ left, right, predicate, axes }) => ({
    left: tableOf(left, "left"),
    right: tableOf(right, "right"),
    predicate,
    kernel: combinationOf(axes, WHERE_AXES).kernel,
    switches: switchesOf(combinationOf(axes, WHERE_AXES)),
    toString: () => JSON.stringify({ left, right, predicate, switches: switchesOf(combinationOf(axes, WHERE_AXES)) }),
  }));

const rows = ({ left, right, predicate, kernel, switches }: Case, how: How, more: WhereOptions = {}): readonly Row[] =>
  readTable(runJoinWhere(left, right, predicate, { how, kernel, select: rowNumbers(how), ...more }, switches)).rows;

const sorted = (list: readonly Row[]): string[] => list.map(rowText).sort();

const property = (check: (one: Case) => void, numRuns = 25) => fc.assert(fc.property(cases, check), { numRuns, ...seed() });

const SIDES = ["left", "right"] as const;

describe("between joins on the same random predicate", () => {
  it("semi and anti together are the side, and a mark is true for the rows of the semi join", () => {
    property((one) => {
      for (const side of SIDES) {
        const [semi, anti, mark] = [rows(one, `${side}Semi`), rows(one, `${side}Anti`), rows(one, `${side}Mark`)];
        const all = Array.from({ length: one[side].numRows }, (_, i) => i);
        expect([...semi, ...anti].map(([row]) => Number(row)).sort((a, b) => a - b)).toEqual(all);
        expect(mark.map(([row]) => row)).toEqual(all);
        expect(mark.filter(([, is]) => is).map(([row]) => [row])).toEqual(semi);
      }
    });
  });

  it("the semi join has the rows of the inner join, each once", () => {
    property((one) => {
      const inner = rows(one, "inner");
      SIDES.forEach((side, at) => {
        const distinct = [...new Set(inner.map((row) => Number(row[at])))].sort((a, b) => a - b);
        expect(rows(one, `${side}Semi`).map(([row]) => row)).toEqual(distinct);
      });
    });
  });

  it("the outer joins are the inner join and the rows of the anti joins", () => {
    property((one) => {
      const inner = rows(one, "inner");
      const leftOnly = rows(one, "leftAnti").map(([row]) => [row, null]);
      const rightOnly = rows(one, "rightAnti").map(([row]) => [null, row]);
      expect(sorted(rows(one, "left"))).toEqual(sorted([...inner, ...leftOnly]));
      expect(sorted(rows(one, "right"))).toEqual(sorted([...inner, ...rightOnly]));
      expect(rows(one, "full")).toEqual([...rows(one, "left"), ...rightOnly]);
    });
  });

  it("exchanging the sides, the kind and the predicate gives the same rows in the mirrored order", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const back = rows({ ...one, left: one.right, right: one.left, predicate: mirrored(one.predicate) }, mirrorKind(how), {
          select: rowNumbers(how).map((name) => (name === "left.lrow" ? "right.lrow" : name === "right.rrow" ? "left.rrow" : name)),
          order: "right",
        });
        expect(back).toEqual(rows(one, how));
      }
    }, 14);
  });

  it("the inner join is the cross join, filtered: of all pairs those for which it is true, in the same order", () => {
    property((one) => {
      const all = readTable(joinCross(one.left, one.right, { select: rowNumbers("inner") })).rows;
      const inner = new Set(rows(one, "inner").map(rowText));
      expect(all.filter((row) => inner.has(rowText(row)))).toEqual(rows(one, "inner"));
      expect(all.length).toBe(one.left.numRows * one.right.numRows);
    });
  });

  it("a conjunction has the pairs that both of its parts have", () => {
    fc.assert(
      fc.property(cases, predicateOfDepth(GRAMMAR, 1), (one, other) => {
        const [p, q] = [rows(one, "inner"), new Set(rows({ ...one, predicate: other }, "inner").map(rowText))];
        expect(rows({ ...one, predicate: x.and(one.predicate, other) }, "inner")).toEqual(p.filter((row) => q.has(rowText(row))));
        expect(rows({ ...one, predicate: x.and(other, one.predicate) }, "inner")).toEqual(p.filter((row) => q.has(rowText(row))));
      }),
      { numRuns: 25, ...seed() },
    );
  });

  it("a predicate, its negation and its being null part the pairs", () => {
    property((one) => {
      const parts = [one.predicate, x.not(one.predicate), x.isNull(one.predicate)].flatMap((predicate) =>
        rows({ ...one, predicate }, "inner"),
      );
      expect(sorted(parts)).toEqual(sorted(rows({ ...one, predicate: lit(true) }, "inner")));
    });
  });

  it("a constant that is TRUE changes nothing as a conjunct, nor FALSE in an or, nor two nots", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const plain = rows(one, how);
        expect(rows({ ...one, predicate: x.and(one.predicate, true) }, how)).toEqual(plain);
        expect(rows({ ...one, predicate: x.or(lit(false), one.predicate) }, how)).toEqual(plain);
        expect(rows({ ...one, predicate: x.not(x.not(one.predicate)) }, how)).toEqual(plain);
      }
    }, 10);
  });

  it("it does what it does as the filter of a join on a column that is the same everywhere", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const options = { on: "same", how, filter: one.predicate, select: rowNumbers(how), kernel: one.kernel };
        expect(rows(one, how)).toEqual(readTable(join(one.left, one.right, options)).rows);
      }
    }, 14);
  });

  it("equality in it does what a key does, without merging columns", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const predicate = x.and(x.eq(l("k"), r("k")), one.predicate, x.not(x.isDistinctFrom(l("m"), r("m"))));
        const on = [
          { left: "k", right: "k" },
          { left: "m", right: "m", nullsEqual: true },
        ];
        const both = !/^(left|right)[A-Z]/.test(how);
        const keyed = join(one.left, one.right, { on, how, filter: one.predicate, ...(both && { coalesceKeys: false }) });
        const where = runJoinWhere(one.left, one.right, predicate, { how }, one.switches);
        expect(readTable(where)).toEqual(readTable(keyed));
      }
    }, 10);
  });

  it("the stream has the rows of the one-shot verb", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.constantFrom(...ALL_KINDS), async (one, how) => {
        const stream = await joinWhereStream(one.left, one.right, one.predicate, { how, select: rowNumbers(how), kernel: one.kernel });
        expect(readTable(await stream.toTable()).rows).toEqual(rows(one, how));
      }),
      { numRuns: 25, ...seed() },
    );
  });
});
