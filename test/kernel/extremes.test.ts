import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import type { NumberLane } from "../../src/kernel/expression-contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { putBytes, putI32, unpacked } from "./regions.ts";

type Value = number | bigint;

const LANES: Record<NumberLane, { values: Value[]; pack(values: Value[]): ArrayBufferView<ArrayBuffer> }> = {
  i8: { values: [-128, -127, -1, 0, 1, 126, 127], pack: (values) => Int8Array.from(values as number[]) },
  u8: { values: [0, 1, 127, 128, 254, 255], pack: (values) => Uint8Array.from(values as number[]) },
  i16: { values: [-32768, -256, -1, 0, 1, 255, 32767], pack: (values) => Int16Array.from(values as number[]) },
  u16: { values: [0, 1, 255, 256, 32768, 65535], pack: (values) => Uint16Array.from(values as number[]) },
  i32: { values: [-(2 ** 31), -65536, -1, 0, 1, 65536, 2 ** 31 - 1], pack: (values) => Int32Array.from(values as number[]) },
  u32: { values: [0, 1, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1], pack: (values) => Uint32Array.from(values as number[]) },
  i64: {
    values: [-(2n ** 63n), -(2n ** 32n) - 1n, -(2n ** 32n), -1n, 0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 63n - 1n],
    pack: (values) => BigInt64Array.from(values as bigint[]),
  },
  u64: { values: [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n], pack: (values) => BigUint64Array.from(values as bigint[]) },
  f32: {
    values: [-Infinity, -3.4e38, -1.5, -1, -1.4e-45, -0, 0, 1.4e-45, 1, 1.5, 3.4e38, Infinity, NaN],
    pack: (values) => Float32Array.from(values as number[]),
  },
  f64: {
    values: [-Infinity, -1.7e308, -1.5, -1, -5e-324, -0, 0, 5e-324, 1, 1 + 2 ** -52, 1.7e308, Infinity, NaN],
    pack: (values) => Float64Array.from(values as number[]),
  },
};

/** The order of the contract: NaN above everything and equal to itself, -0 equal to +0. */
function compare(a: Value, b: Value): number {
  const [aNaN, bNaN] = [Number.isNaN(a), Number.isNaN(b)];
  if (aNaN || bNaN) return Number(aNaN) - Number(bNaN);
  return a < b ? -1 : a > b ? 1 : 0;
}

const bytesOf = (view: ArrayBufferView<ArrayBuffer>): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function unsigned(bytes: Uint8Array, width: number, count: number): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: count }, (_, i) => (width === 4 ? BigInt(view.getUint32(i * 4, true)) : view.getBigUint64(i * 8, true)));
}

describe.each(implementations)("ordinals of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it.each(Object.keys(LANES) as NumberLane[])("are in the order of the values: %s", (lane) => {
    const { values, pack } = LANES[lane];
    const width = lane.endsWith("64") ? 8 : 4;
    const dst = kernel.alloc(width * 64, "ordinals", true);
    kernel.ordinals(lane, putBytes(kernel, bytesOf(pack(values))), values.length, dst, 3);
    const all = unsigned(kernel.u8(dst), width, 64);
    const found = all.slice(3, 3 + values.length);
    for (let a = 0; a < values.length; a++) {
      for (let b = 0; b < values.length; b++) expect(compare(found[a], found[b])).toBe(compare(values[a], values[b]));
    }
    expect([...all.slice(0, 3), ...all.slice(3 + values.length)].every((ordinal) => ordinal === 0n)).toBe(true);
  });

  it("are the largest number for every NaN, whatever its bits", () => {
    const dst = kernel.alloc(64, "ordinals");
    kernel.ordinals("f32", putI32(kernel, [0x7fc00000, 0x7f800001, -1, 0xff800001 | 0, 0x7f800000]), 5, dst, 0);
    expect(Array.from(kernel.i32(dst).subarray(0, 5))).toEqual([-1, -1, -1, -1, 0xff800000 | 0]);
    kernel.ordinals("f64", putI32(kernel, [0, 0x7ff80000, 1, 0x7ff00000, -1, -1, 1, 0xfff00000 | 0, 0, 0x7ff00000]), 5, dst, 0);
    expect(Array.from(kernel.i32(dst).subarray(0, 10))).toEqual([-1, -1, -1, -1, -1, -1, -1, -1, 0, 0xfff00000 | 0]);
  });
});

