/**
 * Pairs of 10 probe rows with all build rows of their keys: groups that are contiguous, as the kernels keep them, against chains.
 *
 *     node --expose-gc bench/existence/expand-case.mjs '{"distinct":10,"buildRows":10000000,"rounds":5}'
 */

import { acquireKernel, releaseKernel } from "arrow-join/operators";
import { answer } from "../measure/own-process.mjs";
import { random } from "../measure/random.mjs";
import { interleaved } from "../measure/rounds.mjs";
import { jsChain, wasmChain } from "./chain.mjs";

/** Pairs a call: CHUNK_ROWS of the kernel contract. */
const LIMIT = 16384;

/** `expand` of a kernel, with the same face as a chain. */
function groupsOf(name, buildKeys, probeKeys, distinct) {
  const { kernel } = acquireKernel({ kernel: name, hashSeed: 1 });
  const region = (count) => kernel.alloc(4 * count + 64, "bench");
  const groups = { offsets: region(distinct + 1), rows: region(buildKeys.length) };
  const [handles, outProbe, outBuild] = [region(probeKeys.length), region(LIMIT), region(LIMIT)];
  const offsets = kernel.i32(groups.offsets).fill(0, 0, distinct + 1);
  for (const key of buildKeys) offsets[key + 1]++;
  for (let g = 0; g < distinct; g++) offsets[g + 1] += offsets[g];
  const place = offsets.slice(0, distinct);
  const rows = kernel.i32(groups.rows);
  for (let row = 0; row < buildKeys.length; row++) rows[place[buildKeys[row]]++] = row;
  kernel.i32(handles).set(probeKeys.map((key) => -2 - key));
  const cursor = { row: 0, pos: 0, at: 0 };
  return {
    rewind: () => Object.assign(cursor, { row: 0, pos: 0, at: 0 }),
    next() {
      cursor.at = 0;
      kernel.expand(handles, cursor, probeKeys.length, groups, false, 0, outProbe, outBuild, LIMIT);
      return cursor.at;
    },
    pairs: () => ({ probe: kernel.i32(outProbe), build: kernel.i32(outBuild) }),
    close: () => releaseKernel(kernel),
  };
}

/** All pairs, untimed: one number for them in their order. */
function digestOf(way) {
  let sum = 0;
  way.rewind();
  for (let count = way.next(); count > 0; count = way.next()) {
    const { probe, build } = way.pairs();
    for (let i = 0; i < count; i++) sum = Math.imul(sum ^ probe[i], 0x01000193) ^ (build[i] + (sum >>> 15));
  }
  return sum;
}

answer(({ distinct, buildRows, rounds }) => {
  const draw = random(1);
  const buildKeys = Int32Array.from({ length: buildRows }, () => draw(distinct));
  const probeKeys = Int32Array.from({ length: distinct }, (_, i) => (i * 7) % distinct);
  const ways = {
    "WASM, groups": groupsOf("wasm", buildKeys, probeKeys, distinct),
    "WASM, chain": wasmChain(buildKeys, probeKeys, distinct, LIMIT),
    "TypeScript, groups": groupsOf("ts", buildKeys, probeKeys, distinct),
    "JavaScript, chain": jsChain(buildKeys, probeKeys, distinct, LIMIT),
  };
  // The first pass warms up.
  const same = new Set(Object.values(ways).map(digestOf)).size === 1;
  const runs = Object.entries(ways).map(([name, way]) => {
    const run = () => {
      const start = performance.now();
      way.rewind();
      let pairs = 0;
      for (let count = way.next(); count > 0; count = way.next()) pairs += count;
      return { wallMs: performance.now() - start, pairs };
    };
    return [name, run];
  });
  const samples = interleaved(Object.fromEntries(runs), rounds, { collect: false });
  for (const way of Object.values(ways)) way.close?.();
  return { samples, same };
});
