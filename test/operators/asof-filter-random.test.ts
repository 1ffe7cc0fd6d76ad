/** Random filters of every grammar in random as-of joins, in random batches and ways of running, against the oracle. */

import fc from "fast-check";
import { describe, it } from "vitest";
import { ASOF_AXES, combinationOf } from "../support/axes.ts";
import { type AsofEntry, checkAsof, textOf } from "../support/expect-asof.ts";
import { seed } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import type { AsofOptions, On } from "../support/run.ts";

/** The row numbers are times, which are all different, or one column that is the same everywhere. */
const rightSpec = fc.record({
  side: sideSpec(12),
  filter: predicate(GRAMMAR, 2),
  by: fc.constantFrom(undefined, "k", "m", ["k", "m"]),
  nullsEqual: fc.boolean(),
  direction: fc.constantFrom("backward" as const, "forward" as const, "nearest" as const),
  allowExactMatches: fc.boolean(),
  ties: fc.constantFrom("adjacent" as const, "first" as const, "last" as const),
  tolerance: fc.constantFrom(undefined, 0, 3, { before: 2 }, { after: 5 }),
});

const cases = fc
  .record({
    left: sideSpec(12),
    on: fc.constantFrom<On>({ lrow: "rrow" }, { lrow: "rrow" }, "same"),
    rights: fc.array(rightSpec, { minLength: 1, maxLength: 2 }),
    how: fc.constantFrom("left" as const, "left" as const, "inner" as const, "leftSemi" as const, "leftAnti" as const),
    axes: fc.nat(),
  })
  .map((spec) => {
    const rights = spec.rights.map(
      ({ side, by, nullsEqual, tolerance, ...own }, i): AsofEntry => ({
        table: tableOf(side, "right"),
        ...own,
        ...(by !== undefined && { by, nullsEqual }),
        ...(tolerance !== undefined && { tolerance }),
        suffix: `_${i}`,
      }),
    );
    const numbers = { left: "left.lrow", ...Object.fromEntries(rights.map((_, i) => [`r${i}`, `right${i || ""}.rrow`])) };
    const both = spec.how === "left" || spec.how === "inner";
    const options: AsofOptions = { on: spec.on, how: spec.how, ...(spec.axes % 3 > 0 && both && { select: numbers }) };
    const combination = combinationOf(spec.axes, ASOF_AXES);
    return { left: tableOf(spec.left, "left"), rights, options, combination, toString: () => textOf({ ...spec, combination }) };
  });

describe("random as-of joins", () => {
  it("with any filter are as the oracle says", async () => {
    await fc.assert(
      fc.asyncProperty(cases, ({ left, rights, options, combination }) => checkAsof(left, rights, options, combination)),
      { numRuns: 250, ...seed() },
    );
  });
});
