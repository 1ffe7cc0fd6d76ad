/**
 * A progress bar on a terminal; without one a line at each quarter, so that a log shows that something moves and stays short.
 */

import cliProgress from "cli-progress";
import { dim, duration, grouped } from "./table-print.mjs";

/**
 * @param {string} what the work, as a noun
 * @param {number} total rows
 * @returns {{ update(rows: number): void, done(note?: string): void }}
 */
export function progress(what, total) {
  const start = performance.now();
  const bar = process.stdout.isTTY
    ? new cliProgress.SingleBar({
        format: `  ${what} {bar} {percentage}%  {rows} rows`,
        stream: process.stdout,
        barsize: 28,
        hideCursor: true,
        clearOnComplete: true,
        barCompleteChar: "█",
        barIncompleteChar: "░",
      })
    : null;
  bar?.start(total, 0, { rows: "0" });
  let seen = 0;
  return {
    update(rows) {
      const quarter = Math.floor((4 * rows) / total);
      if (!bar && rows < total && quarter > Math.floor((4 * seen) / total)) console.log(`  ${what} ${25 * quarter}%`);
      seen = rows;
      bar?.update(rows, { rows: grouped(rows) });
    },
    done(note = "") {
      bar?.stop();
      console.log(`  ${what}: ${grouped(seen)} rows in ${duration(performance.now() - start)}${note && dim(` · ${note}`)}`);
    },
  };
}
