/**
 * One predicate of inequalities over n × n rows in random order, about one match a row: searched, at some sizes, and as a forced nested loop
 * at a size that takes about a second.
 *
 *     node --expose-gc bench/range/case.mjs '{"kernel":"wasm","shape":"overlap","sizes":[10000,100000],"rounds":7,"loopRows":50000}'
 */

import { Table } from "apache-arrow";
import { joinWhere } from "arrow-join";
import { digest } from "../../examples/demo/digest.mjs";
import { float64, int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { random } from "../measure/random.mjs";
import { collectGarbage, median } from "../measure/rounds.mjs";
import { switchedJoin } from "../measure/switched-join.mjs";

const CHECKED_ROWS = 10_000;
const WARM_UP_RUNS = 20;
const COLLECTED_ROWS = 300_000;

const l = (column) => ({ side: "left", column });
const r = (column) => ({ side: "right", column });
const call = (op, ...args) => ({ op, args });

/** Columns of either side from draws of [0, 1), for n rows each. */
const SHAPES = {
  band: {
    how: "inner",
    predicate: call("and", call("ge", r("x"), l("low")), call("lt", r("x"), l("high"))),
    left: (n, draw) => {
      const low = draw();
      return { low, high: low.map((value) => value + 1 / n) };
    },
    right: (_, draw) => ({ x: draw() }),
  },
  semi: { how: "leftSemi", ...few() },
  inequality: { how: "inner", ...few() },
  overlap: {
    how: "inner",
    predicate: call("and", call("lt", l("start"), r("end")), call("lt", r("start"), l("end"))),
    left: interval,
    right: interval,
  },
};

/** Of the n² pairs those of two tails fulfil it, which hold √(n / 2) and √(2n) rows: n pairs. */
function few() {
  return {
    predicate: call("lt", l("x"), r("y")),
    left: (_, draw) => ({ x: draw().map((value) => value + 1) }),
    right: (n, draw) => ({ y: draw().map((value) => value * (1 + Math.sqrt(2 / n))) }),
  };
}

function interval(n, draw) {
  const start = draw();
  const length = draw();
  return { start, end: start.map((value, i) => value + length[i] / n) };
}

function tablesOf(shape, n) {
  const next = random(n);
  const draw = () => Float64Array.from({ length: n }, () => next(2 ** 32) / 2 ** 32);
  const tableOf = (columns, name) => {
    const row = int32(Int32Array.from({ length: n }, (_, i) => i));
    return new Table({ ...Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, float64(values)])), [name]: row });
  };
  return [tableOf(SHAPES[shape].left(n, draw), "a"), tableOf(SHAPES[shape].right(n, draw), "b")];
}

answer(({ kernel, shape, sizes, rounds, loopRows }) => {
  const { how, predicate } = SHAPES[shape];
  const searched = ([left, right]) => {
    let metrics;
    const start = performance.now();
    const table = joinWhere(left, right, predicate, { how, kernel, onMetrics: (final) => (metrics = final) });
    return { wallMs: performance.now() - start, table, metrics };
  };
  const looped = ([left, right]) => {
    const start = performance.now();
    const result = switchedJoin(left, right, { how, filter: predicate, kernel }, { wherePath: "loop" });
    return { wallMs: performance.now() - start, ...result };
  };

  const small = tablesOf(shape, CHECKED_ROWS);
  const same = digest(searched(small).table) === digest(looped(small).table);
  for (let i = 0; i < WARM_UP_RUNS; i++) searched(small);
  const found = sizes.map((rows) => {
    const tables = tablesOf(shape, rows);
    const samples = [];
    // What the first run allocates anew is not part of it.
    searched(tables);
    for (let round = 0; round < rounds; round++) {
      // Where little is left behind a collection costs more than it saves: compiled code goes with it.
      if (rows > COLLECTED_ROWS) collectGarbage();
      const { wallMs, metrics } = searched(tables);
      const { buildMs, probeMs, emitMs, outRows, pairsTested, peakBytes } = metrics;
      samples.push({ wallMs, buildMs, probeMs, emitMs, outRows, pairsTested, peakBytes });
    }
    return { rows, samples };
  });
  const tables = tablesOf(shape, loopRows);
  looped(small);
  const runs = Array.from({ length: 3 }, () => looped(tables));
  const loop = { rows: loopRows, pairs: runs[0].metrics.pairsTested, wallMs: median(runs.map(({ wallMs }) => wallMs)) };
  return { found, loop, same };
});
