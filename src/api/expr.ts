/**
 * The builder of expressions: `l.price.gt(r.limit).and(l.sym.ne("XYZ"))` makes the tree of `src/spec/expression.ts` and knows nothing else.
 * Names and types are checked against schemas later, by the planner; here TypeScript checks them where it knows the columns.
 *
 *     l.price ─▶ Expr ── .gt(…) ─▶ Expr ── .and(…) ─▶ Expr        each holds one tree of plain data, never changed
 *     r.limit ─▶ Expr ──────┘         "XYZ" ─▶ literal
 *
 * Invariants
 * - `l` and `r` have no members but columns: every text names one, also "eq", "then" and "__proto__".
 * - What JavaScript's own operators would make of an expression is an error, not a quiet false. `&&`, `||` and `?:` call nothing: they are
 *   seen by what they drop, an expression that the filter made and that ends up nowhere. (Of `a || b` the second is never made.)
 *
 * Cost: O(arguments of the node that is made) a call.
 */

import { ArrowJoinError } from "../error.ts";
import type { Expression, LiteralNode, Op } from "../spec/expression.ts";
import type { Side } from "../spec/join-spec.ts";
import { printReceiver, printShort } from "../spec/print-expression.ts";
import { readExpression } from "../spec/read-expression.ts";
import type { Expr, LiteralType, TypeNamed, Value } from "./expr-types.ts";

const OPERATORS = "JavaScript's own operators (==, <, &&, +) build no expression: use .eq(), .lt(), .and(), .add()";

const CONSTANT = `${OPERATORS}; for a constant use lit(true)`;
/** By what the function returned. */
const HINTS: { readonly [what: string]: string } = {
  undefined: "Perhaps a return is missing",
  "a Promise": "It must not be async",
  "an Array": "Combine conditions with a.and(b)",
  true: CONSTANT,
  false: CONSTANT,
};

const invalid = (text: string) => new ArrowJoinError("INVALID_EXPRESSION", `${text}.`);

/** What a thing is, for the message that says it is no expression. */
function show(value: unknown): string {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

const quote = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : show(value));

const isDate = (value: unknown): value is Date => Object.prototype.toString.call(value) === "[object Date]";

/** The tree of an `Expr`, also of another copy of this library, or of what is one; null for anything else. */
function plainTree(value: unknown): Expression | null {
  if (typeof value !== "object" || value === null || isDate(value)) return null;
  const { toJSON } = value as { toJSON?: unknown };
  const tree = typeof toJSON === "function" ? toJSON.call(value) : value;
  return typeof tree === "object" && tree !== null && [tree.op, tree.column, tree.type].some((part) => typeof part === "string")
    ? tree
    : null;
}

/** The form that JSON has for the value, which is an argument of `method`, of the first of `args`. */
function literalOf(value: unknown, method = "lit", args: readonly unknown[] = []): LiteralNode {
  const type = typeof value;
  if (type === "string" || type === "boolean") return { type, value: value as string | boolean };
  if (type === "bigint") return { type, value: String(value) };
  if (type === "number") return { type, value: Object.is(value, -0) ? "-0" : Number.isFinite(value) ? (value as number) : String(value) };
  if (value === null) return { type: "null", value };
  const time = isDate(value) ? value.getTime() : Number.NaN;
  if (!Number.isNaN(time)) return { type: "Date", value: time };
  const what = isDate(value) ? "an invalid Date" : show(value);
  const receiver = args.length > 0 ? `${printReceiver(readExpression(args[0]))}.` : "";
  throw invalid(
    `In ${receiver}${method}(…): it takes columns, other expressions, numbers, bigints, strings, booleans, null and Dates; it got ${what}`,
  );
}

const treesOf = (op: Op, args: readonly unknown[]): Expression[] => args.map((arg) => plainTree(arg) ?? literalOf(arg, op, args));

