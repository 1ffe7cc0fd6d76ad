/** `in` with many constants, which are looked up, against as many comparisons; of every lane, with what equality confuses. */

import { describe, expect, it } from "vitest";
import { lit } from "../../src/index.ts";
import * as c from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { join } from "../support/run.ts";
import { table } from "../support/table.ts";

const MANY = Array.from({ length: 60 }, (_, i) => i * 3 - 30);

const CASES: { readonly [name: string]: { readonly column: c.Column; readonly list: readonly unknown[] } } = {
  int8: { column: c.int8([-128, -30, 0, 1, null, 3, 127]), list: [...MANY, 127, 300, 1.5] },
  uint16: { column: c.uint16([0, 3, 4, 65535, null]), list: [...MANY, 65535] },
  int32: { column: c.int32([-30, -29, 0, 2147483647, null]), list: [...MANY, 2147483647, 2 ** 31] },
  int64: {
    column: c.int64([-30n, 0n, 9007199254740993n, -(2n ** 63n), 4294967296n, null]),
    list: [...MANY, 9007199254740993n, -(2n ** 63n)],
  },
  uint64: { column: c.uint64([0n, 3n, 2n ** 64n - 1n, 2n ** 63n, null]), list: [...MANY, 2n ** 64n - 1n] },
  float32: { column: c.float32([0, "-0", "NaN(7fc00001)", 1.5, 0.1, null]), list: [...MANY, Number.NaN, 0.1, -0] },
  float64: { column: c.float64([0, "-0", "NaN(7ff8000000000000)", 0.1, 1e300, null]), list: [...MANY, Number.NaN, 0.1, 1e300] },
  utf8: { column: c.utf8(["", "a", "ab", "ä", "zz", null]), list: ["", "ä", ...MANY.map((n) => `v${n}`), "zz"] },
  dictionary: {
    column: c.dictionary(c.utf8(["", "a", "ab", "zz", null]), { index: "int8", perBatch: true }),
    list: ["ab", ...MANY.map(String)],
  },
  timestamp: { column: c.timestamp("ms")([-30n, 0n, 5n, null]), list: [...MANY.map((n) => new Date(n)), new Date(5)] },
  decimal: { column: c.decimal128(20, 1)([0n, 15n, -300n, null]), list: [...MANY, 1.5] },
};

describe("in a list of many constants", () => {
  for (const [name, { column, list }] of Object.entries(CASES)) {
    for (const how of ["inner", "left", "leftMark", "rightAnti"] as const) {
      it(`finds ${name} values as comparing with each does (${how})`, async () => {
        const rows = column.cells.length;
        const left = table({
          k: c.int32(Array.from({ length: rows }, (_, i) => i % 2)),
          x: column,
          i: c.int32(Array.from({ length: rows }, (_, i) => i)),
        });
        const right = table({ k: c.int32([0, 1, 1]), y: c.int32([1, 2, 3]) });
        const x = { side: "left", column: "x" };
        const constants = list.map((value) => lit(value as number).toJSON());
        await expectJoin(left, right, { on: "k", how, filter: { op: "in", args: [x, ...constants] } });
        const negated = {
          op: "or",
          args: [
            { op: "not", args: [{ op: "in", args: [x, ...constants] }] },
            {
              op: "eq",
              args: [
                { side: "right", column: "y" },
                { type: "number", value: 3 },
              ],
            },
          ],
        };
        await expectJoin(left, right, { on: "k", how, filter: negated });
      });
    }
  }

  it("takes a list of 4000 texts", () => {
    const left = table({ k: c.int32([1, 1, 1]), s: c.utf8(["t0", "t3999", "none"]) });
    const list = Array.from({ length: 4000 }, (_, i) => ({ type: "string", value: `t${i}` }));
    const tested = join(left, left, { on: "k", how: "leftSemi", filter: { op: "in", args: [{ side: "left", column: "s" }, ...list] } });
    expect(tested.numRows).toBe(2);
  });
});
