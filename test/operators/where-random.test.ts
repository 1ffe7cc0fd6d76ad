/** Random predicates over columns of every kind, in random joins, batches, paths and passes, against the oracle. */

import fc from "fast-check";
import { describe, it } from "vitest";
import { combinationOf, WHERE_AXES } from "../support/axes.ts";
import { checkCombination } from "../support/expect-join.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { CROSS, type Options, WHERE, withoutKeys } from "../support/run.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const COLUMNS = ["i", "j", "u", "f", "n", "s", "t", "e"];

/** Conjuncts that hash keys and range indexes are made of, alone, in number, and beside others. */
const indexed: fc.Arbitrary<Tree> = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom("lt", "le", "gt", "ge"), fc.constantFrom(...COLUMNS), fc.boolean()).map(([op, column, turned]) => {
        const [a, b] = turned ? [r(column), l(column)] : [l(column), r(column)];
        return x[op as "lt"](a, b);
      }),
      fc.constantFrom("i", "j", "f").map((column) => x.between(l(column), x.sub(r(column), 1), x.add(r(column), 2))),
      fc.constantFrom("i", "j", "f").map((column) => x.and(x.le(r(column), l(column)), x.lt(l(column), x.add(r(column), l("i"))))),
      fc.constant(x.between(r("j"), l("i"), l("j"))),
      fc.constant(x.and(x.lt(l("i"), r("j")), x.le(r("i"), l("j")))),
      fc.constantFrom(x.eq(l("k"), r("k")), x.not(x.isDistinctFrom(l("m"), r("m"))), x.eq(l("s"), r("d")), x.eq(l("i"), r("j"))),
      predicate(GRAMMAR, 1),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((conjuncts) => (conjuncts.length === 1 ? conjuncts[0] : x.and(...conjuncts)));

const cases = (rows: number, trees: fc.Arbitrary<Tree>) =>
  fc
    .record({
      left: sideSpec(rows),
      right: sideSpec(rows),
      predicate: trees,
      how: fc.constantFrom(...ALL_KINDS),
      order: fc.constantFrom(undefined, undefined, "left" as const, "right" as const, "any" as const),
      multiple: fc.constantFrom("all" as const, "all" as const, "all" as const, "first" as const, "any" as const),
      batchSize: fc.constantFrom(undefined, 1, 2, 3, 5),
      axes: fc.nat(),
    })
    .map((spec) => {
      const { predicate, how, order, batchSize } = spec;
      const options: Options = withoutKeys(
        {
          how,
          ...(spec.multiple !== "all" && !/^(left|right)[A-Z]/.test(how) && { multiple: spec.multiple }),
          ...(order && { order }),
          ...(batchSize && { batchSize }),
        },
        predicate,
      );
      return {
        left: tableOf(spec.left, "left"),
        right: tableOf(spec.right, "right"),
        options,
        combination: combinationOf(spec.axes, WHERE_AXES),
        toString: () => JSON.stringify({ ...spec, combination: combinationOf(spec.axes, WHERE_AXES) }),
      };
    });

describe("random joins", () => {
  for (const [name, trees, numRuns] of [
    ["on any predicate", predicate(GRAMMAR, 2), 140],
    ["on equalities and ranges", indexed, 220],
  ] as const) {
    it(`${name}, of rows that are few enough to see a border in every batch, are as the oracle says`, async () => {
      await fc.assert(
        fc.asyncProperty(cases(10, trees), ({ left, right, options, combination }) =>
          checkCombination(left, right, options, combination, undefined, WHERE),
        ),
        { numRuns, ...seed() },
      );
    });
  }

  it("of some tens of rows are as the oracle says", async () => {
    await fc.assert(
      fc.asyncProperty(cases(60, fc.oneof(indexed, predicate(GRAMMAR, 2))), ({ left, right, options, combination }) =>
        checkCombination(left, right, options, combination, undefined, WHERE),
      ),
      { numRuns: 40, ...seed() },
    );
  });

  it("of every pair are as the oracle says", async () => {
    await fc.assert(
      fc.asyncProperty(cases(10, indexed), ({ left, right, options: { order, batchSize }, combination }) =>
        checkCombination(
          left,
          right,
          withoutKeys({ ...(order && { order }), ...(batchSize && { batchSize }) }),
          combination,
          undefined,
          CROSS,
        ),
      ),
      { numRuns: 40, ...seed() },
    );
  });
});
