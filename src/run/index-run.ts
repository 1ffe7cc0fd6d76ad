/**
 * `joinIndices`: runs a plan whose output columns are row numbers (`planIndices`) and takes them out as arrays, -1 where there is no row.
 *
 * O(result). A result of one batch is not copied: its buffers are the arrays, which may be views of longer buffers.
 */

import type { Data } from "apache-arrow";
import { isSet } from "../arrow/bits.ts";
import type { JoinSpec, Side } from "../spec/join-spec.ts";
import type { PreparedRight } from "./prepared-right.ts";
import type { RunSettings } from "./settings.ts";
import { type RunSwitches, runTable, type TableInputs } from "./table-run.ts";

export type Indices = Record<Side, Int32Array>;

const NO_ROW = -1;

export function runIndices(
  spec: JoinSpec,
  inputs: TableInputs,
  settings: RunSettings,
  switches: RunSwitches = {},
  right: PreparedRight | null = null,
): Indices {
  // The row numbers of a prepared side are read again by later joins: no array that is given away shares them.
  const table = runTable(right ? { ...spec, copy: true } : spec, inputs, settings, switches, right);
  const rowsOf = (side: Side): Int32Array => {
    const parts = table.getChild(side)?.data ?? [];
    const arrays = parts.map(rowNumbers);
    if (arrays.length === 1) return arrays[0];
    const all = new Int32Array(arrays.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const rows of arrays) {
      all.set(rows, at);
      at += rows.length;
    }
    return all;
  };
  return { left: rowsOf("left"), right: rowsOf("right") };
}

/** The values of a column that was made for this: a column with nulls is in buffers of its own, so they are overwritten. */
export function rowNumbers({ values, nullBitmap, nullCount, offset, length }: Data): Int32Array {
  const rows = (values as Int32Array).subarray(0, length);
  if (nullCount === 0) return rows;
  const valid = { bytes: nullBitmap, bit: offset };
  for (let i = 0; i < length; i++) if (!isSet(valid, i)) rows[i] = NO_ROW;
  return rows;
}
