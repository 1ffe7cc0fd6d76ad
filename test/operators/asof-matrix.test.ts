/** As-of joins: every direction x exact matches x tolerance x ties x kind, through every axis of the asserter. */

import { describe, it } from "vitest";
import { SMALL, side } from "../support/asof-samples.ts";
import { int32 } from "../support/column.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { KEY_DOMAINS } from "../support/random.ts";
import { table } from "../support/table.ts";

const KEYS = [KEY_DOMAINS.int32];
const TOLERANCES = [undefined, 0, 1, 3n, { before: 2 }, { after: 2 }, { before: 1, after: 4 }] as const;

let number = 0;
/** Each case runs a part of the combinations, in turn. */
const turn = (parts = 9) => ({ part: [number++, parts] }) as const;

for (const direction of ["backward", "forward", "nearest"] as const) {
  describe(`a ${direction} as-of join gives what looking at every row gives`, () => {
    for (const how of ["left", "inner", "leftSemi", "leftAnti"] as const) {
      for (const ties of ["adjacent", "first", "last"] as const) {
        it(`of kind ${how}, with ties ${ties}`, async () => {
          for (const allowExactMatches of [true, false]) {
            for (const tolerance of TOLERANCES) {
              const options = { on: "t", direction, how, ties, allowExactMatches, ...(tolerance !== undefined && { tolerance }) };
              const seed = number;
              const [left, right] = [
                side(seed, SMALL[0], { name: "left", keys: KEYS }),
                side(seed + 1, SMALL[1], { name: "right", keys: KEYS }),
              ];
              await expectJoinAsof(left, right, { ...options, by: "k0", nullsEqual: seed % 3 === 0 }, turn());
              if (seed % 2) await expectJoinAsof(left, right, options, turn(18));
            }
          }
        });
      }
    }

    it("where a side has no rows, no batch, or one row", async () => {
      const of = (times: readonly (number | null)[], split?: readonly number[]) =>
        table({ t: int32(times), v: int32(times.map(() => 1)) }, { split });
      const none = of([], [0, 0]);
      const noBatch = of([], []);
      const some = of([-1, null, 0, 0, 3], [2, 0, 3]);
      for (const how of ["left", "inner", "leftSemi", "leftAnti"] as const)
        for (const [left, right] of [
          [some, none],
          [none, some],
          [none, noBatch],
          [noBatch, some],
          [some, of([0])],
          [of([0]), some],
          [of([0]), of([0])],
          [of([null]), some],
          [some, of([null, null], [1, 1])],
        ])
          await expectJoinAsof(left, right, { on: "t", direction, how }, turn(6));
    });

    it("where all rights come before, and where all come after", async () => {
      const early = table({ t: int32([1, 2, 2]), e: int32([1, 2, 3]) }, { split: [1, 1, 1] });
      const late = table({ t: int32([7, 7, 9]), k: int32([1, 2, 1]) }, { split: [2, 1] });
      for (const options of [{}, { tolerance: 4 }, { ties: "first" }, { ties: "last", tolerance: 5 }] as const) {
        await expectJoinAsof(late, early, { on: "t", direction, ...options }, turn(3));
        await expectJoinAsof(early, late, { on: "t", direction, ...options }, turn(3));
      }
    });

    it("where one side has many rows and the other few", async () => {
      const times = { make: int32, values: Array.from({ length: 300 }, (_, i) => i) };
      for (const [a, b] of [
        [150, 4],
        [4, 150],
        [70, 70],
      ]) {
        const [left, right] = [
          side(a, times, { name: "left", rows: a, keys: KEYS }),
          side(b + 7, times, { name: "right", rows: b, keys: KEYS }),
        ];
        for (const options of [{}, { tolerance: 20 }, { allowExactMatches: false }]) {
          await expectJoinAsof(left, right, { on: "t", direction, ...options }, turn());
          await expectJoinAsof(left, right, { on: "t", by: "k0", direction, ...options }, turn());
        }
      }
    });
  });
}

describe("an as-of join", () => {
  it("of rows that all have one time", async () => {
    const of = (rows: number, name: string) =>
      table({ t: int32(Array(rows).fill(5)), [name]: int32(Array.from({ length: rows }, (_, i) => i)) }, { split: [1, rows - 1] });
    for (const direction of ["backward", "forward", "nearest"] as const)
      for (const ties of ["adjacent", "first", "last"] as const)
        for (const allowExactMatches of [true, false])
          for (const tolerance of [{}, { tolerance: 0 }])
            await expectJoinAsof(of(3, "l"), of(4, "r"), { on: "t", direction, ties, allowExactMatches, ...tolerance }, turn());
  });
});
