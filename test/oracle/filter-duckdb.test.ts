/** Filters through DuckDB: the evaluator of these tests, their oracle and the library against a database that has none of them. */

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { combinationOf, switchesOf } from "../support/axes.ts";
import { type Cell, cellText, type Row } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { oracleJoin } from "../support/oracle.ts";
import { predicateOf } from "../support/predicate.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { type Grammar, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { type ReadTable, readTable } from "../support/rows.ts";
import { type Options, rowNumbers, runJoin, runJoinStream } from "../support/run.ts";
import { cellOfSQL, relation, SQL_KINDS, sqlOf } from "../support/sql.ts";
import { l, type Operand, r, type Tree, x } from "../support/tree.ts";

const INT64_MAX = 2n ** 63n - 1n;
const TEXTS = ["", "a", "ab", "b", "\uffff", "😀", "ba", "a\u0000"];

/** The types that DuckDB compares as SEMANTICS does, the same on both sides. */
const DOMAINS = {
  j: { make: c.int64, values: [1n, INT64_MAX, 0n, -(2n ** 63n), -3n, 5n] },
  f: { make: c.float64, values: [0, "-0", 1.5, "NaN(7ff8000000000000)", 0.1, Number.POSITIVE_INFINITY, -3] as Cell[] },
  s: { make: c.utf8, values: TEXTS },
  d: { make: (cells: readonly Cell[]) => c.dictionary(c.utf8(cells), { index: "int8", perBatch: true }), values: TEXTS },
  b: { make: c.bool, values: [true, false] },
};

const column = (...names: string[]): fc.Arbitrary<Tree> =>
  fc.tuple(fc.constantFrom(l, r), fc.constantFrom(...names)).map(([side, name]) => side(name));
const integer = (depth: number): fc.Arbitrary<Tree> =>
  depth <= 0
    ? column("j")
    : fc.oneof(
        column("j"),
        fc
          .tuple(
            fc.constantFrom("add", "sub", "mul"),
            integer(depth - 1),
            fc.oneof(integer(depth - 1), fc.constantFrom<Operand>(1, -1, 2n ** 62n)),
          )
          .map(([op, p, q]) => x[op as "add"](p, q)),
      );
const float = (depth: number): fc.Arbitrary<Tree> =>
  depth <= 0
    ? column("f")
    : fc.oneof(
        column("f"),
        fc.tuple(fc.constantFrom("add", "sub"), float(depth - 1), fc.constantFrom(1.5, 0.1)).map(([op, p, q]) => x[op as "add"](p, q)),
      );

const SQL_GRAMMAR: Grammar = {
  number: integer,
  pairs: (depth) => [
    fc.tuple(integer(depth), fc.oneof(integer(depth), fc.constantFrom<Operand>(0, 1n, INT64_MAX))),
    fc.tuple(float(depth), fc.oneof(float(depth), fc.constantFrom<Operand>(1.5, 0.1, Number.NaN))),
    fc.tuple(column("s", "d"), fc.oneof(column("s", "d"), fc.constantFrom<Operand>(...TEXTS, null))),
  ],
  texts: column("s", "d"),
  any: column("j", "f", "s", "d", "b"),
  bools: column("b"),
  // DuckDB rounds integers that meet a double.
  kinds: ["j", "f", "sd"],
};

const names = Object.keys(DOMAINS);
const cases = fc
  .record({
    left: sideSpec(8),
    right: sideSpec(8),
    how: fc.constantFrom(...ALL_KINDS),
    twoKeys: fc.boolean(),
    nullsEqual: fc.boolean(),
    filter: predicate(SQL_GRAMMAR, 2),
    axes: fc.nat(),
  })
  .map((spec) => ({
    left: tableOf(spec.left, "left", names, DOMAINS),
    right: tableOf(spec.right, "right", names, DOMAINS),
    options: { on: spec.twoKeys ? ["k", "m"] : "k", how: spec.how, nullsEqual: spec.nullsEqual, filter: spec.filter },
    combination: combinationOf(spec.axes),
    toString: () => JSON.stringify(spec),
  }));

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

