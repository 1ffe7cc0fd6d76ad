/**
 * `npm run bench -- existence [--quick]`: what joins cost that only ask whether there is a partner, for both kernels.
 *
 *     (a) many build rows of one key, no filter          the probe phase does not see how many
 *     (b) equal keys and an inequality                   one look at the extreme of a key, against testing pairs
 *     (c) all pairs of a few keys with many rows each    contiguous groups against linked chains
 *
 * Medians of interleaved runs, each case in a process of its own; the slow ways of (b) run once or twice.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { median, medianOf, ratio } from "./measure/rounds.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "semi joins: duplicates, an inequality beside the key, groups against chains; WASM and TypeScript";

const KERNELS = { WASM: "wasm", TypeScript: "ts" };

/** The targets. */
const TARGETS = { duplicatesMs: 0.2, rangeProbeMs: 20, rangeTimes: 20, chainTimes: 5 };
/** Of a probe phase of 0.1 ms, medians of two equal cases differ by as much when others use the machine. */
const UNCHANGED = 1.25;

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const started = performance.now();
  let agree = true;
  for (const part of [duplicates, range, expansion]) {
    const { same, lines } = await part(quick);
    if (!same) console.log(red("✗ the ways gave different rows"));
    agree &&= same;
    for (const line of lines) console.log(line);
  }
  console.log(dim(`\ntook ${duration(performance.now() - started)}`));
  return agree;
}

/** The case of each kernel, one after the other. */
async function ofKernels(file, options) {
  const results = {};
  for (const [name, kernel] of Object.entries(KERNELS))
    results[name] = await inOwnProcess(new URL(file, import.meta.url), { kernel, ...options });
  return { results, same: Object.values(results).every((result) => result.same) };
}

async function duplicates(quick) {
  const probeRows = 10_000;
  const [few, many] = [10_000, 1_000_000];
  console.log(bold(`(a) right semi, no filter: ${grouped(probeRows)} probe rows, all of one key`));
  const options = { probeRows, few, many, rounds: quick ? 21 : 101 };
  const { results, same } = await ofKernels("existence/duplicates-case.mjs", options);
  const table = [];
  const lines = [];
  for (const [name, { samples }] of Object.entries(results)) {
    Object.entries({ few: [few, few], "few of many": [many, few], many: [many, many] }).forEach(([way, [rows, ofKey]], i) => {
      const { buildMs, probeMs, wallMs } = medianOf(samples[way]);
      table.push({
        kernel: i === 0 ? name : "",
        "build rows": grouped(rows),
        "of the key": grouped(ofKey),
        "probe ms": probeMs.toFixed(3),
        "ns a probe row": ((probeMs * 1e6) / probeRows).toFixed(1),
        "build ms": buildMs.toFixed(2),
        "whole ms": wallMs.toFixed(2),
        runs: samples[way].length,
      });
    });
    const [least, most] = ["few", "many"].map((way) => medianOf(samples[way]).probeMs);
    const growth = ratio(samples.many, samples["few of many"], "probeMs");
    lines.push(
      targetLine({
        what: `(a) ${name}, probe phase`,
        measured: `${least.toFixed(3)} and ${most.toFixed(3)} ms`,
        target: `${TARGETS.duplicatesMs} ms`,
        met: Math.max(least, most) < TARGETS.duplicatesMs,
      }),
      targetLine({
        what: `(a) ${name}, 100 times the duplicates among as many rows`,
        measured: `${growth.toFixed(2)} × as long`,
        target: `unchanged, within ${UNCHANGED}`,
        met: growth < UNCHANGED,
      }),
    );
  }
  console.log(formatTable(table));
  return { same, lines };
}

async function range(quick) {
  const [leftRows, rightRows] = [1_000_000, 100_000];
  console.log(
    bold(`\n(b) right semi, l.v1 = r.v1 and l.v2 > r.v2: ${grouped(leftRows)} build rows of 100 keys, ${grouped(rightRows)} probe rows`),
  );
  console.log(dim("search ms: what the build phase takes longer than without the filter, for the range search or the grouping of rows"));
  const options = { leftRows, rightRows, rounds: quick ? 5 : 15, slowRounds: quick ? 1 : 2 };
  const { results, same } = await ofKernels("existence/range-case.mjs", options);
  const table = [];
  const lines = [];
  for (const [name, { samples }] of Object.entries(results)) {
    const plain = medianOf(samples["without a filter"]).buildMs;
    Object.entries(samples).forEach(([way, all], i) => {
      const { buildMs, probeMs, wallMs, pairsTested, outRows } = medianOf(all);
      table.push({
        kernel: i === 0 ? name : "",
        way,
        "build ms": buildMs.toFixed(1),
        "search ms": way === "without a filter" ? "" : (buildMs - plain).toFixed(1),
        "probe ms": probeMs.toFixed(1),
        "whole ms": wallMs.toFixed(1),
        "pairs tested": grouped(pairsTested),
        rows: grouped(outRows),
        runs: all.length,
      });
    });
    const { probeMs } = medianOf(samples["as it is"]);
    const times = median(samples["nor early exit"].map(({ wallMs }) => wallMs)) / medianOf(samples["as it is"]).wallMs;
    lines.push(
      targetLine({
        what: `(b) ${name}, probe phase`,
        measured: `${probeMs.toFixed(1)} ms`,
        target: `${TARGETS.rangeProbeMs} ms`,
        met: probeMs < TARGETS.rangeProbeMs,
      }),
      targetLine({
        what: `(b) ${name}, whole join against neither search nor early exit`,
        measured: `${times.toFixed(0)} × as fast`,
        target: `${TARGETS.rangeTimes} ×`,
        met: times >= TARGETS.rangeTimes,
      }),
    );
  }
  const pairs = medianOf(results.WASM.samples["nor early exit"]).candidatePairs;
  console.log(formatTable(table));
  console.log(dim(`  candidate pairs: ${grouped(pairs)}`));
  return { same, lines };
}

async function expansion(quick) {
  const options = { distinct: 10, buildRows: quick ? 2_000_000 : 10_000_000, rounds: quick ? 5 : 9 };
  console.log(
    bold(
      `\n(c) all pairs of ${options.distinct} probe rows with ${grouped(options.buildRows)} build rows of ${options.distinct} keys in random order`,
    ),
  );
  const { samples, same } = await inOwnProcess(new URL("existence/expand-case.mjs", import.meta.url), options);
  const table = Object.entries(samples).map(([way, all]) => {
    const { wallMs, pairs } = medianOf(all);
    return {
      way,
      "ns a pair": ((wallMs * 1e6) / pairs).toFixed(2),
      "whole ms": wallMs.toFixed(1),
      pairs: grouped(pairs),
      runs: all.length,
    };
  });
  console.log(formatTable(table));
  const [wasm, ts] = [
    ratio(samples["WASM, chain"], samples["WASM, groups"]),
    ratio(samples["JavaScript, chain"], samples["TypeScript, groups"]),
  ];
  const line = targetLine({
    what: "(c) WASM, groups against a chain",
    measured: `${wasm.toFixed(1)} × as fast`,
    target: `${TARGETS.chainTimes} ×`,
    met: wasm >= TARGETS.chainTimes,
  });
  return { same, lines: [`${line}; TypeScript ${ts.toFixed(1)} ×`] };
}
