/**
 * Candidate pairs through both kernels, ns a pair, and what a hand-written loop over pair arrays takes: medians over rounds of one process.
 * Justifies the constants in src/kernel/ts/pairs.ts.
 *
 *     node bench/kernels/pairs.mjs [wasm|ts]
 *
 * Tiles of 2048 candidates, about 4 M of them; groups of 1 are One handles. `NONE` rows: nine of ten have no partner.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;
const only = process.argv[2] ?? "";

const dir = mkdtempSync(join(tmpdir(), "pairs-"));
const outfile = join(dir, "kernels.mjs");
await build({
  stdin: {
    contents: `
      export { createTsKernel } from "./src/kernel/ts/kernel.ts";
      export { WasmKernel } from "./src/kernel/wasm/kernel.ts";
      export { KernelInstance } from "./src/kernel/wasm/instance.ts";
      export { kernelBytes } from "./src/kernel/wasm/bytes.ts";`,
    resolveDir: root,
  },
  outfile,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "error",
});
const { createTsKernel, WasmKernel, KernelInstance, kernelBytes } = await import(pathToFileURL(outfile).href);
rmSync(dir, { recursive: true });

const kernels = {
  wasm() {
    const module = new WebAssembly.Module(kernelBytes());
    const { exports } = new WebAssembly.Instance(module, {});
    return new WasmKernel(new KernelInstance(module, exports), { hashSeed: 1 });
  },
  ts: () => createTsKernel({ hashSeed: 1 }),
};

const TILE = 2048;
const PAIRS = 1 << 22;
const CHUNK = 16384;
let state = 1;
const random = (bound) => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  let x = state ^ (state >>> 16);
  x = Math.imul(x, 0x45d9f3b);
  return ((x ^ (x >>> 15)) >>> 0) % bound;
};

/** Median over rounds of ns an element, in processor time of this process: the machine is shared. The first two rounds warm up. */
function measure(elements, run, rounds = 7) {
  const times = [];
  for (let round = 0; round < rounds + 2; round++) {
    const begin = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begin);
    if (round >= 2) times.push(((user + system) * 1000) / elements);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}

function print(what, ns) {
  console.log(`${what.padEnd(60)} ${ns.toFixed(2).padStart(7)} ns`);
}

/** Handles of a chunk, groups of `size` rows over a build side of 100 k rows, and the tiles of the chunk. */
function scene(kernel, size, rowsOf = () => random) {
  const buildRows = 100_000;
  const groupCount = Math.max(1, Math.floor(buildRows / size));
  const put = (values) => {
    const region = kernel.alloc(values.length * 4 + 64, "bench");
    kernel.i32(region).set(values);
    return region;
  };
  const rows = Int32Array.from({ length: buildRows }, () => random(buildRows));
  const groups = {
    offsets: put(Int32Array.from({ length: groupCount + 1 }, (_, g) => g * size)),
    rows: put(rows),
  };
  const some = rowsOf();
  const handles = put(
    Int32Array.from({ length: CHUNK }, () =>
      some(10) !== 0 && rowsOf !== scene.all ? -1 : size === 1 ? random(buildRows) : -2 - random(groupCount),
    ),
  );
  const to = Math.min(CHUNK, Math.ceil(PAIRS / size));
  const tiles = [];
  let pairs = 0;
  for (let start = { row: 0, pos: 0, at: 0 }; start.row < to; ) {
    const end = { row: 0, pos: 0, at: 0 };
    const count = kernel.measurePairs(handles, start, to, groups, TILE, end);
    if (count > 0) tiles.push({ start, end, count });
    pairs += count;
    start = end;
  }
  return { kernel, groups, handles, rows: to, tiles, pairs, buildRows, repeats: Math.max(1, Math.ceil(PAIRS / pairs)) };
}
scene.all = () => () => 0;

