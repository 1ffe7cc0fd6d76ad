import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel, Region } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { type Random, random } from "./random.ts";
import {
  bitsOf,
  bytesOf,
  COUNTS,
  constant,
  INTEGERS,
  isFloat,
  LANES,
  makeBits,
  makeVector,
  padded,
  randomValues,
  randomWide,
  range,
  takeBits,
  takeVector,
  takeWide,
  type Value,
  vector,
  WIDE_BYTES,
  wideVector,
} from "./vectors.ts";

const OPS = ["add", "sub", "mul", "div", "mod", "neg", "abs"] as const;
type Op = (typeof OPS)[number];

/** null: cannot be computed. */
function integerModel(op: Op, lane: "i64" | "u64", a: bigint, b: bigint): bigint | null {
  if ((op === "div" || op === "mod") && b === 0n) return null;
  const result = {
    add: () => a + b,
    sub: () => a - b,
    mul: () => a * b,
    div: () => a / b,
    mod: () => a % b,
    neg: () => -a,
    abs: () => (a < 0n ? -a : a),
  }[op]();
  const [low, high] = range(lane);
  return result < low || result > high ? null : result;
}

function floatModel(op: Op, a: number, b: number): number | null {
  if ((op === "div" || op === "mod") && b === 0) return null;
  return { add: a + b, sub: a - b, mul: a * b, div: a / b, mod: a % b, neg: -a, abs: Math.abs(a) }[op];
}

const model = (op: Op, lane: "i64" | "u64" | "f64", a: Value, b: Value): Value | null =>
  lane === "f64" ? floatModel(op, a as number, b as number) : integerModel(op, lane, a as bigint, b as bigint);

const isNull = (value: unknown): boolean => value === null;

describe.each(implementations)("arithmetic of $name", ({ make }) => {
  let kernel: Kernel;
  let r: Random;
  beforeEach(() => {
    kernel = make();
    r = random(13);
  });
  afterEach(() => kernel.close());

  function expectFailures(failures: number, failed: Region, expected: readonly unknown[]): void {
    expect(failures).toBe(expected.filter(isNull).length);
    expect(takeBits(kernel, failed, expected.length)).toEqual(padded(expected.map(isNull)));
  }

  /** Values where they do not fail; what lies after them is as it was. */
  function expectValues(lane: "i64" | "u64" | "f64", out: Region, before: Uint8Array, expected: readonly (Value | null)[]): void {
    const taken = takeVector(kernel, lane, out, expected.length);
    expect(taken.map((value, i) => (expected[i] === null ? null : value))).toEqual(expected);
    const end = expected.length * 8;
    expect(kernel.u8(out).slice(end, end + 64)).toEqual(before.slice(end, end + 64));
  }

  describe.each(["i64", "u64", "f64"] as const)("of %s", (lane) => {
    it.each(OPS)("computes %s of vectors and constants, and marks what fails", (op) => {
      for (const count of COUNTS) {
        const [a, b] = [randomValues(r, lane, count), randomValues(r, lane, count)];
        const [x, y] = [vector(kernel, r, lane, a), vector(kernel, r, lane, b)];
        const out = makeVector(kernel, r, 8, count);
        const failed = makeBits(kernel, r, count);
        const before = kernel.u8(out).slice();
        const check = (failures: number, expected: (Value | null)[]) => {
          expectFailures(failures, failed, expected);
          expectValues(lane, out, before, expected);
        };
        check(
          kernel.arithmetic(op, lane, x, y, count, out, failed),
          a.map((value, i) => model(op, lane, value, b[i])),
        );
        for (let round = 0; round < 4; round++) {
          const one = randomValues(r, lane, 1)[0];
          const c = constant(kernel, lane, one);
          check(
            kernel.arithmetic(op, lane, x, c, count, out, failed),
            a.map((value) => model(op, lane, value, one)),
          );
          check(
            kernel.arithmetic(op, lane, c, x, count, out, failed),
            a.map((value) => model(op, lane, one, value)),
          );
        }
      }
    });
  });

  it("finds remainders where quotients are just below an integer, and at the bounds of what floats hold", () => {
    const marks = [2n ** 50n, 2n ** 51n, 2n ** 52n, 2n ** 53n].flatMap((mark) => [mark - 1n, mark, mark + 1n]);
    const divisors = [1n, 2n, 3n, 7n, 1000n, 94906266n, 2n ** 31n, 2n ** 50n - 1n, 2n ** 51n - 1n, 2n ** 51n];
    for (const lane of ["i64", "u64"] as const) {
      const signs = lane === "i64" ? [1n, -1n] : [1n];
      const a: bigint[] = [];
      const b: bigint[] = [];
      for (const mark of marks) {
        for (const by of divisors) {
          for (const near of [mark, (mark / by) * by, (mark / by) * by - 1n].filter((value) => value >= 0n)) {
            for (const sign of signs) {
              a.push(sign * near, sign * near);
              b.push(by, lane === "i64" ? -by : by);
            }
          }
        }
      }
      const expected = a.map((value, i) => integerModel("mod", lane, value, b[i]));
      const [x, y] = [vector(kernel, r, lane, a), vector(kernel, r, lane, b)];
      const out = makeVector(kernel, r, 8, a.length);
      const failed = makeBits(kernel, r, a.length);
      expectFailures(kernel.arithmetic("mod", lane, x, y, a.length, out, failed), failed, expected);
      expect(expected).not.toContain(null);
      expect(takeVector(kernel, lane, out, a.length)).toEqual(expected);
    }
  });

  it("finds products at the very bounds of 64 bits", () => {
    const near = (product: bigint): bigint[] =>
      [3n, 7n, 2n ** 31n, 2n ** 32n - 1n, 3037000499n, 4294967297n].flatMap((a) => [a, -a]).map((a) => product / a);
    for (const lane of ["i64", "u64"] as const) {
      const [low, high] = range(lane);
      const a: bigint[] = [];
      const b: bigint[] = [];
      for (const bound of [low, high]) {
        for (const x of near(bound)) {
          for (const d of [-1n, 0n, 1n]) {
            const partner = x === 0n ? 1n : bound / x + d;
            if (x < low || x > high || partner < low || partner > high) continue;
            a.push(x);
            b.push(partner);
          }
        }
      }
      const expected = a.map((value, i) => integerModel("mul", lane, value, b[i]));
      expect(expected.filter(isNull).length).toBeGreaterThan(5);
      expect(expected.filter(isNull).length).toBeLessThan(expected.length - 5);
      const out = makeVector(kernel, r, 8, a.length);
      const before = kernel.u8(out).slice();
      const failed = makeBits(kernel, r, a.length);
      expectFailures(
        kernel.arithmetic("mul", lane, vector(kernel, r, lane, a), vector(kernel, r, lane, b), a.length, out, failed),
        failed,
        expected,
      );
      expectValues(lane, out, before, expected);
    }
  });

  it("divides rounded down by units of time and by any other divisor", () => {
    const divisors = [
      1n,
      2n,
      3n,
      1000n,
      1_000_000n,
      1_000_000_000n,
      86_400_000n,
      86_400_000_000_000n,
      2n ** 31n,
      2n ** 40n,
      2n ** 61n + 1n,
      2n ** 63n - 1n,
      2n ** 37n - 1n,
      2n ** 37n + 1n,
    ];
    for (const divisor of divisors) {
      const values = randomValues(r, "i64", 500) as bigint[];
      for (let i = 0; i < 100; i++) values[i] = BigInt.asIntN(64, divisor * BigInt(r.i32() >> r.below(31)) + BigInt(r.below(3) - 1));
      const out = makeVector(kernel, r, 8, 500);
      kernel.floorDivide(vector(kernel, r, "i64", values).region, divisor, 500, out);
      const expected = values.map((value) => value / divisor - (value % divisor < 0n ? 1n : 0n));
      expect(takeVector(kernel, "i64", out, 500)).toEqual(expected);
    }
  });
});

