/**
 * The twin's hot loops, ns an element: medians over rounds of one process. Justifies the constants in src/kernel/ts.
 *
 *     node bench/kernels/twin.mjs [insert|probe|gather|bits]
 *
 * Tables are measured at the load that growth leaves on average (3/4 of the limit), probes half hits, half misses where it says so.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;
const only = process.argv[2] ?? "";

const dir = mkdtempSync(join(tmpdir(), "twin-"));
const outfile = join(dir, "kernel.mjs");
await build({
  entryPoints: [join(root, "src/kernel/ts/kernel.ts")],
  outfile,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "error",
});
const { createTsKernel } = await import(pathToFileURL(outfile).href);
rmSync(dir, { recursive: true });

const CHUNK = 16384;
let state = 1;
const random = (bound) => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  let x = state ^ (state >>> 16);
  x = Math.imul(x, 0x45d9f3b);
  return ((x ^ (x >>> 15)) >>> 0) % bound;
};

/**
 * Median over rounds of ns an element; the first rounds warm the loop up. Processor time of this process, not wall time: the machine is
 * shared, and what other processes take would drown every difference.
 */
function measure(elements, run, rounds = 9) {
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
  console.log(`${what.padEnd(56)} ${ns.toFixed(1).padStart(7)} ns`);
}

function slotsFor(kernel, width, keys) {
  let slots = 16;
  while (kernel.swissLimit(width, slots) < keys) slots *= 2;
  return slots;
}

/** `count` key blocks of CHUNK rows of keys [0, distinct), scattered over their domain; from `first` on all are strangers. */
function block(kernel, width, ids) {
  if (width > 0) {
    const keys = kernel.alloc(ids.length * width, "keys", true);
    const words = kernel.i32(keys);
    for (let i = 0; i < ids.length; i++) {
      words[(i * width) / 4] = Math.imul(ids[i] + 1, 0x9e3779b1);
      if (width >= 8) words[(i * width) / 4 + 1] = ids[i];
    }
    return { kind: "fixed", width, keys, valid: null };
  }
  const texts = ids.map ? Array.from(ids, (id) => `customer-${id}`) : [];
  const data = Buffer.from(texts.join(""));
  const offsets = kernel.alloc((texts.length + 1) * 4, "offsets");
  const bounds = kernel.i32(offsets);
  bounds[0] = 0;
  texts.forEach((text, i) => {
    bounds[i + 1] = bounds[i] + text.length;
  });
  const bytes = kernel.alloc(data.length, "data");
  kernel.write(bytes, 0, data);
  return { kind: "bytes", offsets, data: bytes, origin: 0, valid: null };
}

function fresh(kernel, width, slots, distinct) {
  return {
    kind: "swiss",
    width,
    slots,
    count: 0,
    keyBytesUsed: 0,
    region: kernel.alloc(kernel.swissBytes(width, slots), "table", true),
    keyBytes: width === 0 ? kernel.alloc(distinct * 20, "store") : null,
  };
}

function tables() {
  for (const width of [4, 8, 16, 0]) {
    for (const distinct of [1000, 100_000, 1_000_000]) {
      const kernel = createTsKernel({ hashSeed: 12345 });
      const slots = slotsFor(kernel, width, distinct);
      const rows = Math.max(distinct, 200_000);
      const build = block(
        kernel,
        width,
        Int32Array.from({ length: distinct }, (_, i) => i),
      );
      const out = kernel.alloc(rows * 4, "out");
      const insert = (table) => {
        for (let row = 0; row < distinct; row += CHUNK) kernel.insertSwiss(table, build, row, Math.min(distinct, row + CHUNK), 0, out, row);
      };
      const name = width === 0 ? "bytes" : `${width} bytes`;
      const table = fresh(kernel, width, slots, distinct);
      if (!only || only === "insert") {
        const zero = kernel.u8(table.region);
        let total = 0;
        const ns = measure(
          distinct * (distinct < 10_000 ? 50 : 1),
          () => {
            for (let i = 0; i < (distinct < 10_000 ? 50 : 1); i++) {
              zero.fill(0);
              table.count = 0;
              table.keyBytesUsed = 0;
              insert(table);
            }
            total += table.count;
          },
          5,
        );
        print(`insert ${name}, ${distinct} distinct of ${slots} slots`, ns + total * 0);
      }
      if (!only || only === "probe") {
        table.count = 0;
        table.keyBytesUsed = 0;
        kernel.u8(table.region).fill(0);
        insert(table);
        for (const [what, spread] of [
          ["hits", 1],
          ["half hits", 2],
        ]) {
          const probe = block(
            kernel,
            width,
            Int32Array.from({ length: rows }, () => random(distinct * spread)),
          );
          print(
            `probe ${name}, ${distinct} distinct, ${what}`,
            measure(rows, () => {
              for (let row = 0; row < rows; row += CHUNK) kernel.probeSwiss(table, probe, row, Math.min(rows, row + CHUNK), out, row);
            }),
          );
        }
      }
    }
  }
}

