/** Times in the forms that planning gives: exact, in the finer unit of both columns, with the minor part below the base. */

import { describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { planTimes } from "../../src/spec/time-form.ts";
import { typeOf } from "../spec/fields.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { putBytes } from "./regions.ts";

const PAIRS: readonly (readonly [string, string, ratio: bigint])[] = [
  ["int8", "int64", 1n],
  ["int64", "uint64", 1n],
  ["uint32", "int64", 1n],
  ["int32", "uint16", 1n],
  ["timestamp(s)", "timestamp(ms)", 1000n],
  ["timestamp(s)", "timestamp(us)", 1_000_000n],
  ["timestamp(s)", "timestamp(ns)", 1_000_000_000n],
  ["time32(s)", "time32(ms)", 1000n],
  ["time32(ms)", "time64(ns)", 1_000_000n],
  ["time32(s)", "time64(ns)", 1_000_000_000n],
  ["date32", "date64", 86_400_000n],
];

const ARRAYS = {
  i8: Int8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
};

/** The extremes of a lane, values around powers of 2 and around zero, and some at random. */
function valuesOf(lane: keyof typeof ARRAYS): bigint[] {
  const bits = BigInt(lane.slice(1));
  const [min, max] = lane[0] === "i" ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  const next = random(5).below;
  const some = Array.from({ length: 400 }, () => (BigInt(next(2 ** 31)) << 33n) ^ (BigInt(next(2 ** 31)) << 12n) ^ BigInt(next(2 ** 31)));
  const powers = Array.from({ length: 64 }, (_, k) =>
    [-1n, 0n, 1n].flatMap((step) => [2n ** BigInt(k) + step, -(2n ** BigInt(k)) + step]),
  ).flat();
  return [min, max, ...powers, ...some, ...some.map((value) => -value)].filter((value) => value >= min && value <= max);
}

function load(kernel: Kernel, form: ReturnType<typeof planTimes>["left"], values: readonly bigint[]): [number, number][] {
  const lane = form.from as keyof typeof ARRAYS;
  const array = lane.endsWith("64") ? ARRAYS[lane as "i64"].from(values) : ARRAYS[lane as "i32"].from(values.map(Number));
  const times = kernel.alloc(16 * values.length, "times");
  kernel.loadTimes(form, putBytes(kernel, new Uint8Array(array.buffer)), values.length, times, 0);
  const found = kernel.f64(times);
  return values.map((_, i) => [found[2 * i], found[2 * i + 1]]);
}

describe.each(implementations)("planned times in the $name kernel", ({ make }) => {
  it.each(PAIRS)("%s with %s", (left, right, ratio) => {
    const pair = planTimes({ column: 0, name: "t", type: typeOf(left) }, { column: 0, name: "t", type: typeOf(right) }, "right");
    for (const [form, unit] of [
      [pair.left, ratio],
      [pair.right, 1n],
    ] as const) {
      const values = valuesOf(form.from as keyof typeof ARRAYS);
      load(make(), form, values).forEach(([major, minor], i) => {
        expect(Number.isInteger(major)).toBe(true);
        expect(minor >= 0 && minor < form.base, `${minor} of ${values[i]}`).toBe(true);
        expect(BigInt(major) * BigInt(form.base) + BigInt(minor)).toBe(values[i] * unit);
      });
    }
  });
});
