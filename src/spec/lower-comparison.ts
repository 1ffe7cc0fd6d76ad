/**
 * Comparisons of two operands by value, as `eq` or `lt` of one lane (SEMANTICS 3.2). Nothing is rounded:
 *
 *     int8, uint16       both to int32                     float32, int16    both to float64
 *     int64, uint64      both wide                         float64, int64    eqScaled, ltScaled
 *     decimal(_, 2), decimal(_, 4), int32                  both wide, in units of the finer
 *     timestamp(s), timestamp(us)                          the same
 *     x, 1.5             x an integer: `x = 1.5` is FALSE, `x < 1.5` is `x < 2`
 *
 * A constant never needs a conversion: it becomes the neighbouring value of the other operand's lane, or decides the comparison for all that
 * is not null. Cost: O(1).
 */

import { compareRatios, floatBelow, floorOf, integer, ofDecimal, ofDouble, type Ratio } from "./exact-number.ts";
import type { Lane, NumberLane } from "./filter-spec.ts";
import { rangeOf } from "./literal.ts";
import type { Node, StepGraph } from "./step-graph.ts";
import { isNullType, type Operand } from "./type-expression.ts";
import { finerOf, isDecimal, type Kind, ratioOf, scaleOf, type Unit } from "./value-kind.ts";

/** `a op b`. Both are of one family, or one takes the type of the other. */
export function compare(graph: StepGraph, op: "eq" | "lt", a: Operand, b: Operand): Node {
  if (isNullType(a) || isNullType(b) || a.node.value === null || b.node.value === null) return graph.constant("bits", null);
  const [p, q] = [a.node.value !== undefined, b.node.value !== undefined];
  if (!p && !q) return compareVectors(graph, op, a, b);
  const first = p && (!q || (a.loose !== undefined && b.loose === undefined));
  return first ? compareConstant(graph, op, b, a, true) : compareConstant(graph, op, a, b, false);
}

/** Is not null, and differs; or one is null, and only one. Never null. */
export function isDistinct(graph: StepGraph, a: Operand, b: Operand): Node {
  const equal = graph.test("isTrue", compare(graph, "eq", a, b));
  return graph.not(graph.logic("or", [equal, graph.logic("and", [graph.test("isNull", a.node), graph.test("isNull", b.node)])]));
}

/** The value, times the factor, in another lane. */
export function relane(graph: StepGraph, node: Node, to: Lane, factor = 1n): Node {
  if (to === "wide") {
    const same = node.lane === to && factor === 1n;
    return same ? node : graph.emit({ op: "widen", from: node.lane as NumberLane | "wide", factor: String(factor) }, node);
  }
  const moved = node.lane === to ? node : graph.emit({ op: "convert", from: node.lane as NumberLane, to: to as NumberLane }, node);
  return factor === 1n ? moved : graph.emit({ op: "mul", lane: to as "i64" }, moved, graph.constant(to, factor));
}

// Two vectors

function compareVectors(graph: StepGraph, op: "eq" | "lt", a: Operand, b: Operand): Node {
  const units = [a.kind.unit, b.kind.unit] as const;
  const [p, q] = [a.node.lane, b.node.lane];
  if (units[0] && units[1]) {
    const unit = finerOf(units[0], units[1]);
    const factors = units.map((own) => ratioOf(own as Unit, unit).factor);
    const lane = commonLane(p, factors[0], q, factors[1]);
    return graph.emit({ op, lane }, relane(graph, a.node, lane, factors[0]), relane(graph, b.node, lane, factors[1]));
  }
  const exact = units[0] ? a : units[1] ? b : null;
  if (p === q) return graph.emit({ op, lane: p }, a.node, b.node);
  if (!exact || /[iu](8|16|32)/.test(exact.node.lane))
    return graph.emit({ op, lane: "f64" }, relane(graph, a.node, "f64"), relane(graph, b.node, "f64"));
  const [x, y] = [a, b].map((side) => relane(graph, side.node, side === exact ? "wide" : "f64"));
  return graph.emit({ op: `${op}Scaled` as const, scale: scaleOf(exact.kind.unit as Unit) }, x, y);
}

/** The smallest lane that surely holds every value of both, times their factors. */
function commonLane(a: Lane, factorA: bigint, b: Lane, factorB: bigint): Lane {
  const scaled = factorA > 1n ? a : factorB > 1n ? b : null;
  // Days and times of day: 32 bits times less than 2^32.
  if (scaled) return scaled === "i32" && a !== "wide" && b !== "wide" ? "i64" : "wide";
  if (a === b || a === "wide" || b === "wide") return a === b ? a : "wide";
  const signed = [a, b].filter((lane) => lane[0] === "i");
  const bits = [a, b].map((lane) => Number(lane.slice(1)) * (signed.length === 1 && lane[0] === "u" ? 2 : 1));
  const most = Math.max(...bits);
  return most > 64 ? "wide" : (`${signed.length ? "i" : "u"}${most}` as Lane);
}

// A constant

/** `x op c`, or `c op x` where the constant is first. */
function compareConstant(graph: StepGraph, op: "eq" | "lt", x: Operand, c: Operand, first: boolean): Node {
  const { lane } = x.node;
  const against = (value: Node) => (first ? graph.emit({ op, lane }, value, x.node) : graph.emit({ op, lane }, x.node, value));
  if (lane === "text" || lane === "bits") return against(c.node);
  const decided = (truth: boolean) => {
    const always = graph.emit({ op: "eq", lane }, x.node, x.node);
    return truth ? always : graph.not(always);
  };
  const value = exactIn(c, x.kind);
  const isFloat = x.kind.unit === null;
  if (typeof value === "number") return isFloat ? against(graph.constant(lane, value)) : decided(op === "lt" && first === value < 0);
  // `x < 1.5` is `x < 2`, `1.5 < x` is `1 < x`: the nearest value of the lane on one side or the other.
  const below = (ratio: Ratio) => (isFloat ? floatBelow(ratio, lane as "f32" | "f64") : floorOf(ratio));
  const near = op === "lt" && !first ? -below({ n: -value.n, d: value.d }) : below(value);
  const exact = typeof near === "bigint" ? integer(near) : ofDouble(near);
  if (op === "eq" && (typeof exact === "number" || compareRatios(exact, value) !== 0)) return decided(false);
  const [low, high] = isFloat || x.node.value !== undefined ? [near, near] : rangeOf(lane);
  return near < low || near > high ? decided(op === "lt" && first === near < low) : against(graph.constant(lane, near));
}

/** A constant counted in units of the other operand; NaN and the infinities as they are. */
function exactIn({ node: { value }, kind, loose }: Operand, other: Kind): Ratio | number {
  const exact =
    typeof loose === "number" && isDecimal(other)
      ? (ofDecimal(String(loose)) ?? loose)
      : typeof value === "bigint"
        ? integer(value)
        : ofDouble(value as number);
  if (typeof exact === "number") return exact;
  // A bare number that meets a time counts its units.
  const isRaw = other.family !== "number" && (typeof loose === "number" || typeof loose === "bigint");
  const [n, d] = isRaw ? (other.unit as Unit) : (kind.unit ?? [1n, 1n]);
  const [otherN, otherD] = other.unit ?? [1n, 1n];
  return { n: exact.n * n * otherD, d: exact.d * d * otherN };
}
