/**
 * An expression as people read it: `left.price > right.limit and left.sym <> right.sym`. For `explain()`, and cut to 80 characters for
 * errors, which all name the sub-expression they are about.
 *
 * Invariants: parentheses only where precedence needs them; different trees may print alike (a literal's type is shown only where it is
 * not JavaScript's own). Cost: O(length of the text); recursion as deep as the tree, which `readExpression` limits.
 */

import { ArrowJoinError } from "../error.ts";
import type { CastNode, Expression, LiteralNode } from "./expression.ts";

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

/**
 * Text with a $ for each operand, how tight it binds, and how tight the first operand must where that is not the same (of comparisons, which
 * do not chain, tighter). The others bind tighter than the operation.
 */
const PATTERNS: { readonly [op: string]: readonly [text: string, precedence: number, first?: number] } = {
  eq: ["$ = $", COMPARISON],
  ne: ["$ <> $", COMPARISON],
  lt: ["$ < $", COMPARISON],
  le: ["$ <= $", COMPARISON],
  gt: ["$ > $", COMPARISON],
  ge: ["$ >= $", COMPARISON],
  between: ["$ between $ and $", COMPARISON],
  isDistinctFrom: ["$ is distinct from $", COMPARISON],
  isNull: ["$ is null", COMPARISON],
  isNotNull: ["$ is not null", COMPARISON],
  startsWith: ["$ starts with $", COMPARISON],
  endsWith: ["$ ends with $", COMPARISON],
  contains: ["$ contains $", COMPARISON],
  not: ["not $", NOT, SIGN],
  add: ["$ + $", SUM],
  sub: ["$ - $", SUM],
  mul: ["$ * $", PRODUCT],
  div: ["$ / $", PRODUCT],
  mod: ["$ % $", PRODUCT],
  neg: ["-$", SIGN, ATOM],
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

/** What a method is called on, as a program writes it: `left["unit price"]`. */
export function printReceiver(expression: Expression): string {
  if ("column" in expression && identifier(expression.column) !== expression.column)
    return short(`${expression.side}[${JSON.stringify(expression.column)}]`);
  return "op" in expression ? `(${printShort(expression)})` : printShort(expression);
}

export const short = (text: string): string => (text.length > LONGEST_IN_ERROR ? `${text.slice(0, LONGEST_IN_ERROR - 1)}…` : text);

function print(expression: Expression): Printed {
  if ("side" in expression) return [`${expression.side}.${identifier(expression.column)}`, ATOM];
  if (!("op" in expression)) return literal(expression);
  const { op, args } = expression;
  const arg = (index: number, atLeast: number): string => {
    const [text, precedence] = print(args[index]);
    return precedence < atLeast ? `(${text})` : text;
  };
  if (op in PATTERNS) {
    const [pattern, precedence, first = precedence === COMPARISON ? SUM : precedence] = PATTERNS[op];
    let next = 0;
    return [pattern.replace(/\$/g, () => arg(next, next++ === 0 ? first : precedence + 1)), precedence];
  }
  if (op === "cast") return [`cast(${arg(0, 0)} as ${(expression as CastNode).type})`, ATOM];
  const list = (from: number, atLeast: number, separator: string) =>
    args.flatMap((_, i) => (i < from ? [] : [arg(i, atLeast)])).join(separator);
  if (op === "and" || op === "or") {
    const precedence = op === "and" ? AND : OR;
    return [list(0, precedence + 1, ` ${op} `), precedence];
  }
  return op === "in" ? [`${arg(0, SUM)} in (${list(1, 0, ", ")})`, COMPARISON] : [printCall(op, args), ATOM];
}

function literal({ type, value }: LiteralNode): Printed {
  if (value === null || typeof value === "boolean") return [String(value), ATOM];
  if (type === "Date") return [`Date '${new Date(value).toISOString()}'`, ATOM];
  if (type === "number" || type === "bigint") return [String(value), String(value).startsWith("-") ? SIGN : ATOM];
  if (type === "string" || type.includes("utf8")) return [`'${String(value).replaceAll("'", "''")}'`, ATOM];
  return [`${type} ${value}`, ATOM];
}

export const identifier = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