const call = (op: Op, args: readonly unknown[]): Expr => TreeExpr.of({ op, args: treesOf(op, args) }, args);

/** One node for a chain of `and`s or `or`s, however it was written. */
function chain(op: "and" | "or", args: readonly unknown[]): Expr {
  const flat = treesOf(op, args).reduce<readonly Expression[]>(
    (all, tree) => all.concat("op" in tree && tree.op === op ? tree.args : tree),
    [],
  );
  return TreeExpr.of(flat.length === 1 ? flat[0] : { op, args: flat }, args);
}

const typeText = (type: unknown): string => {
  if (typeof type === "string") return type;
  throw invalid(`A type is a text such as "int64" or "timestamp(us, UTC)"; it is ${show(type)}`);
};

/** The one class behind `Expr`. */
class TreeExpr implements Expr {
  readonly #tree: Expression;
  /** Of the filter function under way: what its methods made and nothing has read yet. */
  readonly #unread: Set<Expr> | undefined;

  constructor(tree: Expression, unread?: Set<Expr>) {
    this.#tree = tree;
    this.#unread = unread;
  }

  /** Made of `sources`, of which one may be of a filter function. */
  static of(tree: Expression, sources: readonly unknown[]): Expr {
    let unread: Set<Expr> | undefined;
    for (const source of sources) if (source instanceof TreeExpr) unread ??= source.#unread;
    const made = new TreeExpr(tree, unread);
    unread?.add(made);
    return made;
  }

  toJSON(): Expression {
    this.#unread?.delete(this);
    return this.#tree;
  }

  [Symbol.toPrimitive](): never {
    throw invalid(OPERATORS);
  }

  eq(other: unknown): Expr {
    return call("eq", [this, other]);
  }

  ne(other: unknown): Expr {
    return call("ne", [this, other]);
  }

  lt(other: unknown): Expr {
    return call("lt", [this, other]);
  }

  le(other: unknown): Expr {
    return call("le", [this, other]);
  }

  gt(other: unknown): Expr {
    return call("gt", [this, other]);
  }

  ge(other: unknown): Expr {
    return call("ge", [this, other]);
  }

  between(low: unknown, high: unknown): Expr {
    return call("between", [this, low, high]);
  }

  in(...values: readonly unknown[]): Expr {
    const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    if (list.length > 0) return call("in", [this, ...list]);
    this.#unread?.delete(this);
    return TreeExpr.of(literalOf(false), [this]);
  }

  isNull(): Expr {
    return call("isNull", [this]);
  }

  isNotNull(): Expr {
    return call("isNotNull", [this]);
  }

  isDistinctFrom(other: unknown): Expr {
    return call("isDistinctFrom", [this, other]);
  }

  and(...others: readonly unknown[]): Expr {
    return chain("and", [this, ...others]);
  }

  or(...others: readonly unknown[]): Expr {
    return chain("or", [this, ...others]);
  }

  not(): Expr {
    return call("not", [this]);
  }

  add(other: unknown): Expr {
    return call("add", [this, other]);
  }

  sub(other: unknown): Expr {
    return call("sub", [this, other]);
  }

  mul(other: unknown): Expr {
    return call("mul", [this, other]);
  }

  div(other: unknown): Expr {
    return call("div", [this, other]);
  }

  mod(other: unknown): Expr {
    return call("mod", [this, other]);
  }

  abs(): Expr {
    return call("abs", [this]);
  }

  neg(): Expr {
    return call("neg", [this]);
  }

  startsWith(text: unknown): Expr {
    return call("startsWith", [this, text]);
  }

  endsWith(text: unknown): Expr {
    return call("endsWith", [this, text]);
  }

  contains(text: unknown): Expr {
    return call("contains", [this, text]);
  }

  cast(type: string): Expr {
    return TreeExpr.of({ op: "cast", args: [this.toJSON()], type: typeText(type) }, [this]);
  }
}

