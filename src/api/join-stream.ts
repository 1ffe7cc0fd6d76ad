/** The verb `joinStream`. */

import type { JoinStreamOptions, StreamInput } from "./options.ts";
import { runJoinStream } from "./run-join.ts";
import type { CheckedJoinStreamOptions, ColumnsOf, JoinColumns, JoinedOptions, JoinStream, OptionsFor, PreparedJoin } from "./types.ts";

/**
 * Joins two streams of record batches on equal keys, without ever holding the streamed side: the right side (by default) is buffered and
 * hashed, the left side is read batch by batch as the result is pulled.
 *
 * Resolves when both schemas are known and everything that can be refused has been; work starts at the first pull. Time
 * O(left + right + result), memory the buffered side, its hash table and one batch.
 *
 * @param left anything that holds or gives Arrow batches: tables, (async) iterables, readers, web and Node streams, a Response, IPC bytes
 * @param right likewise, or a side that `prepareJoin` has indexed
 * @throws (rejects with) ArrowJoinError as `join`, SOURCE_FAILED with the input's error as `cause`, or the reason of an aborted signal
 *
 * @example
 * import { tableFromArrays, tableToIPC } from "apache-arrow";
 * import { joinStream } from "arrow-join";
 *
 * const orders = tableToIPC(tableFromArrays({ customer: Int32Array.of(2, 1, 3) }), "stream");
 * const customers = tableFromArrays({ customer: Int32Array.of(1, 2), name: ["Ada", "Bob"] });
 * const stream = await joinStream(orders, customers, { on: "customer", how: "left" });
 * for await (const batch of stream) console.log(batch.numRows); // 3
 */
export function joinStream<
  L extends StreamInput,
  R extends StreamInput | PreparedJoin,
  const O extends OptionsFor<R, JoinStreamOptions<ColumnsOf<L>, ColumnsOf<R>>>,
>(
  left: L,
  right: R,
  options: CheckedJoinStreamOptions<O, L, R>,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<O, R>, "stream">>>;
/** With a prepared right side the options may be left out. */
export function joinStream<L extends StreamInput, R extends PreparedJoin>(
  left: L,
  right: R,
): Promise<JoinStream<JoinColumns<ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<object, R>, "stream">>>;
export async function joinStream(left: unknown, right: unknown, options?: unknown): Promise<JoinStream> {
  return (await runJoinStream(left, right, options)) as unknown as JoinStream;
}
