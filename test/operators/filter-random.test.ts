/** Random expression trees over columns of every kind, in random joins, batches and ways of running, against the oracle. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinationOf } from "../support/axes.ts";
import { checkCombination } from "../support/expect-join.ts";
import { ALL_KINDS, seed } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { readTable } from "../support/rows.ts";
import { join, type Options } from "../support/run.ts";

interface Shape {
  readonly rows: number;
  readonly depth: number;
}

const cases = ({ rows, depth }: Shape) =>
  fc
    .record({
      left: sideSpec(rows),
      right: sideSpec(rows),
      filter: predicate(GRAMMAR, depth),
      how: fc.constantFrom(...ALL_KINDS),
      on: fc.constantFrom<Options["on"]>("k", "same", ["k", "m"]),
      nullsEqual: fc.boolean(),
      nullAware: fc.boolean(),
      order: fc.constantFrom(undefined, "left" as const, "right" as const, "any" as const),
      multiple: fc.constantFrom("all" as const, "all" as const, "first" as const, "any" as const),
      batchSize: fc.constantFrom(undefined, 1, 2, 3, 5),
      axes: fc.nat(),
    })
    .map((spec) => {
      const { filter, how, on, nullsEqual, order, batchSize } = spec;
      const options: Options = {
        on,
        how,
        filter,
        nullsEqual,
        ...(spec.nullAware && /Anti|Mark/.test(how) && { nullAware: true }),
        ...(spec.multiple !== "all" && !/^(left|right)[A-Z]/.test(how) && { multiple: spec.multiple }),
        ...(order && { order }),
        ...(batchSize && { batchSize }),
      };
      return {
        left: tableOf(spec.left, "left"),
        right: tableOf(spec.right, "right"),
        options,
        combination: combinationOf(spec.axes),
        toString: () => JSON.stringify({ left: spec.left, right: spec.right, options, combination: combinationOf(spec.axes) }),
      };
    });

describe("random filters give what testing every pair gives, on either kernel", () => {
  const check = (shape: Shape, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(cases(shape), async ({ left, right, options, combination }) => {
        await checkCombination(left, right, options, combination);
        await checkCombination(left, right, options, { ...combination, kernel: combination.kernel === "ts" ? "wasm" : "ts" });
      }),
      { numRuns, ...seed() },
    );

  it("of single conditions over a few rows", () => check({ rows: 8, depth: 1 }, 250), 60_000);

  it("of nested conditions over a few rows", () => check({ rows: 8, depth: 3 }, 150), 60_000);

  it("over more rows", () => check({ rows: 40, depth: 2 }, 50), 60_000);
});

describe("a random filter", () => {
  it("is the same after JSON, and leaves the option as it was", () => {
    fc.assert(
      fc.property(cases({ rows: 6, depth: 2 }), ({ left, right, options }) => {
        const { filter } = options;
        const before = JSON.stringify(filter);
        const { rows } = readTable(join(left, right, options));
        expect(readTable(join(left, right, { ...options, filter: JSON.parse(before) })).rows).toEqual(rows);
        expect(JSON.stringify(filter)).toBe(before);
      }),
      { numRuns: 40, ...seed() },
    );
  }, 60_000);
});
