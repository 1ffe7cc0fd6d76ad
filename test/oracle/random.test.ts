/** Random joins of every key type, in random batches, ways of running and options, against the brute-force oracle. */

import fc from "fast-check";
import { describe, it } from "vitest";
import { checkCombination } from "../support/expect-join.ts";
import { KEY_DOMAINS, randomJoin, seed } from "../support/random.ts";

describe("random joins give what comparing every pair gives", () => {
  const check = (rows: number, types: readonly string[], numRuns: number) =>
    fc.assert(
      fc.asyncProperty(randomJoin({ types, rows }), async ({ left, right, options, combination }) => {
        await checkCombination(left, right, { suffix: "_other", ...options }, combination);
      }),
      { numRuns, ...seed() },
    );

  it("of a few rows and one to three keys of any type", () => check(10, Object.keys(KEY_DOMAINS), 400), 60_000);

  it("of more rows, with long groups of one key", () => check(40, ["int32", "utf8", "dictionary per batch", "bool"], 100), 60_000);

  it("of one dense integer key", () => check(30, ["int32"], 100), 60_000);
});
