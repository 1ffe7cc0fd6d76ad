/** The verbs `joinCross` and `joinCrossStream`. */

import type { Table } from "apache-arrow";
import type { JoinCrossOptions, JoinCrossStreamOptions, StreamInput, TableInput } from "./options.ts";
import { runJoinCross, runJoinCrossStream } from "./run-join.ts";
import type { CheckedCrossOptions, CheckedCrossStreamOptions, ColumnsOf, JoinColumns, JoinStream, Keyless } from "./types.ts";

/**
 * Every left row with every right row. Synchronous; the inputs are not changed. O(left * right), all of it result.
 *
 * @param left a Table, RecordBatch or array of batches, of any copy of apache-arrow
 * @param right likewise
 * @param options the default is left order: the right rows of the first left row, those of the second, ...
 * @returns a table of the left columns, then the right ones; right names that clash get the suffix
 * @throws ArrowJoinError INVALID_OPTION, INVALID_INPUT, DUPLICATE_COLUMN, MEMORY_LIMIT before any work where the result would be too large
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { joinCross } from "arrow-join";
 *
 * const sizes = tableFromArrays({ size: ["S", "M"] });
 * const colors = tableFromArrays({ color: ["red", "blue"] });
 * for (const row of joinCross(sizes, colors)) console.log(row.size, row.color);
 * // S red
 * // S blue
 * // M red
 * // M blue
 */
export function joinCross<L extends TableInput, R extends TableInput, const O extends JoinCrossOptions<ColumnsOf<L>, ColumnsOf<R>>>(
  left: L,
  right: R,
  options: CheckedCrossOptions<O, L, R>,
): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>>;
/** Without options. */
export function joinCross<L extends TableInput, R extends TableInput>(
  left: L,
  right: R,
): Table<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<object>>>;
export function joinCross(left: unknown, right: unknown, options?: unknown): Table {
  return runJoinCross(left, right, options);
}

/**
 * Every left row with every right row, a batch at a time: the right side (by default) is buffered, the left side is read as the result is
 * pulled, and nothing of the product is held but the next batch.
 *
 * @param left anything that holds or gives Arrow batches: tables, (async) iterables, readers, web and Node streams, a Response, IPC bytes
 * @param right likewise
 * @throws (rejects with) ArrowJoinError as `joinCross`, SOURCE_FAILED with the input's error as `cause`, or the reason of an aborted signal
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { joinCrossStream } from "arrow-join";
 *
 * const left = tableFromArrays({ a: Int32Array.of(1, 2, 3) });
 * const right = tableFromArrays({ b: Int32Array.of(4, 5) });
 * const stream = await joinCrossStream(left, right, { batchSize: 4 });
 * for await (const batch of stream) console.log(batch.numRows);
 * // 4
 * // 2
 */
export function joinCrossStream<
  L extends StreamInput,
  R extends StreamInput,
  const O extends JoinCrossStreamOptions<ColumnsOf<L>, ColumnsOf<R>>,
>(
  left: L,
  right: R,
  options: CheckedCrossStreamOptions<O, L, R>,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<O>, "stream">>>;
/** Without options. */
export function joinCrossStream<L extends StreamInput, R extends StreamInput>(
  left: L,
  right: R,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, Keyless<object>, "stream">>>;
export async function joinCrossStream(left: unknown, right: unknown, options?: unknown): Promise<JoinStream> {
  return (await runJoinCrossStream(left, right, options)) as unknown as JoinStream;
}
