/**
 * What a key costs in each hash table of the kernels: ns per insert and per probe.
 *
 *     node bench/kernels/table.mjs [--width 4,8,16,bytes] [--keys 1000,100000,1000000,10000000] [--ts]
 *                                  [--variant NAME:FILE:CONST=VALUE] ...
 *
 * A variant is the module compiled with a constant of assembly/FILE.ts changed, for example `notouch:memory:TOUCH_BYTES=4294967295`,
 * and is measured in turns with the module as it is: the machine is shared, so only figures of one run compare. `--ts` adds the
 * TypeScript twin. Tables are sized for their keys before (the smallest that takes them); keys come in random order, in chunks of
 * 16384, and only the kernel calls are timed. "hit" probes find their key, of "half" every second one does. Medians.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const out = `${root}build/out/`;
const CHUNK_ROWS = 16384;
const TIMED_ROWS = 1024;

const { values } = parseArgs({
  options: {
    width: { type: "string", default: "4,8,16,bytes" },
    keys: { type: "string", default: "1000,100000,1000000,10000000" },
    variant: { type: "string", multiple: true, default: [] },
    ts: { type: "boolean", default: false },
  },
});

async function loadKernels() {
  const file = `${out}kernel-bench.mjs`;
  await build({
    entryPoints: [`${root}src/kernel/load.ts`],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "neutral",
    charset: "utf8",
  });
  return import(file);
}

/** Compiles a copy of assembly/ with one constant changed. */
function compileVariant(name, file, constant, value) {
  const folder = `${out}variant-${name}/`;
  mkdirSync(folder, { recursive: true });
  cpSync(`${root}assembly`, folder, { recursive: true });
  const path = `${folder}${file}.ts`;
  const text = readFileSync(path, "utf8");
  const changed = text.replace(new RegExp(`(const ${constant}: \\w+ = )[^;]+;`), `$1${value};`);
  if (changed === text) throw new Error(`${file}.ts has no constant ${constant}, or it is ${value} already`);
  writeFileSync(path, changed);
  const flags = "-O3 --converge --noAssert --runtime stub --enable simd --memoryBase 69632 --initialMemory 2".split(" ");
  execFileSync(process.execPath, [
    `${root}node_modules/assemblyscript/bin/asc.js`,
    `${folder}index.ts`,
    ...flags,
    "-o",
    `${folder}kernel.wasm`,
  ]);
  return new WebAssembly.Module(readFileSync(`${folder}kernel.wasm`));
}

/** Key number i, scattered: distinct for distinct i. */
const scatter = (i) => Math.imul(i, 0x9e3779b1) >>> 0;

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** Writes the keys numbered ids[from, to) as a block. */
function blockWriter(kernel, width) {
  const parts = { offsets: kernel.alloc((CHUNK_ROWS + 1) * 4, "offsets"), data: kernel.alloc(CHUNK_ROWS * (width || 16), "keys") };
  return (ids, from, to) => {
    if (width === 0) {
      const offsets = kernel.i32(parts.offsets);
      const data = kernel.u8(parts.data);
      let end = 0;
      offsets[0] = 0;
      for (let i = from; i < to; i++) {
        const text = `key${scatter(ids[i])}`;
        for (let c = 0; c < text.length; c++) data[end++] = text.charCodeAt(c);
        offsets[i - from + 1] = end;
      }
      return { kind: "bytes", offsets: parts.offsets, data: parts.data, origin: 0, valid: null };
    }
    const words = kernel.i32(parts.data);
    const perKey = width / 4;
    for (let i = from, at = 0; i < to; i++) {
      const key = scatter(ids[i]);
      for (let w = 0; w < perKey; w++) words[at++] = w === 0 ? key : key >>> (4 * w);
    }
    return { kind: "fixed", width, keys: parts.data, valid: null };
  };
}

function shuffled(count, of) {
  const ids = new Int32Array(count);
  let state = 12345;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    ids[i] = Math.floor((state / 2 ** 32) * of);
  }
  return ids;
}

