/** The same small joins through DuckDB: the oracle of the tests and the library against a database that has neither of them. */

import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { switchesOf } from "../support/axes.ts";
import { type Cell, cellText, type Row } from "../support/cell.ts";
import { keysOf, oracleJoin } from "../support/oracle.ts";
import { KEY_DOMAINS, KINDS, type RandomJoin, randomJoin, seed } from "../support/random.ts";
import { type ReadTable, readTable } from "../support/rows.ts";
import { type How, runJoin, runJoinStream } from "../support/run.ts";

const SQL_TYPES: { readonly [type: string]: string } = { int32: "INTEGER", int64: "BIGINT", double: "DOUBLE", utf8: "VARCHAR" };

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

function literal(cell: Cell, type: string): string {
  if (cell === null) return `CAST(NULL AS ${type})`;
  if (type === "VARCHAR") return `'${String(cell).replaceAll("'", "''")}'`;
  if (type === "DOUBLE") return `CAST('${typeof cell === "string" && cell.startsWith("NaN") ? "nan" : cell}' AS DOUBLE)`;
  return `CAST(${cell} AS ${type})`;
}

/** The row number and the keys of a side as a subquery. */
function relation(side: ReadTable, which: "l" | "r", keyTypes: readonly string[]): string {
  const names = [`${which}v`, ...keyTypes.map((_, key) => `${which}k${key}`)];
  const types = ["INTEGER", ...keyTypes.map((type) => SQL_TYPES[type])];
  const at = names.map((name) => side.fields.findIndex((field) => field.name === name));
  const rows = side.rows.map((row) => `(${at.map((column, i) => literal(row[column], types[i])).join(", ")})`);
  const none = `SELECT ${types.map((type, i) => `CAST(NULL AS ${type}) AS ${names[i]}`).join(", ")} WHERE false`;
  return rows.length > 0 ? `(SELECT * FROM (VALUES ${rows.join(", ")}) AS t(${names.join(", ")}))` : `(${none})`;
}

const SQL_KINDS: { readonly [how in Exclude<How, "leftMark" | "rightMark">]: (l: string, r: string, on: string) => string } = {
  inner: (l, r, on) => `SELECT l.*, r.* FROM ${l} l JOIN ${r} r ON ${on}`,
  left: (l, r, on) => `SELECT l.*, r.* FROM ${l} l LEFT JOIN ${r} r ON ${on}`,
  right: (l, r, on) => `SELECT l.*, r.* FROM ${l} l RIGHT JOIN ${r} r ON ${on}`,
  full: (l, r, on) => `SELECT l.*, r.* FROM ${l} l FULL JOIN ${r} r ON ${on}`,
  leftSemi: (l, r, on) => `SELECT l.* FROM ${l} l SEMI JOIN ${r} r ON ${on}`,
  leftAnti: (l, r, on) => `SELECT l.* FROM ${l} l ANTI JOIN ${r} r ON ${on}`,
  rightSemi: (l, r, on) => `SELECT r.* FROM ${r} r SEMI JOIN ${l} l ON ${on}`,
  rightAnti: (l, r, on) => `SELECT r.* FROM ${r} r ANTI JOIN ${l} l ON ${on}`,
};

const fromSQL = (value: DuckDBValue): Cell =>
  typeof value === "number" && Number.isNaN(value) ? "NaN(7ff8000000000000)" : (value as Cell);

const multiset = (rows: readonly Row[]): string[] => rows.map((row) => row.map(cellText).join(", ")).sort();

async function byDuckDB({ left, right, options, keyTypes }: RandomJoin): Promise<string[]> {
  const on = keysOf(options).map((key) => `l.${key.left} ${key.nullsEqual ? "IS NOT DISTINCT FROM" : "="} r.${key.right}`);
  const sql = SQL_KINDS[(options.how ?? "inner") as keyof typeof SQL_KINDS](
    relation(readTable(left), "l", keyTypes),
    relation(readTable(right), "r", keyTypes),
    on.join(" AND "),
  );
  return multiset((await connection.runAndReadAll(sql)).getRows().map((row) => row.map(fromSQL)));
}

/** The columns that the SQL gives: the row number and the keys of each side that is there. */
function selected({ options, keyTypes }: RandomJoin): string[] {
  const how = options.how ?? "inner";
  const one = how.endsWith("Semi") || how.endsWith("Anti");
  const side = (name: "left" | "right", letter: string) => [`${name}.${letter}v`, ...keyTypes.map((_, key) => `${name}.${letter}k${key}`)];
  return [...(one && how.startsWith("right") ? [] : side("left", "l")), ...(one && how.startsWith("left") ? [] : side("right", "r"))];
}

const cases = randomJoin({ types: Object.keys(SQL_TYPES), rows: 9, sameNames: false, kinds: KINDS });

describe("small random joins of int, bigint, double and varchar keys", () => {
  it("give the same rows in the oracle of these tests and in DuckDB", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const rows = oracleJoin(readTable(one.left), readTable(one.right), {
          ...one.options,
          select: selected(one),
          order: "left",
          unified: "right",
        }).rows;
        expect(multiset(rows)).toEqual(await byDuckDB(one));
      }),
      { numRuns: 150, ...seed() },
    );
  }, 60_000);

  it("give the same rows in the library and in DuckDB, one-shot and streamed", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const options = { ...one.options, order: "any", select: selected(one), kernel: one.combination.kernel };
        const expected = await byDuckDB(one);
        expect(multiset(readTable(runJoin(one.left, one.right, options, switchesOf(one.combination))).rows)).toEqual(expected);
        const stream = await runJoinStream(one.left, one.right, options, switchesOf(one.combination));
        expect(multiset(readTable(await stream.toTable()).rows)).toEqual(expected);
      }),
      { numRuns: 150, ...seed() },
    );
  }, 60_000);
});

describe("the cases that systems disagree about", () => {
  const all = (type: string): Cell[] => [...KEY_DOMAINS[type].values, null, KEY_DOMAINS[type].values[0]];

  for (const type of Object.keys(SQL_TYPES)) {
    for (const how of KINDS) {
      it(`of ${type} keys come out as in DuckDB (${how})`, async () => {
        const { table } = await import("../support/table.ts");
        const { int32 } = await import("../support/column.ts");
        const cells = all(type);
        const numbers = int32(cells.map((_, i) => i));
        const left = table({ lv: numbers, lk0: KEY_DOMAINS[type].make(cells) });
        const right = table({ rv: numbers, rk0: KEY_DOMAINS[type].make([...cells].reverse()) }, { split: [2, cells.length - 2] });
        for (const nullsEqual of [false, true]) {
          const one: RandomJoin = {
            left,
            right,
            options: { on: { lk0: "rk0" }, how, nullsEqual },
            combination: {} as never,
            keyTypes: [type],
          };
          const expected = await byDuckDB(one);
          for (const kernel of ["wasm", "ts"] as const) {
            expect(multiset(readTable(runJoin(left, right, { ...one.options, select: selected(one), kernel }, {})).rows)).toEqual(expected);
          }
        }
      });
    }
  }
});