describe.each(implementations)("conversions of $name", ({ make }) => {
  let kernel: Kernel;
  let r: Random;
  beforeEach(() => {
    kernel = make();
    r = random(14);
  });
  afterEach(() => kernel.close());

  function convertModel(from: string, to: (typeof LANES)[number], value: Value): Value | null {
    if (to === "f64") return Number(value);
    if (to === "f32") return typeof value === "number" ? Math.fround(value) : nearestF32(value);
    if (typeof value === "number" && !Number.isFinite(value)) return null;
    const whole = typeof value === "number" ? BigInt(Math.trunc(value)) : value;
    const [low, high] = range(to);
    return from !== "" && (whole < low || whole > high) ? null : whole;
  }

  /** By the neighbours of what rounding twice gives. */
  function nearestF32(value: bigint): number {
    const near = Math.fround(Number(value));
    const around = [near];
    const word = new Float32Array(1);
    for (const step of [-1, 1]) {
      word[0] = near;
      new Int32Array(word.buffer)[0] += step;
      if (Number.isInteger(word[0])) around.push(word[0]);
    }
    const distance = (f: number) => (BigInt(f) > value ? BigInt(f) - value : value - BigInt(f));
    const isEven = (f: number) => {
      word[0] = f;
      return (new Int32Array(word.buffer)[0] & 1) === 0;
    };
    return around.reduce((best, f) => (distance(f) < distance(best) || (distance(f) === distance(best) && isEven(f)) ? f : best));
  }

  it.each(LANES)("converts %s to every lane, and marks what does not fit", (from) => {
    for (const to of LANES) {
      for (const count of [0, 1, 64, 65, 1000]) {
        const values = randomValues(r, from, count);
        const [, high] = isFloat(to) ? [0n, 0n] : range(to);
        if (from === "f64")
          for (let i = 0; i < count; i += 3)
            values[i] = [Number(high) + r.below(5) - 2, -r.below(4) / 4, -Number(high) - r.below(3)][r.below(3)];
        const expected = values.map((value) => convertModel(from, to, value));
        const out = makeVector(kernel, r, bitsOf(to) / 8, count);
        const end = (count * bitsOf(to)) / 8;
        const after = kernel.u8(out).slice(end, end + 64);
        const failed = makeBits(kernel, r, count);
        expect(kernel.convert(from, to, vector(kernel, r, from, values).region, count, out, failed)).toBe(expected.filter(isNull).length);
        expect(takeBits(kernel, failed, count)).toEqual(padded(expected.map(isNull)));
        const taken = takeVector(kernel, to, out, count).map((value, i) => (expected[i] === null ? null : value));
        expect(taken, `${from} to ${to}`).toEqual(expected.map((value) => (isFloat(to) || value === null ? value : BigInt(value))));
        expect(kernel.u8(out).slice(end, end + 64)).toEqual(after);
      }
    }
  });

  it("rounds 64-bit integers to f32 once: what is just off a tie does not fall on it", () => {
    const ties = [2n ** 60n + 2n ** 36n, 2n ** 62n + 2n ** 38n, 2n ** 54n + 2n ** 30n];
    const values = ties.flatMap((tie) => [-1n, 0n, 1n, 4096n, -4096n].flatMap((d) => [tie + d, -tie - d]));
    const out = makeVector(kernel, r, 4, values.length);
    kernel.convert("i64", "f32", vector(kernel, r, "i64", values).region, values.length, out, makeBits(kernel, r, values.length));
    expect(takeVector(kernel, "f32", out, values.length)).toEqual(values.map(nearestF32));
  });

  it("converts a chunk of the most rows", () => {
    const values = randomValues(r, "f64", 16_384);
    const expected = values.map((value) => convertModel("f64", "u16", value));
    const out = makeVector(kernel, r, 2, 16_384);
    const failed = makeBits(kernel, r, 16_384);
    expect(kernel.convert("f64", "u16", vector(kernel, r, "f64", values).region, 16_384, out, failed)).toBe(expected.filter(isNull).length);
    expect(takeBits(kernel, failed, 16_384)).toEqual(expected.map(isNull));
  });

  describe("of 256-bit integers", () => {
    const MAX = 2n ** 255n - 1n;
    const saturate = (value: bigint): bigint => (value > MAX ? MAX : value < -MAX - 1n ? -MAX - 1n : value);
    const FACTORS = [1n, 10n, 1000n, 10n ** 9n, 10n ** 20n, 10n ** 38n, 10n ** 76n, MAX];

    it.each(INTEGERS)("widens %s times a factor, and saturates", (lane) => {
      for (const factor of FACTORS) {
        for (const count of [0, 1, 65, 1000]) {
          const values = randomValues(r, lane, count) as bigint[];
          const out = makeVector(kernel, r, WIDE_BYTES, count);
          kernel.widen(lane, 32, vector(kernel, r, lane, values).region, factor, count, out);
          expect(takeWide(kernel, out, count)).toEqual(values.map((value) => saturate(value * factor)));
        }
      }
    });

    it.each([16, 32])("widens integers of %i bytes times a factor, and saturates", (bytes) => {
      for (const factor of FACTORS) {
        const edges = [
          -(2n ** BigInt(bytes * 8 - 1)),
          2n ** BigInt(bytes * 8 - 1) - 1n,
          MAX / factor,
          MAX / factor + 1n,
          -(MAX / factor) - 1n,
        ];
        const values = [...edges, ...Array.from({ length: 200 }, () => randomWide(r))].map((value) => BigInt.asIntN(bytes * 8, value));
        const out = makeVector(kernel, r, WIDE_BYTES, values.length);
        kernel.widen("wide", bytes, wideVector(kernel, r, values, bytes).region, factor, values.length, out);
        expect(takeWide(kernel, out, values.length)).toEqual(values.map((value) => saturate(value * factor)));
      }
    });

    it("gives the nearest float of a decimal", () => {
      for (const scale of [0, 1, 2, 18, 22, 23, 38, 76]) {
        const values = Array.from({ length: 300 }, () => (r.chance(0.5) ? BigInt(r.i32()) : randomWide(r)));
        const out = makeVector(kernel, r, 8, values.length);
        kernel.unscale(wideVector(kernel, r, values).region, scale, values.length, out);
        expect(takeVector(kernel, "f64", out, values.length)).toEqual(values.map((value) => Number(`${value}e-${scale}`)));
      }
    });
  });

  it("keeps the bytes of floats that stay floats", () => {
    const values = randomValues(r, "f64", 100);
    const src = vector(kernel, r, "f64", values);
    const out = makeVector(kernel, r, 8, 100);
    kernel.convert("f64", "f64", src.region, 100, out, makeBits(kernel, r, 100));
    expect(kernel.u8(out).slice(0, 800)).toEqual(bytesOf("f64", values));
  });
});
