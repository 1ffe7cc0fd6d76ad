import { describe, expect, it } from "vitest";
import { printExpression } from "../../src/spec/print-expression.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const [a, b, c] = [l("a"), r("b"), l("c")];

const CASES: readonly (readonly [text: string, tree: Tree])[] = [
  ["left.price > right.limit and left.sym <> right.sym", x.and(x.gt(l("price"), r("limit")), x.ne(l("sym"), r("sym")))],
  ["left.a = right.b", x.eq(a, b)],
  ["left.a < right.b", x.lt(a, b)],
  ["left.a <= right.b", x.le(a, b)],
  ["left.a >= right.b", x.ge(a, b)],
  ["left.a is distinct from right.b", x.isDistinctFrom(a, b)],
  ["left.name starts with 'a'", x.startsWith(l("name"), "a")],
  ["left.name ends with right.b", x.endsWith(l("name"), b)],
  ["left.name contains 'it''s'", x.contains(l("name"), "it's")],
  ["left.x is null", x.isNull(l("x"))],
  ["left.x is not null", x.isNotNull(l("x"))],
  ["left.x between 1 and 2", x.between(l("x"), 1, 2)],
  ["left.x in (1, 2)", x.in(l("x"), 1, 2)],
  ["cast(left.x as int64)", x.cast(l("x"), "int64")],
  ["cast(left.x + 1 as timestamp(us, UTC))", x.cast(x.add(l("x"), 1), "timestamp(us, UTC)")],
  ['left."unit price" = right."a""b"', x.eq(l("unit price"), r('a"b'))],
  ['left."" = left."1a"', x.eq(l(""), l("1a"))],
  ["not (left.a = right.b)", x.not(x.eq(a, b))],
  ["not left.a", x.not(a)],
  ["not (not left.a)", x.not(x.not(a))],
  ["(left.a or right.b) and left.c", x.and(x.or(a, b), c)],
  ["left.a and right.b or left.c", x.or(x.and(a, b), c)],
  ["not (left.a and right.b) or left.c", x.or(x.not(x.and(a, b)), c)],
  ["left.a + right.b * left.c", x.add(a, x.mul(b, c))],
  ["(left.a + right.b) * left.c", x.mul(x.add(a, b), c)],
  ["left.a - right.b - left.c", x.sub(x.sub(a, b), c)],
  ["left.a - (right.b - left.c)", x.sub(a, x.sub(b, c))],
  ["left.a / (right.b % left.c)", x.div(a, x.mod(b, c))],
  ["-left.a", x.neg(a)],
  ["-(-left.a)", x.neg(x.neg(a))],
  ["-(-5)", x.neg(-5)],
  ["-(left.a + 1)", x.neg(x.add(a, 1))],
  ["abs(left.a - right.b) < 5", x.lt(x.abs(x.sub(a, b)), 5)],
  ["(left.a = right.b) = left.c", x.eq(x.eq(a, b), c)],
  ["left.c = (left.a = right.b)", x.eq(c, x.eq(a, b))],
  ["(left.a or right.b) is null", x.isNull(x.or(a, b))],
  ["(left.a = right.b) in (true, left.c or right.b)", x.in(x.eq(a, b), true, x.or(c, b))],
  ["left.a = null", x.eq(a, null)],
  ["left.a = -1.5", x.eq(a, -1.5)],
  ["left.a = NaN or left.a = 123456789012345678901", x.or(x.eq(a, Number.NaN), x.eq(a, 123456789012345678901n))],
  ["left.a = Date '1970-01-01T00:00:00.005Z'", x.eq(a, new Date(5))],
  ["left.a = int64 5", x.eq(a, lit(5, "int64"))],
  ["left.a = decimal(5, 2) 1.50", x.eq(a, lit("1.50", "decimal(5, 2)"))],
  ["left.a = 'x'", x.eq(a, lit("x", "utf8"))],
  ["left.a = null", x.eq(a, lit(null, "int64"))],
];

describe("printing an expression", () => {
  it("reads as people write, with parentheses only where precedence needs them", () => {
    for (const [text, tree] of CASES) expect(printExpression(tree)).toBe(text);
  });
});
