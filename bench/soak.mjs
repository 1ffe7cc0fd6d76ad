/**
 * `npm run bench -- soak [--quick] [--rows N]`: an as-of join of two endless-looking streams that are never held: 200 M generated rows a side, 5000
 * keys, the right lagging the left by a varying amount within 100 000 rows, a tolerance of a second. What the join says it held at most, and how
 * much the process grew over a warm-up.
 */

import { bold, formatTable, grouped } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "an as-of join of 200 M rows a side that are never held: bytes held, growth of the process, rows/s";

const HELD = 64e6;
/** What a process that makes batches grows by in any case. */
const PROCESS = 100e6;

/** @param {{ quick: boolean, rows?: number }} options */
export async function run({ quick, rows = quick ? 5_000_000 : 200_000_000 }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const found = await inOwnProcess(new URL("soak/case.mjs", import.meta.url), { kernel: "wasm", rows });
  const { wallMs, outRows, matched, peakBytes, grownBytes, mostHeld, generateMs } = found;
  const table = [
    {
      rows: `${grouped(rows)} a side`,
      seconds: (wallMs / 1000).toFixed(1),
      "M input rows/s": ((2 * rows) / wallMs / 1000).toFixed(2),
      "making them, s": (generateMs / 1000).toFixed(1),
      matched: grouped(matched),
      held: megabytes(peakBytes),
      grown: megabytes(grownBytes),
      "right rows held": grouped(mostHeld),
    },
  ];
  console.log(`${bold("as-of, 5000 keys, tolerance 1 s, right within 100 000 rows behind")}\n${formatTable(table)}`);
  const lines = [
    { what: "bytes held", measured: megabytes(peakBytes), target: megabytes(HELD), met: peakBytes < HELD },
    {
      what: "growth of the process",
      measured: megabytes(grownBytes),
      target: `what it held and ${megabytes(PROCESS)}`,
      met: grownBytes < peakBytes + PROCESS,
    },
  ];
  for (const line of lines) console.log(targetLine(line));
  return outRows === rows;
}
