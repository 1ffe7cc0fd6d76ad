import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { l, lit, type Operand, r, type Tree, x } from "../support/tree.ts";
import { plan } from "./planned.ts";

const [a, b] = [l("a"), r("b")];
const COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "isDistinctFrom", "in"] as const;

const accepted = (tree: Tree, left: string, right = "int8") => void plan(tree, { a: left }, { b: right });
const refused = (tree: Tree, left: string, right: string, ...words: (string | RegExp)[]) =>
  expectError(() => plan(tree, { a: left }, { b: right }), "INVALID_EXPRESSION", ...words);

const FAMILIES: readonly (readonly string[])[] = [
  [
    "int8",
    "uint64",
    "float16",
    "float32",
    "float64",
    "decimal128(20, 2)",
    "decimal256(76, 70)",
    "decimal(5, -2)",
    "dictionary(int8, int64)",
  ],
  ["bool"],
  ["utf8", "largeutf8", "utf8view", "dictionary(int32, utf8)", "dictionary(int8, largeutf8)"],
  ["binary", "largebinary", "binaryview", "fixedsizebinary(4)", "dictionary(int8, binary)"],
  ["date32", "date64"],
  ["time32(s)", "time32(ms)", "time64(us)", "time64(ns)"],
  ["timestamp(s)", "timestamp(ns)"],
  ["timestamp(s, UTC)", "timestamp(us, Europe/Berlin)"],
  ["duration(s)", "duration(ns)"],
];

describe("types of comparisons", () => {
  it("may meet within a family, in every comparison", () => {
    for (const family of FAMILIES)
      for (const left of family)
        for (const right of family) {
          for (const op of COMPARISONS) accepted(x[op](a, b), left, right);
          accepted(x.between(a, b, b), left, right);
        }
  });

  it("may not meet across families: the error has the comparison and both types", async () => {
    for (const p of FAMILIES)
      for (const q of FAMILIES)
        if (p !== q)
          for (const op of ["eq", "lt", "isDistinctFrom"] as const)
            await refused(x[op](a, b), p[0], q[0], "left.a is", "right.b is", p[0], q[0], "do not compare");
  });

  it("advise the cast that helps", async () => {
    await refused(x.eq(a, b), "timestamp(us)", "timestamp(ms, UTC)", 'right.b.cast("timestamp(us)")');
    await refused(x.eq(a, b), "timestamp(us)", "date32", 'right.b.cast("timestamp(us)")');
    await refused(x.eq(a, b), "int64", "timestamp(us)", 'right.b.cast("int64")');
    await refused(x.eq(a, b), "float64", "timestamp(us)", "left.a is float64", "right.b is timestamp(us)");
    const none = await refused(x.eq(a, b), "int32", "utf8", "In left.a = right.b:", "left.a is int32", "right.b is utf8");
    expect(none.message).not.toContain("cast");
    await refused(x.eq(x.add(a, 1), b), "int64", "timestamp(us)", 'Use right.b.cast("int64")');
    await refused(x.eq(a, x.sub(b, b)), "int64", "timestamp(us)", 'Use (right.b - right.b).cast("int64")');
  });

  it("advise what to write for a string that is none", async () => {
    for (const type of ["date32", "timestamp(us)", "timestamp(s, UTC)"])
      await refused(x.lt(a, "2024-01-01"), type, "int8", 'Use a Date, as in new Date("2024-01-01")');
    await refused(x.eq(a, "5"), "decimal128(10, 2)", "int8", 'Use lit("5", "decimal128(10, 2)")');
    await refused(x.eq("five", a), "decimal128(10, 2)", "int8", 'Use lit("12.50", "decimal128(10, 2)")');
    await refused(x.eq(a, "5"), "int32", "int8", "Use 5.");
    await refused(x.eq("-1.5", a), "float64", "int8", "Use -1.5.");
    await refused(x.eq(a, "five"), "float64", "int8", "Compare values of one type");
  });

  it("is null against null, which every type meets", () => {
    for (const type of FAMILIES.flat()) {
      expect(plan(x.eq(a, null), { a: type }).never).toBe(true);
      expect(plan(x.lt(a, b), { a: type }, { b: "null" }).never).toBe(true);
      accepted(x.isDistinctFrom(a, null), type);
      accepted(x.isDistinctFrom(b, a), type, "null");
    }
  });

  it("of literals: strings with strings, numbers with numbers and times, Dates with dates and timestamps", async () => {
    for (const family of FAMILIES) {
      const meets = (literal: Operand, fits: boolean) =>
        fits ? accepted(x.eq(a, literal), family[0]) : refused(x.eq(a, literal), family[0], "int8", family[0]);
      await meets("x", family[0] === "utf8");
      await meets(true, family[0] === "bool");
      await meets(5, /int|date|time|duration/.test(family[0]));
      await meets(5n, /int|date|time|duration/.test(family[0]));
      await meets(new Date(0), /^(date|timestamp)/.test(family[0]));
      await meets(lit(5, "int64"), family[0] === "int8");
      await meets(lit(5, "timestamp(us)"), family[0] === "timestamp(s)");
      await meets(lit(5, "timestamp(us, UTC)"), family[0] === "timestamp(s, UTC)");
      await meets(lit("x", "utf8"), family[0] === "utf8");
    }
    await refused(x.eq(a, new Date(0)), "int64", "int8", "is Date", "int64");
    await refused(x.eq(lit(1), new Date(0)), "int64", "int8", "is number", "is Date");
  });
});

