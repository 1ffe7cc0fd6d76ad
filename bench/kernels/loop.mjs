/**
 * Pairs of a tile by one comparison, through both kernels, and by the loop one writes for two columns: billions of pairs a second, medians
 * over rounds of one process. Justifies the loops of assembly/loop.ts and src/kernel/ts/loop.ts.
 *
 *     node bench/kernels/loop.mjs [wasm|ts|hand]
 *
 * 64 probe rows and 100 000 build rows, in tiles of 2048; `few`: one pair of 100 000 passes, `half`: every other one, hard to predict.
 * `both`: a second comparison where the first held.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;
const only = process.argv[2] ?? "";

const dir = mkdtempSync(join(tmpdir(), "loop-"));
const outfile = join(dir, "kernel.mjs");
await build({
  entryPoints: [join(root, "src/kernel/load.ts")],
  outfile,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "error",
});
const { acquireKernel } = await import(pathToFileURL(outfile).href);
rmSync(dir, { recursive: true });

const [PROBE, BUILD, TILE] = [64, 100_000, 2048];
const y = Float64Array.from({ length: BUILD }, Math.random);
const w = Int32Array.from({ length: BUILD }, () => Math.random() * 1e6);
const x = {
  few: Float64Array.from({ length: PROBE }, () => 1 - Math.random() * 2e-5),
  half: Float64Array.from({ length: PROBE }, Math.random),
};
const z = Int32Array.from({ length: PROBE }, () => Math.random() * 1e6);

/** In processor time, as in twin.mjs: the machine is shared. */
function print(what, run, rounds = 15) {
  const times = [];
  for (let round = 0; round < rounds + 3; round++) {
    const begin = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begin);
    if (round >= 3) times.push((user + system) * 1000);
  }
  times.sort((a, b) => a - b);
  console.log(`${what.padEnd(40)} ${((PROBE * BUILD) / times[times.length >> 1]).toFixed(2).padStart(6)} G pairs/s`);
}

function benchKernel(name) {
  const { kernel } = acquireKernel({ kernel: name, hashSeed: 1 });
  const put = (lane, values, extra) => {
    const width = values.BYTES_PER_ELEMENT;
    const region = kernel.alloc((values.length + extra) * width, "ordinals");
    const source = kernel.alloc(values.byteLength + 64, "values");
    kernel.write(source, 0, new Uint8Array(values.buffer));
    kernel.ordinals(lane, source, values.length, region, 0);
    return region;
  };
  const rows = kernel.alloc(4 * PROBE, "rows");
  kernel.i32(rows).set(z.map((_, i) => i));
  const stride = Math.ceil(BUILD / 64) * 8;
  const bits = kernel.alloc(stride * PROBE, "bits");
  const builds = { f64: put("f64", y, 64), i32: put("i32", w, 64) };
  const probes = { few: put("f64", x.few, 8), half: put("f64", x.half, 8), i32: put("i32", z, 8) };
  const tiles = (each) => {
    for (let from = 0; from < BUILD; from += TILE) each(from, Math.min(BUILD, from + TILE), { region: bits, at: from >> 3, stride });
  };
  const test = (op, width, probe, ordinals, both) => (from, to, at) =>
    kernel.compareTile(op, width, probe, rows, 0, PROBE, ordinals, from, to, at, both);
  for (const share of ["few", "half"]) {
    const first = test("gt", 8, probes[share], builds.f64, false);
    const second = test("ne", 4, probes.i32, builds.i32, true);
    print(`${name}: f64 <, ${share}`, () => tiles(first));
    print(`${name}: f64 < and int32 <>, ${share}`, () => {
      tiles(first);
      tiles(second);
    });
  }
  for (const op of ["lt", "ne", "eq"]) print(`${name}: int32 ${op}`, () => tiles(test(op, 4, probes.i32, builds.i32, false)));
}

let sink = 0;

function benchHand() {
  for (const share of ["few", "half"]) {
    print(`hand: f64 < and int32 <>, ${share}`, () => {
      for (let i = 0; i < PROBE; i++) {
        const [a, b] = [x[share][i], z[i]];
        for (let j = 0; j < BUILD; j++) if (a < y[j] && b !== w[j]) sink++;
      }
    });
  }
}

for (const name of ["wasm", "ts"]) if (only === "" || only === name) benchKernel(name);
if (only === "" || only === "hand") benchHand();
if (sink < 0) console.log(sink);
