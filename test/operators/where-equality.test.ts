/**
 * `joinWhere` on predicates with equalities between the sides: those of types that may meet as keys become hash keys, and nothing shows but the
 * plan. Every key type, null with null, several, beside other conjuncts, inside an `or`.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { expectJoinWhere } from "../support/expect-join.ts";
import { ALL_KINDS, KEY_DOMAINS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { join, joinWhere, joinWhereStream, type Metrics, runJoinWhere } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const same = (left: string, right = left): Tree => x.not(x.isDistinctFrom(l(left), r(right)));

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = (parts = 38) => ({ part: [number++, parts] }) as const;

/** The values of a type in turn, every sixth null. */
function keys(type: string, rows: number, step: number): c.Column {
  const { make, values } = KEY_DOMAINS[type];
  return make(Array.from({ length: rows }, (_, i) => ((i * step) % 6 === 5 ? null : values[(i * step) % values.length])));
}

const side = (rows: number, step: number, own: string): Table =>
  table(
    {
      a: keys("int32", rows, step),
      b: keys("utf8", rows, step + 1),
      d: keys(own === "lrow" ? "dictionary per batch" : "dictionary", rows, step + 2),
      f: keys(own === "lrow" ? "double" : "float32", rows, step + 3),
      v: c.int32(Array.from({ length: rows }, (_, i) => (i * step) % 7)),
      [own]: c.int32(Array.from({ length: rows }, (_, i) => i)),
    },
    { split: [rows >> 1, (rows + 1) >> 1], slice: own === "rrow" },
  );

const [left, right] = [side(16, 5, "lrow"), side(13, 7, "rrow")];

const PREDICATES: { readonly [name: string]: Tree } = {
  "two equalities": x.and(x.eq(l("a"), r("a")), x.eq(r("b"), l("b"))),
  "an equality and null with null": x.and(x.eq(l("b"), r("b")), same("a")),
  "three, of texts and dictionaries": x.and(same("d"), x.eq(l("b"), r("d")), same("a")),
  "the same twice": x.and(x.eq(l("a"), r("a")), x.eq(r("a"), l("a"))),
  "once with null as equal and once not": x.and(x.eq(l("a"), r("a")), same("a")),
  "one left column against two of the right": x.and(x.eq(l("a"), r("a")), x.eq(l("a"), r("v"))),
  "and an inequality": x.and(x.eq(l("a"), r("a")), x.lt(l("v"), r("v"))),
  "and a condition on both sides": x.and(x.ne(x.mod(x.add(l("v"), r("v")), 3), 1), x.eq(l("b"), r("b"))),
  "and conditions on one side": x.and(x.gt(l("v"), 1), x.eq(l("d"), r("d")), x.isNotNull(r("b"))),
  "and a constant": x.and(x.eq(l("a"), r("a")), lit(true)),
  "and what is never true": x.and(x.eq(l("a"), r("a")), lit(null)),
  "in an or with another": x.or(x.eq(l("a"), r("a")), x.eq(l("b"), r("b"))),
  "beside an or": x.and(x.eq(l("a"), r("a")), x.or(x.isNull(l("b")), x.lt(l("v"), r("v")))),
  "below a not": x.not(x.eq(l("a"), r("a"))),
  "below two nots": x.not(x.not(x.eq(l("a"), r("a")))),
  "not below an or of nots": x.not(x.or(x.ne(l("a"), r("a")), x.lt(l("v"), r("v")))),
  "of two columns of one side": x.and(x.eq(l("a"), l("v")), x.eq(r("a"), r("v"))),
  "of expressions": x.eq(x.add(l("a"), 1), x.add(r("v"), 1)),
  "of a column and an expression": x.and(x.eq(l("a"), x.sub(r("v"), 1)), x.eq(l("b"), r("b"))),
  "of types that are no keys of one another": x.eq(l("f"), r("a")),
  "of floats of two widths": x.and(x.eq(l("f"), r("f")), x.ge(l("v"), r("v"))),
  "as a list of one": x.in(l("a"), r("a")),
  "as a list of columns": x.in(l("a"), r("a"), r("v"), 5),
  "as two inequalities": x.and(x.le(l("a"), r("a")), x.ge(l("a"), r("a"))),
};

