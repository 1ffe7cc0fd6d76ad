/**
 * Options that do not go together (SEMANTICS 3.4, 4): refused with INVALID_OPTION before any work, each with what would work. Plain rules
 * over the request; no schema is looked at. O(1).
 */

import { ArrowJoinError } from "../error.ts";
import { existenceOf, type JoinRequest, otherSide, type Side } from "./join-spec.ts";

const refuse = (option: string, why: string): never => {
  throw new ArrowJoinError("INVALID_OPTION", `${option} ${why}.`);
};

/** Options that the kind does not have. */
export function checkKind({ how, nullAware, validate, unmatched, multiple }: JoinRequest): void {
  const existence = existenceOf(how);
  if (nullAware && existence !== "anti" && existence !== "mark") {
    refuse("nullAware: true", `does not go with how: "${how}": it works with leftAnti, rightAnti, leftMark and rightMark`);
  }
  if (existence === null) return;
  const why = `does not go with how: "${how}", which asks only whether a row has a partner: it works with inner, left, right and full`;
  if (validate !== "m:m") refuse(`validate: "${validate}"`, why);
  if (multiple !== "all") refuse(`multiple: "${multiple}"`, why);
  const sides = typeof unmatched === "string" ? [unmatched] : [unmatched.left, unmatched.right];
  if (sides.includes("error")) refuse(`unmatched: ${JSON.stringify(unmatched)}`, why);
}

/** The last partner of a buffered row is known only when the streamed side has ended, after other rows were handed out. */
export function checkLimited({ multiple, order }: JoinRequest, limited: Side, build: Side): void {
  if (multiple !== "last" || limited !== build) return;
  const fix = `build: "${otherSide(limited)}"${order === null || order === "any" ? "" : ` and order: "${limited}"`}`;
  refuse('multiple: "last"', `limits the partners of ${limited} rows, which this stream buffers: it works with ${fix}`);
}
