/** Which comparisons of a filter sorted search takes, and which are left to be tested. */

import { describe, expect, it } from "vitest";
import { type RangeShape, rangeShapeOf } from "../../src/spec/range-shape.ts";
import { l, r, type Tree, x } from "../support/tree.ts";
import { plan } from "./planned.ts";

const LEFT = { x: "int32", lo: "int32", hi: "int32", s: "utf8" };
const RIGHT = { y: "int32", start: "int32", end: "int64", s: "utf8" };

/** `[lo, hi)` says whether the values that equal the bound lie inside. */
function shapeText(tree: Tree, build: "left" | "right"): string {
  const spec = plan(tree, LEFT, RIGHT);
  const shape = rangeShapeOf(spec.conjuncts, build) as RangeShape;
  const { low, high, second, text, rest } = shape;
  const ends = `${low ? (low.after ? "(" : "[") : ""}${low && high ? " " : ""}${high ? (high.after ? "]" : ")") : ""}`;
  return [text, ends, second ? second.op : "", rest.map((conjunct) => conjunct.text).join(" and ")].join("; ").replace(/(; )+$/, "");
}

describe("what is searched of a filter", () => {
  it("is one side of an inequality, in the words of whoever wrote it", () => {
    expect(shapeText(x.lt(l("x"), r("y")), "right")).toBe("right.y; (");
    expect(shapeText(x.le(l("x"), r("y")), "right")).toBe("right.y; [");
    expect(shapeText(x.le(l("x"), x.add(r("y"), 1)), "left")).toBe("left.x; ]");
    expect(shapeText(x.not(x.le(l("x"), r("y"))), "left")).toBe("left.x; (");
  });

  it("is a stretch of one part between two bounds", () => {
    const band = x.and(x.ge(r("y"), l("lo")), x.lt(r("y"), l("hi")));
    expect(shapeText(band, "right")).toBe("right.y; [ )");
    expect(shapeText(x.between(r("y"), l("lo"), l("hi")), "right")).toBe("right.y; [ ]");
    expect(shapeText(x.and(x.lt(r("y"), l("hi")), x.gt(r("y"), l("lo"))), "right")).toBe("right.y; ( )");
  });

  it("is two parts where neither has two bounds: points in intervals, intervals that overlap, anything else", () => {
    expect(shapeText(x.and(x.ge(r("y"), l("lo")), x.lt(r("y"), l("hi"))), "left")).toBe("left.lo, left.hi; ]; gt");
    const overlap = x.and(x.lt(l("lo"), r("end")), x.lt(r("start"), l("hi")));
    expect(shapeText(overlap, "right")).toBe("right.end, right.start; (; lt");
    expect(shapeText(overlap, "left")).toBe("left.lo, left.hi; ); gt");
    expect(shapeText(x.and(x.lt(l("x"), r("y")), x.lt(l("lo"), r("start"))), "right")).toBe("right.y, right.start; (; gt");
  });

  it("is an equality before all, then a part with two bounds", () => {
    const [equal, ge, lt] = [x.eq(x.add(l("x"), 1), r("end")), x.ge(r("y"), l("lo")), x.lt(r("y"), l("hi"))];
    const other = x.lt(r("start"), l("x"));
    expect(shapeText(x.and(other, ge, lt, equal), "right")).toBe(
      "right.end; [ ]; ; right.start < left.x and right.y >= left.lo and right.y < left.hi",
    );
    expect(shapeText(x.and(other, ge, lt), "right")).toBe("right.y; [ ); ; right.start < left.x");
    expect(shapeText(x.and(ge, x.gt(r("y"), l("x"))), "right")).toBe("right.y; [; ; right.y > left.x");
  });

  it("leaves what it cannot search to be tested", () => {
    const rest = x.and(x.ne(l("x"), r("y")), x.lt(l("s"), r("s")));
    expect(shapeText(x.and(rest, x.lt(l("x"), r("y"))), "right")).toBe("right.y; (; ; left.x <> right.y and left.s < right.s");
    expect(rangeShapeOf(plan(rest, LEFT, RIGHT).conjuncts, "right")).toBe(null);
  });
});
