/**
 * `npm run bench -- filter [--quick]`: what a residual condition costs a candidate pair of an inner join, for both kernels, against a
 * loop written by hand for that condition and those types.
 *
 * The joins' ns are their probe phase, the key lookup included, which `lookup` shows by itself; the loops' groups are given. Build ms
 * holds what the filter brings into the order of the groups. Medians of interleaved runs, each case in a process of its own; of several
 * loops the fastest is the one to beat, ratios are taken round by round.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { CONDITIONS } from "./filter/conditions.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { medianOf, ratio } from "./measure/rounds.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "inner join with a condition: ns per candidate pair, WASM, TypeScript and loops by hand";

const PAIRS = 10_000_000;
const BUILD_ROWS = 1_000_000;
/** What there is no target for is measured on fewer pairs, or strings would take most of the time. */
const PART = 1 / 5;
/** More probe rows for unique keys would only repeat the lookup. */
const MAX_PROBE_ROWS = 2_000_000;

/** The issue's targets: times as fast as the loop. */
const TARGETS = { WASM: 3, TypeScript: 0.5 };

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const started = performance.now();
  let agree = true;
  const pairs = quick ? PAIRS / 5 : PAIRS;
  const measure = async (options) => {
    const { group, part = 1 } = options;
    const probeRows = Math.min(MAX_PROBE_ROWS, (pairs * part) / group);
    const all = { buildRows: BUILD_ROWS, probeRows, rounds: quick ? 3 : 7, ...options };
    const result = await inOwnProcess(new URL("filter/case.mjs", import.meta.url), all);
    if (!result.same) console.log(red(`✗ ${JSON.stringify(all)}: the ways gave different pairs`));
    agree &&= result.same;
    return { ...result, name: CONDITIONS[all.condition].name, group, pairs: probeRows * group };
  };

  console.log(
    bold(`inner join, ${grouped(pairs)} candidate pairs: ${grouped(pairs / 100)} probe rows × 100 build rows of each of 10 000 keys`),
  );
  console.log(dim("ns per candidate pair; × : as fast as the fastest loop; build: ms of the build phase"));
  const shares = [];
  for (const share of [0.001, 0.1, 0.5]) shares.push(await measure({ condition: "int32", group: 100, share }));
  console.log(formatTable(shares.flatMap(caseRows)));

  const conditions = [];
  for (const condition of ["float64", "int64", "and", "sum", "strings"])
    conditions.push(await measure({ condition, group: 100, share: 0.1, part: PART }));
  console.log(
    `\n${bold(`other conditions, about 10 % of the pairs pass; ${grouped(pairs * PART)} pairs`)}\n${formatTable(conditions.flatMap(caseRows))}`,
  );

  const sizes = [];
  for (const group of [1, 10, 10_000]) {
    sizes.push(await measure({ condition: group === 1 ? "unique" : "int32", group, share: 0.1, part: PART, unsearched: group > 1000 }));
  }
  console.log(`\n${bold(`rows of a key; ${grouped(pairs * PART)} pairs`)}\n${formatTable(sizes.flatMap(caseRows))}\n`);

  for (const result of shares) for (const line of targetLines(result)) console.log(line);
  console.log(dim(`took ${duration(performance.now() - started)}`));
  return agree;
}

const isLoop = (way) => way.startsWith("loop");

/** The loop to beat: over the arrays that the columns have. */
function fastestLoop({ samples }) {
  const loops = Object.keys(samples).filter(isLoop);
  const own = loops.filter((way) => !way.includes("converted") && !way.endsWith("ordered"));
  return own.reduce((best, way) => (medianOf(samples[way]).probeMs < medianOf(samples[best]).probeMs ? way : best));
}

function caseRows(result) {
  const { samples, name, group, pairs, passed } = result;
  const loop = fastestLoop(result);
  const ns = (way) => ((medianOf(samples[way]).probeMs * 1e6) / pairs).toFixed(2);
  const ways = Object.keys(samples).filter((way) => !way.endsWith("lookup"));
  return ways.map((way, i) => {
    const lookup = `${way.split(" ")[0]} lookup`;
    return {
      condition: i === 0 ? name : "",
      "rows of a key": i === 0 ? grouped(group) : "",
      passed: i === 0 ? `${((100 * passed) / pairs).toFixed(1)} %` : "",
      way: way === loop ? `${way} *` : way,
      "ns a pair": ns(way),
      "of that lookup": isLoop(way) ? "" : ns(lookup),
      "×": isLoop(way) ? "" : `${ratio(samples[loop], samples[way], "probeMs").toFixed(2)} ×`,
      "build ms": isLoop(way) ? "" : medianOf(samples[way]).buildMs.toFixed(1),
    };
  });
}

function targetLines(result) {
  const { samples, pairs, passed } = result;
  const loop = fastestLoop(result);
  return Object.entries(TARGETS).map(([way, target]) => {
    const times = ratio(samples[loop], samples[way], "probeMs");
    return targetLine({
      what: `${((100 * passed) / pairs).toFixed(1)} % pass, ${way}`,
      measured: `${times.toFixed(2)} × as fast as the loop`,
      target: `${target} ×`,
      met: times >= target,
    });
  });
}
