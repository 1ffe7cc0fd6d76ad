/** A literal is compared by its value, exactly, whatever the type of what it meets. */

import { describe, expect, it } from "vitest";
import { typeText } from "../../src/plain-type.ts";
import type { Step } from "../../src/spec/filter-spec.ts";
import { parseType } from "../../src/spec/literal.ts";
import { l, lit, type Operand, type Tree, x } from "../support/tree.ts";
import { plan, truths } from "./planned.ts";

const a = l("x");
const compare = (type: string, values: readonly (bigint | number | string | null)[], literal: Operand) => ({
  eq: truths(x.eq(a, literal), type, values),
  lt: truths(x.lt(a, literal), type, values),
  gt: truths(x.gt(a, literal), type, values),
  turned: truths(x.lt(literal, a), type, values),
});

/** The order of each value to the literal, as signs; null where null. */
function orders(type: string, values: readonly (bigint | number | string | null)[], literal: Operand): (number | null)[] {
  const { eq, lt, gt, turned } = compare(type, values, literal);
  const [le, ge, ne] = [x.le(a, literal), x.ge(a, literal), x.ne(a, literal)].map((tree) => truths(tree, type, values));
  return values.map((value, i) => {
    if (value === null) expect([eq[i], lt[i], gt[i], le[i], ge[i], ne[i], turned[i]]).toEqual(Array(7).fill(null));
    else {
      expect([eq[i], lt[i], gt[i]].filter(Boolean).length).toBe(1);
      expect([le[i], ge[i], ne[i], turned[i]]).toEqual([!gt[i], !lt[i], !eq[i], gt[i]]);
    }
    return value === null ? null : eq[i] ? 0 : lt[i] ? -1 : 1;
  });
}

/** The steps of a condition on the left alone. */
const steps = (tree: Tree, type: string): readonly Step[] => plan(tree, { x: type }).left.conjuncts[0].steps;

describe("a literal against integers", () => {
  it("with a fraction is between two of them", () => {
    expect(orders("int8", [1n, 2n, -1n, null], 1.5)).toEqual([-1, 1, -1, null]);
    expect(orders("int64", [-1n, -2n, 0n, null], -1.5)).toEqual([1, -1, 1, null]);
    expect(orders("uint64", [0n, 1n], 5e-324)).toEqual([-1, 1]);
    expect(orders("uint64", [0n, 1n], -5e-324)).toEqual([1, 1]);
  });

  it("beyond the type is above or below all of them, and null stays null", () => {
    expect(orders("int8", [127n, -128n, null], 2 ** 40)).toEqual([-1, -1, null]);
    expect(orders("int8", [127n, -128n, null], -129)).toEqual([1, 1, null]);
    expect(orders("int8", [127n, 126n], 127.5)).toEqual([-1, -1]);
    expect(orders("int8", [-128n], -128.5)).toEqual([1]);
    expect(orders("uint64", [0n, 2n ** 64n - 1n], -1)).toEqual([1, 1]);
    expect(orders("uint64", [2n ** 64n - 1n], 2n ** 64n)).toEqual([-1]);
    expect(orders("int64", [2n ** 63n - 1n, -(2n ** 63n)], 2 ** 63)).toEqual([-1, -1]);
    expect(orders("int64", [2n ** 63n - 1n, -(2n ** 63n)], -1e300)).toEqual([1, 1]);
    expect(orders("int64", [2n ** 63n - 1n], 10n ** 300n)).toEqual([-1]);
  });

  it("at the ends of the type is itself", () => {
    expect(orders("int8", [127n, 126n, -128n], 127)).toEqual([0, -1, -1]);
    expect(orders("int8", [127n, -127n, -128n], -128)).toEqual([1, 1, 0]);
    expect(orders("uint64", [2n ** 64n - 1n, 2n ** 64n - 2n], 2n ** 64n - 1n)).toEqual([0, -1]);
    expect(orders("int64", [-(2n ** 63n), 0n], -(2 ** 63))).toEqual([0, 1]);
  });

  it("that is not finite follows the order: NaN above everything", () => {
    expect(orders("int8", [127n, null], Number.NaN)).toEqual([-1, null]);
    expect(orders("int8", [127n, null], Number.POSITIVE_INFINITY)).toEqual([-1, null]);
    expect(orders("int8", [-128n, null], Number.NEGATIVE_INFINITY)).toEqual([1, null]);
  });

  it("lies in their own lane: no conversion is left", () => {
    expect(steps(x.lt(a, 1.5), "int8")).toEqual([
      { op: "column", column: 0, lane: "i8" },
      { op: "constant", lane: "i8", value: "2" },
      { op: "lt", lane: "i8", args: [0, 1] },
    ]);
    expect(steps(x.lt(a, lit(300, "int64")), "int8")).toEqual([
      { op: "column", column: 0, lane: "i8" },
      { op: "eq", lane: "i8", args: [0, 0] },
    ]);
  });
});

