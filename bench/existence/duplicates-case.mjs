/**
 * An unfiltered right semi join whose probe rows all have one key, with few and with many build rows of it: duplicates must not cost the
 * probe rows anything. `few of many`: as many build rows, few of them with that key. A large build side leaves caches cold, however many
 * of its rows are duplicates.
 *
 *     node --expose-gc bench/existence/duplicates-case.mjs '{"kernel":"wasm","probeRows":10000,"few":10000,"many":1000000,"rounds":101}'
 */

import { Table } from "apache-arrow";
import { join } from "arrow-join";
import { int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { interleaved } from "../measure/rounds.mjs";

const KEY = 42;
const OTHER_KEY = 43;
const WARM_UP_RUNS = 50;

/** `ofKey` rows of the key, in turns with others. */
function tableOf(rows, ofKey = rows) {
  const key = Int32Array.from({ length: rows }, (_, row) => ((row * ofKey) % rows < ofKey ? KEY : OTHER_KEY));
  return new Table({ key: int32(key), row: int32(Int32Array.from(key, (_, row) => row)) });
}

answer(({ kernel, probeRows, few, many, rounds }) => {
  const right = tableOf(probeRows);
  let same = true;
  const builds = { few: tableOf(few), "few of many": tableOf(many, few), many: tableOf(many) };
  const ways = Object.entries(builds).map(([name, left]) => {
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
      same &&= numRows === probeRows && metrics.leftRows === left.numRows;
      const { buildMs, probeMs, candidatePairs } = metrics;
      return { wallMs, buildMs, probeMs, candidatePairs };
    };
    return [name, run];
  });
  for (let i = 0; i < WARM_UP_RUNS; i++) for (const [, run] of ways) run();
  return { samples: interleaved(Object.fromEntries(ways), rounds, { collect: false }), same };
});
