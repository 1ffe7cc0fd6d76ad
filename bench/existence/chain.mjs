/** Linked chains of equal keys, in WebAssembly and in JavaScript: what contiguous groups are compared with. Both list the same pairs. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../kernels/assembly/chain.ts", import.meta.url));
const asc = fileURLToPath(new URL("../../node_modules/assemblyscript/bin/asc.js", import.meta.url));
const out = fileURLToPath(new URL("../../build/out/", import.meta.url));
const wasm = `${out}chain.wasm`;

const NONE = -1;
const PAGE = 65536;

const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function compile() {
  if (modified(wasm) > modified(source)) return;
  mkdirSync(out, { recursive: true });
  execFileSync(process.execPath, [asc, source, "-O3", "--converge", "--noAssert", "--runtime", "stub", "-o", wasm]);
}

/**
 * @typedef {object} Chain
 * @property {() => void} rewind
 * @property {() => number} next writes the next pairs, at most `limit`, and returns how many
 * @property {() => { probe: Int32Array, build: Int32Array }} pairs where they are
 */

/** @returns {Chain} */
export function wasmChain(buildKeys, probeKeys, distinct, limit) {
  compile();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)));
  let end = PAGE;
  const region = (count) => {
    const start = end;
    end += Math.ceil((4 * count) / 64) * 64;
    return start;
  };
  const [probe, build] = [probeKeys, buildKeys].map((keys) => region(keys.length));
  const heads = region(distinct);
  const next = region(buildKeys.length);
  const cursor = region(2);
  const [outProbe, outBuild] = [region(limit), region(limit)];
  exports.memory.grow(Math.ceil((end - exports.memory.buffer.byteLength) / PAGE));
  const words = new Int32Array(exports.memory.buffer);
  words.set(probeKeys, probe >> 2);
  words.set(buildKeys, build >> 2);
  words.fill(NONE, heads >> 2, (heads >> 2) + distinct);
  exports.link(build, buildKeys.length, heads, next);
  return {
    rewind: () => words.set([0, NONE], cursor >> 2),
    next: () => exports.expand(probe, cursor, probeKeys.length, heads, next, outProbe, outBuild, limit),
    pairs: () => ({ probe: words.subarray(outProbe >> 2), build: words.subarray(outBuild >> 2) }),
  };
}

/** @returns {Chain} */
export function jsChain(buildKeys, probeKeys, distinct, limit) {
  const heads = new Int32Array(distinct).fill(NONE);
  const next = new Int32Array(buildKeys.length);
  for (let row = buildKeys.length - 1; row >= 0; row--) {
    next[row] = heads[buildKeys[row]];
    heads[buildKeys[row]] = row;
  }
  const cursor = { row: 0, build: NONE };
  const [probe, build] = [new Int32Array(limit), new Int32Array(limit)];
  return {
    rewind: () => Object.assign(cursor, { row: 0, build: NONE }),
    next: () => expandChain(probeKeys, cursor, heads, next, probe, build),
    pairs: () => ({ probe, build }),
  };
}

function expandChain(probeKeys, cursor, heads, next, outProbe, outBuild) {
  const to = probeKeys.length;
  const limit = outProbe.length;
  let { row, build } = cursor;
  let count = 0;
  while (row < to) {
    if (build === NONE) build = heads[probeKeys[row]];
    while (build !== NONE && count < limit) {
      outProbe[count] = row;
      outBuild[count++] = build;
      build = next[build];
    }
    if (build !== NONE) break;
    row++;
  }
  cursor.row = row;
  cursor.build = build;
  return count;
}
