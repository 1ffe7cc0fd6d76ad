/** What the tests of faults share: sides written as rows, and a case that runs in every kind of as-of join. */

import type { Table } from "apache-arrow";
import type { Cell, Row } from "./cell.ts";
import * as c from "./column.ts";
import { expectJoinAsof, type Rights } from "./expect-asof.ts";
import type { AsofOptions } from "./run.ts";
import { table } from "./table.ts";

export type Columns = { readonly [name: string]: (cells: readonly Cell[]) => c.Column };

/** A table of rows; every row is a batch of its own where `split` says so. */
export function rowsTable(columns: Columns, rows: readonly Row[], split?: readonly number[]): Table {
  const entries = Object.entries(columns).map(([name, make], i) => [name, make(rows.map((row) => row[i]))] as const);
  return table(Object.fromEntries(entries), split && { split });
}

/** Columns (time, value), or with a key between them. */
export const TIMED: Columns = { t: c.int32, v: c.utf8 };
export const KEYED: Columns = { t: c.int32, k: c.utf8, v: c.utf8 };

export const times = (cells: readonly Cell[], split?: readonly number[]): Table =>
  rowsTable(
    { t: c.int32 },
    cells.map((cell) => [cell]),
    split,
  );

/** The values that left rows get, written out for `left`, and in every other kind what the oracle says. */
export async function everyKind(
  left: Table,
  right: Rights,
  options: AsofOptions,
  values: readonly Cell[],
  select = "right.v",
): Promise<void> {
  await expectJoinAsof(left, right, { ...options, select: [select] }, { rows: values.map((value) => [value]) });
  await expectJoinAsof(left, right, options, { part: [0, 4] });
  for (const how of ["inner", "leftSemi", "leftAnti"] as const) await expectJoinAsof(left, right, { ...options, how }, { part: [1, 4] });
}
