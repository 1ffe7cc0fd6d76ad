/** The evaluator that filters are tested against, itself tested by cases worked out by hand. */

import { describe, expect, it } from "vitest";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import { predicateOf, valueAt } from "./predicate.ts";
import { readTable } from "./rows.ts";
import { table } from "./table.ts";
import { conjunctsOf, l, lit, mirrored, type Operand, r, sidesRead, type Tree, treeOf, x } from "./tree.ts";

/** The value of a tree where the left row is `cells` of the columns, and the right row the same. */
function value(columns: { readonly [name: string]: c.Column }, tree: Operand): unknown {
  const read = readTable(table(columns));
  return valueAt(treeOf(tree), { left: read.fields, right: read.fields }, read.rows[0] ?? [], read.rows[0] ?? []);
}

const int = (a: Cell, b: Cell) => ({ a: c.int64([a]), b: c.int64([b]) });
const float = (a: Cell, b: Cell) => ({ a: c.float64([a]), b: c.float64([b]) });
const [a, b] = [l("a"), r("b")];
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);
const NAN = "NaN(fff8000000000001)";

describe("the evaluator: truth", () => {
  it("has three values, as in Kleene's tables", () => {
    const all = [true, false, null];
    const table = (op: "and" | "or") => all.map((p) => all.map((q) => value({}, x[op](p, q))));
    expect(table("and")).toEqual([
      [true, false, null],
      [false, false, false],
      [null, false, null],
    ]);
    expect(table("or")).toEqual([
      [true, true, true],
      [true, false, null],
      [true, null, null],
    ]);
    expect(all.map((p) => value({}, x.not(p)))).toEqual([false, true, null]);
  });

  it("is null where a comparison meets null, and never for isDistinctFrom and isNull", () => {
    for (const op of ["eq", "ne", "lt", "le", "gt", "ge"] as const) {
      expect(value(int(null, 1n), x[op](a, b))).toBe(null);
      expect(value(int(null, null), x[op](a, b))).toBe(null);
    }
    expect(value(int(null, 1n), x.isDistinctFrom(a, b))).toBe(true);
    expect(value(int(null, null), x.isDistinctFrom(a, b))).toBe(false);
    expect(value(int(1n, 1n), x.isDistinctFrom(a, b))).toBe(false);
    expect(value(int(null, null), x.isNull(a))).toBe(true);
    expect(value(int(1n, null), x.isNotNull(b))).toBe(false);
  });

  it("makes `in` an or of eq, and `between` an and of two comparisons", () => {
    expect(value(int(1n, 0n), x.in(a, 5, 1, null))).toBe(true);
    expect(value(int(1n, 0n), x.in(a, 5, null))).toBe(null);
    expect(value(int(1n, 0n), x.in(a, 5, 6))).toBe(false);
    expect(value(int(null, 0n), x.in(a, 5, 6))).toBe(null);
    expect(value(int(1n, null), x.between(a, 2, b))).toBe(false);
    expect(value(int(1n, null), x.between(a, 1, b))).toBe(null);
    expect(value(int(1n, 1n), x.between(a, 1, b))).toBe(true);
  });
});