describe("nested and other types", () => {
  it("can be tested for null, and nothing else", async () => {
    for (const type of ["list(int8)", "struct", "map", "union", "interval", "dictionary(int8, list(int8))"]) {
      accepted(x.isNull(a), type);
      accepted(x.isNotNull(a), type);
      await refused(x.eq(a, b), type, "int8", "left.a is", "isNull");
      await refused(x.eq(a, a), type, "int8", "isNotNull");
      await refused(x.isDistinctFrom(a, b), type, "null", "isNull");
      await refused(x.add(a, 1), type, "int8", "left.a is");
      await refused(a, type, "int8", "a predicate is a boolean");
    }
  });

  it("decimals beyond every digit are such types", async () => {
    const wild = { name: "decimal", precision: 5, scale: 90_000, width: 128 };
    const { planFilter } = await import("../../src/spec/plan-filter.ts");
    const fields = [{ name: "a", type: wild, nullable: true }];
    planFilter(x.isNull(a), fields, []);
    await expectError(() => planFilter(x.eq(a, 1), fields, []), "INVALID_EXPRESSION", "decimal128(5, 90000)");
  });
});

describe("types of booleans", () => {
  it("and, or, not and the predicate itself take booleans and null", async () => {
    accepted(x.and(a, x.not(a), x.or(a, null)), "bool");
    accepted(a, "bool");
    accepted(a, "null");
    accepted(a, "dictionary(int8, bool)");
    await refused(a, "int8", "int8", "predicate", "left.a is int8");
    await refused(x.add(a, 1), "int8", "int8", "predicate", "left.a + 1 is int64");
    await refused(lit("x"), "int8", "int8", "predicate");
    await refused(x.not(a), "utf8", "int8", "not takes booleans", "left.a is utf8");
    await refused(x.and(x.eq(a, 1), x.or(a, true)), "int8", "int8", "In left.a or true", "or takes booleans");
  });
});

describe("types of text operations", () => {
  it("are strings on both sides", async () => {
    for (const op of ["startsWith", "endsWith", "contains"] as const) {
      accepted(x[op](a, b), "utf8", "dictionary(int8, utf8)");
      accepted(x[op](a, "x"), "largeutf8");
      expect(plan(x[op](a, null), { a: "utf8" }).never).toBe(true);
      await refused(x[op](a, "x"), "binary", "int8", `${op} takes utf8`, "left.a is binary");
      await refused(x[op](a, 5), "utf8", "int8", `${op} takes utf8`, "5 is number");
    }
  });
});

