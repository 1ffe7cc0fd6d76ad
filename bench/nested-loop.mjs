/**
 * `npm run bench -- nested-loop [--quick]`: joins that test every pair of rows, for both kernels, against the loop one writes by hand.
 *
 *     (a) l.x < r.y and l.z <> r.w        float64 and int32, one pair of 100 000 passes; five kinds
 *     (b) (l.x + r.y) % 1000 = 0          int32: no comparison of two columns, evaluated for every pair
 *     (c) the condition of (a), its rows exchanged: a long side against a short one, whichever is the left
 *
 * Every pair goes through the nested loop by a test switch; chosen by the planner (a) would be a range search. Whole joins, output (row
 * numbers) included; pairs per second are pairs tested: a semi or an anti join ends at the first partner of a row. Medians of interleaved runs.
 */

import { bold, dim, duration, formatTable, grouped, red } from "../examples/demo/table-print.mjs";
import { inOwnProcess } from "./measure/own-process.mjs";
import { medianOf, ratio } from "./measure/rounds.mjs";
import { targetLine } from "./measure/target.mjs";

export const about = "every pair tested: kinds, an evaluated condition, long and short sides; WASM, TypeScript, by hand";

/** The targets. */
const TARGETS = { times: 2.5, shapes: 1.3 };
const KERNELS = ["WASM", "TypeScript"];
const KINDS = ["inner", "left", "full", "leftSemi", "leftAnti"];
const CASE = new URL("nested-loop/case.mjs", import.meta.url);

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const started = performance.now();
  const rounds = quick ? 3 : 7;
  const lines = [];
  let agree = true;
  const measure = async (options) => {
    const result = await inOwnProcess(CASE, { rounds, ...options });
    if (!result.same) console.log(red(`✗ the ways gave different rows: ${JSON.stringify(options)}`));
    agree &&= result.same;
    return result;
  };
  const rowsOf = (first, { rows, samples }, loop) =>
    Object.entries(samples).map(([way, all], i) => {
      const { wallMs, pairs } = medianOf(all);
      return {
        ...Object.fromEntries(Object.entries(first).map(([key, value]) => [key, i === 0 ? value : ""])),
        way: way === "loop" ? "loop by hand" : way,
        "whole ms": wallMs.toFixed(0),
        "pairs tested": grouped(pairs),
        "G pairs/s": (pairs / wallMs / 1e6).toFixed(2),
        "× the loop": loop && way !== "loop" ? ratio(samples.loop, all).toFixed(2) : "",
        rows: grouped(rows[way]),
      };
    });

  const [few, many] = quick ? [5_000, 50_000] : [10_000, 100_000];
  console.log(bold(`(a) l.x < r.y and l.z <> r.w: ${grouped(few)} × ${grouped(many)} rows, 1 pair of 100 000 passes`));
  const table = [];
  for (const how of KINDS) {
    const result = await measure({ condition: "lessAndNot", how, leftRows: few, rightRows: many });
    table.push(...rowsOf({ kind: how }, result, true));
    const times = ratio(result.samples.loop, result.samples.WASM);
    lines.push(
      targetLine({
        what: `(a) WASM, ${how}`,
        measured: `${times.toFixed(1)} × as fast as the loop by hand`,
        target: `${TARGETS.times} ×`,
        met: times >= TARGETS.times,
      }),
    );
  }
  console.log(formatTable(table));

  console.log(bold(`\n(b) (l.x + r.y) % 1000 = 0: ${grouped(few)} × ${grouped(few)} rows`));
  const evaluated = await measure({ condition: "remainder", how: "inner", leftRows: few, rightRows: few });
  console.log(formatTable(rowsOf({ kind: "inner" }, evaluated, true)));

  console.log(bold("\n(c) long × short, and the same exchanged"));
  const result = await measure({ condition: "lessAndNot", how: "inner", leftRows: many, rightRows: few, every: 1e4, exchanged: true });
  const shapes = Object.entries({ "": [many, few], ", exchanged": [few, many] }).flatMap(([suffix, [left, right]]) => {
    const samples = Object.fromEntries(KERNELS.map((way) => [way, result.samples[way + suffix]]));
    const rows = Object.fromEntries(KERNELS.map((way) => [way, result.rows[way + suffix]]));
    return rowsOf({ left: grouped(left), right: grouped(right) }, { rows, samples });
  });
  for (const way of KERNELS) {
    const times = ratio(result.samples[way], result.samples[`${way}, exchanged`]);
    lines.push(
      targetLine({
        what: `(c) ${way}, long × short`,
        measured: `${times.toFixed(2)} × as long as short × long`,
        target: `${TARGETS.shapes} ×`,
        met: times <= TARGETS.shapes,
      }),
    );
  }
  console.log(formatTable(shapes));
  console.log("");
  for (const line of lines) console.log(line);
  console.log(dim(`\ntook ${duration(performance.now() - started)}`));
  return agree;
}
