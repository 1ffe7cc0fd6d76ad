import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { packed, putBits, takeBytes, unpacked } from "./regions.ts";

const LENGTHS = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 130];

describe.each(implementations)("bits of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it("copies any length from any bit, counts, and clears the rest of the last byte", () => {
    const r = random(1);
    const dst = kernel.alloc(32, "a test");
    for (let offset = 0; offset <= 66; offset++) {
      for (const length of LENGTHS) {
        const bits = flags(r, length, 0.5);
        const src = putBits(kernel, bits, offset);
        kernel.fill(dst, 0xff, 0, 32);
        expect(kernel.copyBits(dst, src, offset, length)).toBe(bits.filter(Boolean).length);
        const whole = Math.ceil(length / 8);
        expect(unpacked(takeBytes(kernel, dst, whole), 0, whole * 8)).toEqual([...bits, ...new Array(whole * 8 - length).fill(false)]);
        kernel.free(src);
      }
    }
  });

  it("ands any length from any bit, counts, and clears the rest of the last byte", () => {
    const r = random(2);
    for (let offset = 0; offset <= 66; offset++) {
      for (const length of LENGTHS) {
        const a = flags(r, length, 0.7);
        const b = flags(r, length, 0.7);
        const both = a.map((bit, i) => bit && b[i]);
        const dst = putBits(kernel, a);
        const src = putBits(kernel, b, offset);
        expect(kernel.andBits(dst, src, offset, length)).toBe(both.filter(Boolean).length);
        const whole = Math.ceil(length / 8);
        expect(unpacked(takeBytes(kernel, dst, whole), 0, whole * 8)).toEqual([...both, ...new Array(whole * 8 - length).fill(false)]);
        kernel.free(dst);
        kernel.free(src);
      }
    }
  });

  it("counts host bits at any offset of any length", () => {
    const r = random(3);
    for (let offset = 0; offset <= 66; offset++) {
      for (const length of LENGTHS) {
        const bits = flags(r, length, 0.5);
        expect(kernel.countBits(packed(bits, offset), offset, length)).toBe(bits.filter(Boolean).length);
      }
    }
  });

  it("counts and copies bitmaps that are all set or all clear, of a chunk's length", () => {
    for (const value of [true, false]) {
      const bits = new Array<boolean>(16_384).fill(value);
      const src = putBits(kernel, bits, 3);
      const dst = kernel.alloc(2048, "a test");
      expect(kernel.copyBits(dst, src, 3, 16_384)).toBe(value ? 16_384 : 0);
      expect(kernel.countBits(packed(bits, 5), 5, 16_384)).toBe(value ? 16_384 : 0);
    }
  });
});