function pairLoops(name, kernel) {
  const bitmaps = { none: () => 0, "1 of 1000": () => (random(1000) === 0 ? 1 : 0), half: () => random(2), all: () => 1 };
  const bitsOf = Object.entries(bitmaps).map(([what, bit]) => {
    const bits = kernel.alloc(TILE / 8 + 64, "bits", true);
    const bytes = kernel.u8(bits);
    for (let i = 0; i < TILE; i++) bytes[i >> 3] |= bit() << (i & 7);
    return [what, bits];
  });
  for (const [size, rowsOf] of [
    [1, scene.all],
    [1, () => random],
    [4, scene.all],
    [16, scene.all],
    [1000, scene.all],
  ]) {
    const { groups, handles, rows, tiles, pairs, buildRows, repeats } = scene(kernel, size, rowsOf);
    const label = `${name}, groups of ${size}${rowsOf === scene.all ? "" : ", 9 of 10 NONE"}`;
    const many = (run) =>
      measure(pairs * repeats, () => {
        for (let i = 0; i < repeats; i++) for (const tile of tiles) run(tile);
      });
    const end = { row: 0, pos: 0, at: 0 };
    print(
      `${label}: measurePairs`,
      many(({ start }) => kernel.measurePairs(handles, start, rows, groups, TILE, end)),
    );
    for (const width of [1, 4, 8, 32]) {
      const probe = kernel.alloc(CHUNK * width + 64, "probe", true);
      const byRow = kernel.alloc(buildRows * width + 64, "build", true);
      const byGroup = kernel.alloc(buildRows * width + 64, "build", true);
      const dst = kernel.alloc(TILE * width + 64, "tile", true);
      print(
        `${label}: takeProbe of ${width} bytes`,
        many(({ start, end }) => kernel.takeProbe(probe, width, 0, handles, start, end, groups, dst)),
      );
      print(
        `${label}: takeBuild of ${width} bytes`,
        many(({ start, end }) => kernel.takeBuild(byRow, byGroup, width, handles, start, end, groups, dst)),
      );
      for (const region of [probe, byRow, byGroup, dst]) kernel.free(region);
    }
    const [outProbe, outBuild] = [0, 1].map(() => kernel.alloc(TILE * 4, "pairs", true));
    for (const [what, bits] of bitsOf) {
      print(
        `${label}: selectPairs, ${what} passed`,
        many(({ start, end }) => kernel.selectPairs(bits, handles, start, end, groups, 0, outProbe, outBuild)),
      );
    }
  }
}

function rowLoops(name, kernel) {
  const ids = kernel.alloc(CHUNK * 4 + 64, "ids");
  for (let i = 0; i < CHUNK; i++) kernel.i32(ids)[i] = random(20_000);
  const repeats = 100;
  const many = (run) =>
    measure(CHUNK * repeats, () => {
      for (let i = 0; i < repeats; i++) run();
    });
  const source = kernel.alloc(20_000 * 32 + 64, "source");
  for (let i = 0; i < source.bytes >> 2; i++) kernel.i32(source)[i] = (random(65536) << 15) | random(65536);
  const dst = kernel.alloc(CHUNK * 32 + 64, "target", true);
  const bits = kernel.alloc(CHUNK / 8 + 64, "bits", true);
  for (let i = 0; i < CHUNK / 8; i++) kernel.u8(bits)[i] = random(256);
  for (const width of [1, 4, 8, 32]) {
    print(
      `${name}: takeRows of ${width} bytes`,
      many(() => kernel.takeRows(source, width, ids, 0, CHUNK, 0, dst, 0)),
    );
  }
  print(
    `${name}: keepRows of two, half kept`,
    many(() => kernel.keepRows(bits, CHUNK, dst, source)),
  );
  print(
    `${name}: clearHandles, half cleared`,
    many(() => kernel.clearHandles(dst, 0, CHUNK, bits)),
  );
  const seen = kernel.alloc(20_000 / 8 + 64, "seen", true);
  print(
    `${name}: markRows`,
    many(() => kernel.markRows(ids, 0, CHUNK, seen)),
  );
  for (const lane of ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"]) {
    print(
      `${name}: ordinals of ${lane}`,
      many(() => kernel.ordinals(lane, source, CHUNK, dst, 0)),
    );
  }
  const extremes = kernel.alloc(20_000 * 8, "extremes");
  for (const width of [4, 8]) {
    print(
      `${name}: updateExtremes of ${width} bytes, 20 k ids`,
      many(() => kernel.updateExtremes(ids, 0, source, width, null, CHUNK, true, extremes, seen)),
    );
    print(
      `${name}: testExtremes of ${width} bytes, 20 k ids`,
      many(() => kernel.testExtremes(ids, 0, source, width, null, CHUNK, "lt", extremes, seen, bits)),
    );
  }
}

/** The whole of a filter `probe.x < build.y` as one would write it by hand: pairs in two arrays, one comparison, those that pass compacted. */
function byHand() {
  const rows = 100_000;
  const [x, y] = [0, 1].map(() => Int32Array.from({ length: rows }, () => random(1 << 30)));
  for (const size of [1, 4, 16, 1000]) {
    const probe = Int32Array.from({ length: TILE * 16 }, (_, i) => Math.floor(i / size));
    const partner = Int32Array.from(probe, (row, i) => (row * 7919 * size + (i % size)) % rows);
    const [outProbe, outBuild] = [new Int32Array(TILE * 16), new Int32Array(TILE * 16)];
    const filter = () => {
      let kept = 0;
      for (let i = 0; i < probe.length; i++) {
        const p = probe[i];
        const b = partner[i];
        if (x[p] < y[b]) {
          outProbe[kept] = p;
          outBuild[kept++] = b;
        }
      }
      return kept;
    };
    print(
      `by hand, groups of ${size}: compare and keep, half passed`,
      measure(probe.length * 128, () => {
        for (let i = 0; i < 128; i++) filter();
      }),
    );
  }
}

for (const [name, make] of Object.entries(kernels)) {
  if (only && only !== name) continue;
  pairLoops(name, make());
  rowLoops(name, make());
}
byHand();
