/**
 * An unfiltered right semi join whose build rows all have one key, with few and with many of them: duplicates must not cost the probe
 * rows anything.
 *
 *     node --expose-gc bench/existence/duplicates-case.mjs '{"kernel":"wasm","probeRows":10000,"buildRows":[10000,1000000],"rounds":101}'
 */

import { Table } from "apache-arrow";
import { join } from "arrow-join";
import { int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { interleaved } from "../measure/rounds.mjs";

const KEY = 42;
const WARM_UP_RUNS = 50;

const tableOf = (rows) =>
  new Table({ key: int32(new Int32Array(rows).fill(KEY)), row: int32(Int32Array.from({ length: rows }, (_, i) => i)) });

answer(({ kernel, probeRows, buildRows, rounds }) => {
  const right = tableOf(probeRows);
  let same = true;
  const ways = buildRows.map((rows) => {
    const left = tableOf(rows);
    const run = () => {
      let metrics;
      const start = performance.now();
      const { numRows } = join(left, right, {
        on: "key",
        how: "rightSemi",
        build: "left",
        kernel,
        onMetrics: (final) => (metrics = final),
      });
      const wallMs = performance.now() - start;
      same &&= numRows === probeRows && metrics.leftRows === rows;
      const { buildMs, probeMs, candidatePairs } = metrics;
      return { wallMs, buildMs, probeMs, candidatePairs };
    };
    return [String(rows), run];
  });
  for (let i = 0; i < WARM_UP_RUNS; i++) for (const [, run] of ways) run();
  return { samples: interleaved(Object.fromEntries(ways), rounds, { collect: false }), same };
});
