/**
 * The expression kernels of both kernels over a tile of 2048 rows, ns a row: medians over rounds of one process. Justifies the loops of
 * assembly/compare.ts, assembly/arithmetic.ts and src/kernel/ts/compare.ts.
 *
 *     node bench/kernels/expressions.mjs [wasm|twin]
 *
 * The time of the call itself is part of it, as it is of a filter: 0.03 µs a call of the module is 0.015 ns a row.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;
const only = process.argv[2] ?? "";

const dir = mkdtempSync(join(tmpdir(), "expressions-"));
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

const ROWS = 2048;
const CALLS = 500;

/** Processor time, as in twin.mjs: the machine is shared. */
function measure(run, rounds = 9) {
  const times = [];
  for (let round = 0; round < rounds + 4; round++) {
    const begin = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) run();
    const { user, system } = process.cpuUsage(begin);
    if (round >= 4) times.push(((user + system) * 1000) / (ROWS * CALLS));
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}

let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  const x = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 15)) >>> 0;
};

const LANES = {
  u8: [Uint8Array, () => random() & 255],
  i32: [Int32Array, () => random() | 0],
  i64: [BigInt64Array, () => BigInt(random() | 0) * 1000n],
  f32: [Float32Array, () => random() / 2 ** 32],
  f64: [Float64Array, () => random() / 2 ** 32],
};

function vector(kernel, lane, constant = false) {
  const [array, value] = LANES[lane];
  const one = value();
  const values = array.from({ length: constant ? 64 / array.BYTES_PER_ELEMENT : ROWS + 64 }, () => (constant ? one : value()));
  const region = kernel.alloc(values.byteLength, "values");
  kernel.write(region, 0, new Uint8Array(values.buffer));
  return { region, constant };
}

/** Names that share their first bytes, as keys of one kind do. */
function texts(kernel) {
  const region = kernel.alloc(ROWS * 8 + 576, "texts");
  const data = kernel.alloc(ROWS * 16 + 64, "data");
  const pairs = kernel.i32(region);
  for (let i = 0; i < ROWS; i++) {
    const text = new TextEncoder().encode(`customer-${random() % 1000}`);
    kernel.write(data, i * 16, text);
    pairs[2 * i] = i * 16;
    pairs[2 * i + 1] = text.length;
  }
  return { region, data, constant: false };
}

function benchKernel(name) {
  const { kernel } = acquireKernel({ kernel: name, hashSeed: 1 });
  const print = (what, run) => console.log(`${name.padEnd(5)} ${what.padEnd(32)} ${measure(run).toFixed(2).padStart(7)} ns`);
  const out = kernel.alloc(ROWS * 8 + 64, "out");
  const failed = kernel.alloc(ROWS / 8 + 64, "failed");
  for (const lane of Object.keys(LANES)) {
    const [a, b, c] = [vector(kernel, lane), vector(kernel, lane), vector(kernel, lane, true)];
    for (const op of ["eq", "lt"]) print(`${lane} ${op}`, () => kernel.compare(op, lane, a, b, ROWS, out));
    print(`${lane} lt a constant`, () => kernel.compare("lt", lane, a, c, ROWS, out));
  }
  const [x, y] = [vector(kernel, "f64"), vector(kernel, "f64")];
  new Float64Array(kernel.u8(x.region).buffer, kernel.u8(x.region).byteOffset, ROWS)[5] = Number.NaN;
  print("f64 lt, one NaN", () => kernel.compare("lt", "f64", x, y, ROWS, out));
  const [s, t] = [texts(kernel), texts(kernel)];
  for (const op of ["eq", "lt", "startsWith"]) print(`text ${op}`, () => kernel.compareText(op, s, t, ROWS, out));
  const [p, q] = [vector(kernel, "u8"), vector(kernel, "u8")];
  for (const op of ["and", "xnor"]) print(`bits ${op}`, () => kernel.bitwise(op, p.region, q.region, ROWS, out));
  print("bits to bytes", () => kernel.bitsToBytes(p.region, ROWS, out, 0));
  print("bytes to bits", () => kernel.bytesToBits(p.region, ROWS, out));
  for (const lane of ["i64", "f64"]) {
    const [a, b] = [vector(kernel, lane), vector(kernel, lane)];
    for (const op of ["add", "mul", "div", "mod", "neg"])
      print(`${lane} ${op}`, () => kernel.arithmetic(op, lane, a, b, ROWS, out, failed));
  }
  const wides = kernel.alloc(ROWS * 32 + 64, "wide");
  const longs = vector(kernel, "i64");
  const ints = vector(kernel, "i32");
  print("i32 to f64", () => kernel.convert("i32", "f64", ints.region, ROWS, out, failed));
  print("i64 to f64", () => kernel.convert("i64", "f64", longs.region, ROWS, out, failed));
  print("i64 to i32", () => kernel.convert("i64", "i32", longs.region, ROWS, out, failed));
  print("i64 divided by 10^9, rounded down", () => kernel.floorDivide(longs.region, 1_000_000_000n, ROWS, out));
  print("i64 as wide", () => kernel.widen("i64", 32, longs.region, 1n, ROWS, wides));
  print("i64 as wide, times 10^9", () => kernel.widen("i64", 32, longs.region, 1_000_000_000n, ROWS, wides));
  kernel.widen("i64", 32, longs.region, 100n, ROWS, wides);
  const wide = { region: wides, constant: false };
  print("wide lt", () => kernel.compareWide("lt", wide, wide, ROWS, out));
  print("f64 lt a decimal", () => kernel.compareScaled("lt", x, wide, 2, true, ROWS, out));
  print("decimal to f64", () => kernel.unscale(wides, 2, ROWS, out));
}

for (const name of ["wasm", "ts"]) if (only === "" || (only === "twin") === (name === "ts")) benchKernel(name);
