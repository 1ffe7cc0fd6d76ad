/**
 * The plan of `joinIndices`: that of `join`, with the row numbers of the inputs in place of their columns. Position -1 of an input is the
 * column of its row numbers (`ROW_NUMBERS` of `src/arrow/input.ts`).
 *
 * What no Int32 numbers is refused here, before any work: -1 is no row, and 2^31 - 1 is kept free.
 */

import { ArrowJoinError } from "../error.ts";
import {
  existenceOf,
  type JoinRequest,
  type JoinSpec,
  keepsUnmatched,
  type OutputColumn,
  otherSide,
  outputSideOf,
  type PlannedInput,
  type Side,
} from "./join-spec.ts";
import { planJoin } from "./plan-join.ts";

const MAX_ROWS = 2 ** 31 - 2;

/** Output columns are named after their sides; a kind of one side has only that one's. */
export function planIndices(left: PlannedInput, right: PlannedInput, request: JoinRequest): JoinSpec {
  const { how } = request;
  if (existenceOf(how) === "mark") {
    throw new ArrowJoinError(
      "INVALID_OPTION",
      `how: "${how}" gives a mark for every row, which row numbers cannot: joinIndices takes "${how.replace("Mark", "Semi")}" for the rows with a match, or use join.`,
    );
  }
  const inputs = { left, right };
  const sides: readonly Side[] = ["left", "right"];
  for (const side of sides) {
    const { rows } = inputs[side];
    if (rows !== null && rows > MAX_ROWS) {
      throw new ArrowJoinError(
        "INVALID_INPUT",
        `The ${side} input has ${rows} rows, and joinIndices numbers at most ${MAX_ROWS} in 32 bits: join it part by part.`,
      );
    }
  }
  const only = outputSideOf(how);
  const output = (only ? [only] : sides).map(
    (side): OutputColumn => ({
      name: side,
      left: side === "left" ? -1 : null,
      right: side === "right" ? -1 : null,
      nullable: keepsUnmatched(how, otherSide(side)),
      typeOf: side,
      convert: "none",
    }),
  );
  // No column of the inputs comes out, so none can clash; batches are as long as the result unless they were asked to be shorter.
  const spec = planJoin(left, right, { ...request, select: [], coalesceKeys: false }, "table");
  return { ...spec, output, batchSize: request.batchSize ?? Number.POSITIVE_INFINITY };
}
