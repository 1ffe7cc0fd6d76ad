/**
 * An unknown value as an expression: from JSON, a builder, or an attacker. What comes out is a copy in plain data of the shapes in
 * `expression.ts`, with `and` in `and` and `or` in `or` laid flat.
 *
 * Invariants: at most 500 levels and 10 000 nodes come out, so the rest of planning may recurse; every literal has a value of its type, every
 * cast a type. A sub-tree that occurs twice counts twice, and a cycle ends at the limit of levels.
 * Cost: O(nodes), with a stack of its own: no depth overflows JavaScript's.
 */

import { ArrowJoinError } from "../error.ts";
import type { Expression, LiteralNode } from "./expression.ts";
import { parseType, readLiteral, TYPES } from "./literal.ts";
import { printCall, refuse, short } from "./print-expression.ts";

const MOST_LEVELS = 500;
const MOST_NODES = 10_000;

/** How many operands: at least, at most. */
const UNARY = [1, 1] as const;
const BINARY = [2, 2] as const;
const MANY = [2, MOST_NODES] as const;
const OPERANDS: { readonly [op: string]: readonly [least: number, most: number] } = {
  ...{ eq: BINARY, ne: BINARY, lt: BINARY, le: BINARY, gt: BINARY, ge: BINARY, between: [3, 3], in: MANY, isDistinctFrom: BINARY },
  ...{ isNull: UNARY, isNotNull: UNARY, and: MANY, or: MANY, not: UNARY, cast: UNARY },
  ...{ add: BINARY, sub: BINARY, mul: BINARY, div: BINARY, mod: BINARY, abs: UNARY, neg: UNARY },
  ...{ startsWith: BINARY, endsWith: BINARY, contains: BINARY },
};

const SHAPES = "a column { side, column }, a literal { type, value } or an operation { op, args }";

type Members = { readonly [name: string]: unknown };

/** A call under way. */
interface Frame {
  readonly call: Members;
  readonly args: readonly unknown[];
  /** The operands read so far. */
  readonly done: Expression[];
}

export function readExpression(value: unknown): Expression {
  const stack: Frame[] = [];
  let nodes = 0;
  let next = value;
  for (;;) {
    if (++nodes > MOST_NODES || stack.length >= MOST_LEVELS)
      invalid(
        `An expression has at most ${MOST_LEVELS} levels and ${MOST_NODES} nodes, and a part that occurs twice counts twice: a long list of values is better a table and a semi join`,
      );
    const opened = open(next);
    const isCall = "done" in opened;
    if (isCall) stack.push(opened);
    let done = isCall ? null : opened;
    let frame: Frame | undefined;
    // Closes every call that this completes.
    while ((frame = stack.at(-1))) {
      if (done) frame.done.push(done);
      if (frame.done.length < frame.args.length) break;
      stack.pop();
      done = close(frame);
    }
    if (!frame) return done as Expression;
    next = frame.args[frame.done.length];
  }
}

/** A leaf, or a call with its operands still to be read. */
function open(value: unknown): Expression | Frame {
  const isBuilder = typeof value === "object" && value !== null && typeof (value as Members).toJSON === "function";
  const tree: unknown = isBuilder ? (value as { toJSON(): unknown }).toJSON() : value;
  if (typeof tree !== "object" || tree === null || Array.isArray(tree))
    return invalid(`${show(tree)} is no expression, which is ${SHAPES}`);
  const members = tree as Members;
  const { op, args, side, column, type } = members;
  if (op !== undefined) return Array.isArray(args) ? { call: members, args, done: [] } : invalid(`${show(tree)} needs args, an array`);
  if (column !== undefined || side !== undefined) {
    if ((side !== "left" && side !== "right") || typeof column !== "string")
      return invalid(`${show(tree)} is no column: side is "left" or "right", column a name`);
    return checkMembers(members, { side, column });
  }
  if (typeof type !== "string") return invalid(`${show(tree)} is no expression, which is ${SHAPES}`);
  const literal = { type, value: jsonForm(members.value) } as LiteralNode;
  if (!readLiteral(literal)) {
    const known = /^(number|bigint|string|boolean|null|Date)$/.test(type) || parseType(type);
    const [, instant, time] = /^(date\d|timestamp)|^(time|duration)/.exec(type) ?? [];
    const takes = instant || time ? `: lit takes ${instant ? "a Date, or " : ""}the integer that Arrow stores` : "";
    refuse(`{ type: ${show(type)}, value: ${show(members.value)} }`, known ? `that is no value of type ${type}${takes}` : noType(type));
  }
  return checkMembers(members, literal);
}

/** The call, now that its operands are read. */
function close({ call, done }: Frame): Expression {
  const { op, type } = call;
  const text = () => printCall(typeof op === "string" ? op : show(op), done);
  if (typeof op !== "string" || !Object.hasOwn(OPERANDS, op))
    return refuse(text(), `there is no operation ${show(op)}. There are ${Object.keys(OPERANDS).join(", ")}`);
  const [least, most] = OPERANDS[op];
  if (done.length < least || done.length > most)
    refuse(text(), `${op} takes ${least}${most > least ? " or more" : ""} operand${most > 1 ? "s" : ""}, not ${done.length}`);
  if (op === "cast") {
    if (typeof type !== "string" || !parseType(type)) return refuse(text(), noType(type));
    return checkMembers(call, { op, args: [done[0]], type });
  }
  const isChain = op === "and" || op === "or";
  const args = isChain ? done.flatMap((arg) => ("op" in arg && arg.op === op ? arg.args : [arg])) : done;
  return checkMembers(call, { op, args } as Expression);
}

/** Whatever else the value has is a mistake: nothing is ignored. */
function checkMembers(members: Members, expression: Expression): Expression {
  const extra = Object.keys(members).find((name) => !Object.hasOwn(expression, name));
  return extra === undefined ? expression : refuse(expression, `it has the member ${show(extra)}, which means nothing there`);
}

const noType = (type: unknown): string => `there is no type ${show(type)}. There are ${TYPES}`;

/** As in `LiteralNode`, of what JavaScript may have instead. */
function jsonForm(value: unknown): unknown {
  const isOdd = typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value));
  return isOdd ? String(value) : Object.is(value, -0) ? "-0" : value;
}

/** What a value is, in a few words whatever its size. */
function show(value: unknown): string {
  if (typeof value === "string") return short(JSON.stringify(value));
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? `{ ${short(Object.keys(value).join(", "))} }` : String(value);
}

function invalid(text: string): never {
  throw new ArrowJoinError("INVALID_EXPRESSION", `${text}.`);
}
