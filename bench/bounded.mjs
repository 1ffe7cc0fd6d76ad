/**
 * `npm run bench -- bounded [--quick]`: a nested loop of 1 M buffered rows with 100 k streamed ones, both generated batch by batch, in 32 MB:
 * what the join says it held, and how much the process grew over a small join before.
 *
 * Every pair is tested, about a minute a join; the TypeScript twin has fewer rows. Each in a process of its own.
 */

import { bold, formatTable, grouped } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "a nested loop larger than its memory limit, the rest in files: bytes held, growth of the process";

const KERNELS = { WASM: "wasm", TypeScript: "ts" };
const LIMIT = 32_000_000;
/** What a process that makes batches grows by in any case (FACTS: 30 to 90 MB). */
const PROCESS_BYTES = 64_000_000;

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const few = { bufferedRows: 400_000, streamedRows: 20_000 };
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const table = [];
  const lines = [];
  let agree = true;
  for (const [name, kernel] of Object.entries(KERNELS)) {
    const size = quick || name !== "WASM" ? few : { bufferedRows: 1_000_000, streamedRows: 100_000 };
    for (const how of name === "WASM" ? ["inner", "full", "leftSemi"] : ["inner"]) {
      const found = await inOwnProcess(new URL("bounded/case.mjs", import.meta.url), { kernel, how, memoryLimit: LIMIT, ...size });
      const pairs = size.bufferedRows * size.streamedRows;
      const passes = Number(/passes: (\d+)/.exec(found.plan)?.[1] ?? 1);
      const most = LIMIT + 2 * found.batchBytes;
      table.push({
        kernel: name,
        how,
        buffered: grouped(size.bufferedRows),
        streamed: grouped(size.streamedRows),
        seconds: (found.wallMs / 1000).toFixed(1),
        "pairs/s": `${(pairs / found.wallMs / 1e6).toFixed(2)} G`,
        passes,
        rows: grouped(found.rows),
        held: megabytes(found.peakBytes),
        spilled: megabytes(found.spilledBytes),
        grown: megabytes(found.grownBytes),
      });
      lines.push(
        targetLine({
          what: `${name}, ${how}: bytes held`,
          measured: megabytes(found.peakBytes),
          target: `32 MB and a batch a side, ${megabytes(most)}`,
          met: found.peakBytes <= most && passes > 1,
        }),
        targetLine({
          what: `${name}, ${how}: growth of the process`,
          measured: megabytes(found.grownBytes),
          target: `that and 64 MB`,
          met: found.grownBytes <= most + PROCESS_BYTES,
        }),
      );
      agree &&= how === "leftSemi" || found.pairsPassed === found.rows - (found.leftUnmatched ?? 0) - (found.rightUnmatched ?? 0);
    }
  }
  console.log(bold("\nmemoryLimit 32 MB, spill in files"));
  console.log(formatTable(table));
  for (const line of lines) console.log(line);
  return agree;
}
