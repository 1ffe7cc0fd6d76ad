/**
 * `npm run bench -- range [--quick]`: inequalities answered by sorted search, n × n rows with about one match a row, for both kernels, and how
 * long the nested loop would take: what it does in about a second, extrapolated by its pairs.
 *
 * Wall times of whole one-shot joins, medians of a process for each predicate and kernel. The columns are float64 in random order.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { medianOf } from "./measure/rounds.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "joins on inequalities: bands, one inequality, overlaps, against the nested loop; WASM and TypeScript";

const KERNELS = { WASM: "wasm", TypeScript: "ts" };
const SHAPES = {
  band: "inner, r.x >= l.low and r.x < l.high",
  semi: "left semi, l.x < r.y with few results",
  inequality: "inner, l.x < r.y with few results",
  overlap: "inner, l.start < r.end and r.start < l.end",
};
/** The targets: times as fast as the loop, by rows of a side. */
const TIMES = { 100000: 30, 1000000: 200 };
/** Ten times the rows cost about 12 times as much by n log n, and those of 1 M miss caches that those of 100 k hit: twice that at most. */
const GROWTH = 24;
/** Pairs that take about a second. */
const LOOP_ROWS = { WASM: 50_000, TypeScript: 25_000 };

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const started = performance.now();
  const sizes = quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000];
  let agree = true;
  const lines = [];
  for (const [shape, text] of Object.entries(SHAPES)) {
    const table = [];
    for (const [name, kernel] of Object.entries(KERNELS)) {
      const options = { kernel, shape, sizes, rounds: quick ? 5 : 9, loopRows: LOOP_ROWS[name] };
      const { found, loop, same } = await inOwnProcess(new URL("range/case.mjs", import.meta.url), options);
      if (!same) console.log(red(`✗ ${shape}, ${name}: search and loop gave different rows`));
      agree &&= same;
      const perSecond = (loop.pairs / loop.wallMs) * 1000;
      const results = found.map(({ rows, samples }) => {
        const times = medianOf(samples);
        const loopMs = ((loop.pairs * (rows / loop.rows) ** 2) / perSecond) * 1000;
        return { rows, ...times, loopMs, times: loopMs / times.wallMs };
      });
      results.forEach((result, i) => {
        const { rows, wallMs, buildMs, probeMs, emitMs, outRows, peakBytes, loopMs } = result;
        table.push({
          kernel: i === 0 ? name : "",
          rows: `${grouped(rows)} ²`,
          "whole ms": wallMs.toFixed(1),
          build: buildMs.toFixed(1),
          probe: probeMs.toFixed(1),
          emit: emitMs.toFixed(1),
          "ns a row": ((wallMs * 1e6) / rows).toFixed(0),
          "rows out": grouped(outRows),
          "peak MB": (peakBytes / 1e6).toFixed(1),
          "loop, extrapolated": duration(loopMs),
          "×": result.times.toFixed(0),
        });
        const target = TIMES[rows];
        if (!target) return;
        const growth = wallMs / results[i - 1].wallMs;
        lines.push(
          targetLine({
            what: `${shape}, ${name}, ${grouped(rows)} ²`,
            measured: `${result.times.toFixed(0)} × as fast as the loop (${(perSecond / 1e9).toFixed(2)} G pairs/s)`,
            target: `${target} ×`,
            met: result.times >= target,
          }),
          targetLine({
            what: `${shape}, ${name}, ten times the rows`,
            measured: `${growth.toFixed(1)} × as long`,
            target: `n log n is 12 ×, at most ${GROWTH} ×`,
            met: growth <= GROWTH,
          }),
        );
      });
    }
    console.log(`${bold(text)}\n${formatTable(table)}\n`);
  }
  for (const line of lines) console.log(line);
  console.log(dim(`took ${duration(performance.now() - started)}`));
  return agree;
}
