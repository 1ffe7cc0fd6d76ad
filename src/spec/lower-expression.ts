/**
 * From a checked tree to nodes of the step graph: columns are looked up in two schemas, literals read, operands typed, operations lowered.
 * What many operations are made of is `eq`, `lt`, `not`, `isNull`, `isTrue`:
 *
 *     a > b                  lt b a                            a <= b     not (lt b a)
 *     a between b and c      not (lt a b)  and  not (lt c a)   a in (b, c)     eq a b  or  eq a c
 *     a is distinct from b   not (isTrue (eq a b)  or  isNull a and isNull b)
 *
 * Cost: O(nodes). Recursion as deep as the tree, which `readExpression` limits.
 */

import type { PlainField } from "../plain-type.ts";
import type { CastNode, ColumnNode, Expression, LiteralNode } from "./expression.ts";
import type { Side } from "./join-spec.ts";
import { parseType, readLiteral, TYPES } from "./literal.ts";
import { arithmetic, castTo, isArithmetic } from "./lower-arithmetic.ts";
import { compare, isDistinct } from "./lower-comparison.ts";
import { refuse } from "./print-expression.ts";
import type { Node, StepGraph } from "./step-graph.ts";
import { checkComparable, describe, isNullType, type Operand, truthOf } from "./type-expression.ts";
import { kindOf } from "./value-kind.ts";

export type Fields = { readonly [side in Side]: readonly PlainField[] };

const BOOL = kindOf({ name: "bool" });

/** Of eq or lt: which, operands exchanged, result negated. */
const COMPARISONS: { readonly [op: string]: readonly [op: "eq" | "lt", swapped: boolean, negated: boolean] } = {
  eq: ["eq", false, false],
  ne: ["eq", false, true],
  lt: ["lt", false, false],
  gt: ["lt", true, false],
  le: ["lt", true, true],
  ge: ["lt", false, true],
};

export function lower(graph: StepGraph, fields: Fields, at: Expression): Operand {
  if ("side" in at) return columnOperand(graph, fields, at);
  if (!("op" in at)) return literalOperand(graph, at);
  const { op } = at;
  const args: Operand[] = at.args.map((arg) => lower(graph, fields, arg));
  graph.at = at;
  const bool = (node: Node): Operand => ({ node, kind: BOOL, from: at });
  const compared = (name: string, a: Operand, b: Operand): Node => {
    checkComparable(a, b, at);
    const [base, swapped, negated] = COMPARISONS[name];
    const node = swapped ? compare(graph, base, b, a) : compare(graph, base, a, b);
    return negated ? graph.not(node) : node;
  };
  const [a, b, c] = args;
  if (op in COMPARISONS) return bool(compared(op, a, b));
  if (isArithmetic(op)) {
    const { loose } = a;
    // The opposite of a bare number is one too.
    if (op === "neg" && loose !== undefined && loose !== "Date")
      return { ...literalOperand(graph, { type: typeof loose, value: typeof loose === "number" ? -loose : String(-loose) }), from: at };
    return { ...arithmetic(graph, op, args, at), from: at, loose: undefined };
  }
  switch (op) {
    case "and":
    case "or":
      return bool(
        graph.logic(
          op,
          args.map((arg) => truthOf(arg, at)),
        ),
      );
    case "not":
      return bool(graph.not(truthOf(a, at)));
    case "isNull":
      return bool(graph.test("isNull", a.node));
    case "isNotNull":
      return bool(graph.not(graph.test("isNull", a.node)));
    case "between":
      return bool(graph.logic("and", [compared("ge", a, b), compared("le", a, c)]));
    case "in":
      return bool(
        graph.logic(
          "or",
          args.slice(1).map((arg) => compared("eq", a, arg)),
        ),
      );
    case "isDistinctFrom":
      checkComparable(a, b, at);
      return bool(isDistinct(graph, a, b));
    case "cast":
      return { ...castTo(graph, a, kindOf(parseType((at as CastNode).type) ?? refuse(at, `types are ${TYPES}`)), at), from: at };
    default: {
      const bad = args.find((arg) => arg.kind.family !== "text" && !isNullType(arg));
      if (bad) refuse(at, `${op} takes utf8; ${describe(bad)}`);
      return bool(graph.emit({ op: op as "contains" }, a.node, b.node));
    }
  }
}

/** A column by position: the same whether a key names it or an expression. */
export function fieldOperand(graph: StepGraph, side: Side, column: number, { name, type }: PlainField): Operand {
  const kind = kindOf(type);
  const node = kind.family === "null" ? graph.constant("bits", null) : graph.column(side, column, kind.lane);
  return { node, kind, from: { side, column: name } };
}

function columnOperand(graph: StepGraph, fields: Fields, at: ColumnNode): Operand {
  const own = fields[at.side];
  const column = own.findIndex(({ name }) => name === at.column);
  if (column >= 0) return fieldOperand(graph, at.side, column, own[column]);
  const names = own.map(({ name }) => `"${name}"`).join(", ");
  return refuse(at, `the ${at.side} input has no column "${at.column}". It has: ${names || "none"}`);
}

function literalOperand(graph: StepGraph, at: LiteralNode): Operand {
  const literal = readLiteral(at);
  const { type, value, loose } = literal ?? refuse(at, `no value of type ${at.type}`);
  const kind = kindOf(type);
  return { node: graph.constant(kind.lane, value), kind, loose, from: at };
}
