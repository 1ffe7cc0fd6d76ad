/** Random as-of joins of every time type, key type and option, in random batches and ways of running, against the oracle. */

import fc from "fast-check";
import { describe, it } from "vitest";
import { type Domain, KEYS, SMALL, side, TIMES } from "../support/asof-samples.ts";
import { ASOF_AXES, combinationOf } from "../support/axes.ts";
import { type AsofEntry, checkAsof, textOf } from "../support/expect-asof.ts";
import { seed } from "../support/random.ts";
import type { AsofOptions, AsofRightOptions } from "../support/run.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const PAIRS: { readonly [name: string]: readonly [Domain, Domain] } = { small: SMALL, ...TIMES };

const rightSpec = fc.record({
  seed: fc.nat(1e6),
  rows: fc.nat(14),
  by: fc.constantFrom(0, 1, 2),
  nullsEqual: fc.boolean(),
  direction: fc.constantFrom("backward" as const, "forward" as const, "nearest" as const),
  allowExactMatches: fc.boolean(),
  ties: fc.constantFrom("adjacent" as const, "first" as const, "last" as const),
  tolerance: fc.constantFrom<AsofRightOptions["tolerance"]>(
    undefined,
    undefined,
    0,
    1,
    3,
    1000,
    { before: 2 },
    { after: 1 },
    { before: 0, after: 5 },
  ),
  filter: fc.constantFrom<Tree | undefined>(
    ...Array(6).fill(undefined),
    x.lt(r("v"), 12),
    x.gt(l("v"), 5),
    x.le(r("v"), l("v")),
    x.and(x.ne(r("v"), 3), x.ne(x.add(l("v"), r("v")), 20)),
  ),
});

const cases = (names: readonly string[]) =>
  fc
    .record({
      times: fc.constantFrom(...names),
      keys: fc.tuple(fc.constantFrom(...Object.keys(KEYS)), fc.constantFrom(...Object.keys(KEYS))),
      seed: fc.nat(1e6),
      rows: fc.nat(14),
      rights: fc.array(rightSpec, { minLength: 1, maxLength: 3 }),
      how: fc.constantFrom("left" as const, "left" as const, "inner" as const, "leftSemi" as const, "leftAnti" as const),
      batchSize: fc.constantFrom(undefined, 1, 2, 3, 5),
      axes: fc.nat(),
    })
    .map((spec) => {
      const [time, other] = PAIRS[spec.times];
      const keys = spec.keys.map((name) => KEYS[name]);
      const left = side(spec.seed, time, { name: "left", rows: spec.rows, keys: keys.map(([a]) => a) });
      const rights = spec.rights.map(
        ({ seed, rows, by, nullsEqual, tolerance, filter, ...own }, i): AsofEntry => ({
          table: side(seed, other, { name: "right", rows, keys: keys.map(([, b]) => b) }),
          ...own,
          ...(by > 0 && { by: ["k0", "k1"].slice(0, by), nullsEqual }),
          ...(tolerance !== undefined && { tolerance }),
          ...(filter && { filter }),
          suffix: `_${i}`,
        }),
      );
      const options: AsofOptions = { on: "t", how: spec.how, ...(spec.batchSize && { batchSize: spec.batchSize }) };
      const combination = combinationOf(spec.axes, ASOF_AXES);
      return { left, rights, options, combination, toString: () => textOf({ ...spec, combination }) };
    });

describe("random as-of joins", () => {
  for (const [name, names, numRuns] of [
    ["of small times", ["small"], 300],
    ["of times of every type", Object.keys(PAIRS), 300],
  ] as const) {
    it(`${name} are as the oracle says`, async () => {
      await fc.assert(
        fc.asyncProperty(cases(names), ({ left, rights, options, combination }) => checkAsof(left, rights, options, combination)),
        { numRuns, ...seed() },
      );
    });
  }
});
