/** Times of every lane against BigInts, and the check of their order against a loop over plain numbers. */

import { describe, expect, it } from "vitest";
import type { TimeForm, TimePoint } from "../../src/kernel/asof-contract.ts";
import type { Kernel } from "../../src/kernel/contract.ts";
import type { NumberLane } from "../../src/kernel/expression-contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { packed, putBytes, unpacked } from "./regions.ts";
import { bytesOf, INTEGERS, LANES, randomValues, range, type Value } from "./vectors.ts";

type Time = readonly [major: number, minor: number];

/** What no time is: shows which places were written. */
const UNTOUCHED: Time = [-12345.5, -6789.5];

function loadTimes(kernel: Kernel, form: TimeForm, values: readonly Value[], at = 0): { times: Time[]; sorted: boolean } {
  const rows = at + values.length + 3;
  const times = kernel.alloc(16 * rows, "times");
  kernel.f64(times).set(Array.from({ length: rows }, () => UNTOUCHED).flat());
  const sorted = kernel.loadTimes(form, putBytes(kernel, bytesOf(form.from, values)), values.length, times, at);
  const found = kernel.f64(times);
  return { times: Array.from({ length: rows }, (_, i) => [found[2 * i], found[2 * i + 1]]), sorted };
}

const floorDiv = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** Edges of the lane, of its halves, of every power of 2 and of multiples of 4096, and some at random. */
function integersOf(lane: NumberLane): bigint[] {
  const [low, high] = range(lane);
  const edges = Array.from({ length: 64 }, (_, k) => 2n ** BigInt(k)).flatMap((power) => [power, -power, 3n * power, 4096n * power]);
  const around = [low, high, 0n, ...edges].flatMap((edge) => [edge - 1n, edge, edge + 1n]);
  return [...around, ...(randomValues(random(3), lane, 500) as bigint[])].filter((value) => value >= low && value <= high);
}

describe.each(implementations)("times in the $name kernel", ({ make }) => {
  it.each(LANES.filter((lane) => !/[iu]64/.test(lane)))("are the values themselves as number, of %s", (lane) => {
    const values = randomValues(random(7), lane, 200, 0.3);
    const { times, sorted } = loadTimes(make(), { from: lane, op: "number", factor: 1, base: 1 }, values, 5);
    expect(times.slice(5, -3)).toEqual(values.map((value) => [Number(value), 0]));
    expect([...times.slice(0, 5), ...times.slice(-3)]).toEqual(new Array(8).fill(UNTOUCHED));
    expect(sorted).toBe(false);
  });

  it.each(INTEGERS)("split %s exactly, the extremes and both signs too", (lane) => {
    const values = integersOf(lane);
    const { times } = loadTimes(make(), { from: lane, op: "split", factor: 1, base: 4096 }, values, 1);
    expect(times.slice(1, -3)).toEqual(values.map((value) => [Number(floorDiv(value, 4096n)), Number(((value % 4096n) + 4096n) % 4096n)]));
    expect([times[0], ...times.slice(-3)]).toEqual(new Array(4).fill(UNTOUCHED));
  });

  it.each([2, 3, 7, 1000, 1_000_000, 86_400_000, 1_000_000_000, 2 ** 30])("align units that differ by %d", (factor) => {
    const base = factor * 2 ** Math.floor(Math.log2(2 ** 53 / factor));
    for (const from of ["i32", "i64"] as const) {
      const borders = [0n, 2n ** 63n, -(2n ** 63n), 2n ** 64n, BigInt(base), -BigInt(base), BigInt(factor) * 2n ** 31n].flatMap((edge) =>
        [-1n, 0n, 1n].flatMap((step) => [edge + step, floorDiv(edge, BigInt(factor)) + step]),
      );
      const [low, high] = range(from);
      const values = [...integersOf(from), ...borders].filter((value) => value >= low && value <= high);
      for (const op of ["coarse", "fine"] as const) {
        const { times } = loadTimes(make(), { from, op, factor, base }, values);
        const fine = values.map((value) => (op === "coarse" ? value * BigInt(factor) : value));
        expect(times.slice(0, -3), `${op} ${from}`).toEqual(
          fine.map((value) => {
            const major = floorDiv(value, BigInt(base));
            return [Number(major), Number(value - major * BigInt(base))];
          }),
        );
      }
    }
  });

  it.each(["i64", "u64"] as const)("tell that %s never decrease only where they do not", (lane) => {
    const kernel = make();
    const form = { from: lane, op: "split", factor: 1, base: 4096 } as const;
    const [low, high] = range(lane);
    let known = 0;
    for (const start of [low, high - 8n, lane === "i64" ? -3n : 2n ** 63n - 3n]) {
      for (let count = 1; count <= 7; count++) {
        const rising = Array.from({ length: count }, (_, i) => start + BigInt(i - (i & 1)));
        known += Number(loadTimes(kernel, form, rising).sorted);
        for (let at = 1; at < count; at++) {
          const falls = rising.map((value, i) => (i < at ? value + 1n : i === at ? start : value));
          expect(loadTimes(kernel, form, falls).sorted, `${falls}`).toBe(false);
        }
      }
    }
    // The twin leaves it to `orderTimes`.
    expect([0, 21]).toContain(known);
    expect(known).toBe(kernel.name === "wasm" ? 21 : 0);
  });
});

