/** Times of as-of joins: every type that may be one, mixed units and signs, both ends of the range, around zero; tolerances of every form. */

import { describe, it } from "vitest";
import { KEYS, optionSets, side, TIMES } from "../support/asof-samples.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import type { AsofOptions } from "../support/run.ts";
import { table } from "../support/table.ts";

let number = 0;
const turn = (parts = 20) => ({ part: [number++, parts] }) as const;

const TOLERANCES = {
  integers: [undefined, 0, 1, 2n ** 63n, { before: 300, after: 2n ** 64n - 1n }],
  floats: [undefined, 0, 0.5, 1e16, { before: Number.POSITIVE_INFINITY, after: 5e-324 }],
  temporal: [undefined, 1, "1ns", "1s500ms", { before: "1w2d3h4m", after: 0 }],
} as const;

const kindOf = (name: string) =>
  /^u?int/.test(name) ? TOLERANCES.integers : /^float/.test(name) ? TOLERANCES.floats : TOLERANCES.temporal;

describe("an as-of join on times", () => {
  for (const [name, [a, b]] of Object.entries(TIMES)) {
    it(`of ${name} compares and subtracts them exactly`, async () => {
      for (const options of optionSets(1 + (number % 4), kindOf(name))) {
        const seed = number;
        const keys = seed % 2 ? [KEYS.int8] : [];
        const [left, right] = [
          side(seed, a, { name: "left", keys: keys.map(([key]) => key) }),
          side(seed + 1, b, { name: "right", keys: keys.map(([, key]) => key) }),
        ];
        const rightTime = options.how === "left" || options.how === "inner" ? { rightTime: "at" } : {};
        await expectJoinAsof(left, right, { on: "t", ...options, ...rightTime, ...(seed % 2 && { by: "k0" }) }, turn());
      }
    });
  }
});

type Make = (cells: readonly Cell[]) => c.Column;
const of = (make: Make, ...cells: Cell[]) => table({ t: make(cells), at: c.int32(cells.map((_, i) => i)) });

/** The number of the right row that each left row finds. */
const finds = (left: ReturnType<typeof of>, right: ReturnType<typeof of>, options: AsofOptions, ...rows: Cell[]) =>
  expectJoinAsof(left, right, { on: "t", select: ["right.at"], ...options }, { rows: rows.map((row) => [row]) });

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const inf = Number.POSITIVE_INFINITY;
const NAN = "NaN(7ff8000000000000)";

