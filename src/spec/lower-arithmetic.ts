/**
 * Arithmetic and casts as steps (SEMANTICS 3.2, 3.3).
 *
 *     integers             i64; u64 where every operand is unsigned or a bare literal that is not negative
 *     any float, and div   f64
 *     timestamp - timestamp = duration    timestamp ± duration = timestamp    in the finer unit, by an i64 product that fails beyond 64 bits
 *
 * Cost: O(1).
 */

import { typeText } from "../plain-type.ts";
import type { Expression } from "./expression.ts";
import { relane } from "./lower-comparison.ts";
import { refuse } from "./print-expression.ts";
import type { Node, StepGraph } from "./step-graph.ts";
import { castText, describe, isNullType, type Operand } from "./type-expression.ts";
import { canCast, DAY, finerOf, isDecimal, isTemporal, type Kind, kindOf, ratioOf, scaleOf, type Unit } from "./value-kind.ts";

export type ArithmeticOp = "add" | "sub" | "mul" | "div" | "mod" | "neg" | "abs";
type Result = Pick<Operand, "node" | "kind">;

const BY_LANE: { readonly [lane: string]: Kind } = {
  i64: kindOf({ name: "int64" }),
  u64: kindOf({ name: "uint64" }),
  f64: kindOf({ name: "float64" }),
};

export function arithmetic(graph: StepGraph, op: ArithmeticOp, args: readonly Operand[], at: Expression): Result {
  const decimal = args.find(({ kind }) => isDecimal(kind));
  if (decimal) refuse(at, `${describe(decimal)}; decimals only compare. Use ${castText(decimal, BY_LANE.f64)}`);
  const others = args.filter((arg) => !isNullType(arg));
  if (others.every(({ kind }) => kind.family === "number")) {
    return others.length < args.length ? (args.find(isNullType) as Operand) : ofNumbers(graph, op, args);
  }
  return ofTimes(graph, op, args, at);
}

function ofNumbers(graph: StepGraph, op: ArithmeticOp, args: readonly Operand[]): Result {
  const isUnsigned = ({ node, loose }: Operand) =>
    node.lane === "u64" || (loose === undefined ? node.lane[0] === "u" : (node.value as bigint) >= 0n);
  const isFloat = op === "div" || args.some(({ kind }) => kind.unit === null);
  const anyUnsigned = args.some(({ node }) => node.lane[0] === "u");
  const lane = isFloat ? "f64" : op !== "neg" && anyUnsigned && args.every(isUnsigned) ? "u64" : "i64";
  // What no i64 holds may still give a result that one does. A constant that takes the other's type must fit it.
  const unsigned = args.findIndex(({ node, loose }) => node.lane === "u64" && loose === undefined);
  if (lane === "i64" && unsigned >= 0 && op !== "abs" && op !== "div") {
    const nodes = args.map(({ node }, i) => (i === unsigned ? node : relane(graph, node, "i64")));
    const [a, b] = op === "neg" ? [graph.constant("i64", 0n), nodes[0]] : nodes;
    const node = graph.emit({ op: "mixed", of: op === "neg" ? "sub" : op, unsigned: op === "neg" || unsigned === 1 ? 1 : 0 }, a, b);
    return { node, kind: BY_LANE.i64 };
  }
  const [a, b] = args.map(({ node }) => relane(graph, node, lane));
  const node = op === "neg" || op === "abs" ? (lane === "u64" ? a : graph.emit({ op, lane }, a)) : graph.emit({ op, lane }, a, b);
  return { node, kind: BY_LANE[lane] };
}

const POINT = /timestamp|zoned/;

function ofTimes(graph: StepGraph, op: ArithmeticOp, args: readonly Operand[], at: Expression): Result {
  const point =
    args.find(({ kind, loose }) => POINT.test(kind.family) && loose === undefined) ?? args.find(({ kind }) => POINT.test(kind.family));
  // What a literal is depends on the timestamp it meets; null is whatever fits.
  const kinds = args.map(({ kind, loose, node }, i): Kind => {
    if (!point) return kind;
    if (loose === "Date") return { ...kind, family: point.kind.family, type: { ...kind.type, timezone: point.kind.type.timezone } };
    const isCount = loose !== undefined && typeof node.value === "bigint";
    return isCount || (isNullType(args[i]) && args[1 - i].kind.family !== "duration")
      ? { ...point.kind, family: "duration", type: { name: "duration", unit: point.kind.type.unit } }
      : kind;
  });
  const shape = [op, ...kinds.map(({ family }) => family)].join(" ");
  const isDifference = /^sub (timestamp|zoned) \1$/.test(shape);
  if (!point || !(isDifference || /^((add|sub) (timestamp|zoned) duration|add duration (timestamp|zoned))$/.test(shape)))
    return refuse(
      at,
      `${args.map(describe).join(", ")}; ${op} takes numbers, or a timestamp and a duration, or two timestamps to subtract${kinds.some(({ family }) => family === "date") ? ". Cast dates to timestamps first" : ""}`,
    );
  const [p, q] = kinds;
  const fine = finerOf(p.unit as Unit, q.unit as Unit) === p.unit ? p : q;
  const [a, b] = args.map(({ node }, i) => relane(graph, node, "i64", ratioOf(kinds[i].unit as Unit, fine.unit as Unit).factor));
  const type = isDifference ? { name: "duration" } : point.kind.type;
  return { node: graph.emit({ op: op as "add", lane: "i64" }, a, b), kind: kindOf({ ...type, unit: fine.type.unit }) };
}

// Casts

export function castTo(graph: StepGraph, x: Operand, to: Kind, at: Expression): Result {
  if (!canCast(x.kind, to)) {
    const way = isDecimal(to)
      ? ". Numbers and decimals of all scales compare without a cast"
      : isDecimal(x.kind)
        ? ". Cast it to float64 first, which rounds"
        : "";
    refuse(at, `${describe(x)}, which no cast makes ${typeText(to.type)}${way}`);
  }
  return { node: castNode(graph, x, to), kind: to };
}

function castNode(graph: StepGraph, { node, kind: from }: Operand, to: Kind): Node {
  if (isDecimal(from) && !isDecimal(to)) {
    const scaled = graph.emit({ op: "unscale", scale: scaleOf(from.unit as Unit) }, relane(graph, node, "wide"));
    return relane(graph, scaled, to.lane);
  }
  if (!isTemporal(from) || !isTemporal(to)) return relane(graph, node, to.lane);
  // A date is a whole day, whatever it is counted in.
  const days = from.family !== "date" && to.family === "date";
  const moved = days ? inUnit(graph, node, from.unit as Unit, DAY) : node;
  return relane(graph, inUnit(graph, moved, days ? DAY : (from.unit as Unit), to.unit as Unit), to.lane);
}

/** A count of other units: rounded down, or null beyond 64 bits. */
function inUnit(graph: StepGraph, node: Node, from: Unit, to: Unit): Node {
  const { factor, divisor } = ratioOf(from, to);
  if (factor > 1n) return relane(graph, node, "i64", factor);
  return divisor > 1n ? graph.emit({ op: "floorDivide", divisor: String(divisor) }, relane(graph, node, "i64")) : node;
}

export const isArithmetic = (op: string): op is ArithmeticOp => /^(add|sub|mul|div|mod|neg|abs)$/.test(op);