describe("the evaluator: comparisons", () => {
  it("are exact across integers, floats and decimals", () => {
    const mixed = {
      i: c.int64([2n ** 53n + 1n]),
      f: c.float64([2 ** 53]),
      u: c.uint64([2n ** 64n - 1n]),
      m: c.int8([-1]),
      n: c.decimal128(20, 2)([10n]),
      h: c.float64([0.1]),
    };
    expect(value(mixed, x.gt(l("i"), r("f")))).toBe(true);
    expect(value(mixed, x.eq(l("m"), r("u")))).toBe(false);
    expect(value(mixed, x.lt(l("m"), r("u")))).toBe(true);
    expect(value(mixed, x.eq(l("n"), 0.1))).toBe(true);
    expect(value(mixed, x.eq(l("n"), r("h")))).toBe(false);
    expect(value(mixed, x.lt(l("n"), r("h")))).toBe(true);
    expect(value(mixed, x.lt(l("m"), -0.5))).toBe(true);
    expect(value(mixed, x.eq(l("u"), 2n ** 64n - 1n))).toBe(true);
    expect(value(mixed, x.lt(l("u"), 2n ** 70n))).toBe(true);
    expect(value({ p: c.decimal128(20, 2)([150n]), q: c.decimal128(30, 4)([15000n]) }, x.eq(l("p"), r("q")))).toBe(true);
  });

  it("put every NaN above everything and -0 with 0", () => {
    expect(value(float(NAN, Number.POSITIVE_INFINITY), x.gt(a, b))).toBe(true);
    expect(value(float(NAN, "NaN(7ff8000000000000)"), x.eq(a, b))).toBe(true);
    expect(value(float(NAN, 1), x.lt(b, a))).toBe(true);
    expect(value(float("-0", 0), x.eq(a, b))).toBe(true);
    expect(value(float("-0", 0), x.lt(a, b))).toBe(false);
    expect(value({ a: c.int64([MAX]), b: c.float64([NAN]) }, x.lt(a, b))).toBe(true);
    expect(value({ a: c.int64([MAX]), b: c.float64([Number.NEGATIVE_INFINITY]) }, x.gt(a, b))).toBe(true);
  });

  it("take texts by their bytes, where JavaScript goes by UTF-16", () => {
    const text = { a: c.utf8(["\uffff"]), b: c.utf8(["😀"]) };
    expect("\uffff" < "😀").toBe(false);
    expect(value(text, x.lt(a, b))).toBe(true);
    expect(value({ a: c.utf8(["a"]), b: c.dictionary(c.utf8(["a\u0000"])) }, x.lt(a, b))).toBe(true);
    expect(value({ a: c.binary(["ff"]), b: c.binary(["0000"]) }, x.gt(a, b))).toBe(true);
    for (const op of ["startsWith", "endsWith", "contains"] as const) expect(value(text, x[op](a, ""))).toBe(true);
  });

  it("align the units of times, and take a Date as UTC milliseconds", () => {
    const times = { s: c.timestamp("s")([1n]), n: c.timestamp("ns")([1_000_000_000n]), d: c.date32([1]), e: c.date64([86_400_000n]) };
    expect(value(times, x.eq(l("s"), r("n")))).toBe(true);
    expect(value(times, x.eq(l("d"), r("e")))).toBe(true);
    expect(value(times, x.eq(l("s"), new Date(1000)))).toBe(true);
    expect(value(times, x.eq(l("d"), new Date(86_400_000)))).toBe(true);
    expect(value(times, x.eq(x.sub(l("s"), r("n")), lit("0", "duration(ns)")))).toBe(true);
    expect(value(times, x.eq(x.add(l("s"), lit("1500", "duration(ms)")), new Date(2500)))).toBe(true);
  });

  it("are refused between kinds that do not meet", () => {
    const fields = {
      left: readTable(
        table({ i: c.int8([1]), s: c.utf8(["a"]), t: c.timestamp("s")([1n]), z: c.timestamp("s", "UTC")([1n]), d: c.date32([1]) }),
      ).fields,
      right: [],
    };
    const refused: readonly Tree[] = [
      x.eq(l("i"), "1"),
      x.lt(l("s"), 1),
      x.eq(l("t"), l("z")),
      x.eq(l("d"), l("t")),
      x.eq(l("i"), true),
      l("i"),
      x.and(l("i"), true),
      x.add(l("s"), 1),
      x.add(l("d"), l("d")),
      l("none"),
    ];
    for (const tree of refused) expect(() => predicateOf(tree, fields), JSON.stringify(tree)).toThrow();
  });
});

