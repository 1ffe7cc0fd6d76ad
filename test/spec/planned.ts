/** Plans an expression and runs it: what tests of planning ask. */

import type { FilterSpec } from "../../src/spec/filter-spec.ts";
import { planFilter } from "../../src/spec/plan-filter.ts";
import type { Value } from "../support/exact.ts";
import { type Tree, x } from "../support/tree.ts";
import { fieldsOf } from "./fields.ts";
import { checkSpec, matches } from "./interpret.ts";

export type Types = { readonly [name: string]: string };

export function plan(tree: unknown, left: Types, right: Types = {}): FilterSpec {
  const spec = planFilter(tree, fieldsOf(left), fieldsOf(right));
  checkSpec(spec);
  return spec;
}

/** TRUE, FALSE or NULL of a boolean expression, where the left row has these values and the right row those. */
export function truth(
  tree: Tree,
  left: Types,
  leftValues: readonly Value[],
  right: Types = {},
  rightValues: readonly Value[] = [],
): boolean | null {
  const holds = [tree, x.not(tree), x.isNull(tree)].map((one) => matches(plan(one, left, right), leftValues, rightValues));
  const found = [true, false, null].filter((_, i) => holds[i]);
  if (found.length !== 1) throw new Error(`TRUE, FALSE and NULL are ${holds.join(", ")}`);
  return found[0];
}

/** The truths of an expression over one left column `x`, value by value. */
export const truths = (tree: Tree, type: string, values: readonly Value[]): (boolean | null)[] =>
  values.map((value) => truth(tree, { x: type }, [value]));
