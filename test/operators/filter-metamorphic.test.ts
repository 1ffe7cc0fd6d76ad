/** What must hold between joins, whatever the filter: no oracle is asked. Both kernels. */

import type { Table } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Row, rowText } from "../support/cell.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, mirrorKind, type Options, rowNumbers, runJoin } from "../support/run.ts";
import { lit, mirrored, type Tree, x } from "../support/tree.ts";

interface Case {
  readonly left: Table;
  readonly right: Table;
  readonly filter: Tree;
  readonly kernel: "wasm" | "ts";
  readonly on: Options["on"];
  readonly nullsEqual: boolean;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    left: sideSpec(12),
    right: sideSpec(12),
    filter: predicate(GRAMMAR, 2),
    kernel: fc.constantFrom("wasm" as const, "ts" as const),
    on: fc.constantFrom<Options["on"]>("k", "m", ["k", "m"]),
    nullsEqual: fc.boolean(),
  })
  .map((spec) => ({
    ...spec,
    left: tableOf(spec.left, "left"),
    right: tableOf(spec.right, "right"),
    toString: () => JSON.stringify(spec),
  }));

const rows = ({ left, right, filter, kernel, on, nullsEqual }: Case, how: How, more: Partial<Options> = {}): readonly Row[] =>
  readTable(join(left, right, { on, how, filter, kernel, nullsEqual, select: rowNumbers(how), ...more })).rows;

const sorted = (list: readonly Row[]): string[] => list.map(rowText).sort();

const property = (check: (one: Case) => void, numRuns = 120) => fc.assert(fc.property(cases, check), { numRuns, ...seed() });

const SIDES = ["left", "right"] as const;

describe("between joins with the same random filter", () => {
  it("semi and anti together are the side, and a mark is true for the rows of the semi join", () => {
    property((one) => {
      for (const side of SIDES) {
        const [semi, anti, mark] = [rows(one, `${side}Semi`), rows(one, `${side}Anti`), rows(one, `${side}Mark`)];
        expect([...semi, ...anti].map(([row]) => Number(row)).sort((a, b) => a - b)).toEqual(
          Array.from({ length: one[side].numRows }, (_, i) => i),
        );
        expect(mark.map(([row]) => row)).toEqual(Array.from({ length: one[side].numRows }, (_, i) => i));
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
      const full = rows(one, "full");
      expect(full).toEqual([...rows(one, "left"), ...rightOnly]);
    });
  });

  it("exchanging the sides, the kind and the filter gives the same rows in the mirrored order", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const back = rows({ ...one, left: one.right, right: one.left, filter: mirrored(one.filter) }, mirrorKind(how), {
          select: rowNumbers(how).map((name) => (name === "left.lrow" ? "right.lrow" : name === "right.rrow" ? "left.rrow" : name)),
          order: "right",
        });
        expect(back).toEqual(rows(one, how));
      }
    }, 60);
  });

  it("a constant that is TRUE changes nothing as a conjunct, nor FALSE in an or", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const plain = rows(one, how);
        expect(rows({ ...one, filter: x.and(one.filter, true) }, how)).toEqual(plain);
        expect(rows({ ...one, filter: x.or(lit(false), one.filter) }, how)).toEqual(plain);
        expect(rows({ ...one, filter: x.not(x.not(one.filter)) }, how)).toEqual(plain);
      }
    }, 60);
  });

  it("a filter, its negation and its being null part the pairs", () => {
    property((one) => {
      const all = sorted(rows({ ...one, filter: lit(true) }, "inner"));
      const parts = [one.filter, x.not(one.filter), x.isNull(one.filter)].flatMap((filter) => rows({ ...one, filter }, "inner"));
      expect(sorted(parts)).toEqual(all);
    });
  });

  it("a key of the join does the same as equality in the filter", () => {
    const same = (column: string): Tree => x.eq({ side: "left", column }, { side: "right", column });
    property((one) => {
      const keys = [one.on].flat() as string[];
      const equal = keys.map((key) =>
        one.nullsEqual ? x.not(x.isDistinctFrom({ side: "left", column: key }, { side: "right", column: key })) : same(key),
      );
      for (const how of ALL_KINDS) {
        const inFilter = rows({ ...one, on: "same", filter: x.and(one.filter, ...equal) }, how);
        expect(inFilter).toEqual(rows(one, how));
      }
    }, 60);
  });

  it("conjuncts do the same in any order", () => {
    fc.assert(
      fc.property(cases, predicate(GRAMMAR, 1), (one, other) => {
        for (const how of ["inner", "full", "leftSemi", "rightMark"] as const) {
          expect(rows({ ...one, filter: x.and(other, one.filter) }, how)).toEqual(rows({ ...one, filter: x.and(one.filter, other) }, how));
        }
      }),
      { numRuns: 60, ...seed() },
    );
  });

  it("forced collisions and tiny tables change nothing", () => {
    property((one) => {
      for (const how of ALL_KINDS) {
        const { left, right, filter, kernel, on, nullsEqual } = one;
        const options: Options = { on, how, filter, kernel, nullsEqual, select: rowNumbers(how) };
        const forced = readTable(runJoin(left, right, options, { collideHashes: true, tinyTables: true })).rows;
        expect(forced).toEqual(rows(one, how));
      }
    }, 40);
  });
});