describe("a literal against floats", () => {
  it("is its own double: 0.1 is not float32's 0.1", () => {
    const tenth = Math.fround(0.1);
    expect(orders("float32", [tenth, 0.09999999403953552, Number.NaN, null], 0.1)).toEqual([1, -1, 1, null]);
    expect(orders("float32", [tenth], lit(0.1, "float32"))).toEqual([0]);
    expect(orders("float64", [0.1], 0.1)).toEqual([0]);
    expect(orders("float64", [0.1], lit("0.1", "decimal(1, 1)"))).toEqual([1]);
    expect(orders("float16", [1.5, 0], 1.5)).toEqual([0, -1]);
  });

  it("that no double holds is between two of them", () => {
    const odd = 2n ** 53n + 1n;
    expect(orders("float64", [2 ** 53, 2 ** 53 + 2, Number.NaN, null], odd)).toEqual([-1, 1, 1, null]);
    expect(orders("float64", [-(2 ** 53), -(2 ** 53) - 2], -odd)).toEqual([1, -1]);
    expect(orders("float32", [2 ** 24, 2 ** 24 + 2], 2 ** 24 + 1)).toEqual([-1, 1]);
  });

  it("beyond every float is above the largest and below Infinity", () => {
    expect(orders("float64", [Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN], 10n ** 309n)).toEqual([-1, 1, 1]);
    expect(orders("float64", [-Number.MAX_VALUE, Number.NEGATIVE_INFINITY], -(10n ** 309n))).toEqual([1, -1]);
    expect(orders("float32", [3.4028234663852886e38, Number.POSITIVE_INFINITY], 1e300)).toEqual([-1, 1]);
    expect(orders("float32", [0, 1.401298464324817e-45, -0], 1e-300)).toEqual([-1, 1, -1]);
    expect(orders("float32", [0, -1.401298464324817e-45], -1e-300)).toEqual([1, -1]);
  });

  it("may be NaN, an infinity or -0", () => {
    expect(orders("float32", [Number.NaN, Number.POSITIVE_INFINITY], Number.NaN)).toEqual([0, -1]);
    expect(orders("float64", [Number.NaN, Number.POSITIVE_INFINITY, 0], Number.POSITIVE_INFINITY)).toEqual([1, 0, -1]);
    expect(orders("float64", [0, -0, 5e-324], -0)).toEqual([0, 0, 1]);
  });
});

describe("a literal against decimals", () => {
  it("is its shortest text: 0.1 is one tenth", () => {
    expect(orders("decimal(9, 2)", [10n, 11n, null], 0.1)).toEqual([0, 1, null]);
    expect(orders("decimal(9, 0)", [0n, 1n], 0.1)).toEqual([-1, 1]);
    expect(orders("decimal(38, 30)", [10n ** 29n], 0.1)).toEqual([0]);
    expect(orders("decimal(38, 0)", [10n ** 23n], 1e23)).toEqual([0]);
  });

  it("with a type is that type's value", () => {
    expect(orders("decimal(38, 30)", [10n ** 29n], lit(0.1, "float64"))).toEqual([-1]);
    expect(orders("decimal(9, 2)", [150n], lit("1.5000", "decimal(9, 4)"))).toEqual([0]);
    expect(orders("decimal(9, 2)", [150n], lit(1, "int8"))).toEqual([1]);
  });

  it("finer than the scale, beyond the range or of a negative scale is decided", () => {
    expect(orders("decimal(9, 2)", [100n, 101n], 1.005)).toEqual([-1, 1]);
    expect(orders("decimal256(76, 76)", [10n ** 76n - 1n], 5)).toEqual([-1]);
    expect(orders("decimal(5, -2)", [1n, 2n, 3n], 200)).toEqual([-1, 0, 1]);
    expect(orders("decimal(5, -2)", [2n, 3n], 201)).toEqual([-1, 1]);
    expect(orders("decimal(9, 2)", [0n], Number.NaN)).toEqual([-1]);
    expect(orders("decimal(9, 2)", [0n], Number.NEGATIVE_INFINITY)).toEqual([1]);
  });
});