for (const how of ALL_KINDS) {
  describe(`a ${how} join on equalities in a predicate gives what testing every pair gives`, () => {
    for (const type of Object.keys(KEY_DOMAINS)) {
      it(`of ${type}, null matching nothing or null`, async () => {
        const [a, b] = [table({ k: keys(type, 9, 5) }, { split: [4, 5] }), table({ k: keys(type, 11, 7) }, { slice: true })];
        await expectJoinWhere(a, b, x.eq(l("k"), r("k")), { how }, turn());
        await expectJoinWhere(b, a, same("k"), { how }, turn());
      });
    }

    for (const [name, predicate] of Object.entries(PREDICATES)) {
      it(name, async () => {
        await expectJoinWhere(left, right, predicate, { how }, turn());
      });
    }

    it("of integers of different width and sign, of units of time, of scales", async () => {
      const signed = table({ k: c.int64([-1n, 0n, 255n, 2n ** 53n + 1n, null, -(2n ** 63n)]), p: c.int8([-1, 0, null, 127, 1, -128]) });
      const unsigned = table({
        k: c.uint64([2n ** 64n - 1n, 0n, 255n, 2n ** 53n, null, 2n ** 63n]),
        p: c.uint32([4294967295, 0, 1, 127, 255, 128]),
      });
      for (const predicate of [x.eq(l("k"), r("k")), x.eq(l("p"), r("p")), same("k"), x.and(x.eq(l("p"), r("p")), same("k", "p"))])
        await expectJoinWhere(signed, unsigned, predicate, { how }, turn());
      const times = table({ t: c.timestamp("s")([0n, 1n, null, -(2n ** 62n)]), n: c.decimal128(10, 1)([15n, 20n, null, 0n]) });
      const finer = table({ t: c.timestamp("ns")([0n, 10n ** 9n, 5n, null]), n: c.decimal128(30, 3)([1500n, 2001n, 0n, null]) });
      for (const predicate of [x.eq(l("t"), r("t")), same("n"), x.and(same("t"), x.ge(l("n"), r("n")))])
        await expectJoinWhere(times, finer, predicate, { how }, turn());
      const zoned = (zone: string) => table({ t: c.timestamp("ms", zone)([0n, 1n, null]) });
      await expectJoinWhere(zoned("UTC"), zoned("Europe/Berlin"), x.eq(l("t"), r("t")), { how }, turn());
    });

    it("has the columns and rows of a join on these keys that merges none", () => {
      for (const [predicate, on] of [
        [x.eq(l("a"), r("a")), "a"],
        [
          x.and(x.eq(l("a"), r("a")), same("b")),
          [
            { left: "a", right: "a" },
            { left: "b", right: "b", nullsEqual: true },
          ],
        ],
        [x.eq(l("d"), r("b")), { d: "b" }],
      ] as const) {
        const one = readTable(joinWhere(left, right, predicate, { how }));
        const both = !/^(left|right)[A-Z]/.test(how);
        expect(one).toEqual(readTable(join(left, right, { on, how, ...(both && { coalesceKeys: false }) })));
        if (both)
          expect(one.fields.map(({ name }) => name).slice(6)).toEqual(["a_right", "b_right", "d_right", "f_right", "v_right", "rrow"]);
      }
    });
  });
}

describe("the plan of a join on a predicate", () => {
  const plan = (predicate: Tree, loop = false) => {
    let text = "";
    const onMetrics = (metrics: Metrics & { plan: string }) => (text = metrics.plan);
    runJoinWhere(left, right, predicate, { onMetrics }, loop ? { wherePath: "loop" } : {});
    return text;
  };

  it("names the keys that equalities became, and the rest of the predicate", () => {
    const text = plan(x.and(x.eq(l("a"), r("a")), same("b"), x.ne(l("v"), r("v"))));
    expect(text).toMatch(/HashJoin.*left\.a = right\.a/);
    expect(text).toMatch(/left\.b.*right\.b/);
    expect(text).toMatch(/filter: left\.v <> right\.v/);
  });

  it("has no keys where there are no equalities of columns that may meet, or where they stand in an or", () => {
    for (const predicate of [
      PREDICATES["in an or with another"],
      PREDICATES["of types that are no keys of one another"],
      PREDICATES["below a not"],
      x.ne(l("a"), r("a")),
    ]) {
      expect(plan(predicate)).not.toMatch(/HashJoin/);
      expect(plan(predicate)).toMatch(/NestedLoop/);
    }
  });

  it("is a nested loop where a test asks for it", () => {
    expect(plan(x.eq(l("a"), r("a")), true)).toMatch(/NestedLoop/);
    expect(plan(x.eq(l("a"), r("a")), true)).not.toMatch(/HashJoin/);
  });

  it("is the one of the stream, before it has begun", async () => {
    const stream = await joinWhereStream(left, right, x.and(x.eq(l("a"), r("a")), x.ne(l("v"), r("v"))));
    expect(stream.explain()).toMatch(/HashJoin.*left\.a = right\.a/);
    await stream.cancel();
  });
});
