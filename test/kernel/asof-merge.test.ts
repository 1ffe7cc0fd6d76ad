/** As-of merges of both kernels against what the contract says in plain numbers: every call's partners, cursors and memo. */

import { describe, expect, it } from "vitest";
import { Merger, type Trace } from "./asof-merge.ts";
import { arrivals, type Case, type Rules, randomArrivals, randomCase, SCALES } from "./asof-model.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";

const DIRECTIONS = ["backward", "forward", "nearest"] as const satisfies Rules["direction"][];

describe.each(implementations)("as-of merges of the $name kernel", ({ make }) => {
  describe.each(DIRECTIONS)("%s", (direction) => {
    it.each(SCALES)("give each left row its closest right row: $name", (scale) => {
      const r = random(17);
      const merger = new Merger(make());
      for (let round = 0; round < 100; round++) {
        const of = randomCase(r, scale, direction, round % 25 === 0 ? 150 : 12);
        const cuts = Array.from({ length: r.below(3) }, () => r.below(of.left.length + 1)).sort((a, b) => a - b);
        check(merger.run(of, cuts, randomArrivals(r, of), r), of, `round ${round}`);
      }
    });

    it("resume wherever chunks of the left and of the right are cut, by every rule", () => {
      const merger = new Merger(make());
      const r = random(23);
      for (const rules of everyRule(direction)) {
        const of: Case = { ...randomCase(r, SCALES[2], direction, 7), rules };
        for (let left = 0; left <= of.left.length; left++)
          for (let right = 0; right <= of.right.length; right++)
            for (const low of [true, false]) {
              const coming = arrivals(of, [right], (a, b) => (low ? a : b));
              check(merger.run(of, [left], coming, null), of, `cut at ${left} and ${right}`);
            }
      }
    });
  });
});

/** Traces are long and mostly equal: compared as texts first, which takes a tenth of the time. */
function check({ found, wanted }: Trace, of: Case, text: string): void {
  if (found.join("/") !== wanted.join("/")) expect(found, `${text}: ${JSON.stringify(of)}`).toEqual(wanted);
}

function everyRule(direction: Rules["direction"]): Rules[] {
  const flags = [false, true];
  const bounds = [null, 0, 2];
  const [back, ahead] = [direction !== "forward", direction !== "backward"];
  return flags.flatMap((strict) =>
    flags
      .filter((first) => back || !first)
      .flatMap((backFirst) =>
        flags
          .filter((last) => ahead || !last)
          .flatMap((aheadLast) =>
            bounds
              .filter((before) => back || before === null)
              .flatMap((before) =>
                bounds
                  .filter((after) => ahead || after === null)
                  .map((after) => ({ direction, strict, backFirst, aheadLast, before, after })),
              ),
          ),
      ),
  );
}