describe("times that naive code gets wrong", () => {
  it("cross zero and are sorted", async () => {
    await finds(of(c.int8, -128, -1, 0, 1, 127), of(c.int8, -2, -1, 0), {}, null, 1, 2, 2, 2);
    await finds(of(c.int64, MIN, -1n, 0n, MAX), of(c.int64, MIN, -1n, 0n, MAX), { tolerance: 0 }, 0, 1, 2, 3);
    await finds(of(c.float64, -1.5, "-0", 1.5), of(c.float64, -2, 0, 0.5), {}, 0, 1, 2);
    await finds(of(c.timestamp("s"), -1n, 0n), of(c.timestamp("ms"), -1500n, -1n, 0n, 1n), {}, 0, 2);
  });

  it("are as far apart as no signed word says", async () => {
    await finds(of(c.int64, MAX), of(c.int64, MIN), { tolerance: 2n ** 64n - 1n }, 0);
    await finds(of(c.int64, MAX), of(c.int64, MIN), { tolerance: 2n ** 64n - 2n }, null);
    await finds(of(c.int64, MIN), of(c.int64, MAX), { tolerance: 0, direction: "forward" }, null);
    await finds(of(c.uint64, 2n ** 64n - 1n), of(c.uint64, 0n), { tolerance: MAX }, null);
    await finds(of(c.uint64, 0n, 2n ** 64n - 1n), of(c.int64, MIN, -1n, MAX), { direction: "nearest" }, 1, 2);
    await finds(of(c.int64, 0n), of(c.int64, MIN + 1n, MAX), { direction: "nearest" }, 0);
    await finds(of(c.int64, 0n), of(c.int64, MIN, MAX), { direction: "nearest" }, 1);
    await finds(of(c.int8, 127), of(c.int8, -128), { tolerance: 254 }, null);
    await finds(of(c.uint8, 255), of(c.int8, -128), { tolerance: 383 }, 0);
  });

  it("are integers that no double tells apart", async () => {
    const big = 1_608_129_000_134_000_123n;
    await finds(of(c.int64, big + 2n), of(c.int64, big + 1n, big + 3n), {}, 0);
    await finds(of(c.int64, big + 2n), of(c.int64, big + 1n, big + 3n), { direction: "forward" }, 1);
    await finds(of(c.int64, big + 2n), of(c.int64, big - 1n, big + 4n), { direction: "nearest" }, 1);
    await finds(of(c.int64, 2n ** 53n), of(c.int64, 2n ** 53n + 1n), {}, null);
    await finds(of(c.int64, 2n ** 53n + 1n), of(c.int64, 1n), { tolerance: 2n ** 53n }, 0);
  });

  it("leave 64 bits when their units are made equal", async () => {
    await finds(of(c.timestamp("s"), MIN, MAX), of(c.timestamp("ns"), MIN, MAX), {}, null, 1);
    await finds(of(c.timestamp("ns"), MIN, MAX), of(c.timestamp("s"), MIN, MAX), {}, 0, 0);
    await finds(of(c.timestamp("s"), MIN, MAX), of(c.timestamp("ns"), MIN, MAX), { direction: "nearest", tolerance: 1 }, null, null);
    await finds(of(c.date32, 2147483647), of(c.date64, MAX), { direction: "forward" }, 0);
    await finds(of(c.duration("s"), MAX), of(c.duration("us"), MAX), { tolerance: MAX }, 0);
    const apart = MAX - MAX / 1_000_000_000n;
    await finds(of(c.duration("s"), MAX), of(c.duration("ns"), 0n, MAX), { tolerance: apart }, 1);
    await finds(of(c.duration("s"), MAX), of(c.duration("ns"), 0n, MAX), { tolerance: apart - 1n }, null);
  });

  it("are infinite, which is at distance 0 from the same infinity alone", async () => {
    const right = of(c.float64, -inf, 0, inf);
    await finds(of(c.float64, -inf, 1, inf), right, { tolerance: 0 }, 0, null, 2);
    await finds(of(c.float64, -inf, 1, inf), right, { direction: "nearest", allowExactMatches: false }, 1, 1, 1);
    await finds(of(c.float64, -1e308), of(c.float64, -inf, inf), { direction: "nearest" }, 0);
    await finds(of(c.float64, 1e308), of(c.float64, -1e308), { tolerance: 1.7e308 }, null);
    await finds(of(c.float64, 1e308), of(c.float64, -1e308), { tolerance: inf }, 0);
    await finds(of(c.float32, inf), of(c.float64, 3e38), { tolerance: 1e300 }, null);
  });

  it("are NaN or null, which are no times and break no order", async () => {
    await finds(of(c.float64, 2.5, NAN, null, 3), of(c.float64, 1, NAN, 2, null, NAN), {}, 2, null, null, 2);
    await finds(of(c.float64, 2.5), of(c.float64, 1, 2, NAN), {}, 1);
    await finds(of(c.float64, NAN, 1), of(c.float64, NAN, NAN, 2), { direction: "forward" }, null, 2);
    await finds(of(c.int32, 1, null, 3), of(c.int32, 0), {}, 0, null, 0);
    await finds(of(c.int32, null, null), of(c.int32, null, 0), {}, null, null);
    await finds(of(c.float32, "NaN(ffc00001)", 1), of(c.float64, 1), { direction: "nearest" }, null, 0);
  });

  it("are -0 and 0, which are one time", async () => {
    await finds(of(c.float64, "-0", 0), of(c.float64, 0, "-0"), {}, 1, 1);
    await finds(of(c.float64, "-0", 0), of(c.float64, 0, "-0"), { direction: "forward" }, 0, 0);
    await finds(of(c.float64, "-0"), of(c.float64, 0), { allowExactMatches: false }, null);
  });
});

describe("a tolerance", () => {
  const left = of(c.timestamp("ms"), 0n, 90_000n, 7n * 86_400_000n);
  const right = of(c.timestamp("us"), -1n, 1_000n, 29_999_999n, 30_000_000n);

  it("is a number in the unit of the left time, or a duration of several parts", async () => {
    await finds(left, right, { tolerance: 60_000 }, 0, 3, null);
    await finds(left, right, { tolerance: "1m" }, 0, 3, null);
    await finds(left, right, { tolerance: "59s999ms" }, 0, null, null);
    await finds(left, right, { tolerance: "1us" }, 0, null, null);
    await finds(left, right, { tolerance: "999ns" }, null, null, null);
    await finds(left, right, { tolerance: "6d23h59m30s" }, 0, 3, 3);
    await finds(left, right, { tolerance: "1w" }, 0, 3, 3);
    await finds(of(c.date32, 10), of(c.date32, 3), { tolerance: 7 }, 0);
    await finds(of(c.date32, 10), of(c.date32, 3), { tolerance: "167h" }, null);
  });

  it("may be of one side only, and of both sides another", async () => {
    const [a, b] = [of(c.int32, 10), of(c.int32, 7, 12)];
    await finds(a, b, { direction: "nearest", tolerance: { before: 1 } }, 1);
    await finds(a, b, { direction: "nearest", tolerance: { after: 1 } }, 0);
    await finds(a, b, { direction: "nearest", tolerance: { before: 2, after: 1 } }, null);
    await finds(a, b, { tolerance: { after: 0 } }, 0);
    await finds(a, b, { direction: "forward", tolerance: { before: 0 } }, 1);
  });
});
