/**
 * Sorted search in both kernels, ns a row: sorting, bounds, the tree, candidates of bands and of overlapping intervals with about one match a
 * row. Justifies what assembly/range.ts, src/kernel/ts/range-search.ts and src/operators/range-choice.ts say of costs.
 *
 *     node bench/kernels/range.mjs [wasm|ts]
 *
 * Medians over rounds of one process, in processor time. 8-byte ordinals of doubles; probe rows in random order, build rows too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;
const only = process.argv[2] ?? "";

const dir = mkdtempSync(join(tmpdir(), "range-"));
const outfile = join(dir, "kernels.mjs");
await build({
  stdin: {
    contents: `
      export { createTsKernel } from "./src/kernel/ts/kernel.ts";
      export { WasmKernel } from "./src/kernel/wasm/kernel.ts";
      export { KernelInstance } from "./src/kernel/wasm/instance.ts";
      export { kernelBytes } from "./src/kernel/wasm/bytes.ts";
      export { RangeIndex } from "./src/operators/range-index.ts";
      export { RangeProbe } from "./src/operators/range-probe.ts";`,
    resolveDir: root,
  },
  outfile,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "error",
});
const { createTsKernel, WasmKernel, KernelInstance, kernelBytes, RangeIndex, RangeProbe } = await import(pathToFileURL(outfile).href);
rmSync(dir, { recursive: true });

const kernels = {
  wasm() {
    const module = new WebAssembly.Module(kernelBytes());
    const { exports } = new WebAssembly.Instance(module, {});
    return new WasmKernel(new KernelInstance(module, exports), { hashSeed: 1 });
  },
  ts: () => createTsKernel({ hashSeed: 1 }),
};

const CHUNK = 16384;
let state = 1;
/** [0, 1), 32 bits. */
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  let x = state ^ (state >>> 16);
  x = Math.imul(x, 0x45d9f3b);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
};

function clock(run) {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Parts of a side as the operators hold them, all rows at hand. */
function partsOf(kernel, columns) {
  const regions = columns.map((values) => {
    const region = kernel.alloc(8 * values.length + 64, "bench");
    kernel.write(region, 0, new Uint8Array(values.buffer));
    return { values: region, width: 8, valid: null, lane: "f64", data: null };
  });
  return { columns: regions };
}

const SHAPES = {
  band: { low: { probe: 0, after: false }, high: { probe: 1, after: false }, second: null },
  overlap: { low: { probe: 0, after: true }, high: null, second: { op: "lt", part: 1, probe: 1, lane: "f64" } },
};

function run(name, rows, shapeName) {
  const kernel = kernels[name]();
  const starts = () => Float64Array.from({ length: rows }, random);
  const [buildStart, probeStart] = [starts(), starts()];
  const plus = (values) => values.map((value) => value + random() / rows);
  const build = partsOf(kernel, shapeName === "band" ? [buildStart] : [plus(buildStart), buildStart]);
  const shape = { part: 0, lane: "f64", ...SHAPES[shapeName] };
  const members = kernel.alloc(4 * rows, "bench");
  kernel.i32(members).set(Int32Array.from({ length: rows }, (_, i) => i));
  const offsets = kernel.alloc(8, "bench");
  kernel.i32(offsets).set([0, rows]);
  const groups = { offsets, rows: members };
  const probeEnd = shapeName === "band" ? probeStart.map((value) => value + 1 / rows) : plus(probeStart);
  const chunkParts = partsOf(kernel, [new Float64Array(CHUNK), new Float64Array(CHUNK)]);
  const handles = kernel.alloc(4 * CHUNK, "bench");
  kernel.i32(handles).fill(-2);

  const times = { sort: [], search: [], list: [], test: [] };
  let pairs = 0;
  for (let round = 0; round < (rows > 300_000 ? 5 : 15); round++) {
    const scope = new Set();
    kernel.scope = scope;
    const index = new RangeIndex(kernel, groups, 1, rows, shape, build, rows);
    times.sort.push(
      clock(() => {
        while (!index.step());
      }),
    );
    const probe = new RangeProbe(kernel, index, shape, chunkParts, 128, 3);
    const sums = { search: 0, list: 0, test: 0 };
    pairs = 0;
    for (let at = 0; at < rows; at += CHUNK) {
      const count = Math.min(CHUNK, rows - at);
      const view = (values) => new Uint8Array(values.buffer, 8 * at, 8 * count);
      kernel.write(chunkParts.columns[0].values, 0, view(probeStart));
      kernel.write(chunkParts.columns[1].values, 0, view(probeEnd));
      const chunk = { handles, from: 0, start: 0, rows: count, keyed: null };
      sums.search += clock(() => {
        probe.begin(chunk);
        for (let row = 0; row < count; ) row = probe.reach(row);
      });
      sums.list += clock(() => {
        for (let row = 0; row < count; ) {
          const found = probe.list(row);
          pairs += found.kept;
          row = found.left ? found.row + 1 : found.row;
        }
      });
      sums.test += clock(() => {
        for (let row = 0; row < count; ) row = probe.test(row).to;
      });
    }
    for (const [what, sum] of Object.entries(sums)) times[what].push(sum);
    kernel.scope = null;
    for (const region of scope) kernel.free(region);
  }
  const ns = Object.entries(times).map(([what, all]) => `${what} ${((1000 * median(all)) / rows).toFixed(0).padStart(4)}`);
  console.log(
    `${name.padEnd(5)} ${shapeName.padEnd(8)} ${String(rows).padStart(8)} rows ${String(pairs).padStart(8)} pairs   ns a row: ${ns.join("  ")}`,
  );
  kernel.close();
}

for (const name of Object.keys(kernels))
  if (name.includes(only)) for (const shape of Object.keys(SHAPES)) for (const rows of [10_000, 100_000, 1_000_000]) run(name, rows, shape);
