/** The builder of expressions: what each method makes, what it takes, and what it refuses. */

import { tableFromArrays } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { parseExpression } from "../../src/api/expr.ts";
import { col, join, lit } from "../../src/index.ts";
import { expectError } from "../support/errors.ts";

const x = col("left", "x");
const y = col("right", "y");
const X = { side: "left", column: "x" };
const Y = { side: "right", column: "y" };
/** What JSON makes of it: the tree, and proof that it is plain data. */
const tree = (expression: unknown) => JSON.parse(JSON.stringify(expression));
/** The tree of a filter. */
const parsed = (filter: unknown) => tree(parseExpression("filter", filter));
const loose = x as any;

describe("an expression", () => {
  it("is a tree of plain data", () => {
    expect(tree(x)).toEqual(X);
    expect(tree(x.gt(y).and(x.ne("XYZ")))).toEqual({
      op: "and",
      args: [
        { op: "gt", args: [X, Y] },
        { op: "ne", args: [X, { type: "string", value: "XYZ" }] },
      ],
    });
  });

  it("has a method for every operation", () => {
    for (const op of ["eq", "ne", "lt", "le", "gt", "ge", "isDistinctFrom", "add", "sub", "mul", "div", "mod"])
      expect(tree(loose[op](y))).toEqual({ op, args: [X, Y] });
    for (const op of ["isNull", "isNotNull", "not", "abs", "neg"]) expect(tree(loose[op]())).toEqual({ op, args: [X] });
    for (const op of ["startsWith", "endsWith", "contains"])
      expect(tree(loose[op]("a"))).toEqual({ op, args: [X, { type: "string", value: "a" }] });
    expect(tree(x.between(1, y))).toEqual({ op: "between", args: [X, { type: "number", value: 1 }, Y] });
    expect(tree(x.cast("timestamp(us, UTC)"))).toEqual({ op: "cast", args: [X], type: "timestamp(us, UTC)" });
  });

  it("takes the values of `in` as an array or one by one; of none it is false", () => {
    const expected = {
      op: "in",
      args: [X, { type: "string", value: "a" }, { type: "null", value: null }],
    };
    expect(tree(x.in(["a", null]))).toEqual(expected);
    expect(tree(x.in("a", null))).toEqual(expected);
    expect(tree(x.in(["a"])).args).toHaveLength(2);
    expect(tree(x.in([]))).toEqual({ type: "boolean", value: false });
  });

  it("keeps chains of `and` and `or` flat", () => {
    const [a, b, c, d] = [1, 2, 3, 4].map((n) => x.eq(n));
    const flat = { op: "and", args: tree([a, b, c, d]) };
    expect(tree(a.and(b).and(c).and(d))).toEqual(flat);
    expect(tree(a.and(b, c, d))).toEqual(flat);
    expect(tree(a.and(b.and(c.and(d))))).toEqual(flat);
    expect(tree(a.and(b).and(c.and(d)))).toEqual(flat);
    expect(tree(a.or(b.or(c), d))).toEqual({ ...flat, op: "or" });
    expect(tree(a.or(b.and(c)))).toEqual({ op: "or", args: [tree(a), { op: "and", args: tree([b, c]) }] });
    expect(tree(a.and())).toEqual(tree(a));
    let long = a;
    for (let i = 0; i < 1000; i++) long = long.and(b);
    expect(tree(long).args).toHaveLength(1001);
  });

  it("does not change when another is made of it", () => {
    const and = x.eq(1).and(y.eq(2));
    const before = JSON.stringify(and);
    and.and(x.eq(3));
    and.not();
    expect(JSON.stringify(and)).toBe(before);
  });
});