describe("types of arithmetic", () => {
  const resultOf = (tree: Tree, left: string, right = "int8"): string => {
    const wrong = () => plan(tree, { a: left }, { b: right });
    try {
      wrong();
    } catch (error) {
      return / is ([^;]*)\.$/.exec((error as Error).message)?.[1] ?? (error as Error).message;
    }
    return "bool";
  };

  it("is int64, uint64 where both are unsigned, float64 with a float and for div", () => {
    for (const op of ["add", "sub", "mul", "mod"] as const) {
      expect(resultOf(x[op](a, b), "int8", "int32")).toBe("int64");
      expect(resultOf(x[op](a, b), "uint8", "uint64")).toBe("uint64");
      expect(resultOf(x[op](a, b), "uint8", "int8")).toBe("int64");
      expect(resultOf(x[op](a, b), "int64", "float16")).toBe("float64");
      expect(resultOf(x[op](a, b), "float32", "float32")).toBe("float64");
      expect(resultOf(x[op](a, 5), "uint8")).toBe("uint64");
      expect(resultOf(x[op](2n ** 63n, a), "uint8")).toBe("uint64");
      expect(resultOf(x[op](a, -5), "uint8")).toBe("int64");
      expect(resultOf(x[op](a, lit(5, "int8")), "uint8")).toBe("int64");
      expect(resultOf(x[op](a, lit(5, "uint8")), "uint8")).toBe("uint64");
      expect(resultOf(x[op](a, 1.5), "uint8")).toBe("float64");
      expect(resultOf(x[op](a, 5), "dictionary(int8, uint32)")).toBe("uint64");
      expect(resultOf(x[op](lit(1), lit(2)), "int8")).toBe("int64");
      expect(resultOf(x[op](lit(2n ** 63n), lit(1)), "int8")).toBe("uint64");
      expect(resultOf(x[op](lit(1.5), lit(2)), "int8")).toBe("float64");
    }
    expect(resultOf(x.div(a, b), "int8", "uint8")).toBe("float64");
    expect(resultOf(x.abs(a), "uint8")).toBe("uint64");
    expect(resultOf(x.abs(a), "int8")).toBe("int64");
    expect(resultOf(x.neg(a), "uint8")).toBe("int64");
    expect(resultOf(x.neg(a), "float32")).toBe("float64");
  });

  it("of times: timestamps differ by durations", () => {
    expect(resultOf(x.sub(a, b), "timestamp(s)", "timestamp(us)")).toBe("duration(us)");
    expect(resultOf(x.add(a, b), "timestamp(s)", "duration(us)")).toBe("timestamp(us)");
    expect(resultOf(x.add(b, a), "timestamp(s, UTC)", "duration(us)")).toBe("timestamp(us, UTC)");
    expect(resultOf(x.sub(a, b), "timestamp(ns)", "duration(s)")).toBe("timestamp(ns)");
    expect(resultOf(x.sub(a, 5), "timestamp(ms)")).toBe("timestamp(ms)");
    expect(resultOf(x.add(5n, a), "timestamp(ms)")).toBe("timestamp(ms)");
    expect(resultOf(x.sub(a, new Date(0)), "timestamp(s)")).toBe("duration(ms)");
    expect(resultOf(x.sub(new Date(0), a), "timestamp(us, UTC)")).toBe("duration(us)");
    expect(resultOf(x.add(new Date(0), a), "duration(us)")).toBe("timestamp(us, UTC)");
    expect(resultOf(x.sub(a, lit(null, "duration(us)")), "timestamp(ms)")).toBe("timestamp(us)");
  });

  it("of anything else is refused", async () => {
    await refused(x.add(a, b), "decimal128(9, 2)", "int8", "decimals only compare", 'left.a.cast("float64")');
    await refused(x.neg(b), "int8", "decimal128(9, 2)", 'right.b.cast("float64")');
    for (const [p, q] of [
      ["date32", "date32"],
      ["date32", "duration(s)"],
      ["duration(s)", "duration(s)"],
      ["time32(s)", "duration(s)"],
      ["timestamp(s)", "timestamp(s, UTC)"],
      ["utf8", "utf8"],
      ["bool", "int8"],
      ["int8", "utf8"],
      ["timestamp(s)", "int64"],
      ["binary", "binary"],
    ] as const)
      for (const op of ["add", "sub"] as const) await refused(x[op](a, b), p, q, p, q, `${op} takes numbers`);
    await refused(x.sub(a, b), "date32", "timestamp(s)", "Cast dates to timestamps first");
    await refused(x.add(a, b), "timestamp(s)", "timestamp(s)", "add takes");
    await refused(x.sub(b, a), "timestamp(s)", "duration(s)", "sub takes");
    await refused(x.mul(a, b), "timestamp(s)", "duration(s)", "mul takes");
    await refused(x.neg(a), "duration(s)", "int8", "neg takes");
    await refused(x.sub(a, 1.5), "timestamp(s)", "int8", "number");
    await refused(x.add(a, 1), "duration(s)", "int8", "number");
    await refused(x.add(a, 1n), "date32", "int8", "bigint");
  });
});

