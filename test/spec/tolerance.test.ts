/** Time columns of two types as one scale, and tolerances on it. */

import { describe, expect, it } from "vitest";
import type { Direction, TimeBound } from "../../src/spec/asof-spec.ts";
import { planTimes, type TimePair } from "../../src/spec/time-form.ts";
import { planTolerance } from "../../src/spec/tolerance.ts";
import { expectError } from "../support/errors.ts";
import { typeOf } from "./fields.ts";

const times = (left: string, right = left, side = "right"): TimePair =>
  planTimes({ column: 0, name: "t", type: typeOf(left) }, { column: 1, name: "u", type: typeOf(right) }, side);

const form = ({ from, op, factor, base }: TimePair["left"]) => `${from} ${op} ${factor} ${base}`;
const forms = (left: string, right = left) => {
  const pair = times(left, right);
  return [form(pair.left), form(pair.right)];
};

describe("two time columns", () => {
  it("of floats, or of one unit in at most 32 bits, are numbers", () => {
    expect(forms("int8", "uint32")).toEqual(["i8 number 1 1", "u32 number 1 1"]);
    expect(forms("int32")).toEqual(["i32 number 1 1", "i32 number 1 1"]);
    expect(forms("float64", "float32")).toEqual(["f64 number 1 1", "f32 number 1 1"]);
    expect(forms("date32")).toEqual(["i32 number 1 1", "i32 number 1 1"]);
    expect(forms("time32(ms)")).toEqual(["i32 number 1 1", "i32 number 1 1"]);
  });

  it("of one unit, one of 64 bits, are split both", () => {
    expect(forms("int64", "uint64")).toEqual(["i64 split 1 4096", "u64 split 1 4096"]);
    expect(forms("int16", "int64")).toEqual(["i16 split 1 4096", "i64 split 1 4096"]);
    for (const type of ["date64", "timestamp(ns)", "timestamp(s, UTC)", "time64(us)", "duration(ms)"])
      expect(forms(type)).toEqual(["i64 split 1 4096", "i64 split 1 4096"]);
    expect(forms("timestamp(us, UTC)", "timestamp(us, Asia/Tokyo)")).toEqual(["i64 split 1 4096", "i64 split 1 4096"]);
  });

  it("of two units are coarse and fine, on the largest base that float64 holds", () => {
    const thousand = `1000 ${1000 * 2 ** 43}`;
    expect(forms("timestamp(s)", "timestamp(ms)")).toEqual([`i64 coarse ${thousand}`, `i64 fine ${thousand}`]);
    expect(forms("timestamp(ms)", "timestamp(s)")).toEqual([`i64 fine ${thousand}`, `i64 coarse ${thousand}`]);
    expect(forms("time32(s)", "time32(ms)")).toEqual([`i32 coarse ${thousand}`, `i32 fine ${thousand}`]);
    expect(forms("time32(s)", "time64(ns)")).toEqual([`i32 coarse 1000000000 ${1e9 * 2 ** 23}`, `i64 fine 1000000000 ${1e9 * 2 ** 23}`]);
    expect(forms("date32", "date64")).toEqual([`i32 coarse 86400000 ${864e5 * 2 ** 26}`, `i64 fine 86400000 ${864e5 * 2 ** 26}`]);
    for (const [a, b] of [
      ["s", "ms"],
      ["s", "us"],
      ["s", "ns"],
      ["ms", "us"],
      ["us", "ns"],
    ]) {
      const { base, factor } = times(`duration(${a})`, `duration(${b})`).left;
      expect(base).toBeLessThanOrEqual(2 ** 53);
      expect(base * 2).toBeGreaterThan(2 ** 53);
      expect(Math.log2(base / factor) % 1).toBe(0);
    }
  });

  it("that cannot meet are refused, with both types and a cast", async () => {
    const cases = [
      ["int32", "float64"],
      ["int64", "timestamp(ms)"],
      ["timestamp(ms, UTC)", "timestamp(ms)"],
      ["date32", "timestamp(ms)"],
      ["time32(ms)", "duration(ms)"],
      ["date64", "int64"],
    ] as const;
    for (const [left, right] of cases) {
      const words = [`left "t" is ${left}`, `right1 "u" is ${right}`, `Cast right1 "u" to ${left}`];
      await expectError(() => times(left, right, "right1"), "KEY_TYPE_MISMATCH", ...words);
    }
  });

  it("that are no times are refused by name, type and side", async () => {
    for (const type of [
      "utf8",
      "bool",
      "float16",
      "decimal(9, 2)",
      "dictionary(int32, timestamp(ms))",
      "dictionary(int8, int32)",
      "null",
      "binary",
    ]) {
      await expectError(() => times(type, "int32"), "UNSUPPORTED_TYPE", 'left column "t"', type.split("(")[0], "Cast it");
      await expectError(() => times("int32", type, "right2"), "UNSUPPORTED_TYPE", 'right2 column "u"', type.split("(")[0]);
    }
  });
});

