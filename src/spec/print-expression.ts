/**
 * An expression as people read it: `left.price > right.limit and left.sym <> right.sym`. For `explain()`, and cut to 80 characters for
 * errors, which all name the sub-expression they are about.
 *
 * Invariants: parentheses only where precedence needs them; different trees may print alike (a literal's type is shown only where it is
 * not JavaScript's own). Cost: O(length of the text); recursion as deep as the tree, which `readExpression` limits.
 */

import { ArrowJoinError } from "../error.ts";
import type { Expression, LiteralNode } from "./expression.ts";

const LONGEST_IN_ERROR = 80;

/** How tight an operation binds. */
const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARISON = 4;
const SUM = 5;
const PRODUCT = 6;
const SIGN = 7;
const ATOM = 8;

/** Operations between two operands. The right one of the same precedence is put in parentheses; of comparisons the left one too. */
const INFIX: { readonly [op: string]: readonly [text: string, precedence: number] } = {
  eq: ["=", COMPARISON],
  ne: ["<>", COMPARISON],
  lt: ["<", COMPARISON],
  le: ["<=", COMPARISON],
  gt: [">", COMPARISON],
  ge: [">=", COMPARISON],
  isDistinctFrom: ["is distinct from", COMPARISON],
  startsWith: ["starts with", COMPARISON],
  endsWith: ["ends with", COMPARISON],
  contains: ["contains", COMPARISON],
  add: ["+", SUM],
  sub: ["-", SUM],
  mul: ["*", PRODUCT],
  div: ["/", PRODUCT],
  mod: ["%", PRODUCT],
};

type Printed = readonly [text: string, precedence: number];

export function printExpression(expression: Expression): string {
  return print(expression)[0];
}

/** For what is no valid call: `eq(left.a)`. */
export function printCall(op: string, args: readonly Expression[]): string {
  return `${op}(${args.map(printExpression).join(", ")})`;
}

/** The error of everything that is wrong with an expression; `why` is one or two sentences without the last full stop. */
export function refuse(at: Expression | string, why: string): never {
  const text = typeof at === "string" ? at : printExpression(at);
  throw new ArrowJoinError("INVALID_EXPRESSION", `In ${short(text)}: ${why}.`);
}

export const printShort = (expression: Expression): string => short(printExpression(expression));

export const short = (text: string): string => (text.length > LONGEST_IN_ERROR ? `${text.slice(0, LONGEST_IN_ERROR - 1)}…` : text);

function print(expression: Expression): Printed {
  if ("side" in expression) return [`${expression.side}.${identifier(expression.column)}`, ATOM];
  if (!("op" in expression)) return literal(expression);
  const { op, args } = expression;
  const arg = (index: number, atLeast: number): string => {
    const [text, precedence] = print(args[index]);
    return precedence < atLeast ? `(${text})` : text;
  };
  const list = (separator: string, from: number, atLeast: number) =>
    args
      .slice(from)
      .map((_, i) => arg(from + i, atLeast))
      .join(separator);
  if (op in INFIX) {
    const [text, precedence] = INFIX[op];
    return [`${arg(0, precedence === COMPARISON ? SUM : precedence)} ${text} ${arg(1, precedence + 1)}`, precedence];
  }
  switch (op) {
    case "and":
      return [list(" and ", 0, AND + 1), AND];
    case "or":
      return [list(" or ", 0, OR + 1), OR];
    case "not":
      return [`not ${arg(0, SIGN)}`, NOT];
    case "isNull":
    case "isNotNull":
      return [`${arg(0, SUM)} is ${op === "isNull" ? "" : "not "}null`, COMPARISON];
    case "between":
      return [`${arg(0, SUM)} between ${arg(1, SUM)} and ${arg(2, SUM)}`, COMPARISON];
    case "in":
      return [`${arg(0, SUM)} in (${list(", ", 1, 0)})`, COMPARISON];
    case "neg":
      return [`-${arg(0, ATOM)}`, SIGN];
    case "cast":
      return [`cast(${arg(0, 0)} as ${(expression as { type: string }).type})`, ATOM];
    default:
      return [printCall(op, args), ATOM];
  }
}

function literal({ type, value }: LiteralNode): Printed {
  if (value === null || typeof value === "boolean") return [String(value), ATOM];
  if (type === "Date") return [`Date '${new Date(value).toISOString()}'`, ATOM];
  if (type === "number" || type === "bigint") return [String(value), String(value).startsWith("-") ? SIGN : ATOM];
  if (type === "string" || type.includes("utf8")) return [`'${String(value).replaceAll("'", "''")}'`, ATOM];
  return [`${type} ${value}`, ATOM];
}

export const identifier = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
