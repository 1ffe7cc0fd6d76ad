/**
 * Expression trees as JSON, written short: `x.and(x.lt(l("v"), r("v")), x.eq(l("s"), "a"))`. JavaScript values become untyped literals.
 * Independent of the library's own builder, which is tested against it.
 */

import type { CastNode, Expression, LiteralNode, Op } from "../../src/spec/expression.ts";

export type Tree = Expression;

/** What stands where an expression may stand. */
export type Operand = Tree | number | bigint | string | boolean | null | Date;

export const l = (column: string): Tree => ({ side: "left", column });
export const r = (column: string): Tree => ({ side: "right", column });

/** A literal: of JavaScript's type, or of the Arrow type that `type` names, for which `value` is then in its JSON form. */
export function lit(value: number | bigint | string | boolean | null | Date, type?: string): LiteralNode {
  if (type !== undefined) return { type, value: typeof value === "bigint" ? String(value) : (value as LiteralNode["value"]) };
  if (value === null) return { type: "null", value };
  if (value instanceof Date) return { type: "Date", value: value.getTime() };
  if (typeof value === "bigint") return { type: "bigint", value: String(value) };
  if (typeof value === "number") return { type: "number", value: numberForm(value) };
  return { type: typeof value, value };
}

/** JSON has no form for NaN, the infinities and -0. */
const numberForm = (value: number): number | string => (Object.is(value, -0) ? "-0" : Number.isFinite(value) ? value : String(value));

const isTree = (operand: Operand): operand is Tree => typeof operand === "object" && operand !== null && !(operand instanceof Date);

export const treeOf = (operand: Operand): Tree => (isTree(operand) ? operand : lit(operand));

const OPS: readonly Op[] = [
  ...(["eq", "ne", "lt", "le", "gt", "ge", "between", "in", "isNull", "isNotNull", "isDistinctFrom", "and", "or", "not"] as const),
  ...(["add", "sub", "mul", "div", "mod", "abs", "neg", "startsWith", "endsWith", "contains"] as const),
];

type Calls = { readonly [op in Op]: (...args: Operand[]) => Tree } & { readonly cast: (arg: Operand, type: string) => CastNode };

export const x = {
  ...Object.fromEntries(OPS.map((op) => [op, (...args: Operand[]): Tree => ({ op, args: args.map(treeOf) })])),
  cast: (arg: Operand, type: string): CastNode => ({ op: "cast", args: [treeOf(arg)], type }),
} as Calls;

export const argsOf = (tree: Tree): readonly Tree[] => ("op" in tree ? tree.args : []);

/** The sides that a tree reads. */
export function sidesRead(tree: Tree): { left: boolean; right: boolean } {
  if ("side" in tree) return { left: tree.side === "left", right: tree.side === "right" };
  const parts = argsOf(tree).map(sidesRead);
  return { left: parts.some((part) => part.left), right: parts.some((part) => part.right) };
}

/** What a predicate demands one by one: nested `and`s laid flat. */
export const conjunctsOf = (tree: Tree): Tree[] => ("op" in tree && tree.op === "and" ? tree.args.flatMap(conjunctsOf) : [tree]);

/** The same with left and right exchanged. */
export function mirrored(tree: Tree): Tree {
  if ("side" in tree) return { side: tree.side === "left" ? "right" : "left", column: tree.column };
  return "op" in tree ? ({ ...tree, args: tree.args.map(mirrored) } as Tree) : tree;
}
