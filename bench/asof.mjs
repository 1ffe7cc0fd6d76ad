/**
 * `npm run bench -- asof [--quick]`: trades with the last quote before them, Arrow in, Arrow out, by both kernels and by the merge with a `Map` that
 * people write by hand; then a stream of wide batches, as the public benchmark of Arrow C++ has them.
 *
 * One-shot joins: wall times side by side in rounds, a process for each case, ratios within a round, medians.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { medianOf, ratio } from "./measure/rounds.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "as-of joins: no keys, int32, Utf8 and dictionary symbols, two rights, a stream; WASM, TypeScript and a Map by hand";

const CASES = {
  unkeyed: { text: "(a) no symbols", rounds: 7 },
  int32: { text: "(b) 5000 int32 symbols", rounds: 7, target: 4 },
  utf8: { text: "(c) 5000 Utf8 symbols", rounds: 3, target: 4 },
  dictionary: { text: "(c) 5000 dictionary symbols", rounds: 5, target: 4 },
  two: { text: "(d) 5000 int32 symbols, a second right of as many rows as the left", rounds: 5 },
};
const WAYS = { wasm: "WASM", ts: "TypeScript", map: "Map by hand" };

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const started = performance.now();
  const size = quick ? { trades: 100_000, quotes: 1_000_000 } : { trades: 1_000_000, quotes: 10_000_000 };
  let agree = true;
  const table = [];
  const lines = [];
  for (const [shape, { text, rounds, target }] of Object.entries(CASES)) {
    const { samples, same, rows } = await inOwnProcess(new URL("asof/case.mjs", import.meta.url), { shape, rounds, ...size });
    if (!same) console.log(red(`✗ ${text}: the ways gave different rows`));
    agree &&= same;
    for (const [way, name] of Object.entries(WAYS)) {
      const { wallMs } = medianOf(samples[way]);
      const times = ratio(samples.map, samples[way]);
      table.push({
        case: way === "wasm" ? text : "",
        way: name,
        ms: wallMs.toFixed(0),
        "M input rows/s": (rows / wallMs / 1000).toFixed(1),
        "× Map": times.toFixed(1),
      });
      if (way === "wasm" && target) {
        lines.push(
          targetLine({
            what: `${text}, WASM`,
            measured: `${times.toFixed(1)} × as fast as the Map`,
            target: `${target} ×`,
            met: times >= target,
          }),
        );
      }
    }
  }
  console.log(`${bold(`${grouped(size.trades)} trades, ${grouped(size.quotes)} quotes`)}\n${formatTable(table)}\n`);

  const rows = quick ? 200_000 : 4_000_000;
  const streamed = [];
  for (const kernel of ["wasm", "ts"]) {
    const { wallMs, matched } = await inOwnProcess(new URL("asof/stream-case.mjs", import.meta.url), {
      kernel,
      rows,
      rounds: quick ? 3 : 5,
    });
    streamed.push({
      kernel: WAYS[kernel],
      rows: `${grouped(rows)} a side`,
      ms: wallMs.toFixed(0),
      "M input rows/s": ((2 * rows) / wallMs / 1000).toFixed(2),
      matched: grouped(matched),
    });
  }
  console.log(`${bold("(e) a stream: 20 float64 columns a side, 500 ids, batches of 4096 rows")}\n${formatTable(streamed)}\n`);
  for (const line of lines) console.log(line);
  console.log(dim(`took ${duration(performance.now() - started)}`));
  return agree;
}
