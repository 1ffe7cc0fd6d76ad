/** The verb `join`. */

import type { Table } from "apache-arrow";
import type { JoinOptions, TableInput } from "./options.ts";
import { runJoin } from "./run-join.ts";
import type { CheckedJoinOptions, ColumnsOf, JoinColumns, JoinedOptions, OptionsFor, PreparedJoin } from "./types.ts";

/**
 * Joins two Arrow tables on equal keys. Synchronous; the inputs are not changed, and the result may share buffers with them.
 *
 * A hash join: the right side (by default) is hashed with one slot per distinct key, the left side is looked up a chunk at a time.
 * Time O(left + right + result), memory the hash table (about 16 bytes a key) and the result. The table follows the public redesign in
 * apache/datafusion#27398: distinct keys, match handles, contiguous groups.
 *
 * @param left a Table, RecordBatch or array of batches, of any copy of apache-arrow
 * @param right likewise, or a side that `prepareJoin` has indexed
 * @param options `on` is required, but for a prepared side; the default is an inner join in left order
 * @returns a table of the left columns, then the right ones; keys of one name appear once
 * @throws ArrowJoinError INVALID_OPTION, INVALID_INPUT, COLUMN_NOT_FOUND, KEY_TYPE_MISMATCH, UNSUPPORTED_TYPE, DUPLICATE_COLUMN,
 * INVALID_EXPRESSION, CARDINALITY, UNMATCHED, MEMORY_LIMIT
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { join } from "arrow-join";
 *
 * const orders = tableFromArrays({ customer: Int32Array.of(2, 1, 2), amount: Float64Array.of(10, 20, 30) });
 * const customers = tableFromArrays({ customer: Int32Array.of(1, 2), name: ["Ada", "Bob"] });
 * const result = join(orders, customers, { on: "customer" });
 * for (const row of result) console.log(row.customer, row.amount, row.name);
 * // 2 10 Bob
 * // 1 20 Ada
 * // 2 30 Bob
 */
export function join<
  L extends TableInput,
  R extends TableInput | PreparedJoin,
  const O extends OptionsFor<R, JoinOptions<ColumnsOf<L>, ColumnsOf<R>>>,
>(left: L, right: R, options: CheckedJoinOptions<O, L, R>): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<O, R>>>;
/** With a prepared right side the options may be left out. */
export function join<L extends TableInput, R extends PreparedJoin>(
  left: L,
  right: R,
): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<object, R>>>;
export function join(left: unknown, right: unknown, options?: unknown): Table {
  return runJoin(left, right, options);
}