function gathers() {
  const kernel = createTsKernel({ hashSeed: 1 });
  for (const sourceRows of [10_000, 1_000_000]) {
    const rows = kernel.alloc(CHUNK * 4, "rows");
    const sources = kernel.alloc(CHUNK * 4, "sources");
    for (let i = 0; i < CHUNK; i++) {
      kernel.i32(rows)[i] = random(sourceRows >> 2);
      kernel.i32(sources)[i] = random(4);
    }
    const segment = { kind: "rows", source: 0, rows, from: 0, count: CHUNK, hasNone: false };
    const withNone = { ...segment, hasNone: true };
    const located = { kind: "located", sources, rows, from: 0, count: CHUNK, hasNone: false };
    const many = (run) =>
      measure(CHUNK * 20, () => {
        for (let i = 0; i < 20; i++) run();
      });
    for (const [name, word, perRow] of [
      ["8 bit", Uint8Array, 1],
      ["16 bit", Uint16Array, 1],
      ["32 bit", Int32Array, 1],
      ["64 bit", Int32Array, 2],
      ["128 bit", Int32Array, 4],
    ]) {
      const columns = [0, 1, 2, 3].map(() => new word((sourceRows >> 2) * perRow).fill(3));
      const dst = new word(CHUNK * perRow);
      print(
        `gather ${name} of ${sourceRows} rows`,
        many(() => kernel.gatherWords(columns, perRow, segment, dst, 0)),
      );
      print(
        `gather ${name} of ${sourceRows} rows, NONE possible`,
        many(() => kernel.gatherWords(columns, perRow, withNone, dst, 0)),
      );
      print(
        `gather ${name} of ${sourceRows} rows, located in 4`,
        many(() => kernel.gatherWords(columns, perRow, located, dst, 0)),
      );
    }
    const bitmaps = [0, 1, 2, 3].map(() => ({ bytes: new Uint8Array(sourceRows >> 3).fill(0x5a), bit: 0 }));
    const bits = new Uint8Array(CHUNK / 8);
    print(
      `gather bits of ${sourceRows} rows`,
      many(() => {
        bits.fill(0);
        kernel.gatherBits(bitmaps, segment, bits, 0);
      }),
    );
    const shifted = { kind: "run", source: 0, start: 3, count: Math.min(CHUNK, (sourceRows >> 2) - 3), hasNone: false };
    print(
      `copy a run of bits from an odd bit of ${sourceRows} rows`,
      many(() => {
        bits.fill(0);
        kernel.gatherBits(bitmaps, shifted, bits, 0);
      }),
    );
    for (const length of [3, 8, 15, 32, 64, 120, 128, 200]) {
      const n = sourceRows >> 2;
      const offsets = [Int32Array.from({ length: n + 1 }, (_, i) => i * length)];
      const bytes = [new Uint8Array(n * length).fill(65)];
      const dstOffsets = new Int32Array(CHUNK + 1);
      const dst = new Uint8Array(CHUNK * length);
      kernel.gatherOffsets(offsets, segment, dstOffsets, 0, 2 ** 31 - 1);
      print(
        `gather strings of ${length} bytes of ${n} rows`,
        many(() => kernel.gatherBytes(offsets, bytes, segment, dstOffsets, dst, 0)),
      );
    }
  }
}

if (only !== "gather") tables();
if (!only || only === "gather") gathers();