async function byDuckDB({ left, right, options }: Case): Promise<string[]> {
  const keys = [options.on].flat().map((key) => `l."${key}" ${options.nullsEqual ? "IS NOT DISTINCT FROM" : "="} r."${key}"`);
  const on = [...keys, sqlOf(options.filter)].join(" AND ");
  return multiset(await rowsOf(SQL_KINDS[options.how](relation(readTable(left)), relation(readTable(right)), on)));
}

/** Every pair of rows with what the condition is for it. */
const truths = (left: ReadTable, right: ReadTable, tree: Tree): string[] => {
  const holds = predicateOf(tree, { left: left.fields, right: right.fields });
  return multiset(left.rows.flatMap((lr, i) => right.rows.map((rr, j) => [i, j, holds(lr, rr)])));
};

describe("random filters over bigint, double, text and boolean columns", () => {
  it("are true, false and null for the same pairs in the evaluator of these tests and in DuckDB", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right, options }) => {
        const [lr, rr] = [readTable(left), readTable(right)];
        const sql = `SELECT lrow, rrow, ${sqlOf(options.filter)} FROM ${relation(lr)} l, ${relation(rr)} r`;
        expect(truths(lr, rr, options.filter)).toEqual(multiset(await rowsOf(sql)));
      }),
      { numRuns: 200, ...seed() },
    );
  }, 60_000);

  it("give joins the same rows in the oracle of these tests and in DuckDB", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { rows } = oracleJoin(readTable(one.left), readTable(one.right), {
          ...one.options,
          select: rowNumbers(one.options.how),
          order: "left",
          unified: "right",
        });
        expect(multiset(rows)).toEqual(await byDuckDB(one));
      }),
      { numRuns: 150, ...seed() },
    );
  }, 60_000);

  it("give joins the same rows in the library and in DuckDB, one-shot and streamed", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const options: Options = { ...one.options, select: rowNumbers(one.options.how), kernel: one.combination.kernel };
        const expected = await byDuckDB(one);
        expect(multiset(readTable(runJoin(one.left, one.right, options, switchesOf(one.combination))).rows)).toEqual(expected);
        const stream = await runJoinStream(one.left, one.right, options, switchesOf(one.combination));
        expect(multiset(readTable(await stream.toTable()).rows)).toEqual(expected);
      }),
      { numRuns: 150, ...seed() },
    );
  }, 60_000);
});

describe("NOT IN and IN", () => {
  const nullAware = cases.filter(({ options }) => /^left(Anti|Mark)$/.test(options.how) && options.on === "k");

  /** One key, the filter as the condition of the inner query. */
  const byInQuery = async ({ left, right, options }: Case): Promise<string[]> => {
    const query = `SELECT r.k FROM ${relation(readTable(right))} r WHERE ${sqlOf(options.filter)}`;
    const sql =
      options.how === "leftAnti"
        ? `lrow FROM ${relation(readTable(left))} l WHERE l.k NOT IN (${query})`
        : `lrow, l.k IN (${query}) FROM ${relation(readTable(left))} l`;
    return multiset(await rowsOf(`SELECT ${sql}`));
  };

  it("are what DuckDB makes of them in the oracle of these tests, with a filter between the sides", async () => {
    await fc.assert(
      fc.asyncProperty(nullAware, async (one) => {
        const options = { ...one.options, nullsEqual: false, nullAware: true, select: rowNumbers(one.options.how) };
        const { rows } = oracleJoin(readTable(one.left), readTable(one.right), { ...options, order: "left", unified: "right" });
        expect(multiset(rows)).toEqual(await byInQuery(one));
      }),
      { numRuns: 80, ...seed() },
    );
  }, 60_000);

  it("are what DuckDB makes of them in the library, with a filter between the sides", async () => {
    await fc.assert(
      fc.asyncProperty(nullAware, async (one) => {
        const { kernel } = one.combination;
        const options = { ...one.options, nullsEqual: false, nullAware: true, select: rowNumbers(one.options.how), kernel };
        const { rows } = readTable(runJoin(one.left, one.right, options, switchesOf(one.combination)));
        expect(multiset(rows)).toEqual(await byInQuery(one));
      }),
      { numRuns: 80, ...seed() },
    );
  }, 60_000);
});