interface Ordered {
  readonly bad: number;
  readonly times: Time[];
  readonly valid: boolean[] | null;
}

/** What the contract says of `orderTimes`, on the rows before a bad one. */
function order(times: readonly Time[], from: number, to: number, valid: readonly boolean[] | null, last: TimePoint): Ordered {
  const out = [...times];
  const bits = valid && [...valid];
  let before: Time = [last.major, last.minor];
  for (let row = from; row < to; row++) {
    if (bits && Number.isNaN(out[row][0])) bits[row - from] = false;
    if (bits && !bits[row - from]) out[row] = before;
    if (out[row][0] < before[0] || (out[row][0] === before[0] && out[row][1] < before[1])) return { bad: row, times: out, valid: bits };
    before = out[row];
  }
  return { bad: -1, times: out, valid: bits };
}

function orderTimes(
  kernel: Kernel,
  times: readonly Time[],
  from: number,
  to: number,
  bits: readonly boolean[] | null,
  last: TimePoint,
): Ordered {
  const region = kernel.alloc(16 * times.length, "times");
  kernel.f64(region).set(times.flat());
  const valid = bits && putBytes(kernel, packed(bits));
  const bad = kernel.orderTimes(region, from, to, valid, last);
  const found = kernel.f64(region);
  return {
    bad,
    times: times.map((_, i) => [found[2 * i], found[2 * i + 1]]),
    valid: bits && valid && unpacked(kernel.u8(valid), 0, bits.length),
  };
}

describe.each(implementations)("the order of times in the $name kernel", ({ make }) => {
  it("is checked from a first row to a last, after the time before them", () => {
    const kernel = make();
    const r = random(11);
    const bad = new Set<number>();
    for (let round = 0; round < 600; round++) {
      const count = r.below(40);
      // Long rises, with few falls of the major or the minor part; the least and the greatest time too.
      let t = r.below(4) === 0 ? Number.NEGATIVE_INFINITY : r.below(20);
      const times = Array.from({ length: count }, (): Time => {
        if (r.chance(0.5)) t = t === Number.NEGATIVE_INFINITY ? 8 : r.chance(0.03) ? Number.POSITIVE_INFINITY : t + r.below(3);
        if (r.chance(0.02)) t -= 1;
        return Number.isFinite(t) ? [Math.floor(t / 4), t - 4 * Math.floor(t / 4)] : [t, 0];
      });
      const from = r.below(count + 1);
      const to = from + r.below(count - from + 1);
      const valid = round % 2 === 0 ? null : flags(r, to - from, 0.7);
      if (valid) for (let row = from; row < to; row++) if (r.chance(0.15)) times[row] = [Number.NaN, r.below(3)];
      if (!valid) for (let row = 0; row < from; row++) if (r.chance(0.5)) times[row] = [Number.NaN, 0];
      const last = r.chance(0.3) ? { major: r.below(5), minor: r.below(4) } : { major: Number.NEGATIVE_INFINITY, minor: 0 };
      const want = order(times, from, to, valid, last);
      expect(orderTimes(kernel, times, from, to, valid, last)).toEqual(want);
      bad.add(want.bad);
    }
    expect(bad.size).toBeGreaterThan(20);
  });

  it("has rows without a time at that of the row before, the first ones at the time before all", () => {
    const last = { major: 3, minor: 9 };
    const times: Time[] = [
      [1, 1],
      [Number.NaN, 0],
      [4, 0],
      [Number.NaN, 0],
      [0, 0],
      [4, 0],
    ];
    const found = orderTimes(make(), times, 0, 6, [false, true, true, true, false, true], last);
    expect(found.bad).toBe(-1);
    expect(found.times).toEqual([
      [3, 9],
      [3, 9],
      [4, 0],
      [4, 0],
      [4, 0],
      [4, 0],
    ]);
    expect(found.valid).toEqual([false, false, true, false, false, true]);
  });

  it("has -0 beside 0, in either order", () => {
    for (const pair of [
      [0, -0],
      [-0, 0],
    ])
      expect(
        orderTimes(
          make(),
          pair.map((t): Time => [t, 0]),
          0,
          2,
          null,
          { major: -1, minor: 0 },
        ).bad,
      ).toBe(-1);
  });

  it("finds the first of several falls, also below the time before the first row", () => {
    const times: Time[] = [
      [5, 2],
      [5, 1],
      [4, 0],
    ];
    expect(orderTimes(make(), times, 0, 3, null, { major: 5, minor: 2 }).bad).toBe(1);
    expect(orderTimes(make(), times, 0, 3, null, { major: 5, minor: 3 }).bad).toBe(0);
    expect(orderTimes(make(), times, 1, 3, null, { major: 5, minor: 0 }).bad).toBe(2);
    expect(orderTimes(make(), times, 3, 3, null, { major: 9, minor: 0 }).bad).toBe(-1);
  });
});
