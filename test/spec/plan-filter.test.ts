import { describe, expect, it } from "vitest";
import type { FilterSpec, PairConjunct } from "../../src/spec/filter-spec.ts";
import type { KeySpec } from "../../src/spec/join-spec.ts";
import { planFilter, planNotFalse } from "../../src/spec/plan-filter.ts";
import { expectError } from "../support/errors.ts";
import type { Value } from "../support/exact.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";
import { fieldsOf } from "./fields.ts";
import { checkSpec, matches } from "./interpret.ts";
import { plan, type Types } from "./planned.ts";

const LEFT: Types = { a: "int32", c: "utf8", d: "float64", p: "decimal(9, 2)", flag: "bool", u: "uint64", t: "timestamp(s)" };
const RIGHT: Types = { b: "int32", e: "float64", f: "int8", s: "utf8", q: "decimal(9, 4)", i: "int64", t: "timestamp(us)" };
const split = (tree: Tree): FilterSpec => plan(tree, LEFT, RIGHT);
/** What a condition on pairs does, with what: its steps, and the lanes of its parts. */
const shapeOf = ({ program }: PairConjunct): string =>
  `${opsOf(program)}: ${program.steps.flatMap((step) => (step.op === "part" ? [step.lane] : []))}`;

const columnsOf = ({ left, right }: FilterSpec) => [left.columns, right.columns];
const opsOf = ({ steps }: { readonly steps: readonly { readonly op: string }[] }) => steps.map(({ op }) => op).join(" ");