describe("types of casts", () => {
  const table: readonly (readonly [from: string, to: string, ok: boolean])[] = [
    ...["int8", "uint64", "float16", "float64", "dictionary(int8, int64)"].flatMap((from) =>
      ["int16", "uint8", "int64", "float32", "float64"].map((to) => [from, to, true] as const),
    ),
    ["decimal128(20, 2)", "float64", true],
    ["decimal128(20, 2)", "float32", true],
    ["decimal128(15, 2)", "int64", true],
    ["decimal128(16, 2)", "int64", false],
    ["decimal128(20, 2)", "decimal128(20, 2)", true],
    ["decimal128(20, 2)", "decimal128(20, 3)", false],
    ["int8", "decimal128(20, 2)", false],
    ["int64", "timestamp(us)", true],
    ["timestamp(us, UTC)", "int64", true],
    ["int32", "date32", true],
    ["date32", "int32", true],
    ["int64", "duration(s)", true],
    ["time64(us)", "int64", true],
    ["float64", "timestamp(us)", false],
    ["timestamp(us)", "float64", false],
    ["timestamp(us)", "timestamp(s)", true],
    ["timestamp(us)", "timestamp(s, UTC)", true],
    ["timestamp(us)", "date32", true],
    ["timestamp(us)", "date64", true],
    ["date32", "timestamp(ns)", true],
    ["date32", "date64", true],
    ["duration(s)", "duration(ns)", true],
    ["time32(s)", "time64(ns)", true],
    ["time32(s)", "timestamp(s)", false],
    ["duration(s)", "timestamp(s)", false],
    ["utf8", "utf8", true],
    ["utf8", "string", true],
    ["dictionary(int8, utf8)", "utf8", true],
    ["utf8", "int8", false],
    ["int8", "utf8", false],
    ["bool", "bool", true],
    ["bool", "int8", false],
    ["int8", "bool", false],
    ["binary", "utf8", false],
    ["list(int8)", "int8", false],
    ["null", "int8", true],
    ["null", "utf8", true],
  ];

  it("are those that lose nothing silently", async () => {
    for (const [from, to, ok] of table) {
      if (ok) accepted(x.isNull(x.cast(a, to)), from);
      else await refused(x.isNull(x.cast(a, to)), from, "int8", "cast(left.a as", "left.a is");
    }
    await refused(x.isNull(x.cast(a, "int64")), "decimal128(20, 2)", "int8", "float64 first");
    for (const from of ["int8", "float64", "decimal128(20, 3)"])
      await refused(x.isNull(x.cast(a, "decimal128(20, 2)")), from, "int8", "decimals of all scales compare without a cast");
  });
});

describe("columns", () => {
  it("that do not exist are named with their side and those that do", async () => {
    await expectError(
      () => plan(x.eq(l("c"), b), { a: "int8", z: "int8" }, { b: "int8" }),
      "INVALID_EXPRESSION",
      "left",
      '"c"',
      '"a", "z"',
    );
    await expectError(() => plan(x.eq(a, r("a")), { a: "int8" }, {}), "INVALID_EXPRESSION", "right", '"a"', "none");
  });
});
