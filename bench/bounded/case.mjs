/**
 * A nested loop of two generated streams under a memory limit: pairs tested one by one, a result per 100 000 of them or so, what does not fit
 * in files.
 *
 *     node --expose-gc bench/bounded/case.mjs '{"kernel":"wasm","bufferedRows":1000000,"streamedRows":100000,"memoryLimit":32000000}'
 */

import { Table } from "apache-arrow";
import { joinWhereStream } from "arrow-join";
import { fileSpillStore } from "arrow-join/node";
import { float64, int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";

const BATCH_ROWS = 8192;
/** What a batch of this many rows of 20 bytes holds, a side. */
const BATCH_BYTES = BATCH_ROWS * 20;
const WARM_UP = { bufferedRows: 200_000, streamedRows: 20_000, memoryLimit: 8_000_000 };

/** Every `odd`-th row is not like the others: nothing but a comparison with each row finds it. */
function stream(rows, odd) {
  const batch = (from) => {
    const count = Math.min(BATCH_ROWS, rows - from);
    return new Table({
      id: int32(Int32Array.from({ length: count }, (_, i) => from + i)),
      kind: int32(Int32Array.from({ length: count }, (_, i) => ((from + i) % odd === odd - 1 ? 1 : 0))),
      value: float64(Float64Array.from({ length: count }, (_, i) => ((from + i) * 7919) % 1000)),
      more: int32(new Int32Array(count)),
    }).batches[0];
  };
  const generate = function* () {
    for (let from = 0; from < rows; from += BATCH_ROWS) yield batch(from);
  };
  return { schema: batch(0).schema, batches: generate() };
}

/** Rows that differ from all but one in `odd` of the other side's: bufferedRows * streamedRows / odd results. */
async function joinOnce({ kernel, how, bufferedRows, streamedRows, memoryLimit }) {
  const started = performance.now();
  const left = stream(streamedRows, Number.POSITIVE_INFINITY);
  const right = stream(bufferedRows, 100_000);
  const options = { how, kernel, memoryLimit, spill: fileSpillStore() };
  const joined = await joinWhereStream(left, right, (l, r) => l.kind.ne(r.kind).and(l.value.ne(r.value)), options);
  let rows = 0;
  for await (const batch of joined) rows += batch.numRows;
  return { wallMs: performance.now() - started, rows, ...joined.metrics() };
}

function settle() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  return process.memoryUsage().rss;
}

await answer(async (options) => {
  await joinOnce({ ...options, ...WARM_UP });
  const before = settle();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  const result = await joinOnce(options);
  clearInterval(watch);
  return { ...result, grownBytes: Math.max(most, process.memoryUsage().rss) - before, batchBytes: BATCH_BYTES };
});