const bounds = (given: unknown, left: string, right = left, direction: Direction = "nearest") =>
  planTolerance(given, times(left, right), direction);
/** The same value for both ends. */
const bound = (given: unknown, left: string, right = left): TimeBound | null => {
  const { before, after } = bounds(given, left, right);
  expect(after).toEqual(before);
  return before;
};
/** A bound as one number of the finer unit. */
const total = (given: unknown, left: string, right = left): bigint | null => {
  const found = bound(given, left, right);
  return found && BigInt(found.major) * BigInt(times(left, right).left.base) + BigInt(found.minor);
};

describe("a tolerance as a number", () => {
  it("is in the unit of the left time column", () => {
    expect(total(5, "int32")).toBe(5n);
    expect(total(5n, "uint8", "int64")).toBe(5n);
    expect(total(3, "timestamp(s)")).toBe(3n);
    expect(total(3, "timestamp(s)", "timestamp(us)")).toBe(3_000_000n);
    expect(total(3, "timestamp(us)", "timestamp(s)")).toBe(3n);
    expect(total(2, "date32")).toBe(2n);
    expect(total(2, "date32", "date64")).toBe(2n * 86_400_000n);
    expect(total(2, "date64", "date32")).toBe(2n);
    expect(total(0, "int64")).toBe(0n);
    expect(total(-0, "int64")).toBe(0n);
  });

  it("is exact beyond 2^53", () => {
    expect(total(2n ** 63n + 1n, "int64")).toBe(2n ** 63n + 1n);
    expect(bound(2n ** 60n + 4097n, "int64")).toEqual({ major: 2 ** 48 + 1, minor: 1 });
    expect(total(2n ** 62n + 1n, "timestamp(s)", "timestamp(ns)")).toBe((2n ** 62n + 1n) * 1_000_000_000n);
    expect(total(2 ** 60, "uint64")).toBe(2n ** 60n);
  });

  it("of float times is a float", () => {
    expect(bound(0.5, "float64")).toEqual({ major: 0.5, minor: 0 });
    expect(bound(3n, "float32", "float64")).toEqual({ major: 3, minor: 0 });
    // Every difference that is at most 2^53 + 1 is at most 2^53.
    expect(bound(2n ** 53n + 1n, "float64")).toEqual({ major: 2 ** 53, minor: 0 });
    expect(bound(10n ** 400n, "float64")).toEqual({ major: Number.MAX_VALUE, minor: 0 });
  });

  it("that is Infinity, or beyond every difference, is none", () => {
    expect(bound(Number.POSITIVE_INFINITY, "int64")).toBeNull();
    expect(bound(Number.POSITIVE_INFINITY, "float64")).toBeNull();
    expect(bound(2n ** 65n, "int64", "uint64")).toBeNull();
    expect(bound(1e300, "int32")).toBeNull();
    expect(bound(2n ** 70n, "timestamp(s)", "timestamp(ns)")).toBeNull();
    expect(bounds(undefined, "int32")).toEqual({ before: null, after: null, text: null });
  });

  it("that is negative, NaN or no number is refused, with what it takes", async () => {
    for (const given of [-1, -1n, -0.5, Number.NaN, Number.NEGATIVE_INFINITY, true, null, Symbol.iterator, () => 1])
      for (const type of ["int32", "float64", "timestamp(ms)"])
        await expectError(
          () => bounds({ before: given }, type),
          "INVALID_OPTION",
          "tolerance is",
          "at least 0",
          '"1m30s"',
          "{ before, after }",
        );
  });

  it("that is not whole is refused where differences are", async () => {
    await expectError(() => bounds(1.5, "int64"), "INVALID_OPTION", "tolerance is 1.5", 'left "t" is int64', "whole");
    await expectError(() => bounds(1.5, "timestamp(ms)", "timestamp(us)"), "INVALID_OPTION", "timestamp(ms)", "duration");
    await expectError(() => bounds(0.1, "date32"), "INVALID_OPTION", "date32");
  });
});