describe("a filter", () => {
  it("is split into conditions of one side, and conditions of pairs over parts", () => {
    const spec = split(
      x.and(x.gt(x.add(l("a"), 1), r("b")), x.eq(l("c"), "x"), x.or(x.lt(l("d"), r("e")), x.isNull(r("f"))), x.gt(r("b"), 0)),
    );
    expect(spec.text).toBe("left.a + 1 > right.b and left.c = 'x' and (left.d < right.e or right.f is null) and right.b > 0");
    expect(spec.never).toBe(false);
    expect(spec.left.conjuncts.map(opsOf)).toEqual(["column constant eq"]);
    expect(spec.right.conjuncts.map(opsOf)).toEqual(["column constant lt"]);
    expect(spec.left.parts.map(({ lane }) => lane)).toEqual(["i64", "f64"]);
    expect(spec.right.parts.map(({ lane }) => lane).sort()).toEqual(["bits", "f64", "i64"]);
    expect(spec.conjuncts.map(shapeOf)).toEqual(["part part lt: i64,i64", "part part lt part or: f64,f64,bits"]);
    expect(columnsOf(spec)).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  it("never converts a bare column for each pair", () => {
    const spec = split(x.and(x.eq(l("a"), r("f")), x.lt(l("u"), r("i")), x.lt(l("p"), r("q")), x.lt(l("t"), r("t")), x.lt(l("p"), r("e"))));
    for (const { program } of spec.conjuncts) expect(opsOf(program)).toMatch(/^part part (eq|lt|ltScaled)$/);
  });

  it("shares equal parts, and equal steps within a program", () => {
    const spec = split(x.and(x.lt(x.add(l("a"), 1), r("b")), x.ne(x.add(l("a"), 1), r("i")), x.lt(l("a"), r("b"))));
    expect(spec.left.parts.map(({ program }) => opsOf(program))).toEqual(["column constant convert add", "column"]);
    expect(spec.right.parts.length).toBe(3);
    const square = x.mul(x.add(l("a"), 1), x.add(l("a"), 1));
    expect(opsOf(split(x.eq(square, 4)).left.conjuncts[0])).toBe("column constant convert add mul constant eq");
  });

  it("computes what one side decides of an `or` once a row", () => {
    const spec = split(x.or(x.eq(l("a"), 1), x.eq(r("b"), 2), x.eq(l("c"), "x"), x.isNull(r("f")), x.lt(l("a"), r("b"))));
    expect(spec.left.parts.map(({ lane }) => lane).sort()).toEqual(["bits", "i32"]);
    expect(spec.right.parts.map(({ lane }) => lane).sort()).toEqual(["bits", "i32"]);
  });

  it("keeps constants in the program of the pair: a part is never one", () => {
    const spec = split(x.lt(x.sub(l("a"), r("b")), 5));
    expect(spec.conjuncts.map(({ program }) => opsOf(program))).toEqual(["part part sub constant lt"]);
  });

  it("tests the cheapest condition first, and equally cheap ones as written", () => {
    const text = x.contains(l("c"), r("s"));
    const wide = x.lt(l("p"), r("q"));
    const scaled = x.lt(l("p"), r("e"));
    const [one, two] = [x.lt(l("a"), r("b")), x.ne(l("a"), r("i"))];
    const sum = x.lt(x.add(l("a"), r("b")), 5);
    const { conjuncts } = split(x.and(scaled, text, wide, sum, x.eq(l("c"), r("s")), one, two));
    expect(conjuncts.map(shapeOf)).toEqual([
      "part part lt: i32,i32",
      "part part eq not: i64,i64",
      "part part add constant lt: i64,i64",
      "part part eq: text,text",
      "part part lt: wide,wide",
      "part part contains: text,text",
      "part part ltScaled: wide,f64",
    ]);
    expect(split(x.and(x.contains(l("c"), "x"), x.eq(l("a"), 5))).left.conjuncts.map(opsOf)).toEqual([
      "column constant eq",
      "column constant contains",
    ]);
  });

  it("that is constant is decided: TRUE asks nothing, FALSE and NULL match never", () => {
    const nothing = { columns: [], conjuncts: [], parts: [] };
    expect(split(lit(true))).toEqual({ text: "true", never: false, left: nothing, right: nothing, conjuncts: [] });
    for (const value of [false, null] as const) {
      expect(split(lit(value))).toEqual({ text: String(value), never: true, left: nothing, right: nothing, conjuncts: [] });
      expect(split(x.and(x.lt(l("a"), r("b")), value)).never).toBe(true);
    }
    expect(split(x.and(x.lt(l("a"), r("b")), true)).conjuncts.length).toBe(1);
  });

  it("is checked to its end although it never matches", async () => {
    await expectError(() => split(x.and(false, x.eq(l("a"), "x"))), "INVALID_EXPRESSION", "left.a = 'x'");
  });

  it("that has 10 000 nodes is planned in a moment", () => {
    const start = performance.now();
    const planned = (tree: Tree) => planFilter(tree, fieldsOf(LEFT), fieldsOf(RIGHT));
    planned(x.in(l("a"), ...Array.from({ length: 9_990 }, (_, i) => i)));
    planned(x.and(...Array.from({ length: 3_300 }, (_, i) => (i % 2 ? x.lt(l("a"), r("b")) : x.eq(l("a"), i)))));
    let nested: Tree = x.eq(l("a"), 1);
    for (let i = 0; i < 490; i++) nested = x.between(nested, x.eq(l("a"), r("b")), true);
    planned(nested);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe("a range", () => {
  const rangeOf = (tree: Tree) => split(tree).conjuncts.map(({ range }) => range && `${range.op} ${range.lane}`);

  it("is one comparison of a left part with a right part, as the left sees it", () => {
    expect(rangeOf(x.lt(l("a"), r("b")))).toEqual(["lt i32"]);
    expect(rangeOf(x.le(l("a"), r("b")))).toEqual(["le i32"]);
    expect(rangeOf(x.gt(l("a"), r("b")))).toEqual(["gt i32"]);
    expect(rangeOf(x.ge(l("a"), r("b")))).toEqual(["ge i32"]);
    expect(rangeOf(x.lt(r("b"), l("a")))).toEqual(["gt i32"]);
    expect(rangeOf(x.le(r("b"), l("a")))).toEqual(["ge i32"]);
    expect(rangeOf(x.gt(r("b"), l("a")))).toEqual(["lt i32"]);
    expect(rangeOf(x.ge(r("b"), l("a")))).toEqual(["le i32"]);
    expect(rangeOf(x.not(x.lt(l("a"), r("b"))))).toEqual(["ge i32"]);
    expect(rangeOf(x.lt(x.add(l("a"), 1), r("b")))).toEqual(["lt i64"]);
    expect(rangeOf(x.lt(l("d"), r("b")))).toEqual(["lt f64"]);
    expect(rangeOf(x.eq(r("b"), l("a")))).toEqual(["eq i32"]);
    expect(rangeOf(x.eq(x.add(l("a"), 1), r("b")))).toEqual(["eq i64"]);
  });

  it("says what its operands are, as written, and so does every conjunct", () => {
    const [{ text, range }] = split(x.not(x.lt(x.add(r("b"), 1), l("a")))).conjuncts;
    expect([text, range?.texts]).toEqual(["not (right.b + 1 < left.a)", { left: "left.a", right: "right.b + 1" }]);
    const rest = split(x.and(x.ne(l("a"), r("b")), x.or(x.lt(l("a"), r("b")), x.lt(l("d"), r("e"))))).conjuncts;
    expect(rest.map((conjunct) => conjunct.text)).toEqual(["left.a <> right.b", "(left.a < right.b or left.d < right.e)"]);
  });

  it("comes in twos from between", () => {
    const spec = split(x.between(l("a"), r("b"), x.add(r("b"), 5)));
    expect(spec.conjuncts.map(({ range }) => range?.op)).toEqual(["ge", "le"]);
    expect(spec.conjuncts.map(({ range }) => opsOf(spec.right.parts[range?.right ?? -1].program))).toEqual([
      "column",
      "column constant convert add",
    ]);
    expect(spec.text).toBe("left.a between right.b and right.b + 5");
    expect(rangeOf(x.between(r("b"), l("a"), 5))).toEqual(["le i32"]);
  });

  it("is nothing else", () => {
    for (const tree of [
      x.ne(l("a"), r("b")),
      x.eq(l("c"), r("s")),
      x.eq(l("p"), r("q")),
      x.lt(l("c"), r("s")),
      x.lt(l("p"), r("q")),
      x.lt(l("p"), r("e")),
      x.lt(l("flag"), x.eq(r("b"), 1)),
      x.lt(x.sub(l("a"), r("b")), 5),
      x.or(x.lt(l("a"), r("b")), x.lt(l("d"), r("e"))),
    ])
      expect(rangeOf(tree)).toEqual([null]);
  });
});

describe("what is not FALSE of keys and filter", () => {
  const left = { k: "int32", m: "utf8", b: "binary", n: "null", v: "int8" };
  const right = { k: "int64", m: "utf8", b: "fixedsizebinary(1)", n: "int8", v: "int8" };
  const [leftFields, rightFields] = [fieldsOf(left), fieldsOf(right)];
  const key = (name: string, nullsEqual = false): KeySpec => {
    const index = leftFields.findIndex((field) => field.name === name);
    const [leftType, rightType] = [leftFields[index].type, rightFields[index].type];
    return { left: index, right: index, leftName: name, rightName: name, leftType, rightType, nullsEqual };
  };
  const notFalse = (keys: readonly KeySpec[], tree: Tree | undefined, a: readonly Value[], b: readonly Value[]): boolean => {
    const spec = planNotFalse(keys, tree, leftFields, rightFields);
    checkSpec(spec);
    return matches(spec, a, b);
  };
  const row = (k: Value, m: Value = "x", b: Value = "00", v: Value = 1n): Value[] => [k, m, b, null, v];

  it("holds where the keys are equal or one is null", () => {
    expect(notFalse([key("k")], undefined, row(1n), row(1n))).toBe(true);
    expect(notFalse([key("k")], undefined, row(1n), row(2n))).toBe(false);
    expect(notFalse([key("k")], undefined, row(null), row(2n))).toBe(true);
    expect(notFalse([key("k")], undefined, row(1n), row(null))).toBe(true);
    expect(notFalse([key("k")], undefined, row(null), row(null))).toBe(true);
    expect(notFalse([key("n")], undefined, row(1n), row(1n))).toBe(true);
  });

  it("is FALSE as soon as one of several keys differs", () => {
    const keys = [key("k"), key("m"), key("b")];
    expect(notFalse(keys, undefined, row(null, "x"), row(1n, "x"))).toBe(true);
    expect(notFalse(keys, undefined, row(null, "x"), row(1n, "y"))).toBe(false);
    expect(notFalse(keys, undefined, row(1n, null, null), row(1n, "y", "ff"))).toBe(true);
    expect(notFalse(keys, undefined, row(1n, null, "00"), row(1n, "y", "ff"))).toBe(false);
  });

  it("is never unknown for a key whose nulls are equal", () => {
    expect(notFalse([key("k", true)], undefined, row(null), row(null))).toBe(true);
    expect(notFalse([key("k", true)], undefined, row(null), row(1n))).toBe(false);
    expect(notFalse([key("k", true)], undefined, row(1n), row(1n))).toBe(true);
    expect(notFalse([key("n", true)], undefined, row(1n), [1n, "x", "00", 5n, 1n])).toBe(false);
    expect(notFalse([key("n", true)], undefined, row(1n), row(1n))).toBe(true);
  });

  it("asks the filter to be TRUE", () => {
    const filter = x.or(x.lt(l("v"), r("v")), x.isNull(l("v")));
    expect(notFalse([key("k")], filter, row(null, "x", "00", 1n), row(1n, "x", "00", 2n))).toBe(true);
    expect(notFalse([key("k")], filter, row(null, "x", "00", 1n), row(1n, "x", "00", null))).toBe(false);
    expect(notFalse([key("k")], filter, row(null, "x", "00", null), row(1n))).toBe(true);
    expect(notFalse([key("k")], filter, row(2n, "x", "00", null), row(1n))).toBe(false);
    expect(notFalse([key("n")], lit(false), row(1n), row(1n))).toBe(false);
  });

  it("reads as people write it", () => {
    const text = (tree?: Tree) => planNotFalse([key("k"), key("m", true)], tree, leftFields, rightFields).text;
    expect(text()).toBe("(left.k = right.k) is not false and left.m is not distinct from right.m");
    expect(text(x.or(x.isNull(l("v")), x.isNull(r("v"))))).toMatch(/ and \(left\.v is null or right\.v is null\)$/);
  });

  it("refuses keys that do not compare", async () => {
    const keys: KeySpec[] = [{ ...key("k"), right: 1, rightName: "m", rightType: rightFields[1].type }];
    await expectError(
      () => planNotFalse(keys, undefined, leftFields, rightFields),
      "INVALID_EXPRESSION",
      "left.k = right.m",
      "int32",
      "utf8",
    );
  });
});
