/**
 * Joins on predicates through DuckDB, which has nothing of these tests: ranges, bands, overlaps, equalities and what stands beside them, of every
 * kind, on every path, one-shot, streamed and in passes; and the oracle of these tests too. DuckDB itself answers ranges by other algorithms.
 */

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { combinationOf, switchesOf, WHERE_AXES } from "../support/axes.ts";
import { type Cell, cellText, type Row } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { oracleJoin } from "../support/oracle.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { sideSpec, tableOf } from "../support/random-tree.ts";
import { readTable } from "../support/rows.ts";
import { joinCross, rowNumbers, WHERE, withoutKeys } from "../support/run.ts";
import { cellOfSQL, relation, SQL_KINDS, sqlOf } from "../support/sql.ts";
import { table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const INT64_MAX = 2n ** 63n - 1n;

/** The types that DuckDB compares as SEMANTICS does, the same on both sides: `lo` and `hi` are ends of an interval, turned round now and then. */
const DOMAINS = {
  j: { make: c.int64, values: [1n, INT64_MAX, 0n, -(2n ** 63n), -3n, 5n, 6n, 7n] },
  lo: { make: c.int64, values: [0n, 1n, -4n, 5n, 6n, -(2n ** 63n)] },
  hi: { make: c.int64, values: [3n, 2n, 6n, 9n, 5n, INT64_MAX] },
  f: { make: c.float64, values: [0, "-0", 1.5, "NaN(7ff8000000000000)", 0.1, Number.POSITIVE_INFINITY, -3] as Cell[] },
  s: { make: c.utf8, values: ["", "a", "ab", "b", "\uffff", "😀", "ba"] },
  b: { make: c.bool, values: [true, false] },
};
const names = Object.keys(DOMAINS);

const COMPARISONS = ["lt", "le", "gt", "ge"] as const;
const inequality: fc.Arbitrary<Tree> = fc
  .tuple(fc.constantFrom(...COMPARISONS), fc.constantFrom("j", "f", "s", "lo"), fc.constantFrom("same", "hi"), fc.boolean())
  .map(([op, a, b, turned]) => {
    const other = b === "hi" && (a === "j" || a === "lo") ? "hi" : a;
    return turned ? x[op](r(a), l(other)) : x[op](l(a), r(other));
  });

const conjunct: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 4, arbitrary: inequality },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      x.between(l("j"), r("lo"), r("hi")),
      x.between(r("j"), l("lo"), l("hi")),
      x.and(x.le(r("lo"), l("j")), x.lt(l("j"), r("hi"))),
      x.and(x.lt(l("lo"), r("hi")), x.lt(r("lo"), l("hi"))),
      x.and(x.le(l("lo"), r("hi")), x.le(r("lo"), l("hi"))),
      x.and(x.gt(l("j"), x.sub(r("j"), 2)), x.le(l("j"), x.add(r("j"), 1))),
      x.lt(x.add(l("j"), 1), r("j")),
      x.and(x.ge(l("f"), x.sub(r("f"), 1.5)), x.le(l("f"), x.add(r("f"), 1.5))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(x.eq(l("k"), r("k")), x.not(x.isDistinctFrom(l("m"), r("m"))), x.eq(l("s"), r("s")), x.eq(l("f"), r("f"))),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      x.ne(l("k"), r("k")),
      x.or(x.lt(l("j"), r("j")), l("b")),
      x.isDistinctFrom(l("s"), r("s")),
      x.isNotNull(r("f")),
      x.in(l("s"), "a", "b", r("s")),
      x.not(x.lt(l("j"), r("j"))),
      l("b"),
    ),
  },
);

const cases = fc
  .record({
    left: sideSpec(14),
    right: sideSpec(14),
    how: fc.constantFrom(...ALL_KINDS),
    conjuncts: fc.array(conjunct, { minLength: 1, maxLength: 3 }),
    axes: fc.nat(),
  })
  .map((spec) => {
    const predicate = spec.conjuncts.length === 1 ? spec.conjuncts[0] : x.and(...spec.conjuncts);
    return {
      left: tableOf(spec.left, "left", names, DOMAINS),
      right: tableOf(spec.right, "right", names, DOMAINS),
      predicate,
      options: withoutKeys({ how: spec.how, select: rowNumbers(spec.how) }, predicate),
      how: spec.how,
      combination: combinationOf(spec.axes, WHERE_AXES),
      toString: () => JSON.stringify({ ...spec, combination: combinationOf(spec.axes, WHERE_AXES) }),
    };
  });

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const rowsOf = async (sql: string): Promise<Row[]> => (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(cellOfSQL));
const multiset = (rows: readonly Row[]): string[] => rows.map((row) => row.map(cellText).join(", ")).sort();

