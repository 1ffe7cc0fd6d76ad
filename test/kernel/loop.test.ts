/** All pairs of some probe rows with a tile of build rows, in both kernels, against a plain loop over BigInts. */

import { describe, expect, it } from "vitest";
import type { Kernel, Region } from "../../src/kernel/contract.ts";
import { type CompareOp, LOOP_TILE_ROWS } from "../../src/kernel/loop-contract.ts";
import { implementations } from "./kernels.ts";
import { flags, type Random, random } from "./random.ts";
import { putBytes, putI32, takeI32, unpacked } from "./regions.ts";

const HOLDS: Record<CompareOp, (build: bigint, probe: bigint) => boolean> = {
  lt: (build, probe) => build < probe,
  le: (build, probe) => build <= probe,
  gt: (build, probe) => build > probe,
  ge: (build, probe) => build >= probe,
  eq: (build, probe) => build === probe,
  ne: (build, probe) => build !== probe,
};
const OPS = Object.keys(HOLDS) as CompareOp[];

/** Around zero, the middle and the end of the unsigned range, and words that differ in their low or their high half alone. */
function ordinals(r: Random, count: number, width: 4 | 8): bigint[] {
  const bits = BigInt(8 * width);
  const marks = [0n, (1n << (bits - 1n)) - 2n, (1n << bits) - 4n, width === 8 ? 0x00000001_fffffffen : 77n];
  return Array.from({ length: count }, () => marks[r.below(4)] + BigInt(r.below(4)));
}

function put(kernel: Kernel, values: readonly bigint[], width: 4 | 8): Region {
  const bytes = new Uint8Array((values.length + 64) * width);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    if (width === 4) view.setUint32(4 * i, Number(value), true);
    else view.setBigUint64(8 * i, value, true);
  });
  return putBytes(kernel, bytes);
}

/** Bit strings of the rows, and the bits between a row's last and the end of its words. */
function rowsOf(kernel: Kernel, region: Region, at: number, stride: number, count: number, length: number) {
  const bytes = kernel.u8(region);
  const words = Math.ceil(length / 64) * 64;
  const all = Array.from({ length: count }, (_, i) => unpacked(bytes, 8 * (at + i * stride), words));
  return { bits: all.map((row) => row.slice(0, length)), after: all.flatMap((row) => row.slice(length)) };
}

const TILES = [
  [0, 1],
  [3, 64],
  [5, 70],
  [64, 128],
  [0, 63],
  [17, 17 + 200],
  [100, 100 + LOOP_TILE_ROWS],
] as const;

describe.each(implementations)("pairs of a tile are tested by one comparison ($name)", ({ make }) => {
  for (const width of [4, 8] as const) {
    for (const op of OPS) {
      it(`${op} of ${width} bytes`, () => {
        const kernel = make();
        const r = random(width);
        const probe = ordinals(r, 100, width);
        const build = ordinals(r, 2200, width);
        const [probes, builds] = [put(kernel, probe, width), put(kernel, build, width)];
        for (const [from, to] of TILES) {
          for (const count of [1, 2, 3, 4, 5, 7, 8]) {
            const rows = Array.from({ length: 2 + count }, () => r.below(100));
            const length = to - from;
            const stride = Math.ceil(length / 64) * 8 + 16;
            const region = putBytes(kernel, r.bytes(24 + count * stride));
            const first = 2;
            const got = kernel.compareTile(
              op,
              width,
              probes,
              putI32(kernel, rows),
              first,
              count,
              builds,
              from,
              to,
              { region, at: 24, stride },
              false,
            );
            const expected = rows.slice(first).map((row) => build.slice(from, to).map((value) => HOLDS[op](value, probe[row])));
            const { bits, after } = rowsOf(kernel, region, 24, stride, count, length);
            expect(bits).toEqual(expected);
            expect(after).not.toContain(true);
            expect(got).toBe(expected.flat().filter(Boolean).length);
          }
        }
        kernel.close();
      });

      it(`${op} of ${width} bytes, where another comparison held before, of none, few, many or all pairs`, () => {
        const kernel = make();
        const r = random(width + 1);
        const probe = ordinals(r, 100, width);
        const build = ordinals(r, 300, width);
        const [probes, builds] = [put(kernel, probe, width), put(kernel, build, width)];
        for (const share of [0, 0.02, 0.5, 1]) {
          for (const [count, from, to] of [
            [9, 3, 203],
            [4, 0, 64],
            [1, 7, 290],
          ]) {
            const rows = Array.from({ length: count }, () => r.below(100));
            const before = rows.map(() => flags(r, to - from, share));
            const stride = Math.ceil((to - from) / 64) * 8;
            const bytes = new Uint8Array(count * stride);
            before.forEach((row, i) => {
              row.forEach((bit, b) => {
                if (bit) bytes[i * stride + (b >> 3)] |= 1 << (b & 7);
              });
            });
            const region = putBytes(kernel, bytes);
            const bits = { region, at: 0, stride };
            const got = kernel.compareTile(op, width, probes, putI32(kernel, rows), 0, count, builds, from, to, bits, true);
            const expected = rows.map((row, i) => before[i].map((bit, b) => bit && HOLDS[op](build[from + b], probe[row])));
            const found = rowsOf(kernel, region, 0, stride, count, to - from);
            expect(found.bits).toEqual(expected);
            expect(found.after).not.toContain(true);
            expect(got).toBe(expected.flat().filter(Boolean).length);
          }
        }
        kernel.close();
      });
    }
  }

  it("the bits of other rows, and those between rows, stay as they are", () => {
    const kernel = make();
    const values = Array.from({ length: 100 }, () => 5n);
    const ones = put(kernel, values, 4);
    const region = putBytes(kernel, new Uint8Array(200).fill(0xaa));
    kernel.compareTile("eq", 4, ones, putI32(kernel, [0, 1, 2]), 0, 3, ones, 0, 64, { region, at: 16, stride: 24 }, false);
    const bytes = Array.from(kernel.u8(region).subarray(0, 120));
    const set = (at: number) => [16, 40, 64].some((start) => at >= start && at < start + 8);
    expect(bytes).toEqual(bytes.map((_, at) => (set(at) ? 0xff : 0xaa)));
    kernel.close();
  });
});

