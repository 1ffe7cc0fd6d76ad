import { describe, expect, it } from "vitest";
import type { Expression } from "../../src/spec/expression.ts";
import { readExpression } from "../../src/spec/read-expression.ts";
import { expectError } from "../support/errors.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const refused = (value: unknown, ...words: (string | RegExp)[]) => expectError(() => readExpression(value), "INVALID_EXPRESSION", ...words);

const UNARY = ["not", "isNull", "isNotNull", "abs", "neg"] as const;
const BINARY = ["eq", "ne", "lt", "le", "gt", "ge", "isDistinctFrom", "add", "sub", "mul", "div", "mod"] as const;
const TEXT = ["startsWith", "endsWith", "contains"] as const;

describe("reading an expression", () => {
  it("takes every shape, from JSON or made by hand, and gives a copy", () => {
    const [a, b, c] = [l("a"), r("b"), lit(1)];
    const trees: Tree[] = [
      a,
      c,
      x.cast(a, "timestamp(us, UTC)"),
      x.between(a, b, c),
      x.in(a, b, c, lit("x")),
      x.and(a, b, c),
      x.or(a, b),
      ...UNARY.map((op) => x[op](a)),
      ...[...BINARY, ...TEXT].map((op) => x[op](a, b)),
      ...[lit(-0), lit(Number.NaN), lit(2n ** 70n), lit(true), lit(null), lit(new Date(5)), lit("9007199254740993", "int64")],
      ...[lit("-12.30", "decimal(5, 2)"), lit(5, "timestamp[us]"), lit("a", "utf8"), lit(null, "float32"), lit("NaN", "float64")],
    ];
    for (const tree of trees) {
      const read = readExpression(tree);
      expect(read).toEqual(tree);
      expect(read).not.toBe(tree);
      expect(readExpression(JSON.parse(JSON.stringify(tree)))).toEqual(tree);
    }
  });

  it("asks builders for their trees, wherever they stand", () => {
    const builder = (tree: unknown) => ({ toJSON: () => tree });
    const tree = x.eq(l("a"), r("b"));
    expect(readExpression(builder(tree))).toEqual(tree);
    expect(readExpression(builder({ op: "eq", args: [builder(l("a")), r("b")] }))).toEqual(tree);
  });

  it("lays `and` in `and` flat, and `or` in `or`", () => {
    const [a, b, c, d] = [l("a"), l("b"), l("c"), l("d")];
    expect(readExpression(x.and(x.and(a, b), x.and(c, x.or(x.or(a, b), d))))).toEqual(x.and(a, b, c, x.or(a, b, d)));
  });

  it("writes what JSON has no form for as text", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -0]) {
      expect(readExpression({ type: "number", value })).toEqual(lit(value));
      expect(readExpression({ type: "float64", value })).toEqual({ ...lit(value), type: "float64" });
    }
    expect(readExpression({ type: "bigint", value: 5n })).toEqual(lit(5n));
  });

  it("refuses what is no expression, saying what is", async () => {
    for (const value of [undefined, null, 5, 5n, "left.a", true, [], () => 1, Symbol("s"), {}, { args: [] }, { value: 1 }, new Date(0)])
      await refused(value, "column { side, column }", "literal { type, value }", "operation { op, args }");
    await refused(5, "5 is no expression");
    await refused({ op: "eq", args: [l("a"), 5] }, "5 is no expression");
    await refused({ op: "not", args: "x" }, "args", "array");
    await refused({ op: "not" }, "args");
  });

  it("refuses columns without a side or a name", async () => {
    await refused({ side: "middle", column: "a" }, "left", "right");
    await refused({ side: "left" }, "column a name");
    await refused({ column: "a" }, "side is");
    await refused({ side: "left", column: 5 }, "column a name");
    await refused({ side: "left", column: "a", type: "int8" }, "left.a", '"type"');
  });

  it("refuses an unknown operation by name, with those there are", async () => {
    await refused({ op: "xor", args: [l("a"), r("b")] }, "xor(left.a, right.b)", "isDistinctFrom", "startsWith");
    await refused({ op: "toString", args: [l("a")] }, "toString(left.a)");
    await refused({ op: "__proto__", args: [] }, "__proto__()");
    await refused({ op: 5, args: [l("a")] }, "5(left.a)");
  });

  it("refuses the wrong number of operands", async () => {
    await refused({ op: "eq", args: [l("a")] }, "eq(left.a)", "takes 2 operands, not 1");
    await refused({ op: "not", args: [l("a"), l("b")] }, "not(left.a, left.b)", "takes 1 operand, not 2");
    await refused({ op: "between", args: [l("a"), l("b")] }, "takes 3 operands");
    await refused({ op: "and", args: [] }, "takes 2 or more operands, not 0");
    await refused({ op: "or", args: [l("a")] }, "takes 2 or more operands");
    await refused({ op: "in", args: [l("a")] }, "in(left.a)", "takes 2 or more operands");
    await refused({ op: "cast", args: [], type: "int8" }, "takes 1 operand");
  });

  it("refuses members that mean nothing, whichever name they have", async () => {
    await refused({ op: "eq", args: [l("a"), r("b")], type: "int8" }, "left.a = right.b", '"type"');
    await refused({ type: "number", value: 1, unit: "s" }, "unit");
    await refused(JSON.parse('{"type":"number","value":1,"__proto__":{"x":1}}'), "__proto__");
    await refused({ op: "eq", args: [l("a"), r("b")], side: "left" }, '"side"');
  });

  it("refuses casts to no type", async () => {
    for (const type of [undefined, 5, "int", "float", "float16", "decimal", "decimal(39, 2)", "decimal(5, 99)", "time32(us)", "list(int8)"])
      await refused({ op: "cast", args: [l("a")], type }, "cast(left.a)", "decimal(p, s)");
    await refused({ op: "cast", args: [l("a")], type: `decimal(5, -${"9".repeat(9)})` }, "there is no type");
  });

  it("refuses literals whose value is none of their type", async () => {
    const bad: [type: string, ...values: unknown[]][] = [
      ["number", "5", "", true, null, undefined, {}, [1]],
      ["bigint", "5.5", "", "0x10", true, 1.5, 2 ** 60, "9".repeat(401)],
      ["string", 5, null, true],
      ["boolean", 1, "true", null],
      ["null", 0, "null", undefined],
      ["Date", null, "2020-01-01", 0.5, 1e17, true],
      ["int8", 128, -129, "x", 1.5, true, "1e2"],
      ["uint64", -1, "18446744073709551616", 2 ** 60],
      ["int64", "9223372036854775808", 2 ** 53],
      ["float32", 1e39, "1.5", false],
      ["float64", "x", {}],
      ["decimal(5, 2)", "1.234", "1000", 1000, "x", true, "1e400", "NaN"],
      ["decimal(5, -2)", "150"],
      ["bool", 1],
      ["utf8", 1],
      ["date32", 2 ** 31],
      ["timestamp(us)", 1.5, "x"],
      ["time32(ms)", 2 ** 31],
    ];
    for (const [type, ...values] of bad) for (const value of values) await refused({ type, value }, type, "no value of type");
    await refused({ type: "date32", value: "2024-01-01" }, "no value of type date32: lit takes a Date, or the integer that Arrow stores");
    await refused({ type: "duration(s)", value: "x" }, "no value of type duration(s): lit takes the integer that Arrow stores");
    for (const type of ["int", "float16", "list(int8)", "binary", "Number", "toString", "decimal(0, 0)", "duration(us, UTC)"])
      await refused({ type, value: 1 }, "there is no type", "duration(us)");
  });

  const deep = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
    let tree: unknown = l("a");
    for (let i = 1; i < levels; i++) tree = wrap(tree);
    return tree;
  };

  const wraps: [op: string, wrap: (inner: unknown) => unknown][] = [
    ...UNARY.map((op): [string, (inner: unknown) => unknown] => [op, (inner) => ({ op, args: [inner] })]),
    ["cast", (inner) => ({ op: "cast", args: [inner], type: "int8" })],
    ...[...BINARY, ...TEXT, "and", "or", "in"].flatMap((op): [string, (inner: unknown) => unknown][] => [
      [op, (inner) => ({ op, args: [inner, lit(1)] })],
      [op, (inner) => ({ op, args: [lit(1), inner] })],
    ]),
    ["between", (inner) => ({ op: "between", args: [lit(1), lit(2), inner] })],
  ];

  it("refuses 10 000 levels of every operation, and takes 500", async () => {
    for (const [, wrap] of wraps) {
      await refused(deep(10_000, wrap), "500 levels");
      await refused(deep(501, wrap), "500 levels");
      readExpression(deep(500, wrap));
    }
  });

  it("refuses cycles, and trees that share their branches, without unfolding them", async () => {
    const cycle: { op: string; args: unknown[] } = { op: "and", args: [l("a")] };
    cycle.args.push(cycle);
    await refused(cycle, "500 levels");
    let dag: Expression = l("a");
    for (let i = 0; i < 40; i++) dag = x.add(dag, dag);
    const start = performance.now();
    await refused(dag, "10000 nodes", "counts twice");
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("refuses more than 10 000 nodes, also if an array only says that it has them", async () => {
    const wide = (count: number) => ({ op: "in", args: Array.from({ length: count }, () => lit(1)) });
    readExpression(wide(9_999));
    await refused(wide(10_000), "10000 nodes", "a table and a semi join");
    await refused({ op: "in", args: new Array(2 ** 32 - 1) }, "undefined is no expression");
  });

  it("cuts what it names to about 80 characters", async () => {
    const error = await refused({ op: "xor", args: [l("a".repeat(5000)), lit("b".repeat(5000))] }, "…", "xor(left.aaa");
    expect(error.message.length).toBeLessThan(400);
    expect((await refused({ ["k".repeat(9000)]: 1 }, "…")).message.length).toBeLessThan(400);
    expect((await refused({ type: "t".repeat(9000), value: "v".repeat(9000) }, "…")).message.length).toBeLessThan(600);
  });
});
