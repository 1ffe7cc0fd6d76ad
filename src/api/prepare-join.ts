/** The verb `prepareJoin`. */

import type { PrepareOptions, TableInput } from "./options.ts";
import { runPrepareJoin } from "./run-join.ts";
import type { CheckedPrepareOptions, ColumnsOf, PreparedJoin } from "./types.ts";

/**
 * Indexes a table once, to be the right side of many joins: of `join`, `joinStream` and `joinIndices`, with any kind, filter and order,
 * also at the same time. What is decided here (`on`, `nullsEqual`, `kernel`, `hashSeed`) need not be repeated there, and must agree if it is.
 *
 * The index holds a kernel instance of its own until it is closed; each join takes scratch beside it. Time O(right) here, then O(left +
 * result) a join. Close it when the last join has ended: joins that are still running then fail with CANCELLED.
 *
 * @param right a Table, RecordBatch or array of batches, of any copy of apache-arrow; it must not be changed afterwards
 * @param options `on` is required
 * @throws ArrowJoinError INVALID_OPTION, INVALID_INPUT, COLUMN_NOT_FOUND, UNSUPPORTED_TYPE, MEMORY_LIMIT above `memoryLimit` bytes
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { join, prepareJoin } from "arrow-join";
 *
 * const customers = tableFromArrays({ customer: Int32Array.of(1, 2), name: ["Ada", "Bob"] });
 * const prepared = prepareJoin(customers, { on: "customer" });
 * for (const customer of [2, 1]) {
 *   const orders = tableFromArrays({ customer: Int32Array.of(customer) });
 *   for (const row of join(orders, prepared)) console.log(row.customer, row.name);
 * }
 * // 2 Bob
 * // 1 Ada
 * prepared.close();
 */
export function prepareJoin<R extends TableInput, const O extends PrepareOptions<ColumnsOf<R>>>(
  right: R,
  options: CheckedPrepareOptions<O>,
): PreparedJoin<ColumnsOf<R>, O["on"]> {
  return runPrepareJoin(right, options) as unknown as PreparedJoin<ColumnsOf<R>, O["on"]>;
}
