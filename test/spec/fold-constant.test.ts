import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { l, lit, type Operand, r, type Tree, x } from "../support/tree.ts";
import { plan } from "./planned.ts";

/** Whether a constant predicate is TRUE. */
const holds = (tree: Tree): boolean => !plan(tree, { a: "int8" }).never;
const equals = (tree: Tree, value: Operand) => expect(holds(x.not(x.isDistinctFrom(tree, value))), JSON.stringify(tree)).toBe(true);
const refused = (tree: Tree, ...words: string[]) =>
  expectError(() => plan(x.isNull(tree), { a: "int8" }), "INVALID_EXPRESSION", "cannot be computed", ...words);

const MAX = 2n ** 63n - 1n;

describe("constants", () => {
  it("are computed at planning, exactly", () => {
    equals(x.add(MAX - 1n, 1), MAX);
    equals(x.mul(3037000499n, 3037000499n), 9223372030926249001n);
    equals(x.sub(lit(5, "uint8"), lit(5, "uint8")), 0);
    equals(x.div(1, 4), 0.25);
    equals(x.mod(-7, 3), -1);
    equals(x.mod(7.5, -2), 1.5);
    equals(x.abs(-5), 5);
    equals(x.neg(5), -5);
    equals(x.neg(x.add(2, 3)), -5);
    equals(x.add(1.5, 2), 3.5);
    equals(x.add(0.1, 0.2), 0.30000000000000004);
    equals(x.cast(1.9, "int8"), 1);
    equals(x.cast(-1.9, "int8"), -1);
    equals(x.cast(0.1, "float32"), lit(0.1, "float32"));
    equals(x.cast(lit("123.45", "decimal(9, 2)"), "int16"), 123);
    equals(x.cast(lit("0.1", "decimal(9, 2)"), "float64"), 0.1);
    equals(x.cast(lit("3", "decimal(5, 0)"), "float64"), 3);
    equals(x.cast(lit("300", "decimal(5, -2)"), "int16"), 300);
    equals(x.cast(lit(-1, "timestamp(us)"), "timestamp(s)"), lit(-1, "timestamp(s)"));
    equals(x.cast(new Date(-1), "date32"), lit(-1, "date32"));
    equals(x.cast(new Date(86_400_001), "date64"), lit(86_400_000, "date64"));
    equals(x.cast(lit(2, "date32"), "timestamp(ms)"), lit(172_800_000, "timestamp(ms)"));
    equals(x.cast(lit(86_400_000, "date64"), "date32"), lit(1, "date32"));
    equals(x.cast(lit(1500, "time32(ms)"), "time32(s)"), lit(1, "time32(s)"));
    equals(x.cast(5, "timestamp(us)"), lit(5, "timestamp(us)"));
    equals(x.sub(new Date(1500), lit(1, "timestamp(s, UTC)")), lit(500, "duration(ms)"));
    equals(x.sub(new Date(1500), new Date(500)), lit(1, "duration(s)"));
    equals(x.add(lit(1, "timestamp(s)"), 2), lit(3, "timestamp(s)"));
    equals(x.add(1, null), null);
    equals(x.sub(lit(null, "timestamp(s)"), new Date(0)), null);
    equals(x.cast(null, "date32"), null);
    for (const [op, truths] of [
      ["startsWith", [true, false, true]],
      ["endsWith", [false, true, true]],
      ["contains", [true, true, true]],
    ] as const)
      ["a", "b", ""].forEach((part, i) => equals(x[op](lit("ab"), part), truths[i]));
  });

  it("that cannot be computed are refused, by name", async () => {
    await refused(x.div(1, 0), "1 / 0");
    await refused(x.mod(1, 0), "1 % 0");
    await refused(x.div(1.5, -0), "1.5 / -0");
    await refused(x.mod(1.5, 0), "1.5 % 0");
    await refused(x.add(MAX, 1), `${MAX} + 1`);
    await refused(x.sub(lit(1, "uint8"), lit(2, "uint8")), "uint8 1 - uint8 2");
    await refused(x.mul(x.add(MAX, 0), 2));
    await refused(x.neg(lit(String(-MAX - 1n), "int64")), "-int64 -9223");
    await refused(x.abs(lit(String(-MAX - 1n), "int64")), "abs(");
    await refused(x.neg(lit("9223372036854775809", "uint64")));
    await refused(x.cast(300, "int8"), "cast(300 as int8)");
    await refused(x.cast(-1, "uint64"));
    await refused(x.cast(Number.NaN, "int8"), "cast(NaN as int8)");
    await refused(x.cast(1e300, "int64"));
    await refused(x.cast(lit(String(MAX), "timestamp(s)"), "timestamp(ns)"));
    await refused(x.add(l("a"), x.div(l("a"), x.div(1, 0))), "1 / 0");
    await refused(x.add(l("a"), 2n ** 63n), `left.a + ${2n ** 63n}`);
  });

  it("that are no numbers of 64 bits take no part in arithmetic", async () => {
    await expectError(() => plan(x.isNull(x.add(2n ** 64n, 1)), {}), "INVALID_EXPRESSION", "bigint");
  });

  it("simplify and, or and not", () => {
    const [a, b] = [x.eq(l("a"), 1), x.lt(l("a"), r("b"))];
    const same = (tree: Tree, simple: Tree) => {
      const [one, two] = [tree, simple].map((each) => plan(each, { a: "int8" }, { b: "int8" }));
      expect({ ...one, text: "", conjuncts: one.conjuncts.map(({ program }) => program) }).toEqual({
        ...two,
        text: "",
        conjuncts: two.conjuncts.map(({ program }) => program),
      });
    };
    same(x.and(a, true, b), x.and(a, b));
    same(x.and(a, false), lit(false));
    same(x.and(a, null), lit(null));
    same(x.or(b, false), b);
    same(x.or(b, true), lit(true));
    same(x.or(a, a), a);
    same(x.not(x.not(b)), b);
    same(x.not(true), lit(false));
    same(x.and(x.or(a, x.eq(1, 1)), b), b);
    same(x.isNull(x.or(b, null, true)), lit(false));
    expect(holds(x.not(lit(null)))).toBe(false);
    expect(holds(x.isNull(x.and(true, null)))).toBe(true);
    expect(holds(x.isNull(x.and(false, null)))).toBe(false);
    expect(holds(x.or(true, null))).toBe(true);
  });
});
