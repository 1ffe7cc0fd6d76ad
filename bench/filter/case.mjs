/**
 * One case of the filter bench: an inner join with a residual condition, in both kernels, and the loops by hand over the same pairs.
 *
 *     node --expose-gc bench/filter/case.mjs '{"condition":"int32","probeRows":100000,"buildRows":1000000,"group":100,"share":0.1,"rounds":7}'
 *
 * `group`: build rows of a key. Build rows are in random order, every probe row has a key that is there. The joins' time is their probe
 * phase with no output column: key lookup, test, ids of the pairs that passed. The loops' groups are given, they look nothing up.
 */

import { Table } from "apache-arrow";
import { join } from "arrow-join";
import { digest } from "../../examples/demo/digest.mjs";
import { int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { mix32, random } from "../measure/random.mjs";
import { interleaved } from "../measure/rounds.mjs";
import { switchedJoin } from "../measure/switched-join.mjs";
import { CONDITIONS } from "./conditions.mjs";

const KERNELS = { WASM: "wasm", TypeScript: "ts" };
const WARM_UP_PAIRS = 200_000;
const WARM_UP_RUNS = 8;

/** Tables with `row`, by which results are compared, and what the loops read. */
function makeCase({ condition, probeRows, buildRows, group, share }) {
  const draw = random(1);
  const distinct = buildRows / group;
  const { left, right, loops } = CONDITIONS[condition].make(draw, probeRows, buildRows, share);
  const probeKeys = Int32Array.from({ length: probeRows }, () => draw(distinct));
  const buildKeys = shuffled(
    draw,
    Int32Array.from({ length: buildRows }, (_, row) => row % distinct),
  );
  const tableOf = (keys, columns) => new Table({ k: int32(keys.map(mix32)), row: int32(keys.map((_, row) => row)), ...columns });
  return { left: tableOf(probeKeys, left), right: tableOf(buildKeys, right), loops, groups: layGroups(probeKeys, buildKeys, group) };
}

function shuffled(draw, numbers) {
  for (let i = numbers.length - 1; i > 0; i--) {
    const j = draw(i + 1);
    const held = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = held;
  }
  return numbers;
}

/** Build rows of each key, contiguous. */
function layGroups(probeKeys, buildKeys, group) {
  const distinct = buildKeys.length / group;
  const offsets = Int32Array.from({ length: distinct + 1 }, (_, key) => key * group);
  const place = offsets.slice();
  const rows = new Int32Array(buildKeys.length);
  buildKeys.forEach((key, row) => {
    rows[place[key]++] = row;
  });
  const pairs = probeKeys.length * group;
  const groupOf = group === 1 ? probeKeys.map((key) => rows[key]) : probeKeys;
  return { groupOf, offsets, rows, outProbe: new Int32Array(pairs + 1), outBuild: new Int32Array(pairs + 1) };
}

/** Values in the order of the groups' rows, for the loop that wants them so. */
const inGroupOrder = ({ rows }, { ordered }, arrays) => ordered && arrays.map((values) => values.map((_, i) => values[rows[i]]));

const joined = (name, filter, how, select) => (left, right) => {
  let metrics;
  const options = { on: "k", how, build: "right", select, kernel: KERNELS[name], onMetrics: (final) => (metrics = final) };
  const table = join(left, right, { ...options, ...(filter && { filter }) });
  return { table, metrics };
};

const timesOf = ({ metrics: { probeMs, buildMs } }) => ({ probeMs, buildMs });

/** Name -> what runs it once and says how long it took. */
function waysOf({ left, right, loops, groups }, filter, unsearched) {
  const ways = {};
  for (const name of Object.keys(KERNELS)) {
    const filtered = joined(name, filter, "inner", []);
    const lookup = joined(name, null, "leftSemi", []);
    ways[name] = () => timesOf(filtered(left, right));
    ways[`${name} lookup`] = () => timesOf(lookup(left, right));
    if (!unsearched) continue;
    const options = { on: "k", how: "inner", build: "right", select: [], filter, kernel: KERNELS[name] };
    ways[`${name} unsearched`] = () => timesOf(switchedJoin(left, right, options, { rangeSearch: "off" }));
  }
  for (const { label, pair, left: x, right: y } of loops) {
    const ordered = inGroupOrder(groups, pair, y);
    for (const [style, loop] of Object.entries(pair)) {
      ways[["loop", label, style].filter(Boolean).join(", ")] = () => {
        const start = performance.now();
        loop(groups, x, style === "ordered" ? ordered : y);
        return { probeMs: performance.now() - start };
      };
    }
  }
  return ways;
}

/** The pairs themselves, from every way; true if all are the same in the same order. */
function agrees({ left, right, loops, groups }, filter) {
  const digests = new Set();
  const note = (table) => digests.add(digest(table));
  for (const name of Object.keys(KERNELS))
    note(joined(name, filter, "inner", { probe: "left.row", build: "right.row" })(left, right).table);
  let passed = 0;
  for (const { pair, left: x, right: y } of loops) {
    const ordered = inGroupOrder(groups, pair, y);
    for (const [style, loop] of Object.entries(pair)) {
      passed = loop(groups, x, style === "ordered" ? ordered : y);
      const [probe, build] = [groups.outProbe, groups.outBuild].map((ids) => int32(ids.subarray(0, passed)));
      note(new Table({ probe, build }));
    }
  }
  return { same: digests.size === 1, passed };
}

answer(({ rounds, unsearched = false, ...options }) => {
  const { filter } = CONDITIONS[options.condition];
  const small = { ...options, probeRows: Math.ceil(WARM_UP_PAIRS / options.group), buildRows: Math.max(20_000, options.group) };
  const warmUp = waysOf(makeCase(small), filter, unsearched);
  for (let i = 0; i < WARM_UP_RUNS; i++) for (const run of Object.values(warmUp)) run();

  const made = makeCase(options);
  const { same, passed } = agrees(made, filter);
  const ways = waysOf(made, filter, unsearched);
  for (const run of Object.values(ways)) run();
  return { samples: interleaved(ways, rounds, { collect: false }), same, passed };
});
