import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { type Random, random, strings } from "./random.ts";
import {
  COUNTS,
  constant,
  LANES,
  makeBits,
  order,
  padded,
  randomValues,
  randomWide,
  scatterNans,
  takeBits,
  textConstant,
  textVector,
  type Value,
  vector,
  wideConstant,
  wideVector,
} from "./vectors.ts";

const OPS = ["eq", "lt"] as const;
const holds = (op: "eq" | "lt", sign: number): boolean => (op === "eq" ? sign === 0 : sign < 0);

describe.each(implementations)("comparisons of $name", ({ make }) => {
  let kernel: Kernel;
  let r: Random;
  beforeEach(() => {
    kernel = make();
    r = random(11);
  });
  afterEach(() => kernel.close());

  describe.each(LANES)("of %s", (lane) => {
    it("compares vectors of any length, and clears the bits after them", () => {
      for (const count of COUNTS) {
        for (const op of OPS) {
          const a = randomValues(r, lane, count);
          const b = a.map((value, i) => (r.chance(0.3) ? value : (randomValues(r, lane, 1)[0] ?? i)));
          const out = makeBits(kernel, r, count);
          kernel.compare(op, lane, vector(kernel, r, lane, a), vector(kernel, r, lane, b), count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(a.map((value, i) => holds(op, order(value, b[i])))));
        }
      }
    });

    it("compares with a constant on either side, or on both", () => {
      for (const count of [1, 65, 1000]) {
        for (const op of OPS) {
          for (let round = 0; round < 12; round++) {
            const a = randomValues(r, lane, count, round % 2 === 0 ? 0 : 0.1);
            const value = round % 3 === 0 ? a[0] : randomValues(r, lane, 1, 0.3)[0];
            const [x, c] = [vector(kernel, r, lane, a), constant(kernel, lane, value)];
            const out = makeBits(kernel, r, count);
            kernel.compare(op, lane, x, c, count, out);
            expect(takeBits(kernel, out, count)).toEqual(padded(a.map((v) => holds(op, order(v, value)))));
            kernel.compare(op, lane, c, x, count, out);
            expect(takeBits(kernel, out, count)).toEqual(padded(a.map((v) => holds(op, order(value, v)))));
            kernel.compare(op, lane, c, c, count, out);
            expect(takeBits(kernel, out, count)).toEqual(padded(a.map(() => op === "eq")));
            for (const region of [x.region, c.region, out]) kernel.free(region);
          }
        }
      }
    });
  });

  it("compares a chunk of the most rows", () => {
    for (const lane of ["u8", "f32", "i64"] as const) {
      const [a, b] = [randomValues(r, lane, 16_384), randomValues(r, lane, 16_384)];
      const out = makeBits(kernel, r, 16_384);
      kernel.compare("lt", lane, vector(kernel, r, lane, a), vector(kernel, r, lane, b), 16_384, out);
      expect(takeBits(kernel, out, 16_384)).toEqual(a.map((value, i) => order(value, b[i]) < 0));
    }
  });

  it("holds NaNs of every pattern to be equal and above infinity", () => {
    const values: Value[] = [0, 0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0, 1, ...new Array(200).fill(2)];
    const a = vector(kernel, r, "f64", values);
    scatterNans(kernel, a.region, [0, 1, 2, 3]);
    const nan = constant(kernel, "f64", 0);
    scatterNans(kernel, nan.region, [0, 1, 2, 3, 4, 5, 6, 7]);
    const out = makeBits(kernel, r, values.length);
    kernel.compare("eq", "f64", a, nan, values.length, out);
    expect(takeBits(kernel, out, values.length)).toEqual(padded(values.map((_, i) => i < 4)));
    kernel.compare("lt", "f64", a, nan, values.length, out);
    expect(takeBits(kernel, out, values.length)).toEqual(padded(values.map((_, i) => i >= 4)));
    kernel.compare("lt", "f64", nan, a, values.length, out);
    expect(takeBits(kernel, out, values.length)).toEqual(padded(values.map(() => false)));
  });

  it("is not misled by infinities of both signs, or sums beyond the largest float", () => {
    const a = [Number.POSITIVE_INFINITY, 1.7e308, 1.7e308, 1, 2, 3, 4, 5];
    const b = [Number.NEGATIVE_INFINITY, 1.7e308, -1.7e308, 2, 2, 2, 5, 5];
    const out = makeBits(kernel, r, 8);
    for (const op of OPS) {
      kernel.compare(op, "f64", vector(kernel, r, "f64", a), vector(kernel, r, "f64", b), 8, out);
      expect(takeBits(kernel, out, 8)).toEqual(padded(a.map((value, i) => holds(op, order(value, b[i])))));
    }
  });

  describe("of texts", () => {
    const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);
    const TESTS = {
      eq: (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) === 0,
      lt: (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) < 0,
      startsWith: (a: Uint8Array, b: Uint8Array) => b.length <= a.length && compareBytes(a.subarray(0, b.length), b) === 0,
      endsWith: (a: Uint8Array, b: Uint8Array) => b.length <= a.length && compareBytes(a.subarray(a.length - b.length), b) === 0,
      contains: (a: Uint8Array, b: Uint8Array) => Buffer.from(a).includes(Buffer.from(b)),
    };
    const ops = Object.keys(TESTS) as (keyof typeof TESTS)[];

    it.each(ops)("tests %s of vectors and constants, of any length", (op) => {
      for (const count of COUNTS) {
        const a = strings(r, count, 60, 40);
        // Many are equal, a prefix, an end or a part of their partner, or differ from it in one byte.
        const b = a.map((text) => {
          if (r.chance(0.2)) return text;
          const from = r.below(text.length + 1);
          const part = text.slice(from, from + r.below(text.length - from + 1));
          if (r.chance(0.3) && part.length > 0) part[r.below(part.length)] ^= 1 << r.below(8);
          return r.chance(0.5) ? part : text.slice(0, part.length);
        });
        const [x, y] = [textVector(kernel, r, a), textVector(kernel, r, b)];
        const out = makeBits(kernel, r, count);
        kernel.compareText(op, x, y, count, out);
        expect(takeBits(kernel, out, count)).toEqual(padded(a.map((text, i) => TESTS[op](text, b[i]))));
        kernel.compareText(op, y, x, count, out);
        expect(takeBits(kernel, out, count)).toEqual(padded(a.map((text, i) => TESTS[op](b[i], text))));
        for (const one of [new Uint8Array(0), a[0] ?? new Uint8Array(3), Uint8Array.of(1), (a[0] ?? new Uint8Array(8)).slice(0, 9)]) {
          const c = textConstant(kernel, one);
          kernel.compareText(op, x, c, count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(a.map((text) => TESTS[op](text, one))));
          kernel.compareText(op, c, x, count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(a.map((text) => TESTS[op](one, text))));
        }
      }
    });

    it("orders bytes as unsigned, and a prefix first, at every length and every place of the difference", () => {
      const texts: Uint8Array[] = [];
      for (let length = 0; length <= 20; length++) {
        const text = Uint8Array.from({ length }, (_, i) => (i * 37) & 255);
        texts.push(text);
        for (let at = 0; at < length; at++) texts.push(Uint8Array.from(text, (byte, i) => (i === at ? byte ^ 0x80 : byte)));
      }
      const out = makeBits(kernel, r, texts.length);
      const x = textVector(kernel, r, texts);
      for (const one of texts) {
        const c = textConstant(kernel, one);
        kernel.compareText("lt", x, c, texts.length, out);
        expect(takeBits(kernel, out, texts.length)).toEqual(padded(texts.map((text) => Buffer.compare(text, one) < 0)));
        kernel.free(c.region);
        kernel.free(c.data);
      }
    });

    it("finds a part that its own beginning precedes", () => {
      const bytes = (text: string) => new TextEncoder().encode(text);
      const texts = ["aaaaab", "aab", "ab", "aaaa", "", "xaab", "aabaab"].map(bytes);
      const out = makeBits(kernel, r, texts.length);
      kernel.compareText("contains", textVector(kernel, r, texts), textConstant(kernel, bytes("aab")), texts.length, out);
      expect(takeBits(kernel, out, texts.length)).toEqual(padded([true, true, false, false, false, true, true]));
    });
  });

  it("compares 256-bit integers, vectors and constants", () => {
    for (const count of COUNTS) {
      for (const op of OPS) {
        const a = Array.from({ length: count }, () => randomWide(r));
        const b = a.map((value) =>
          r.chance(0.4) ? value : r.chance(0.4) ? BigInt.asIntN(256, value ^ (1n << BigInt(r.below(256)))) : randomWide(r),
        );
        const sign = (x: bigint, y: bigint) => holds(op, order(x, y));
        const [x, y] = [wideVector(kernel, r, a), wideVector(kernel, r, b)];
        const out = makeBits(kernel, r, count);
        kernel.compareWide(op, x, y, count, out);
        expect(takeBits(kernel, out, count)).toEqual(padded(a.map((value, i) => sign(value, b[i]))));
        const one = a[0] ?? 5n;
        const c = wideConstant(kernel, one);
        kernel.compareWide(op, x, c, count, out);
        expect(takeBits(kernel, out, count)).toEqual(padded(a.map((value) => sign(value, one))));
        kernel.compareWide(op, c, x, count, out);
        expect(takeBits(kernel, out, count)).toEqual(padded(a.map((value) => sign(one, value))));
      }
    }
  });

  describe("of floats with decimals", () => {
    /** Exactly: both sides times 10^scale and a power of two. */
    function orderScaled(x: number, wide: bigint, scale: number): number {
      if (Number.isNaN(x) || x === Number.POSITIVE_INFINITY) return 1;
      if (x === Number.NEGATIVE_INFINITY) return -1;
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, x);
      const bits = view.getBigUint64(0);
      const exponent = (bits >> 52n) & 0x7ffn;
      const mantissa = (bits & (2n ** 52n - 1n)) | (exponent === 0n ? 0n : 2n ** 52n);
      const value = (bits >> 63n === 1n ? -mantissa : mantissa) << (exponent === 0n ? 1n : exponent);
      return order(value * 10n ** BigInt(scale), wide << 1075n);
    }

    it.each([0, 1, 2, 9, 22, 23, 38, 76])("decides at scale %i also what differs in the last place only", (scale) => {
      const count = 300;
      const wides = Array.from({ length: count }, () => (r.chance(0.5) ? BigInt(r.below(1000) - 500) * 25n : randomWide(r)));
      const floats = wides.map((wide) => {
        const near = Number(`${wide}e-${scale}`);
        const kind = r.below(8);
        if (kind === 0) return randomValues(r, "f64", 1, 0.5)[0] as number;
        if (kind > 3) return near;
        const view = new Float64Array([near]);
        new BigInt64Array(view.buffer)[0] += BigInt(r.below(9) - 4);
        return view[0];
      });
      const [x, y] = [vector(kernel, r, "f64", floats), wideVector(kernel, r, wides)];
      const [fc, wc] = [constant(kernel, "f64", floats[7]), wideConstant(kernel, wides[7])];
      const out = makeBits(kernel, r, count);
      for (const op of OPS) {
        for (const floatFirst of [true, false]) {
          const model = (f: number, w: bigint) => holds(op, floatFirst ? orderScaled(f, w, scale) : -orderScaled(f, w, scale));
          kernel.compareScaled(op, x, y, scale, floatFirst, count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(floats.map((f, i) => model(f, wides[i]))));
          kernel.compareScaled(op, fc, y, scale, floatFirst, count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(wides.map((w) => model(floats[7], w))));
          kernel.compareScaled(op, x, wc, scale, floatFirst, count, out);
          expect(takeBits(kernel, out, count)).toEqual(padded(floats.map((f) => model(f, wides[7]))));
        }
      }
    });
  });
});
