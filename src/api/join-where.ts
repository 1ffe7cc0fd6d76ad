/** The verbs `joinWhere` and `joinWhereStream`. */

import type { Table } from "apache-arrow";
import type { Filter } from "./expr-types.ts";
import type { JoinWhereOptions, JoinWhereStreamOptions, StreamInput, TableInput } from "./options.ts";
import { runJoinWhere, runJoinWhereStream } from "./run-join.ts";
import type { CheckedWhereOptions, CheckedWhereStreamOptions, ColumnsOf, JoinColumns, JoinStream, Keyless } from "./types.ts";

/**
 * Joins two Arrow tables on any predicate. Synchronous; the inputs are not changed, and the result may share buffers with them.
 *
 * Conditions `l.k = r.k` between columns of one type become hash keys; inequalities (`<`, `between`, bands, overlap of intervals) are
 * answered by sorted search, O((left + right) log right + result); what is left tests every pair, O(left * right), a few billion pairs a
 * second. `onMetrics` gives the plan that was chosen. The loop follows the public design in apache/datafusion#16996.
 *
 * @param left a Table, RecordBatch or array of batches, of any copy of apache-arrow
 * @param right likewise
 * @param predicate `(l, r) => l.x.lt(r.y)`, called once with the columns of both inputs; an `Expr`, or its JSON. Rows match where it is true
 * @param options the default is an inner join in left order
 * @returns a table of all left columns, then all right ones, whatever the predicate says is equal
 * @throws ArrowJoinError INVALID_EXPRESSION, INVALID_OPTION, INVALID_INPUT, COLUMN_NOT_FOUND, DUPLICATE_COLUMN, CARDINALITY, UNMATCHED,
 * MEMORY_LIMIT, SPILL_FAILED
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { joinWhere } from "arrow-join";
 *
 * const visits = tableFromArrays({ at: Int32Array.of(5, 12, 30) });
 * const shifts = tableFromArrays({ from: Int32Array.of(0, 10), to: Int32Array.of(10, 20), who: ["Ada", "Bob"] });
 * const result = joinWhere(visits, shifts, (l, r) => r.from.le(l.at).and(l.at.lt(r.to)));
 * for (const row of result) console.log(row.at, row.who);
 * // 5 Ada
 * // 12 Bob
 */
export function joinWhere<L extends TableInput, R extends TableInput, const O extends JoinWhereOptions<ColumnsOf<L>, ColumnsOf<R>>>(
  left: L,
  right: R,
  predicate: Filter<ColumnsOf<L>, ColumnsOf<R>>,
  options: CheckedWhereOptions<O, L, R>,
): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>>;
/** Without options. */
export function joinWhere<L extends TableInput, R extends TableInput>(
  left: L,
  right: R,
  predicate: Filter<ColumnsOf<L>, ColumnsOf<R>>,
): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<object>>>;
export function joinWhere(left: unknown, right: unknown, predicate: unknown, options?: unknown): Table {
  return runJoinWhere(left, right, predicate, options);
}

/**
 * Joins two streams of record batches on any predicate: the right side (by default) is buffered, the left side is read batch by batch as the
 * result is pulled.
 *
 * Resolves when both schemas are known and everything that can be refused has been; work starts at the first pull. Time as `joinWhere`;
 * memory the buffered side, or `memoryLimit` with a `spill` store: then the buffered side is taken in chunks that fit, and the other is
 * read again from the store for each. No input is read twice; rows and order are the same.
 *
 * @param left anything that holds or gives Arrow batches: tables, (async) iterables, readers, web and Node streams, a Response, IPC bytes
 * @param right likewise
 * @param predicate as for `joinWhere`
 * @throws (rejects with) ArrowJoinError as `joinWhere`, SOURCE_FAILED with the input's error as `cause`, or the reason of an aborted signal
 *
 * @example
 * import { tableFromArrays, tableToIPC } from "apache-arrow";
 * import { joinWhereStream } from "arrow-join";
 *
 * const prices = tableToIPC(tableFromArrays({ price: Float64Array.of(5, 9) }), "stream");
 * const limits = tableFromArrays({ limit: Float64Array.of(6, 8) });
 * const stream = await joinWhereStream(prices, limits, (l, r) => l.price.gt(r.limit), { how: "left" });
 * for await (const batch of stream) console.log(batch.numRows); // 3
 */
export function joinWhereStream<
  L extends StreamInput,
  R extends StreamInput,
  const O extends JoinWhereStreamOptions<ColumnsOf<L>, ColumnsOf<R>>,
>(
  left: L,
  right: R,
  predicate: Filter<ColumnsOf<L>, ColumnsOf<R>>,
  options: CheckedWhereStreamOptions<O, L, R>,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<O>, "stream">>>;
/** Without options. */
export function joinWhereStream<L extends StreamInput, R extends StreamInput>(
  left: L,
  right: R,
  predicate: Filter<ColumnsOf<L>, ColumnsOf<R>>,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<object>, "stream">>>;
export async function joinWhereStream(left: unknown, right: unknown, predicate: unknown, options?: unknown): Promise<JoinStream> {
  return (await runJoinWhereStream(left, right, predicate, options)) as unknown as JoinStream;
}
