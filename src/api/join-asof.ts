/** The verbs `joinAsof` and `joinAsofStream`. */

import type { Table } from "apache-arrow";
import type {
  AsofColumns,
  AsofColumnsOf,
  AsofOptionsFor,
  CheckedAsofOptions,
  CheckedAsofStreamOptions,
  CheckedRights,
} from "./asof-types.ts";
import type { AsofRight, AsofStreamInput, JoinAsofOptions, JoinAsofStreamOptions, TableInput } from "./options.ts";
import { runJoinAsof, runJoinAsofStream } from "./run-asof.ts";
import type { ColumnsOf, JoinStream } from "./types.ts";

/**
 * Joins each row of an Arrow table with the right row nearest in time: the last quote before a trade, the reading next to an event.
 * Synchronous; the inputs are not changed, and the result may share buffers with them.
 *
 * Both inputs are in the order of their time columns, over all keys (`unsorted: "sort"` sorts a copy); the answer depends on nothing but
 * rows and options. Time O(left + right), memory the keys of `by`, and what `direction` and `filter` make it keep. The design follows
 * apache/arrow#13028: one left, any number of rights, time-ordered batches, a memo of the latest row by key. Other than there, ties and matches
 * ahead do not depend on arrival, keys are told apart by their values and not by hashes alone, null keys follow `nullsEqual`, and times are of
 * every unit, sign and width, compared exactly.
 *
 * @param left a Table, RecordBatch or array of batches, of any copy of apache-arrow
 * @param right likewise; or several: `[{ table, ...options }, { table, ...options }]`, where an entry says what differs for it
 * @param options `on` is required (for all, or for each right); the default looks backward, without a limit, and keeps every left row
 * @returns a table of the left columns, then those of each right without `by` and time columns that have the left's names
 * @throws ArrowJoinError UNSORTED (side, row, both times), INVALID_OPTION, INVALID_INPUT, COLUMN_NOT_FOUND, KEY_TYPE_MISMATCH,
 * UNSUPPORTED_TYPE, DUPLICATE_COLUMN, INVALID_EXPRESSION, MEMORY_LIMIT
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { joinAsof } from "arrow-join";
 *
 * const trades = tableFromArrays({ t: Int32Array.of(3, 7, 9), sym: ["A", "B", "A"] });
 * const quotes = tableFromArrays({ t: Int32Array.of(1, 2, 6), sym: ["A", "B", "A"], bid: Float64Array.of(10, 20, 11) });
 * const result = joinAsof(trades, quotes, { on: "t", by: "sym", tolerance: 4 });
 * for (const row of result) console.log(row.t, row.sym, row.bid);
 * // 3 A 10
 * // 7 B null
 * // 9 A 11
 */
export function joinAsof<
  L extends TableInput,
  const R extends TableInput | AsofRight | readonly AsofRight[],
  const O extends AsofOptionsFor<R, JoinAsofOptions<ColumnsOf<L>, AsofColumnsOf<R>>>,
>(left: L, right: CheckedRights<R, ColumnsOf<L>>, options: CheckedAsofOptions<O, L, R>): Table<AsofColumns<ColumnsOf<L>, R, O>>;
export function joinAsof(left: unknown, right: unknown, options: unknown): Table {
  return runJoinAsof(left, right, options);
}

/**
 * Joins each row of a stream of record batches with the right row nearest in time, while the inputs are still growing.
 *
 * Resolves when all schemas are known and everything that can be refused has been; work starts at the first pull. A left row is given as soon
 * as it is decided, in left order; an output batch never spans two left batches. All inputs are pulled concurrently, each up to a mark, and none
 * while nobody pulls the result.
 *
 * Memory: backward the latest row of each key and the skew between the inputs; forward and nearest with a tolerance `after` also the right rows
 * within it; without it every right row ahead of the left, which nothing bounds but `memoryLimit`. A condition of `filter` on both sides keeps
 * right rows back to T - `before`.
 *
 * An input may yield `{ watermark: t }` between batches: no later row of it is before t. From a right it decides left rows that wait, from a
 * left it frees right rows.
 *
 * @param left anything that holds or gives Arrow batches: tables, (async) iterables, readers, web and Node streams, a Response, IPC bytes
 * @param right likewise; or several: `[{ table, ...options }, { table, ...options }]`
 * @param options as for `joinAsof`, but for `unsorted: "sort"`
 * @throws (rejects with) ArrowJoinError as `joinAsof`, SOURCE_FAILED with the input's error as `cause`, or the reason of an aborted signal
 *
 * @example
 * import { tableFromArrays, tableToIPC } from "apache-arrow";
 * import { joinAsofStream } from "arrow-join";
 *
 * const events = tableToIPC(tableFromArrays({ at: Int32Array.of(5, 12) }), "stream");
 * const readings = tableFromArrays({ time: Int32Array.of(4, 6, 20), celsius: Float64Array.of(21.5, 22, 19) });
 * const stream = await joinAsofStream(events, readings, { on: { at: "time" }, direction: "nearest", tolerance: 5 });
 * for (const row of await stream.toTable()) console.log(row.at, row.time, row.celsius);
 * // 5 4 21.5
 * // 12 null null
 */
export function joinAsofStream<
  L extends AsofStreamInput,
  const R extends AsofStreamInput | AsofRight<AsofStreamInput> | readonly AsofRight<AsofStreamInput>[],
  const O extends AsofOptionsFor<R, JoinAsofStreamOptions<ColumnsOf<L>, AsofColumnsOf<R>>>,
>(
  left: L,
  right: CheckedRights<R, ColumnsOf<L>>,
  options: CheckedAsofStreamOptions<O, L, R>,
): Promise<JoinStream<AsofColumns<ColumnsOf<L>, R, O>>>;
export async function joinAsofStream(left: unknown, right: unknown, options: unknown): Promise<JoinStream> {
  return (await runJoinAsofStream(left, right, options)) as unknown as JoinStream;
}
