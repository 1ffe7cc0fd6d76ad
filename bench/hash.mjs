/**
 * `npm run bench -- hash [--quick] [--keys "sparse int32"] [--rows 1000000]`: what a hash join costs a row, by table size and kind
 * of key, for both kernels and the `Map` loop of the demo.
 *
 * Build rows are 1 k, 100 k, 1 M and 10 M; probe rows as many, but from 1 M to 5 M. Build ns are per build row, probe and emit ns per
 * probe row, from the join's own metrics; wall is Arrow tables in, Arrow table out. All are medians of interleaved runs; the `Map`
 * loop at 10 M runs once, because filling it takes longer than everything else together.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { KEY_KINDS } from "./hash/keys.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { medianOf, ratio } from "./measure/rounds.mjs";

export const about = "hash join: build and probe ns per row by size and key, WASM, TypeScript and Map loop";

/** Below, the probe of a small table would be too short to time; above, strings at 10 M would take half of the whole bench. */
const PROBE_ROWS = { least: 1_000_000, most: 5_000_000 };
const SIZES = [
  { buildRows: 1_000, rounds: 7 },
  { buildRows: 100_000, rounds: 7 },
  { buildRows: 1_000_000, rounds: 7 },
  { buildRows: 10_000_000, rounds: 3, mapOnce: true },
];
/** The targets hold here. */
const TARGET = { keys: "sparse int32", buildRows: 1_000_000 };

/** @param {{ quick: boolean, keys?: string, rows?: number }} options */
export async function run({ quick, keys, rows }) {
  const started = performance.now();
  const sizes = SIZES.filter(({ buildRows }) => (rows ? buildRows === rows : !quick || buildRows <= 1_000_000));
  const kinds = KEY_KINDS.filter((kind) => !keys || kind === keys);
  if (sizes.length === 0 || kinds.length === 0)
    throw new Error(`nothing to run: keys are ${KEY_KINDS.join(", ")}; rows ${SIZES.map(({ buildRows }) => buildRows).join(", ")}`);
  console.log(bold("hash join, inner, one key and a float64 a side, 90 % of the probe rows with one partner"));
  console.log(
    dim("build ns per build row; probe and emit ns per probe row; wall: Arrow in, Arrow out; held: the join's peak, or the Map's index"),
  );
  let target;
  let agree = true;
  for (const kind of kinds) {
    const table = [];
    for (const size of sizes) {
      const options = {
        ...size,
        keys: kind,
        probeRows: Math.min(Math.max(size.buildRows, PROBE_ROWS.least), PROBE_ROWS.most),
        rounds: quick ? 3 : size.rounds,
      };
      const result = await inOwnProcess(new URL("hash/case.mjs", import.meta.url), options);
      if (!result.same) console.log(red(`✗ ${kind}, ${size.buildRows} build rows: the three ways gave different rows`));
      agree &&= result.same;
      table.push(...caseRows(options, result));
      if (kind === TARGET.keys && size.buildRows === TARGET.buildRows) target = result.samples;
    }
    console.log(`\n${bold(kind)}\n${formatTable(table)}`);
  }
  console.log();
  if (target) console.log(targetLine(target));
  console.log(dim(`took ${duration(performance.now() - started)}`));
  return agree;
}

function caseRows({ buildRows, probeRows }, { samples, residentBytes }) {
  return Object.entries(samples).map(([name, all], i) => {
    const { buildMs, probeMs, emitMs, wallMs, peakBytes } = medianOf(all);
    return {
      "build rows": i === 0 ? grouped(buildRows) : "",
      "probe rows": i === 0 ? grouped(probeRows) : "",
      way: name,
      "build ns": ((buildMs * 1e6) / buildRows).toFixed(1),
      "probe ns": ((probeMs * 1e6) / probeRows).toFixed(1),
      "emit ns": ((emitMs * 1e6) / probeRows).toFixed(1),
      "wall ms": wallMs.toFixed(1),
      "Map : it": name === "Map loop" ? "" : `${ratio(samples["Map loop"], all).toFixed(1)} ×`,
      "held MB": (peakBytes / 1e6).toFixed(1),
      "process MB": i === 0 ? grouped(Math.round(residentBytes / 1e6)) : "",
      runs: all.length,
    };
  });
}

function targetLine(samples) {
  const wasm = ratio(samples["Map loop"], samples.WASM);
  const ts = ratio(samples["Map loop"], samples.TypeScript);
  const judged = (met) => (met ? "met" : red("missed"));
  return `${bold("1 M sparse int32, end to end against the Map loop:")} WASM ${wasm.toFixed(2)} × as fast (target 3, ${judged(wasm >= 3)}); TypeScript ${ts.toFixed(2)} × (target: not slower, ${judged(ts >= 1)})`;
}
