/**
 * A right semi join with one more condition than equal keys: l.v1 = r.v1 and l.v2 > r.v2.
 *
 *     node --expose-gc bench/existence/range-case.mjs '{"kernel":"wasm","leftRows":1000000,"rightRows":100000,"rounds":5,"slowRounds":1}'
 *
 * For a right row 0 to 2 of 1000 left rows of its key are greater, 1 on average: about 1 in 20 right rows finds none.
 */

import { Table } from "apache-arrow";
import { join } from "arrow-join";
import { digest } from "../../examples/demo/digest.mjs";
import { int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { random } from "../measure/random.mjs";
import { interleaved } from "../measure/rounds.mjs";
import { switchedJoin } from "../measure/switched-join.mjs";

const DISTINCT = 100;
const VALUES = 1_000_000;
const WARM_UP_ROWS = 20_000;
const WARM_UP_RUNS = 10;

const filter = {
  op: "gt",
  args: [
    { side: "left", column: "v2" },
    { side: "right", column: "v2" },
  ],
};
const options = { on: "v1", how: "rightSemi", build: "left" };

function makeTables(leftRows, rightRows) {
  const draw = random(1);
  const column = (rows, next) => int32(Int32Array.from({ length: rows }, next));
  const keys = (rows) => column(rows, () => draw(DISTINCT));
  const left = new Table({ v1: keys(leftRows), v2: column(leftRows, () => draw(VALUES)) });
  const right = new Table({ v1: keys(rightRows), v2: column(rightRows, () => VALUES - 1 - draw(VALUES / 500)) });
  return { left, right };
}

function verb(kernel, filtered) {
  return ({ left, right }) => {
    let metrics;
    const table = join(left, right, { ...options, ...(filtered && { filter }), kernel, onMetrics: (final) => (metrics = final) });
    return { table, metrics };
  };
}

answer(({ kernel, leftRows, rightRows, rounds, slowRounds }) => {
  const switched =
    (switches) =>
    ({ left, right }) =>
      switchedJoin(left, right, { ...options, filter, kernel }, switches);
  const ways = {
    "as it is": verb(kernel, true),
    "without a filter": verb(kernel, false),
    "no range search": switched({ rangeSearch: "off" }),
    "nor early exit": switched({ rangeSearch: "off", noEarlyExit: true }),
  };
  const small = makeTables(WARM_UP_ROWS, WARM_UP_ROWS / 10);
  for (let i = 0; i < WARM_UP_RUNS; i++) for (const run of Object.values(ways)) run(small);

  const tables = makeTables(leftRows, rightRows);
  const digests = new Map();
  const timed = Object.entries(ways).map(([name, run]) => {
    const timedRun = () => {
      const start = performance.now();
      const { table, metrics } = run(tables);
      const wallMs = performance.now() - start;
      if (!digests.has(name)) digests.set(name, digest(table));
      const { buildMs, probeMs, emitMs, candidatePairs, pairsTested, outRows } = metrics;
      return { wallMs, buildMs, probeMs, emitMs, candidatePairs, pairsTested, outRows };
    };
    return [name, timedRun];
  });
  const pick = (...names) => Object.fromEntries(timed.filter(([name]) => names.includes(name)));
  for (const run of Object.values(pick("as it is", "without a filter"))) run();
  const samples = {
    ...interleaved(pick("as it is", "without a filter"), rounds, { collect: false }),
    ...interleaved(pick("no range search", "nor early exit"), slowRounds, { collect: false }),
  };
  digests.delete("without a filter");
  return { samples, same: new Set(digests.values()).size === 1 };
});
