/** The part of joins and expressions on which DuckDB and SEMANTICS agree, as SQL. Columns are `l."x"` and `r."x"`. */

import type { DuckDBValue } from "@duckdb/node-api";
import type { Cell } from "./cell.ts";
import type { ReadTable } from "./rows.ts";
import type { How } from "./run.ts";
import type { Tree } from "./tree.ts";

const SQL_TYPES: { readonly [type: string]: string } = {
  int32: "INTEGER",
  int64: "BIGINT",
  float64: "DOUBLE",
  utf8: "VARCHAR",
  bool: "BOOLEAN",
};

function literal(cell: Cell, type: string): string {
  if (cell === null) return `CAST(NULL AS ${type})`;
  if (type === "VARCHAR") return `('${String(cell).replaceAll("'", "''").replaceAll("\u0000", "' || chr(0) || '")}')`;
  if (type === "DOUBLE") return `CAST('${typeof cell === "string" && cell.startsWith("NaN") ? "nan" : cell}' AS DOUBLE)`;
  return `CAST(${type === "BIGINT" ? `'${cell}'` : cell} AS ${type})`;
}

const columnType = (type: string): string => SQL_TYPES[type.replace(/^dictionary<u?int\d+, (.*)>$/, "$1")];

/** A table as a subquery. */
export function relation({ fields, rows }: ReadTable): string {
  const types = fields.map((field) => columnType(field.type));
  const none = `SELECT ${fields.map(({ name }, i) => `CAST(NULL AS ${types[i]}) AS "${name}"`).join(", ")} WHERE false`;
  if (rows.length === 0) return `(${none})`;
  const values = rows.map((row) => `(${row.map((cell, i) => literal(cell, types[i])).join(", ")})`);
  return `(SELECT * FROM (VALUES ${values.join(", ")}) AS t(${fields.map(({ name }) => `"${name}"`).join(", ")}))`;
}

const INFIX: { readonly [op: string]: string } = {
  ...{ eq: "=", ne: "<>", lt: "<", le: "<=", gt: ">", ge: ">=", isDistinctFrom: "IS DISTINCT FROM", and: "AND", or: "OR" },
};
/** What overflows is null, as in SEMANTICS 3.3. */
const ARITHMETIC: { readonly [op: string]: string } = { add: "+", sub: "-", mul: "*" };
const FUNCTIONS: { readonly [op: string]: string } = { startsWith: "starts_with", endsWith: "suffix", contains: "contains" };

export function sqlOf(tree: Tree): string {
  if ("side" in tree) return `${tree.side[0]}."${tree.column}"`;
  if (!("op" in tree)) return sqlLiteral(tree.type, tree.value);
  const args = tree.args.map(sqlOf);
  if (tree.op in INFIX) return `(${args.join(` ${INFIX[tree.op]} `)})`;
  if (tree.op in ARITHMETIC) return `TRY(${args.join(` ${ARITHMETIC[tree.op]} `)})`;
  if (tree.op in FUNCTIONS) return `${FUNCTIONS[tree.op]}(${args.join(", ")})`;
  switch (tree.op) {
    case "not":
      return `(NOT ${args[0]})`;
    case "isNull":
      return `(${args[0]} IS NULL)`;
    case "isNotNull":
      return `(${args[0]} IS NOT NULL)`;
    case "between":
      return `(${args[0]} BETWEEN ${args[1]} AND ${args[2]})`;
    case "in":
      return `(${args[0]} IN (${args.slice(1).join(", ")}))`;
  }
  throw new Error(`the tests write no SQL for ${tree.op}`);
}

function sqlLiteral(type: string, value: string | number | boolean | null): string {
  if (value === null) return "NULL";
  if (type === "string") return literal(value, "VARCHAR");
  if (type === "boolean") return String(value);
  return type === "number" && !Number.isInteger(Number(value)) ? `CAST('${value}' AS DOUBLE)` : `CAST('${value}' AS BIGINT)`;
}

export const cellOfSQL = (value: DuckDBValue): Cell =>
  typeof value === "number" && Number.isNaN(value) ? "NaN(7ff8000000000000)" : Object.is(value, -0) ? "-0" : (value as Cell);

/**
 * Row numbers of both sides, of the one side, or of the one side with the mark, which asks whether the row is in a semi join. Never EXISTS: in
 * one DuckDB 1.5.6 takes `null <> x` as true where it stands in a select list, and `null IS DISTINCT FROM x` as not true beside a range.
 */
export const SQL_KINDS: { readonly [how in How]: (l: string, r: string, on: string) => string } = {
  inner: (l, r, on) => `SELECT lrow, rrow FROM ${l} l JOIN ${r} r ON ${on}`,
  left: (l, r, on) => `SELECT lrow, rrow FROM ${l} l LEFT JOIN ${r} r ON ${on}`,
  right: (l, r, on) => `SELECT lrow, rrow FROM ${l} l RIGHT JOIN ${r} r ON ${on}`,
  full: (l, r, on) => `SELECT lrow, rrow FROM ${l} l FULL JOIN ${r} r ON ${on}`,
  leftSemi: (l, r, on) => `SELECT lrow FROM ${l} l SEMI JOIN ${r} r ON ${on}`,
  leftAnti: (l, r, on) => `SELECT lrow FROM ${l} l ANTI JOIN ${r} r ON ${on}`,
  leftMark: (l, r, on) => `SELECT lrow, lrow IN (SELECT lrow FROM ${l} l SEMI JOIN ${r} r ON ${on}) FROM ${l} l`,
  rightSemi: (l, r, on) => `SELECT rrow FROM ${r} r SEMI JOIN ${l} l ON ${on}`,
  rightAnti: (l, r, on) => `SELECT rrow FROM ${r} r ANTI JOIN ${l} l ON ${on}`,
  rightMark: (l, r, on) => `SELECT rrow, rrow IN (SELECT rrow FROM ${r} r SEMI JOIN ${l} l ON ${on}) FROM ${r} r`,
};