describe("a tolerance as a duration", () => {
  it("has the units from ns to w, alone and combined", () => {
    const ns: [string, bigint][] = [
      ["7ns", 7n],
      ["7us", 7000n],
      ["7ms", 7_000_000n],
      ["7s", 7_000_000_000n],
      ["7m", 420_000_000_000n],
      ["7h", 25_200_000_000_000n],
      ["7d", 604_800_000_000_000n],
      ["7w", 4_233_600_000_000_000n],
      ["1m30s", 90_000_000_000n],
      ["1w2d3h4m5s6ms7us8ns", 788_645_006_007_008n],
      ["0s", 0n],
      ["007s", 7_000_000_000n],
    ];
    for (const [text, expected] of ns) expect(total(text, "timestamp(ns)"), text).toBe(expected);
  });

  it("counts in the finer unit of both columns, rounded down", () => {
    expect(total("1500us", "timestamp(ms)")).toBe(1n);
    expect(total("1500us", "timestamp(ms)", "timestamp(us)")).toBe(1500n);
    expect(total("1500us", "timestamp(us)", "timestamp(ms)")).toBe(1500n);
    expect(total("999us", "timestamp(ms)")).toBe(0n);
    expect(total("36h", "date32")).toBe(1n);
    expect(total("36h", "date32", "date64")).toBe(129_600_000n);
    expect(total("1h", "time32(s)", "time64(us)")).toBe(3_600_000_000n);
    expect(total("2d", "duration(s)")).toBe(172_800n);
    expect(bound("99999999999999999999999w", "timestamp(s)")).toBeNull();
  });

  it("that nobody knows is refused", async () => {
    for (const text of ["", "5", "s", "5 s", "5S", "1.5s", "-5s", "+5s", "5s ", "1m 30s", "5sec", "5mo", "1y", "5µs", "5s-3s", "Infinity"])
      await expectError(() => bounds(text, "timestamp(ms)"), "INVALID_OPTION", JSON.stringify(text), "ns us ms s m h d w");
  });

  it("is for temporal columns only", async () => {
    await expectError(() => bounds("5s", "int64"), "INVALID_OPTION", '"5s"', 'left "t" is int64', "number", "timestamp");
    await expectError(() => bounds({ after: "5s" }, "float64"), "INVALID_OPTION", '"5s"', "float64");
  });
});

describe("a tolerance for each direction", () => {
  it("has either or both", () => {
    expect(bounds({ before: "5s", after: 3 }, "timestamp(s)")).toEqual({
      before: { major: 0, minor: 5 },
      after: { major: 0, minor: 3 },
      text: "5s before, 3 after",
    });
    expect(bounds({ before: 3 }, "int32")).toEqual({ before: { major: 3, minor: 0 }, after: null, text: "3 before" });
    expect(bounds({ after: 3, before: undefined }, "int32")).toEqual({ before: null, after: { major: 3, minor: 0 }, text: "3 after" });
    expect(bounds({ before: Number.POSITIVE_INFINITY, after: 3 }, "int32").text).toBe("3 after");
    expect(bounds({}, "int32")).toEqual({ before: null, after: null, text: null });
    expect(bounds({ before: 3, after: 3n }, "int32").text).toBe("3 before, 3 after");
  });

  it("is kept where the direction looks", () => {
    expect(bounds(5, "int32", "int32", "backward")).toEqual({ before: { major: 5, minor: 0 }, after: null, text: "5" });
    expect(bounds("5s", "duration(s)", "duration(s)", "forward")).toMatchObject({ before: null, after: { minor: 5 }, text: "5s" });
    expect(bounds({ after: 3 }, "int32", "int32", "backward").before).toBeNull();
  });

  it("has no other member", async () => {
    await expectError(() => bounds({ before: 1, behind: 2 }, "int32"), "INVALID_OPTION", '"behind"', "{ before, after }");
    await expectError(() => bounds({ before: -1 }, "int32"), "INVALID_OPTION", "-1");
    await expectError(() => bounds({ after: "5" }, "date32"), "INVALID_OPTION", '"5"');
  });
});