describe("a literal", () => {
  it("is a bare value, in the form that JSON has for it", () => {
    const literal = (value: unknown) => tree(loose.eq(value)).args[1];
    expect(literal(1.5)).toEqual({ type: "number", value: 1.5 });
    expect(literal(-0)).toEqual({ type: "number", value: "-0" });
    expect(literal(Number.NaN)).toEqual({ type: "number", value: "NaN" });
    expect(literal(Number.NEGATIVE_INFINITY)).toEqual({ type: "number", value: "-Infinity" });
    expect(literal(2n ** 63n)).toEqual({ type: "bigint", value: "9223372036854775808" });
    expect(literal("")).toEqual({ type: "string", value: "" });
    expect(literal(false)).toEqual({ type: "boolean", value: false });
    expect(literal(null)).toEqual({ type: "null", value: null });
    expect(literal(new Date(Date.UTC(2024, 0, 1)))).toEqual({ type: "Date", value: 1704067200000 });
  });

  it("may have a type", () => {
    expect(tree(lit(5))).toEqual({ type: "number", value: 5 });
    expect(tree(lit(5n, "uint8"))).toEqual({ type: "uint8", value: "5" });
    expect(tree(lit("1.50", "decimal128(20, 2)"))).toEqual({ type: "decimal128(20, 2)", value: "1.50" });
    expect(tree(lit(null, "utf8"))).toEqual({ type: "utf8", value: null });
  });

  it("that is a Date is stored in the unit of its type, rounded down", () => {
    const at = new Date(-1);
    expect(tree(lit(at, "timestamp(s)")).value).toBe(-1);
    expect(tree(lit(at, "timestamp(ms, UTC)")).value).toBe(-1);
    expect(tree(lit(at, "timestamp(us)")).value).toBe("-1000");
    expect(tree(lit(at, "timestamp(ns, Europe/Berlin)")).value).toBe("-1000000");
    expect(tree(lit(at, "timestamp[us]")).value).toBe("-1000");
    expect(tree(lit(at, "duration(s)")).value).toBe(-1);
    expect(tree(lit(at, "date32")).value).toBe(-1);
    expect(tree(lit(at, "date64")).value).toBe(-1);
  });

  it("is nothing else", async () => {
    const cases: [unknown, string][] = [
      [undefined, "undefined"],
      [() => 1, "a Function"],
      [Symbol("s"), "a Symbol"],
      [{}, "an Object"],
      [new Uint8Array(2), "a Uint8Array"],
      [[1], "an Array"],
      [new Date(Number.NaN), "an invalid Date"],
      [Promise.resolve(1), "a Promise"],
    ];
    for (const [value, name] of cases) {
      await expectError(() => loose.eq(value), "INVALID_EXPRESSION", `it got ${name}`);
      await expectError(() => lit(value as any), "INVALID_EXPRESSION", `it got ${name}`);
    }
    await expectError(() => loose.eq(), "INVALID_EXPRESSION", "In left.x.eq(…): ", "it got undefined");
    await expectError(() => loose.and(y, {}), "INVALID_EXPRESSION", "In left.x.and(…): ");
    await expectError(() => loose.add(1).in([1, []]), "INVALID_EXPRESSION", "In (left.x + 1).in(…): ");
    await expectError(() => (col("left", "a b") as any).ge(), "INVALID_EXPRESSION", 'In left["a b"].ge(…): ');
    await expectError(() => lit([] as any), "INVALID_EXPRESSION", "In lit(…): ");
    await expectError(() => loose.cast(5), "INVALID_EXPRESSION", "type", "int64");
    await expectError(() => col("up" as any, "x"), "INVALID_EXPRESSION", '"left" or "right"', 'got "up" and "x"');
  });

  it("may stand where a tree stands, and a tree where an expression does", () => {
    expect(tree(loose.eq(Y))).toEqual(tree(x.eq(y)));
    expect(parsed({ op: "eq", args: [X, Y] })).toEqual(tree(x.eq(y)));
  });
});

