/**
 * From a request and the schemas of all inputs to an `AsofSpec`: columns looked up, times aligned, tolerances in their units, output named
 * (SEMANTICS 7). Everything that can be refused is refused here, before any work.
 */

import { ArrowJoinError } from "../error.ts";
import type { PlainField } from "../plain-type.ts";
import { planAsofOutput } from "./asof-output.ts";
import type { AsofRequest, AsofRight, AsofRightRequest, AsofSpec } from "./asof-spec.ts";
import type { FilterSpec } from "./filter-spec.ts";
import type { PlannedInput } from "./join-spec.ts";
import { planFilter } from "./plan-filter.ts";
import { batchRows, findKey, type Mode, planKey } from "./plan-join.ts";
import { planTimes } from "./time-form.ts";
import { planTolerance } from "./tolerance.ts";

/** What messages, `select` and `explain` call the rights: right, right1, right2, ... */
export const rightName = (index: number): "right" | `right${number}` => (index === 0 ? "right" : `right${index}`);

/**
 * Throws COLUMN_NOT_FOUND, KEY_TYPE_MISMATCH, UNSUPPORTED_TYPE, INVALID_OPTION, INVALID_EXPRESSION, DUPLICATE_COLUMN.
 * `request.rights` has one entry for each of `rights`.
 */
export function planAsof(left: PlannedInput, rights: readonly PlannedInput[], request: AsofRequest, mode: Mode): AsofSpec {
  const { how, batchSize, copy, flush, unsorted } = request;
  if (mode === "stream" && unsorted === "sort") {
    throw new ArrowJoinError(
      "INVALID_OPTION",
      'unsorted: "sort" needs all rows at once, which a stream does not have: sort the inputs, or read them into tables for joinAsof.',
    );
  }
  const plans = rights.map(({ fields }, i) => planRight(left.fields, fields, request.rights[i], rightName(i)));
  const other = plans.find(({ leftTime }) => leftTime.column !== plans[0].leftTime.column);
  if (other) {
    throw new ArrowJoinError(
      "INVALID_OPTION",
      `right is joined on left "${plans[0].leftTime.name}", ${other.name} on left "${other.leftTime.name}": left rows have one order, so all rights take the same left column. Join in two steps.`,
    );
  }
  return {
    kind: how,
    rights: plans,
    output: planAsofOutput(
      left.fields,
      rights.map(({ fields }) => fields),
      plans,
      request,
    ),
    probe: "left",
    build: "right",
    unified: "right",
    batchSize: batchRows(batchSize, mode),
    copy,
    flush,
    unsorted,
  };
}

function planRight(left: readonly PlainField[], right: readonly PlainField[], request: AsofRightRequest, name: string): AsofRight {
  const { on, by, direction, ties } = request;
  const timeOf = (side: string, fields: readonly PlainField[], column: string) => {
    const index = findKey(side, fields, column);
    return { column: index, name: column, type: fields[index].type };
  };
  const times = planTimes(timeOf("left", left, on.left), timeOf(name, right, on.right), name);
  const { before, after, text } = planTolerance(request.tolerance, times, direction);
  return {
    name,
    leftTime: times.left,
    time: times.right,
    keys: by.map((entry) => planKey(left, right, entry, name)),
    direction,
    strict: !request.allowExactMatches,
    before,
    after,
    ties,
    filter: request.filter === undefined ? null : filterOf(request.filter, left, right, name),
    tolerance: text,
  };
}

/** In an expression every right is called right: which one it is, is said before. */
function filterOf(filter: unknown, left: readonly PlainField[], right: readonly PlainField[], name: string): FilterSpec {
  try {
    return planFilter(filter, left, right);
  } catch (error) {
    if (name === "right" || !(error instanceof ArrowJoinError)) throw error;
    throw new ArrowJoinError(error.code, `Of the filter of ${name}: ${error.message}`);
  }
}