describe("a literal against times", () => {
  it("that is a number counts the column's units", () => {
    expect(orders("timestamp(us)", [5n, 6n, null], 5)).toEqual([0, 1, null]);
    expect(orders("timestamp(s)", [5n], 5n)).toEqual([0]);
    expect(orders("date32", [1n, 2n], 1.5)).toEqual([-1, 1]);
    expect(orders("time32(ms)", [0n], 2 ** 40)).toEqual([-1]);
    expect(orders("duration(ns)", [-1n, 0n], -0.5)).toEqual([-1, 1]);
  });

  it("that is a Date is an instant, in every unit", () => {
    const day = 86_400_000;
    expect(orders("date32", [0n, 1n, 2n], new Date(day))).toEqual([-1, 0, 1]);
    expect(orders("date32", [0n, 1n, 2n], new Date(day + 1))).toEqual([-1, -1, 1]);
    expect(orders("date32", [-1n, 0n], new Date(-1))).toEqual([-1, 1]);
    expect(orders("date64", [BigInt(day), BigInt(day) + 1n], new Date(day))).toEqual([0, 1]);
    expect(orders("timestamp(s)", [1n, 2n], new Date(1500))).toEqual([-1, 1]);
    expect(orders("timestamp(us, UTC)", [1_500_000n], new Date(1500))).toEqual([0]);
    expect(orders("timestamp(ns)", [2n ** 63n - 1n], new Date(8.64e15))).toEqual([-1]);
  });

  it("with a type is of that unit", () => {
    expect(orders("timestamp(s)", [1n, 2n], lit("1000000", "timestamp(us)"))).toEqual([0, 1]);
    expect(orders("date64", [86_400_000n, 86_400_001n], lit(1, "date32"))).toEqual([0, 1]);
    expect(orders("duration(s)", [0n, 1n], lit(1, "duration(ns)"))).toEqual([-1, 1]);
  });
});

describe("a literal against text", () => {
  it("is compared by its UTF-8 bytes", () => {
    expect(orders("utf8", ["\uffff", "😀", "", null], "😀")).toEqual([-1, 0, -1, null]);
    expect(orders("dictionary(int8, utf8)", ["a", "b"], "a")).toEqual([0, 1]);
  });
});

describe("a literal against a literal", () => {
  const decided = (tree: Tree) => {
    const spec = plan(tree, {});
    expect([...spec.left.conjuncts, ...spec.right.conjuncts, ...spec.conjuncts]).toEqual([]);
    return !spec.never;
  };

  it("is decided at planning, exactly", () => {
    expect(decided(x.eq(lit(0.1), lit("0.1", "decimal(1, 1)")))).toBe(true);
    expect(decided(x.eq(lit(0.1, "float64"), lit("0.1", "decimal(1, 1)")))).toBe(false);
    expect(decided(x.lt(lit(2 ** 53), lit(2n ** 53n + 1n)))).toBe(true);
    expect(decided(x.eq(lit(10n ** 390n), lit(10n ** 390n)))).toBe(true);
    expect(decided(x.lt(lit(Number.POSITIVE_INFINITY), lit(Number.NaN)))).toBe(true);
    expect(decided(x.eq(lit(new Date(1000)), lit(1, "timestamp(s)")))).toBe(true);
    expect(decided(x.eq(lit(1), lit(1, "timestamp(s)")))).toBe(true);
    expect(decided(x.eq(lit("a"), lit("b")))).toBe(false);
    expect(decided(x.lt(lit("\uffff"), lit("😀")))).toBe(true);
    expect(decided(x.lt(lit(false), lit(true)))).toBe(true);
    expect(decided(x.isDistinctFrom(null, null))).toBe(false);
    expect(decided(x.eq(null, null))).toBe(false);
    expect(decided(x.isDistinctFrom(1, null))).toBe(true);
  });
});

describe("types as text", () => {
  it("are read as typeText writes them, and in short forms", () => {
    const texts = ["bool", "int8", "uint64", "float32", "float64", "decimal32(9, 2)", "decimal256(76, -3)", "date32", "date64", "utf8"];
    texts.push(
      "largeutf8",
      "utf8view",
      "time32(s)",
      "time32(ms)",
      "time64(us)",
      "time64(ns)",
      "timestamp(us)",
      "timestamp(ns, Europe/Berlin)",
    );
    for (const text of [...texts, "duration(ms)"]) expect(typeText(parseType(text) ?? { name: "none" })).toBe(text);
    expect(parseType("string")).toEqual(parseType("utf8"));
    expect(parseType("decimal(10, 2)")).toEqual(parseType("decimal128(10, 2)"));
    expect(parseType("timestamp[us, UTC]")).toEqual(parseType("timestamp(us, UTC)"));
    expect(parseType("duration[us]")).toEqual(parseType("duration(us)"));
    for (const text of [
      "",
      "int",
      "int8(s)",
      "time32",
      "time32(us)",
      "time64(s)",
      "timestamp",
      "timestamp(h)",
      "decimal(1)",
      "decimal32(10, 2)",
      "float",
    ])
      expect(parseType(text)).toBe(null);
  });
});