describe("the evaluator: arithmetic", () => {
  it("of integers is exact, and null where it leaves 64 bits or divides by zero", () => {
    expect(value(int(MAX, 1n), x.add(a, b))).toBe(null);
    expect(value(int(MAX, 1n), x.sub(a, b))).toBe(MAX - 1n);
    expect(value(int(MIN, -1n), x.mul(a, b))).toBe(null);
    expect(value(int(MIN, 0n), x.abs(a))).toBe(null);
    expect(value(int(MIN, 0n), x.neg(a))).toBe(null);
    expect(value(int(-7n, 2n), x.mod(a, b))).toBe(-1n);
    expect(value(int(7n, -2n), x.mod(a, b))).toBe(1n);
    expect(value(int(7n, 0n), x.mod(a, b))).toBe(null);
    expect(value(int(7n, 0n), x.div(a, b))).toBe(null);
    expect(value(int(7n, 2n), x.div(a, b))).toBe(3.5);
    expect(value(int(null, 2n), x.add(a, b))).toBe(null);
    expect(value({ a: c.int8([127]), b: c.int8([1]) }, x.add(a, b))).toBe(128n);
    expect(value({ a: c.uint64([2n ** 64n - 1n]), b: c.uint8([1]) }, x.add(a, b))).toBe(null);
    expect(value({ a: c.uint64([2n ** 63n]), b: c.uint8([1]) }, x.add(a, b))).toBe(2n ** 63n + 1n);
    expect(value({ a: c.uint64([0n]), b: c.uint8([1]) }, x.sub(a, b))).toBe(null);
    expect(value({ a: c.uint64([0n]) }, x.sub(a, 1))).toBe(null);
  });

  it("with a float is that of doubles, but null for a division by zero", () => {
    expect(value({ a: c.int64([2n ** 53n + 1n]), b: c.float64([0]) }, x.add(a, b))).toBe(2 ** 53);
    expect(value(float(1, 0), x.div(a, b))).toBe(null);
    expect(value(float(1, "-0"), x.mod(a, b))).toBe(null);
    expect(value(float(-7.5, 2), x.mod(a, b))).toBe(-1.5);
    expect(value(int(1n, 0n), x.add(a, 1.5))).toBe(2.5);
    expect(value(float(1e308, 10), x.mul(a, b))).toBe(Number.POSITIVE_INFINITY);
  });

  it("converts what fits, towards zero, and gives null for the rest", () => {
    expect(value(int(128n, 0n), x.cast(a, "int8"))).toBe(null);
    expect(value(int(-128n, 0n), x.cast(a, "int8"))).toBe(-128n);
    expect(value(float(-1.9, NAN), x.cast(a, "int32"))).toBe(-1n);
    expect(value(float(-1.9, NAN), x.cast(b, "int32"))).toBe(null);
    expect(value(float(2 ** 63, 0), x.cast(a, "int64"))).toBe(null);
    expect(value({ a: c.timestamp("ms")([-1n]) }, x.cast(a, "timestamp(s)"))).toBe(-1n);
    expect(value({ a: c.timestamp("s")([MAX]) }, x.cast(a, "timestamp(ns)"))).toBe(null);
    expect(value({ a: c.decimal128(10, 1)([15n]) }, x.cast(a, "float64"))).toBe(1.5);
  });
});

describe("trees", () => {
  it("tell which sides they read, their conjuncts, and their mirror", () => {
    const tree = x.and(x.lt(a, 1), x.and(x.gt(b, a), x.or(true, b)));
    expect(conjunctsOf(tree).map(sidesRead)).toEqual([
      { left: true, right: false },
      { left: true, right: true },
      { left: false, right: true },
    ]);
    expect(mirrored(mirrored(tree))).toEqual(tree);
    expect(mirrored(x.lt(a, 1))).toEqual(x.lt(r("a"), 1));
  });

  it("survive JSON", () => {
    for (const value of [Number.NaN, -0, Number.POSITIVE_INFINITY, 2n ** 64n, "x", true, null, new Date(5), 1.5])
      expect(JSON.parse(JSON.stringify(treeOf(value)))).toEqual(treeOf(value));
  });
});
