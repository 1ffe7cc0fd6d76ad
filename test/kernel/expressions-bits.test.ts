import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { flags, type Random, random } from "./random.ts";
import { bitVector, COUNTS, makeBits, makeVector, padded, takeBits } from "./vectors.ts";

const OPS = {
  and: (a: boolean, b: boolean) => a && b,
  or: (a: boolean, b: boolean) => a || b,
  andNot: (a: boolean, b: boolean) => a && !b,
  xnor: (a: boolean, b: boolean) => a === b,
  not: (a: boolean) => !a,
};
const ops = Object.keys(OPS) as (keyof typeof OPS)[];

describe.each(implementations)("bitmaps of $name", ({ make }) => {
  let kernel: Kernel;
  let r: Random;
  beforeEach(() => {
    kernel = make();
    r = random(12);
  });
  afterEach(() => kernel.close());

  it.each(ops)("computes %s of any length, into a third region or in place, and clears the bits after it", (op) => {
    for (const count of [...COUNTS, 2048, 16_384]) {
      const [a, b] = [flags(r, count, 0.5), flags(r, count, 0.5)];
      const expected = padded(a.map((bit, i) => OPS[op](bit, b[i])));
      const [x, y, out] = [bitVector(kernel, r, a), bitVector(kernel, r, b), makeBits(kernel, r, count)];
      const after = kernel.u8(out).slice(expected.length / 8);
      kernel.bitwise(op, x, y, count, out);
      expect(takeBits(kernel, out, count)).toEqual(expected);
      expect(kernel.u8(out).slice(expected.length / 8)).toEqual(after);
      kernel.bitwise(op, x, y, count, x);
      expect(takeBits(kernel, x, count)).toEqual(expected);
      kernel.bitwise(op, bitVector(kernel, r, a), y, count, y);
      expect(takeBits(kernel, y, count)).toEqual(expected);
    }
  });

  it("writes bits as bytes at any place, and nothing around them", () => {
    for (const count of COUNTS) {
      for (const at of [0, 1, 7, 100]) {
        const bits = flags(r, count, 0.5);
        const out = makeVector(kernel, r, 1, at + count);
        const expected = kernel.u8(out).slice();
        bits.forEach((bit, i) => {
          expected[at + i] = Number(bit);
        });
        kernel.bitsToBytes(bitVector(kernel, r, bits), count, out, at);
        expect(kernel.u8(out).slice()).toEqual(expected);
      }
    }
  });

  it("reads bytes as bits: any but 0 is set", () => {
    for (const count of COUNTS) {
      const bytes = makeVector(kernel, r, 1, count);
      const values = Array.from({ length: count }, () => (r.chance(0.5) ? 0 : r.chance(0.5) ? 1 : r.below(256)));
      kernel.write(bytes, 0, Uint8Array.from(values));
      const out = makeBits(kernel, r, count);
      kernel.bytesToBits(bytes, count, out);
      expect(takeBits(kernel, out, count)).toEqual(padded(values.map((value) => value !== 0)));
    }
  });
});
