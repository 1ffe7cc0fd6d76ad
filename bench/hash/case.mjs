/**
 * One case of the hash bench, in a process of its own: code specialised for other keys, and the heap a `Map` of ten million left
 * behind, are not part of it.
 *
 *     node --expose-gc bench/hash/case.mjs '{"keys":"sparse int32","buildRows":1000000,"probeRows":1000000,"rounds":5}'
 *
 * Prints the samples, or sends them to the process that forked it.
 */

import { join } from "arrow-join";
import { digest } from "../../examples/demo/digest.mjs";
import { mapJoin } from "../../examples/demo/map-loop.mjs";
import { answer } from "../measure/own-process.mjs";
import { collectGarbage, interleaved } from "../measure/rounds.mjs";
import { makeTables } from "./keys.mjs";

const WARM_UP_ROWS = 20_000;
const WARM_UP_RUNS = 5;

const select = ["left.key", "left.price", "right.size"];

const kernelRun = (kernel) => (left, right) => {
  let metrics;
  const start = performance.now();
  const table = join(left, right, { on: "key", select, kernel, onMetrics: (final) => (metrics = final) });
  const wallMs = performance.now() - start;
  const { buildMs, probeMs, emitMs, peakBytes } = metrics;
  return { table, wallMs, buildMs, probeMs, emitMs, peakBytes };
};

/** Bytes of the index are asked for in one run only: it costs a full collection. */
const mapRun = (askBytes) => (left, right) => {
  let peakBytes = 0;
  const before = askBytes ? heldBytes() : 0;
  const onBuilt = askBytes ? () => (peakBytes = heldBytes() - before) : undefined;
  const { table, buildMs, probeMs, emitMs } = mapJoin(left, right, { keys: ["key", "key"], how: "inner", select, onBuilt });
  return { table, wallMs: buildMs + probeMs + emitMs, buildMs, probeMs, emitMs, peakBytes };
};

/** Buffers that one collection found dead are given back by the next. */
function heldBytes() {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param {{ keys: string, buildRows: number, probeRows: number, rounds: number, mapOnce?: boolean }} options */
function runCase({ keys, buildRows, probeRows, rounds, mapOnce = false }) {
  const ways = { WASM: kernelRun("wasm"), TypeScript: kernelRun("ts"), "Map loop": mapRun(false) };
  const small = makeTables(keys, Math.min(buildRows, WARM_UP_ROWS), WARM_UP_ROWS);
  for (let i = 0; i < WARM_UP_RUNS; i++) for (const run of Object.values(ways)) run(small.probe, small.build);

  const { probe, build } = makeTables(keys, buildRows, probeRows);
  const digests = new Map();
  const timed = (name, run) => () => {
    const { table, ...sample } = run(probe, build);
    if (!digests.has(name)) digests.set(name, digest(table));
    return sample;
  };
  const once = () => timed("Map loop", mapRun(true))();
  // At full size the first run is thrown away, where there is time to.
  if (!mapOnce) for (const [name, run] of Object.entries(ways)) timed(name, run)();
  const { "Map loop": _, ...kernels } = ways;
  const repeated = Object.entries(mapOnce ? kernels : ways).map(([name, run]) => [name, timed(name, run)]);
  const samples = interleaved(Object.fromEntries(repeated), rounds);
  const { peakBytes, ...mapSample } = once();
  samples["Map loop"] = (samples["Map loop"] ?? [mapSample]).map((sample) => ({ ...sample, peakBytes }));
  return { samples, same: new Set(digests.values()).size === 1, residentBytes: process.resourceUsage().maxRSS * 1024 };
}

answer(runCase);