describe.each(implementations)("extremes of $name", ({ make }) => {
  const IDS = 40;
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  /** Ordinals that often agree in one of their words. */
  function chunk(width: 4 | 8, seed: number, count: number) {
    const r = random(seed);
    const words = [0, 1, 0x7fffffff, 0x80000000 | 0, -1, r.i32()];
    const ids = Array.from({ length: count + 7 }, () => (r.chance(0.2) ? -1 : r.below(IDS)));
    const ordinals = Int32Array.from({ length: (count * width) / 4 }, () => words[r.below(words.length)]);
    const valid = flags(r, count, 0.8);
    return {
      ids: ids.slice(7),
      ordinals: unsigned(bytesOf(ordinals), width, count),
      valid,
      idsAt: putI32(kernel, ids),
      ordinalsAt: putI32(kernel, ordinals),
      validAt: putBytes(
        kernel,
        Uint8Array.from(valid, (ok) => (ok ? 1 + r.below(255) : 0)),
      ),
    };
  }

  it.each([
    ["the largest", true, 4],
    ["the smallest", false, 4],
    ["the largest", true, 8],
    ["the smallest", false, 8],
  ] as const)("are %s ordinal of each id (max %s, %i bytes), over many chunks", (_what, max, width) => {
    const expected = new Map<number, bigint>();
    const extremes = kernel.alloc(IDS * width, "extremes");
    const seen = kernel.alloc(64, "seen", true);
    for (let seed = 0; seed < 30; seed++) {
      const count = [0, 1, 5, 64, 100][seed % 5];
      const { ids, ordinals, valid, idsAt, ordinalsAt, validAt } = chunk(width, seed, count);
      const nullable = seed % 2 === 0;
      kernel.updateExtremes(idsAt, 7, ordinalsAt, width, nullable ? validAt : null, count, max, extremes, seen);
      ids.forEach((id, i) => {
        if (id < 0 || (nullable && !valid[i])) return;
        const old = expected.get(id);
        if (old === undefined || (max ? ordinals[i] > old : ordinals[i] < old)) expected.set(id, ordinals[i]);
      });
      const found = unsigned(kernel.u8(extremes), width, IDS);
      expect(unpacked(kernel.u8(seen), 0, 64)).toEqual(Array.from({ length: 64 }, (_, id) => expected.has(id)));
      for (const [id, ordinal] of expected) expect(found[id]).toBe(ordinal);
    }
  });

  it.each(([4, 8] as const).flatMap((width) => (["lt", "le", "gt", "ge"] as const).map((op) => [op, width] as const)))(
    "are tested against rows with %s, %i bytes, every row with an id that has one",
    (op, width) => {
      const holds = {
        lt: (a: bigint, b: bigint) => a < b,
        le: (a: bigint, b: bigint) => a <= b,
        gt: (a: bigint, b: bigint) => a > b,
        ge: (a: bigint, b: bigint) => a >= b,
      }[op];
      const known = chunk(width, 1, 30);
      const extremes = kernel.alloc(IDS * width, "extremes");
      const seen = kernel.alloc(64, "seen", true);
      kernel.updateExtremes(known.idsAt, 7, known.ordinalsAt, width, null, 30, true, extremes, seen);
      const found = unsigned(kernel.u8(extremes), width, IDS);
      const seenIds = unpacked(kernel.u8(seen), 0, IDS);
      for (const count of [0, 1, 31, 32, 33, 63, 64, 65, 97, 500]) {
        const { ids, ordinals, valid, idsAt, ordinalsAt, validAt } = chunk(width, 100 + count, count);
        for (const nullable of [true, false]) {
          const out = kernel.alloc(128, "bits");
          kernel.fill(out, 0xff, 0, 128);
          kernel.testExtremes(idsAt, 7, ordinalsAt, width, nullable ? validAt : null, count, op, extremes, seen, out);
          const words = Math.ceil(count / 64);
          expect(unpacked(kernel.u8(out), 0, words * 64)).toEqual(
            Array.from({ length: words * 64 }, (_, i) => {
              if (i >= count || ids[i] < 0 || !seenIds[ids[i]] || (nullable && !valid[i])) return false;
              return holds(found[ids[i]], ordinals[i]);
            }),
          );
          expect(
            kernel
              .u8(out)
              .subarray(words * 8)
              .every((byte) => byte === 0xff),
          ).toBe(true);
        }
      }
    },
  );
});
