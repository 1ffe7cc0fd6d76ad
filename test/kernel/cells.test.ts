import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FixedKeys, Kernel, KeyForm } from "../../src/kernel/contract.ts";
import { NONE, NULL_VALUE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { putBits, putBytes, putI32, takeBytes, takeI32, unpacked } from "./regions.ts";

/** What a cell must hold, byte by byte. */
function cellOf(value: Uint8Array, cell: number, form: KeyForm): number[] {
  const pad = form === "int" && value[value.length - 1] >= 0x80 ? 0xff : 0;
  return Array.from({ length: cell }, (_, i) => (i < value.length ? value[i] : pad));
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength);
}

/** Cells of a layout: where they lie in rows of which stride. */
function layouts(cell: number): { stride: number; at: number }[] {
  return [
    { stride: cell, at: 0 },
    { stride: cell + 8, at: 0 },
    { stride: cell + 8, at: 8 },
    { stride: cell + 16, at: 4 },
  ];
}

describe.each(implementations)("key cells of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  const pack = (src: Uint8Array, width: number, cell: number, form: KeyForm, count: number, stride = cell, at = 0): number[][] => {
    const source = putBytes(kernel, src);
    const dst = kernel.alloc(stride * count, "cells");
    kernel.fill(dst, 0x5a, 0, stride * count);
    kernel.packFixed(dst, stride, at, cell, source, width, form, count);
    const bytes = takeBytes(kernel, dst, stride * count);
    expect(bytes.every((byte, p) => byte === 0x5a || (p % stride >= at && p % stride < at + cell))).toBe(true);
    kernel.free(source);
    kernel.free(dst);
    return Array.from({ length: count }, (_, i) => bytes.slice(i * stride + at, i * stride + at + cell));
  };

  it("packs raw and integer values of every width into every cell at every place", () => {
    const r = random(4);
    for (const form of ["raw", "int", "uint"] as const) {
      for (const width of form === "raw" ? [1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 31, 32] : [1, 2, 4, 8, 16, 32]) {
        for (const cell of [4, 8, 16, 24, 32]) {
          if (cell < width) continue;
          for (const { stride, at } of layouts(cell)) {
            for (const count of [0, 1, 17]) {
              const src = r.bytes(width * count);
              const expected = Array.from({ length: count }, (_, i) => cellOf(src.subarray(i * width, (i + 1) * width), cell, form));
              expect(pack(src, width, cell, form, count, stride, at)).toEqual(expected);
            }
          }
        }
      }
    }
  });

  it("gives every NaN of a width one pattern and -0 the pattern of +0, and keeps every other float", () => {
    const float16 = new Uint16Array([0x7e00, 0x7c01, 0xfe00, 0xffff, 0x8000, 0x0000, 0x7c00, 0xfc00, 0x3c00, 0x0001, 0x8001]);
    const float32 = new Uint32Array([
      0x7fc00000, 0x7f800001, 0xffc00000, 0xffffffff, 0x80000000, 0, 0x7f800000, 0xff800000, 0x3f800000, 1, 0x80000001,
    ]);
    const float64 = new BigUint64Array([
      0x7ff8000000000000n,
      0x7ff0000000000001n,
      0xfff8000000000000n,
      0xffffffffffffffffn,
      0x8000000000000000n,
      0n,
      0x7ff0000000000000n,
      0xfff0000000000000n,
      0x3ff0000000000000n,
      1n,
      0x8000000000000001n,
    ]);
    for (const [values, cells] of [
      [float16, [4, 8, 16]],
      [float32, [4, 8, 16]],
      [float64, [8, 16]],
    ] as const) {
      const width = values.BYTES_PER_ELEMENT;
      for (const cell of cells) {
        for (const { stride, at } of layouts(cell)) {
          const packed = pack(bytesOf(values), width, cell, "float", 11, stride, at);
          for (let i = 1; i < 4; i++) expect(packed[i]).toEqual(packed[0]);
          expect(packed[4]).toEqual(packed[5]);
          expect(packed[5]).toEqual(new Array(cell).fill(0));
          for (let i = 6; i < 11; i++) expect(packed[i]).toEqual(cellOf(bytesOf(values).subarray(i * width, (i + 1) * width), cell, "raw"));
          expect(packed[0]).not.toEqual(packed[6]);
        }
      }
    }
  });

  it("packs bits from any bit as 0 or 1", () => {
    const r = random(5);
    for (const offset of [0, 1, 7, 8, 13]) {
      for (const cell of [4, 8]) {
        for (const { stride, at } of layouts(cell)) {
          const bits = flags(r, 77, 0.5);
          const src = putBits(kernel, bits, offset);
          const dst = kernel.alloc(stride * 77, "cells");
          kernel.fill(dst, 0x5a, 0, stride * 77);
          kernel.packBits(dst, stride, at, cell, src, offset, 77);
          const bytes = takeBytes(kernel, dst, stride * 77);
          bits.forEach((bit, i) =>
            expect(bytes.slice(i * stride + at, i * stride + at + cell)).toEqual(cellOf(Uint8Array.of(bit ? 1 : 0), cell, "raw")),
          );
          for (let j = 0; j < at; j++) expect(bytes[j]).toBe(0x5a);
          kernel.free(src);
          kernel.free(dst);
        }
      }
    }
  });

  const packCodes = (codes: ArrayBufferView, width: number, signed: boolean, map: number[], valid: boolean[], stride = 4, at = 0) => {
    const src = putBytes(kernel, bytesOf(codes));
    const dst = kernel.alloc(valid.length * stride, "cells", true);
    const validRegion = putBits(kernel, valid);
    const bad = kernel.packCodes(dst, stride, at, src, width, signed, putI32(kernel, map), map.length, validRegion, valid.length);
    const words = takeI32(kernel, dst, (valid.length * stride) / 4);
    return {
      bad,
      cells: valid.map((_, i) => words[(i * stride + at) / 4]),
      valid: unpacked(takeBytes(kernel, validRegion, Math.ceil(valid.length / 8)), 0, valid.length),
    };
  };
  const codeArrays = [
    { width: 1, signed: true, of: (codes: number[]) => Int8Array.from(codes) },
    { width: 1, signed: false, of: (codes: number[]) => Uint8Array.from(codes) },
    { width: 2, signed: true, of: (codes: number[]) => Int16Array.from(codes) },
    { width: 2, signed: false, of: (codes: number[]) => Uint16Array.from(codes) },
    { width: 4, signed: true, of: (codes: number[]) => Int32Array.from(codes) },
    { width: 4, signed: false, of: (codes: number[]) => Uint32Array.from(codes) },
    { width: 8, signed: true, of: (codes: number[]) => BigInt64Array.from(codes.map(BigInt)) },
    { width: 8, signed: false, of: (codes: number[]) => BigUint64Array.from(codes.map((code) => BigInt(code))) },
  ];

  it.each(codeArrays)(
    "translates codes of width $width, signed $signed: null values clear the valid bit, null rows are not read",
    ({ width, signed, of }) => {
      const map = [10, NONE, NULL_VALUE, 13];
      const codes = of([0, 1, 2, 3, 3, 2, 1, 0, 99, 2]);
      const valid = [true, true, true, true, false, true, true, true, false, false];
      for (const { stride, at } of layouts(4)) {
        const result = packCodes(codes, width, signed, map, valid, stride, at);
        expect(result.bad).toBe(-1);
        expect(result.cells).toEqual([10, NONE, 0, 13, 0, 0, NONE, 10, 0, 0]);
        expect(result.valid).toEqual([true, true, false, true, false, false, true, true, false, false]);
      }
    },
  );

  it.each(codeArrays)("stops at the first valid code outside the map, width $width, signed $signed", ({ width, signed, of }) => {
    const map = [10, 11, 12];
    const valid = new Array<boolean>(6).fill(true);
    const result = packCodes(of([0, 2, 1, 3, 0, 0]), width, signed, map, valid, 4, 0);
    expect(result.bad).toBe(3);
    expect(result.cells).toEqual([10, 12, 11, 0, 0, 0]);
    expect(packCodes(of([0, 2, 1, 3, 0, 0]), width, signed, map, [true, true, true, false, true, true]).bad).toBe(-1);
    if (signed) expect(packCodes(of([0, -1]), width, signed, new Array(300).fill(5), [true, true]).bad).toBe(1);
  });

  it("takes an unsigned code above 127 or 32767 and refuses 0xFFFFFFFF, 2^32 and the 64-bit extremes", () => {
    const map = Array.from({ length: 40_000 }, (_, i) => i + 1);
    expect(packCodes(Uint8Array.of(200), 1, false, map, [true]).cells).toEqual([201]);
    expect(packCodes(Uint16Array.of(39_999), 2, false, map, [true]).cells).toEqual([40_000]);
    expect(packCodes(Uint32Array.of(0xffffffff), 4, false, map, [true]).bad).toBe(0);
    expect(packCodes(Int32Array.of(-2147483648), 4, true, map, [true]).bad).toBe(0);
    for (const code of [2n ** 32n, 2n ** 32n + 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      expect(packCodes(BigInt64Array.of(code), 8, true, map, [true]).bad).toBe(0);
      expect(packCodes(BigInt64Array.of(code), 8, false, map, [true]).bad).toBe(0);
    }
  });

  it("clears the cells and marks the bytes of null rows only", () => {
    const valid = flags(random(6), 50, 0.5);
    const validRegion = putBits(kernel, valid);
    for (const { cell, stride, at } of [
      { cell: 4, stride: 4, at: 0 },
      { cell: 8, stride: 24, at: 8 },
      { cell: 16, stride: 24, at: 0 },
    ]) {
      const dst = kernel.alloc(stride * 50, "cells");
      kernel.fill(dst, 0x41, 0, stride * 50);
      kernel.nullCells(dst, stride, at, cell, at + cell - 1, 0x80, validRegion, 50);
      const bytes = takeBytes(kernel, dst, stride * 50);
      const expected = bytes.map((_, p) => {
        const place = (p % stride) - at;
        if (valid[Math.floor(p / stride)] || place < 0 || place >= cell) return 0x41;
        return place === cell - 1 ? 0x80 : 0;
      });
      expect(bytes).toEqual(expected);
    }
  });

  it("finds the smallest and largest valid key, signed and unsigned, of both widths", () => {
    const r = random(8);
    const extremes = [0n, -1n, 1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 31n - 1n, 2n ** 32n - 1n];
    for (const width of [4, 8]) {
      for (let round = 0; round < 60; round++) {
        const count = 1 + r.below(40);
        const raw = Array.from({ length: count }, () =>
          r.chance(0.5) ? extremes[r.below(extremes.length)] : (BigInt(r.i32()) << 32n) | BigInt(r.i32() >>> 0),
        );
        const keys = putBytes(
          kernel,
          bytesOf(width === 4 ? Int32Array.from(raw, (key) => Number(BigInt.asIntN(32, key))) : BigInt64Array.from(raw)),
        );
        const valid = flags(r, count, 0.6);
        const block: FixedKeys = { kind: "fixed", width, keys, valid: round % 2 === 0 ? putBits(kernel, valid) : null };
        const from = r.below(count);
        const to = from + r.below(count - from + 1);
        for (const signed of [true, false]) {
          const typed = raw.map((key) => (signed ? BigInt.asIntN(width * 8, key) : BigInt.asUintN(width * 8, key)));
          const seen = typed.filter((_, i) => i >= from && i < to && (block.valid === null || valid[i])).sort((a, b) => (a < b ? -1 : 1));
          expect(kernel.minMax(block, signed, from, to)).toEqual(seen.length === 0 ? null : { min: seen[0], max: seen[seen.length - 1] });
        }
      }
    }
  });
});
