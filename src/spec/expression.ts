/**
 * The tree of an expression: plain data, the same as JSON. The builder (`src/api/expr.ts`) makes it, `read-expression.ts` checks its form,
 * `type-expression.ts` and `lower-expression.ts` turn it into programs for the kernels, `print-expression.ts` into text.
 *
 *     { op: "and", args: [
 *       { op: "gt", args: [{ side: "left", column: "price" }, { side: "right", column: "limit" }] },
 *       { op: "ne", args: [{ side: "left", column: "sym" }, { type: "string", value: "XYZ" }] } ] }
 */

import type { Side } from "./side.ts";

/** A column of one of the inputs. */
export interface ColumnNode {
  readonly side: Side;
  readonly column: string;
}

/**
 * A constant. `type` is an Arrow type as `typeText` writes it (`int64`, `timestamp(us, UTC)`, `decimal128(20, 2)`), or the name of what
 * JavaScript had, which then takes the type of what it meets: `number`, `bigint`, `string`, `boolean`, `null`, `Date`.
 * `value` has the form that JSON has for it; else a string: integers beyond 2^53 and all bigints, decimals, "NaN", "Infinity", "-Infinity",
 * "-0". A Date is its UTC milliseconds. Temporal types: the integer that Arrow stores.
 */
export interface LiteralNode {
  readonly type: string;
  readonly value: number | string | boolean | null;
}

/** An operation on other expressions. `and`, `or`, `in` take two or more, `between` three, the rest one or two. */
export interface CallNode {
  readonly op: Op;
  readonly args: readonly Expression[];
}

/** A conversion to the type whose text is `type`. */
export interface CastNode {
  readonly op: "cast";
  readonly args: readonly [Expression];
  readonly type: string;
}

export type Expression = ColumnNode | LiteralNode | CallNode | CastNode;

export type Op =
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "between"
  | "in"
  | "isNull"
  | "isNotNull"
  | "isDistinctFrom"
  | "and"
  | "or"
  | "not"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "mod"
  | "abs"
  | "neg"
  | "startsWith"
  | "endsWith"
  | "contains";