/** The columns of a side, as what a filter function is given. */
const columnsOf = (side: Side, unread: Set<Expr>) =>
  new Proxy({}, { get: (_, column) => (typeof column === "string" ? new TreeExpr({ side, column }, unread) : undefined) });

/**
 * A column of one of the inputs, for an expression that is built without a function. The same as `l[name]` or `r[name]` in a filter.
 *
 * @throws ArrowJoinError INVALID_EXPRESSION for another side, or a name that is no string
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { col, join } from "arrow-join";
 *
 * const left = tableFromArrays({ id: Int32Array.of(1, 1), at: Int32Array.of(5, 9) });
 * const right = tableFromArrays({ id: Int32Array.of(1), until: Int32Array.of(7) });
 * const filter = col("left", "at").lt(col("right", "until"));
 * console.log(join(left, right, { on: "id", filter }).numRows); // 1
 */
export function col(side: "left" | "right", name: string): Expr {
  if ((side === "left" || side === "right") && typeof name === "string") return new TreeExpr({ side, column: name });
  throw invalid(`col takes a side, "left" or "right", and the name of a column; it got ${quote(side)} and ${quote(name)}`);
}

/** A time of so many milliseconds as the integer that the type stores, rounded down. */
function storedTime(time: number, type: string): string | number {
  const [start, unit] = /^(?:date32|\w+[([](s|us|ns)\b)/.exec(type) ?? [];
  if (unit === "us" || unit === "ns") return String(BigInt(time) * (unit === "us" ? 1000n : 1000000n));
  return Math.floor(time / (unit === "s" ? 1000 : start ? 86_400_000 : 1));
}

/**
 * A constant. A bare value does the same where an argument is expected; `lit` is for one that comes first, or that has a type.
 *
 * @param value a number, bigint, string, boolean, null or Date (UTC milliseconds)
 * @param type an Arrow type as text: `int64`, `decimal128(20, 2)` (its value a string), `timestamp(us, UTC)` (its value a Date, or the integer
 * that Arrow stores); without it the value takes the type of what it meets
 * @throws ArrowJoinError INVALID_EXPRESSION for any other value
 *
 * @example
 * import { lit } from "arrow-join";
 *
 * console.log(JSON.stringify(lit(5n))); // {"type":"bigint","value":"5"}
 * console.log(JSON.stringify(lit("12.50", "decimal128(20, 2)"))); // {"type":"decimal128(20, 2)","value":"12.50"}
 */
export function lit<const V extends Value>(value: V): Expr<LiteralType<V>>;
export function lit<const S extends string>(value: Value, type: S): Expr<TypeNamed<S>>;
export function lit(value: Value, type?: string): Expr {
  const literal = literalOf(value);
  if (type === undefined) return new TreeExpr(literal);
  const own = typeText(type);
  return new TreeExpr({ type: own, value: isDate(value) ? storedTime(literal.value as number, own) : literal.value });
}

/** The tree of the option `name`: a function is called once, with the columns of both sides. Throws INVALID_EXPRESSION; what the function throws passes. */
export function parseExpression(name: string, option: unknown): Expression {
  const called = typeof option === "function";
  const unread = new Set<Expr>();
  const value = called ? option(columnsOf("left", unread), columnsOf("right", unread)) : option;
  const tree = plainTree(value);
  if (!tree) {
    const what = show(value);
    throw invalid(
      `${name} must ${called ? "return" : "be"} an expression such as l.price.gt(r.limit); it ${called ? "returned" : "is"} ${what}. ${(called && HINTS[what]) || OPERATORS}`,
    );
  }
  // Reads what may be in a tree that was made by hand.
  if (unread.size > 0) readExpression(tree);
  for (const lost of unread) {
    throw invalid(
      `${name} made ${printShort(readExpression(lost))}, but what it returned does not contain it: && and || give one of their sides, use .and() and .or(). Make only expressions that are returned`,
    );
  }
  return tree;
}