/**
 * ns per key of `call`: the median call of 1024 rows. Others use this machine too; a call that short (0.01 to 0.2 ms) is mostly over
 * before they interrupt it, a whole chunk or a sum is not.
 */
function timeCalls(write, ids, call) {
  const calls = [];
  for (let from = 0; from < ids.length; from += CHUNK_ROWS) {
    const rows = Math.min(CHUNK_ROWS, ids.length - from);
    const block = write(ids, from, from + rows);
    for (let row = 0; row < rows; row += TIMED_ROWS) {
      const end = Math.min(rows, row + TIMED_ROWS);
      const started = performance.now();
      call(block, row, end);
      calls.push(((performance.now() - started) * 1e6) / (end - row));
    }
  }
  return median(calls);
}

function measure(kernel, width, keys) {
  let slots = 16;
  while (kernel.swissLimit(width, slots) < keys) slots *= 2;
  const keyBytes = width === 0 ? kernel.alloc(keys * 14, "key store") : null;
  const result = kernel.alloc(CHUNK_ROWS * 4, "out");
  const write = blockWriter(kernel, width);
  const order = Int32Array.from({ length: keys }, (_, i) => i);
  const hits = shuffled(Math.max(500_000, Math.min(keys, 4_000_000)), keys);
  const half = hits.map((id, i) => (i & 1 ? id : id + keys));
  // Small tables are built many times, as one build would be over before the clock ticks.
  const builds = Math.ceil(300_000 / keys);
  const region = kernel.alloc(kernel.swissBytes(width, slots), "table", true);
  const table = { kind: "swiss", width, slots, region, count: 0, keyBytes, keyBytesUsed: 0 };
  const inserts = [];
  for (let b = 0; b < builds; b++) {
    kernel.fill(region, 0, 0, region.bytes);
    table.count = 0;
    table.keyBytesUsed = 0;
    const insert = timeCalls(write, order, (block, from, to) => {
      if (kernel.insertSwiss(table, block, from, to, -1, result, 0) !== to) throw new Error("the table is full");
    });
    inserts.push(insert);
  }
  if (table.count !== keys) throw new Error(`${table.count} keys instead of ${keys}`);
  const probe = (ids) => timeCalls(write, ids, (block, from, to) => kernel.probeSwiss(table, block, from, to, result, 0));
  return { insert: median(inserts), hit: probe(hits), half: probe(half) };
}

const { acquireKernel, releaseKernel, provideModule } = await loadKernels();
const candidates = [{ name: "wasm", kernel: "wasm", module: new WebAssembly.Module(readFileSync(`${out}kernel.wasm`)) }];
for (const variant of values.variant) {
  const [, name, file, constant, value] = /^([^:]+):([^:]+):(\w+)=(.+)$/.exec(variant);
  candidates.push({ name, kernel: "wasm", module: compileVariant(name, file, constant, value) });
}
if (values.ts) candidates.push({ name: "ts", kernel: "ts" });

console.log("width      keys  kernel        insert     hit    half   ns a key");
for (const text of values.width.split(",")) {
  const width = text === "bytes" ? 0 : Number(text);
  for (const keys of values.keys.split(",").map(Number)) {
    const runs = candidates.map(() => []);
    for (let round = 0; round < (keys > 2e6 ? 1 : 5); round++) {
      for (const [c, { kernel: name, module }] of candidates.entries()) {
        if (module) provideModule(module);
        const { kernel } = acquireKernel({ kernel: name, hashSeed: 42 });
        runs[c].push(measure(kernel, width, keys));
        releaseKernel(kernel);
      }
    }
    for (const [c, { name }] of candidates.entries()) {
      const of = (part) =>
        median(runs[c].map((run) => run[part]))
          .toFixed(1)
          .padStart(8);
      console.log(`${text.padEnd(5)} ${String(keys).padStart(9)}  ${name.padEnd(10)}${of("insert")}${of("hit")}${of("half")}`);
    }
  }
}
