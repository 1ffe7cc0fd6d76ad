/**
 * Which operands an operation takes, and in words what is wrong with the others (SEMANTICS 3.2).
 *
 * An operand is a node of the step graph and its kind. Comparisons ask `checkComparable`, booleans `truthOf`; arithmetic and casts have
 * their rules beside their lowering.
 */

import { typeText } from "../plain-type.ts";
import { ofDecimal } from "./exact-number.ts";
import type { Expression } from "./expression.ts";
import type { Literal } from "./literal.ts";
import { printReceiver, printShort, refuse } from "./print-expression.ts";
import type { Node } from "./step-graph.ts";
import { canCast, isDecimal, isTemporal, type Kind } from "./value-kind.ts";

export interface Operand {
  readonly node: Node;
  readonly kind: Kind;
  /** A literal of JavaScript, which takes the type of what it meets. */
  readonly loose?: Literal["loose"];
  /** For messages. */
  readonly from: Expression;
}

export const isNullType = ({ kind }: Operand): boolean => kind.family === "null";

/** `number`, `Date` of loose literals, else the type. */
export const nameOf = ({ loose, kind }: Operand): string =>
  loose === undefined ? typeText(kind.type) : loose === "Date" ? loose : typeof loose;

/** `left.a is int32`, for messages. */
export const describe = (operand: Operand): string => `${printShort(operand.from)} is ${nameOf(operand)}`;

export function checkComparable(a: Operand, b: Operand, at: Expression | string): void {
  if (adapts(a, b) || adapts(b, a)) return;
  const bad = [a, b].find(({ kind }) => kind.family === "other");
  if (bad) refuse(at, `${describe(bad)}, which can only be tested with isNull and isNotNull`);
  if (a.kind.family === b.kind.family || isNullType(a) || isNullType(b)) return;
  const cast = (x: Operand, y: Operand) => (canCast(x.kind, y.kind) ? castText(x, y.kind) : null);
  const way = insteadOfText(a, b) ?? insteadOfText(b, a) ?? cast(b, a) ?? cast(a, b);
  refuse(at, `${describe(a)}, ${describe(b)}, and these do not compare. ${way ? `Use ${way}` : "Compare values of one type"}`);
}

/** As a program writes it. */
export const castText = ({ from }: Operand, { type }: Kind): string => `${printReceiver(from)}.cast("${typeText(type)}")`;

/** What to write for a literal string that meets a number or a time. */
function insteadOfText({ from }: Operand, { kind }: Operand): string | null {
  if (!("value" in from) || from.type !== "string") return null;
  const text = String(from.value);
  const number = ofDecimal(text) ? text : null;
  if (/date|timestamp|zoned/.test(kind.family)) return `a Date, as in new Date(${JSON.stringify(text)})`;
  if (isDecimal(kind)) return `lit("${number ?? "12.50"}", "${typeText(kind.type)}")`;
  return kind.family === "number" ? number : null;
}

/** Does the loose literal take the type of the other? */
function adapts({ loose }: Operand, { kind, loose: other }: Operand): boolean {
  if (loose === undefined || other !== undefined) return false;
  return loose === "Date" ? /date|timestamp|zoned/.test(kind.family) : isTemporal(kind);
}

/** The bits of a boolean operand. */
export function truthOf(operand: Operand, at: Expression): Node {
  if (operand.kind.family === "bool" || isNullType(operand)) return operand.node;
  const what = "op" in at && at !== operand.from ? `${at.op} takes booleans` : "a predicate is a boolean";
  return refuse(at, `${what}; ${describe(operand)}`);
}
