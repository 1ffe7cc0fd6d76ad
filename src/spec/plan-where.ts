/**
 * Plans of joins whose condition is a predicate, or none: `joinWhere` and `joinCross`.
 *
 *     l.k = r.k  and  l.x < r.y  and  not (l.s is distinct from r.s)
 *     keys   l.k = r.k      l.s = r.s, null with null             equalities of columns whose types may meet as keys
 *     filter l.x < r.y                                            all else: the residual filter
 *
 * A conjunct that becomes a key means the same as before: keys and predicates have one equality (SEMANTICS 1). Without any the join has no
 * keys, and every pair of rows is a candidate.
 */

import type { PlainField } from "../plain-type.ts";
import type { ColumnNode, Expression } from "./expression.ts";
import type { JoinRequest, JoinSpec, KeySpec, PlannedInput } from "./join-spec.ts";
import { mayMeet } from "./key-type.ts";
import { demandsOf, planFilter } from "./plan-filter.ts";
import { type Mode, planOn } from "./plan-join.ts";
import { printExpression } from "./print-expression.ts";
import { readExpression } from "./read-expression.ts";

/** `loop`: no condition becomes a key. Throws as `planJoin`. */
export function planWhere(left: PlannedInput, right: PlannedInput, request: JoinRequest, mode: Mode, loop = false): JoinSpec {
  const tree = readExpression(request.filter);
  // Typed as a whole: what is wrong is named as it was written.
  const whole = planFilter(tree, left.fields, right.fields);
  const keys: KeySpec[] = [];
  const rest: Expression[] = [];
  for (const demand of demandsOf(tree)) {
    const key = loop || whole.never ? null : keyOf(demand, left.fields, right.fields);
    if (key) keys.push(key);
    else rest.push(demand);
  }
  const filter = keys.length === 0 ? tree : rest.length > 1 ? ({ op: "and", args: rest } as const) : rest[0];
  return { ...planOn(left, right, { ...request, coalesceKeys: false, filter }, keys, mode), where: printExpression(tree) };
}

/** Every pair of rows. */
export function planCross(left: PlannedInput, right: PlannedInput, request: JoinRequest, mode: Mode): JoinSpec {
  return planOn(left, right, { ...request, coalesceKeys: false }, [], mode);
}

/** The condition as a key, if it is one. */
function keyOf(demand: Expression, left: readonly PlainField[], right: readonly PlainField[]): KeySpec | null {
  if (!("op" in demand)) return null;
  const inner = demand.op === "not" ? demand.args[0] : demand;
  if (!("op" in inner) || inner.op !== (demand.op === "not" ? "isDistinctFrom" : "eq")) return null;
  const [a, b] = inner.args;
  if (!isColumn(a) || !isColumn(b) || a.side === b.side) return null;
  const [l, r] = a.side === "left" ? [a, b] : [b, a];
  const positions = { left: left.findIndex(({ name }) => name === l.column), right: right.findIndex(({ name }) => name === r.column) };
  const types = { leftType: left[positions.left].type, rightType: right[positions.right].type };
  if (!mayMeet(types.leftType, types.rightType)) return null;
  return { ...positions, ...types, leftName: l.column, rightName: r.column, nullsEqual: demand.op === "not" };
}

const isColumn = (node: Expression | undefined): node is ColumnNode => node !== undefined && "column" in node;
