/** The verb `joinIndices`. */

import type { JoinIndicesOptions, TableInput } from "./options.ts";
import { runJoinIndices } from "./run-join.ts";
import type { ColumnsOf, OptionsFor, PreparedJoin } from "./types.ts";

/** Row numbers of both inputs, one pair a row of the result. */
export interface JoinIndices {
  /** Rows of the left input, counted over all its batches; -1: the result's row has none. Empty for kinds that output the right side. */
  readonly left: Int32Array;
  /** Rows of the right input, likewise. */
  readonly right: Int32Array;
}

/**
 * Joins two Arrow tables and gives the numbers of the rows that match instead of a table: for a `take` of your own, for selections, for
 * inputs whose other columns are not Arrow. The rows are those of `join` with the same options, in the same order.
 *
 * Kinds of one side (`leftSemi leftAnti rightSemi rightAnti`) fill one array; the other is empty. Time and memory as `join` without its
 * columns: 8 bytes a row of the result.
 *
 * @param left a Table, RecordBatch or array of batches, of any copy of apache-arrow, of at most 2^31 - 2 rows
 * @param right likewise, or a side that `prepareJoin` has indexed
 * @param options those of `join` but `select suffix coalesceKeys copy markName`, which shape a table
 * @returns two arrays of row numbers, counted from 0 over all batches of an input; -1: no partner. They may be views of longer buffers
 * @throws ArrowJoinError as `join`, INVALID_OPTION for mark kinds, INVALID_INPUT for too many rows
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { joinIndices } from "arrow-join";
 *
 * const orders = tableFromArrays({ customer: Int32Array.of(2, 7, 1) });
 * const customers = tableFromArrays({ customer: Int32Array.of(1, 2) });
 * const { left, right } = joinIndices(orders, customers, { on: "customer", how: "left" });
 * console.log(left.join()); // 0,1,2
 * console.log(right.join()); // 1,-1,0
 */
export function joinIndices<L extends TableInput, R extends TableInput | PreparedJoin>(
  left: L,
  right: R,
  options: OptionsFor<R, JoinIndicesOptions<ColumnsOf<L>, ColumnsOf<R>>>,
): JoinIndices;
/** With a prepared right side the options may be left out. */
export function joinIndices<L extends TableInput>(left: L, right: PreparedJoin): JoinIndices;
export function joinIndices(left: unknown, right: unknown, options?: unknown): JoinIndices {
  return runJoinIndices(left, right, options);
}