describe.each(implementations)("pairs are listed by their bits ($name)", ({ make }) => {
  for (const [length, share, limit] of [
    [1, 1, 3],
    [64, 0.5, 1],
    [130, 0.5, 7],
    [130, 0, 7],
    [130, 1, 64],
    [1000, 0.01, 4096],
  ]) {
    it(`${length} bits a row, ${share} of them set, at most ${limit} a call`, () => {
      const kernel = make();
      const r = random(length + limit);
      const count = 5;
      const stride = Math.ceil(length / 64) * 8 + 8;
      const bits = Array.from({ length: count }, () => flags(r, length, share));
      const bytes = new Uint8Array(16 + count * stride);
      bits.forEach((row, i) => {
        row.forEach((bit, b) => {
          if (bit) bytes[16 + i * stride + (b >> 3)] |= 1 << (b & 7);
        });
      });
      const rows = Array.from({ length: 3 + count }, () => r.below(1000));
      const members = Array.from({ length: length + 10 }, () => r.below(100_000));
      const expected = bits.flatMap((row, i) => row.flatMap((bit, b) => (bit ? [[7 + rows[3 + i], members[10 + b]]] : [])));
      const region = putBytes(kernel, bytes);
      const [outProbe, outBuild] = [kernel.alloc(4 * limit + 4, "test"), kernel.alloc(4 * limit + 4, "test")];
      const [at, list] = [putI32(kernel, rows), putI32(kernel, members)];
      const cursor = { row: 0, pos: 0, at: 0 };
      const found: number[][] = [];
      for (let calls = 0; cursor.row < count; calls++) {
        cursor.at = 0;
        kernel.listBits({ region, at: 16, stride }, length, cursor, at, 3, count, 7, list, 10, outProbe, outBuild, limit);
        expect(cursor.at).toBeLessThanOrEqual(limit);
        const [probes, builds] = [takeI32(kernel, outProbe, cursor.at), takeI32(kernel, outBuild, cursor.at)];
        found.push(...probes.map((row, i) => [row, builds[i]]));
        expect(calls).toBeLessThan(expected.length + 2);
      }
      expect(found).toEqual(expected);
      expect(cursor.pos).toBe(0);
      kernel.close();
    });
  }

  it("a list of many words without a bit ends in stretches", () => {
    const kernel = make();
    const length = 64 * 300_000;
    const members = kernel.alloc(4 * length, "test");
    kernel.i32(members)[length - 1] = 77;
    const region = kernel.alloc(length / 8, "test", true);
    kernel.u8(region)[length / 8 - 1] = 0x80;
    const out = kernel.alloc(64, "test");
    const cursor = { row: 0, pos: 0, at: 0 };
    let calls = 0;
    for (; cursor.row < 1; calls++)
      kernel.listBits({ region, at: 0, stride: length / 8 }, length, cursor, putI32(kernel, [0]), 0, 1, 0, members, 0, out, out, 8);
    expect(calls).toBeGreaterThan(1);
    expect(takeI32(kernel, out, 1)).toEqual([77]);
    kernel.close();
  });
});
