import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DirectState, FixedKeys, Kernel } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { putI32, takeI32 } from "./regions.ts";
import { fixedBlock, modelInsert, modelProbe } from "./tables.ts";

const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

describe.each(implementations)("direct tables of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  const newDirect = (width: 4 | 8, signed: boolean, min: bigint, range: number): DirectState => ({
    kind: "direct",
    width,
    signed,
    min,
    range,
    region: kernel.alloc(range * 4, "table", true),
    count: 0,
  });
  const block = (width: 4 | 8, keys: readonly bigint[], valid: readonly boolean[] | null = null): FixedKeys => {
    const words = BigInt64Array.from(keys, (key) => BigInt.asIntN(64, key));
    return fixedBlock(
      kernel,
      width,
      new Uint8Array((width === 8 ? words : Int32Array.from(keys, (key) => Number(BigInt.asIntN(32, key)))).buffer),
      valid,
    );
  };
  const probe = (table: DirectState, keys: readonly bigint[], valid: readonly boolean[] | null = null): number[] => {
    const out = kernel.alloc(keys.length * 4, "handles");
    kernel.probeDirect(table, block(table.width, keys, valid), 0, keys.length, out, 0);
    return takeI32(kernel, out, keys.length);
  };
  const insert = (table: DirectState, keys: readonly bigint[], base = 0, valid: readonly boolean[] | null = null): number[] => {
    const out = kernel.alloc(keys.length * 4, "values");
    kernel.insertDirect(table, block(table.width, keys, valid), 0, keys.length, base, out, 0);
    return takeI32(kernel, out, keys.length);
  };

  it.each([
    { width: 4, signed: true, min: -5n },
    { width: 4, signed: true, min: -(2n ** 31n) },
    { width: 4, signed: true, min: 2n ** 31n - 100n },
    { width: 4, signed: false, min: 2n ** 31n - 50n },
    { width: 4, signed: false, min: 2n ** 32n - 100n },
    { width: 8, signed: true, min: -5n },
    { width: 8, signed: true, min: 2n ** 32n - 50n },
    { width: 8, signed: true, min: -(2n ** 32n) - 50n },
    { width: 8, signed: true, min: I64_MIN },
    { width: 8, signed: true, min: I64_MAX - 99n },
    { width: 8, signed: false, min: 0n },
    { width: 8, signed: false, min: 2n ** 63n - 50n },
    { width: 8, signed: false, min: 2n ** 64n - 100n },
  ] as const)("agrees with a Map over a range of 100 from $min, width $width, signed $signed", ({ width, signed, min }) => {
    const r = random(Number(BigInt.asIntN(31, min)));
    const wrap = (key: bigint): bigint => (signed ? BigInt.asIntN(width * 8, key) : BigInt.asUintN(width * 8, key));
    for (const base of [-1, 0, 500]) {
      const keys = Array.from({ length: 150 }, () => min + BigInt(r.below(100)));
      const valid = base === 0 ? null : flags(r, 150, 0.8);
      const table = newDirect(width, signed, min, 100);
      const named = keys.map((key, i) => (valid === null || valid[i] ? String(key) : null));
      const model = modelInsert(named, base);
      expect(insert(table, keys, base, valid)).toEqual(model.values);
      expect(table.count).toBe(model.map.size);
      const far = [1n, 2n, 2n ** 16n, 2n ** 31n, 2n ** 32n, 2n ** 33n, 2n ** 62n, 2n ** 63n, 2n ** 64n - 1n];
      const probes = keys.flatMap((key, i) => [
        key,
        wrap(min - 1n - BigInt(i % 3)),
        wrap(min + 100n + BigInt(i % 3)),
        wrap(key + far[i % far.length]),
        wrap(key - far[i % far.length]),
      ]);
      const pass = flags(r, probes.length, 0.9);
      expect(probe(table, probes)).toEqual(modelProbe(model.map, probes.map(String)));
      expect(probe(table, probes, pass)).toEqual(
        modelProbe(
          model.map,
          probes.map((key, i) => (pass[i] ? String(key) : null)),
        ),
      );
    }
  });

  it("does not narrow a probe key before the range check: 4294967296 and -4294967295 find nothing among 0 to 3", () => {
    const table = newDirect(8, true, 0n, 4);
    insert(table, [0n, 1n, 2n, 3n]);
    expect(probe(table, [4294967296n, -4294967295n, 4294967299n, -1n, 4n, I64_MIN, I64_MAX, 3n])).toEqual([
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      3,
    ]);
  });

  it("holds the least and the greatest 64-bit key in tables of one cell", () => {
    for (const key of [I64_MIN, I64_MAX]) {
      const table = newDirect(8, true, key, 1);
      expect(insert(table, [key, key])).toEqual([0, 0]);
      expect(probe(table, [I64_MIN, I64_MAX, 0n, -1n])).toEqual([key === I64_MIN ? 0 : NONE, key === I64_MAX ? 0 : NONE, NONE, NONE]);
    }
  });

  it("relabels values to handles of every kind, in steps", () => {
    const table = newDirect(4, true, -10n, 40);
    const keys = Array.from({ length: 15 }, (_, i) => BigInt(i * 2 - 10));
    insert(table, keys, -1);
    const handles = keys.map((_, id) => [id, -2 - id, 2 ** 31 - 3][id % 3]);
    const region = putI32(kernel, handles);
    for (let from = 0; from < 40; from += 7) kernel.relabelDirect(table, region, from, Math.min(40, from + 7));
    expect(probe(table, keys)).toEqual(handles);
    expect(probe(table, [-9n, 29n])).toEqual([NONE, NONE]);
  });

  it("reads the rows it is given and writes where it is told", () => {
    const table = newDirect(4, true, 5n, 3);
    const keys = block(4, [5n, 6n, 5n, 7n, 6n]);
    const out = putI32(kernel, new Array<number>(8).fill(99));
    kernel.insertDirect(table, keys, 1, 4, 10, out, 3);
    expect(takeI32(kernel, out, 8)).toEqual([99, 99, 99, 11, 12, 13, 99, 99]);
    kernel.probeDirect(table, keys, 2, 5, out, 0);
    expect(takeI32(kernel, out, 8)).toEqual([12, 13, 11, 11, 12, 13, 99, 99]);
  });
});