describe("a filter", () => {
  it("is a function of two sides whose only members are columns", () => {
    for (const column of ["x", "unit price", "eq", "toJSON", "then", "constructor", "__proto__", "hasOwnProperty", "0", ""])
      expect(parsed((l: any, r: any) => l[column].eq(r[column])).args).toEqual([
        { side: "left", column },
        { side: "right", column },
      ]);
    parseExpression("filter", (l: any) => {
      expect(l[Symbol.iterator]).toBeUndefined();
      expect(l[Symbol.toPrimitive]).toBeUndefined();
      return l.x.eq(1);
    });
  });

  it("is called once", () => {
    let calls = 0;
    parsed((l: any) => l.x.eq(++calls));
    expect(calls).toBe(1);
  });

  it("may be an expression or its JSON", () => {
    expect(parsed(x.lt(y))).toEqual(tree(x.lt(y)));
    expect(parsed(() => tree(x.lt(y)))).toEqual(tree(x.lt(y)));
  });

  it("that used JavaScript's operators says so", async () => {
    const words = ["JavaScript's own operators", ".eq()"];
    const refused: [(l: any, r: any) => unknown, ...words: string[]][] = [
      [(l, r) => l.x === r.y, "returned false", "lit(true)", ...words],
      [(l, r) => l.x.eq(1) !== r.y, "returned true", "lit(true)", ...words],
      [(l, r) => l.x === r.y || undefined, "returned undefined", "a return is missing"],
      [(l) => void l.x.eq(1), "returned undefined", "a return is missing"],
      [(l, r) => !l.x.eq(r.y), "returned false", ...words],
      [(l) => l, "returned an Object", ...words],
      [() => 1, "returned 1", ...words],
      [async (l) => l.x, "returned a Promise", "not be async"],
      [(l, r) => [l.x.eq(1), r.y.eq(2)], "returned an Array", "a.and(b)"],
      [() => "x", "returned a String", ...words],
    ];
    for (const [filter, ...what] of refused)
      await expectError(() => parseExpression("filter", filter), "INVALID_EXPRESSION", "filter must return", ...what);
    const thrown: ((l: any, r: any) => unknown)[] = [
      (l, r) => l.x < r.y,
      // biome-ignore lint/suspicious/noDoubleEquals: the case
      (l) => l.x == 5,
      (l) => l.x + 1,
      (l) => `${l.x}`,
      (l) => -l.x,
    ];
    for (const filter of thrown) await expectError(() => parseExpression("filter", filter), "INVALID_EXPRESSION", ...words);
  });

  it("that made what it did not return says what JavaScript's operators dropped", async () => {
    const dropped: [(l: any, r: any) => unknown, string][] = [
      [(l, r) => l.a.ge(r.b) && r.c.lt(3), "left.a >= right.b"],
      [(l, r) => (l.a.ge(r.b) ? r.c.lt(3) : r.c.gt(3)), "left.a >= right.b"],
      [(l, r) => (l.a.ge(r.b) && l.x) || r.c.lt(3), "left.a >= right.b"],
      [(l, r) => l.x.and(l.a.add(1).ge(r.b) && r.c.lt(3)), "left.a + 1 >= right.b"],
      [(l, r) => l.x.and(l.a.ge(1) !== r.c.lt(3)), "left.a >= 1"],
      [(l, r) => l.a.eq(1).and(r.b.eq(2)) && r.c.lt(3), "left.a = 1 and right.b = 2"],
      [(l) => l.a.in([]) && l.x, "false"],
      [(l) => l.a.cast("int8") && l.x, "cast"],
    ];
    for (const [filter, part] of dropped)
      await expectError(() => parseExpression("filter", filter), "INVALID_EXPRESSION", `filter made ${part}`, "&& and ||", ".and()");
  });

  it("may use what it made as often as it likes, and what others made", () => {
    const half = (part: any) => part.div(2);
    const fine: ((l: any, r: any) => unknown)[] = [
      (l, r) => l.a.ge(r.b).and(r.c.lt(3)).or(l.a.isNull()).not(),
      (l, r) => {
        const [first, ...rest] = ["a", "b", "c"].map((name) => l[name].add(1).eq(r[name]));
        return first.and(...rest);
      },
      (l, r) => {
        const sum = l.a.add(r.b);
        return sum.gt(1).and(sum.lt(9), sum.mul(sum).ne(4));
      },
      (l, r) =>
        half(l.a)
          .eq(half(r.b))
          .and(x.lt(half(r.c)), x.eq(y)),
      (l) => l.a.add(1).in([]),
      (l) => l.x.and(),
      ({ a, b }) => a.cast("int8").eq(b),
      (l, r) => ({ op: "and", args: [l.a.gt(1), { op: "not", args: [r.b.gt(1)] }] }),
      (l) => JSON.parse(JSON.stringify(l.a.gt(1))),
    ];
    for (const filter of fine) expect(() => parseExpression("filter", filter)).not.toThrow();
  });

  it("lets what its function throws through", () => {
    expect(() =>
      parseExpression("filter", () => {
        throw new RangeError("mine");
      }),
    ).toThrow(RangeError);
    expect(() => parseExpression("filter", (l: any) => l.x.greater(1))).toThrow(TypeError);
  });
});

it("a list of a million values is refused, not a stack overflow", () => {
  const left = tableFromArrays({ k: Int32Array.of(1) });
  const list = Array.from({ length: 1_000_000 }, (_, i) => i);
  expect(() => join(left, left, { on: "k", filter: (l) => l.k.in(list) })).toThrow(
    expect.objectContaining({ code: "INVALID_EXPRESSION", message: expect.stringContaining("semi join") }),
  );
});