const byDuckDB = async ({ left, right, predicate, how }: Case): Promise<string[]> =>
  multiset(await rowsOf(SQL_KINDS[how](relation(readTable(left)), relation(readTable(right)), sqlOf(predicate))));

describe("random joins on ranges and equalities", () => {
  it("have the same rows in the oracle of these tests and in DuckDB", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { rows } = oracleJoin(readTable(one.left), readTable(one.right), { ...one.options, order: "left", unified: "right" });
        expect(multiset(rows)).toEqual(await byDuckDB(one));
      }),
      { numRuns: 70, ...seed() },
    );
  });

  it("have the same rows in the library and in DuckDB, one-shot, streamed and in passes", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const options = { ...one.options, kernel: one.combination.kernel };
        const expected = await byDuckDB(one);
        const switches = switchesOf(one.combination);
        expect(multiset(readTable(WHERE.now(one.left, one.right, options, switches)).rows)).toEqual(expected);
        const stream = await WHERE.later(one.left, one.right, options, switches);
        expect(multiset(readTable(await stream.toTable()).rows)).toEqual(expected);
      }),
      { numRuns: 110, ...seed() },
    );
  });

  it("of some thousand rows have the same counts and sums", async () => {
    const rows = 800;
    const big = (own: string, step: number, width: number) => {
      const at = Array.from({ length: rows }, (_, i) => (i * step) % 2_503);
      return readableTable(own, at, width);
    };
    const [a, b] = [big("lrow", 7919, 3), big("rrow", 6037, 9)];
    const shapes: readonly Tree[] = [
      x.between(l("j"), r("lo"), r("hi")),
      x.and(x.lt(l("lo"), r("hi")), x.lt(r("lo"), l("hi"))),
      x.and(x.lt(l("lo"), r("hi")), x.le(r("lo"), l("hi")), x.eq(l("k"), r("k"))),
      x.and(x.ge(l("j"), x.sub(r("j"), 2)), x.lt(l("j"), r("j"))),
      x.and(x.gt(x.add(l("j"), 2200), r("j")), x.lt(x.add(l("j"), 2199), r("hi")), x.ne(l("k"), r("k"))),
    ];
    for (const predicate of shapes) {
      for (const how of ["inner", "left", "full", "leftSemi", "rightAnti"] as const) {
        const select = rowNumbers(how);
        const sql = SQL_KINDS[how](relation(readTable(a)), relation(readTable(b)), sqlOf(predicate));
        const sums = select.map((_, i) => `sum("${select[i].split(".")[1]}")`).join(", ");
        const [expected] = await rowsOf(
          `SELECT CAST(count(*) AS DOUBLE), ${sums.replaceAll(/sum\(("\w+")\)/g, "CAST(sum($1) AS DOUBLE)")} FROM (${sql})`,
        );
        for (const kernel of ["wasm", "ts"] as const) {
          const result = readTable(WHERE.now(a, b, withoutKeys({ how, select, kernel }, predicate), {})).rows;
          const actual = [result.length, ...select.map((_, i) => result.reduce((sum, row) => sum + Number(row[i] ?? 0), 0))];
          expect(actual, `${how}, ${kernel}, ${sqlOf(predicate)}`).toEqual(expected.map((cell) => Number(cell ?? 0)));
        }
      }
    }
  });

  it("of every pair are DuckDB's cross join", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right }) => {
        const sql = `SELECT lrow, rrow FROM ${relation(readTable(left))} l CROSS JOIN ${relation(readTable(right))} r`;
        expect(multiset(readTable(joinCross(left, right, { select: rowNumbers("inner") })).rows)).toEqual(multiset(await rowsOf(sql)));
      }),
      { numRuns: 20, ...seed() },
    );
  });
});

function readableTable(own: string, at: readonly number[], width: number) {
  return table({
    [own]: c.int32(at.map((_, i) => i)),
    k: c.int32(at.map((n) => (n % 11 === 3 ? null : n % 5))),
    j: c.int64(at.map((n) => (n % 13 === 7 ? null : BigInt(n)))),
    lo: c.int64(at.map(BigInt)),
    hi: c.int64(at.map((n) => (n % 17 === 2 ? null : BigInt(n + (n % width))))),
  });
}
