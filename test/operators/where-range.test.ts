/**
 * `joinWhere` on inequalities, bands, points in intervals and overlaps of intervals, which sorted search may answer: over every type that has
 * an order, with nulls, NaN, ties and extremes, every kind, every path.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { type Cell, rowText } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectJoinWhere } from "../support/expect-join.ts";
import { ORDERED, orderedColumn } from "../support/ordered.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { runJoinWhere, type Switches } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const OPERATORS = ["lt", "le", "gt", "ge"] as const;

const numbers = (rows: number, step: number) => Array.from({ length: rows }, (_, i) => (i * step) % 1009);

/** `v` of the type. */
const side = (type: string, rows: number, step: number, slice: boolean): Table =>
  table({ v: orderedColumn(type, numbers(rows, step)), row: c.int32(numbers(rows, 1)) }, { split: [rows - (rows >> 2), rows >> 2], slice });

/** A point `v`, an interval from `lo` to `hi` (now and then empty, turned round or half null), a key `k`. */
function intervals(rows: number, step: number, make: (cells: readonly Cell[]) => c.Column = c.int32, of: (n: number) => Cell = (n) => n) {
  const at = numbers(rows, step);
  const cell = (n: number, nullAt: number) => (n % 11 === nullAt ? null : of(n % 30));
  return table(
    {
      v: make(at.map((n) => cell(n, 4))),
      lo: make(at.map((n) => cell(n * 3, 7))),
      hi: make(at.map((n) => (n % 11 === 2 ? null : of(Math.max(0, ((n * 3) % 30) + (n % 7) - 1))))),
      k: c.int32(at.map((n) => (n % 9 === 5 ? null : n % 3))),
      row: c.int32(at.map((_, i) => i)),
    },
    { split: [rows >> 1, (rows + 1) >> 1] },
  );
}

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = (parts = 38) => ({ part: [number++, parts] }) as const;

const [v, w] = [l("v"), r("v")];

const SHAPES: { readonly [name: string]: Tree } = {
  "a point in an interval of the right": x.between(v, r("lo"), r("hi")),
  "a point in an interval of the left": x.between(w, l("lo"), l("hi")),
  "a point in a half-open interval of the right": x.and(x.le(r("lo"), v), x.lt(v, r("hi"))),
  "a point in an open interval of the left": x.and(x.lt(l("lo"), w), x.gt(l("hi"), w)),
  "a band around the right": x.and(x.ge(v, x.sub(w, 3)), x.le(v, x.add(w, 2))),
  "a band around the left, as between": x.between(w, x.sub(v, 1), x.add(v, 4)),
  "a band of which one end is a column": x.and(x.gt(v, w), x.lt(v, x.add(w, r("k")))),
  "a distance": x.le(x.abs(x.sub(v, w)), 2),
  "overlapping intervals": x.and(x.lt(l("lo"), r("hi")), x.lt(r("lo"), l("hi"))),
  "overlapping or touching intervals": x.and(x.le(l("lo"), r("hi")), x.ge(l("hi"), r("lo"))),
  "an interval in another": x.and(x.ge(l("lo"), r("lo")), x.le(l("hi"), r("hi"))),
  "three inequalities": x.and(x.lt(v, w), x.gt(l("hi"), r("lo")), x.le(l("k"), r("k"))),
  "one inequality of expressions": x.lt(x.add(v, 1), x.mul(w, 2)),
  "one inequality with both sides in an expression": x.lt(x.add(v, w), 20),
  "against a part that is null for some rows": x.gt(v, x.div(w, r("k"))),
  "beside an equality": x.and(x.eq(l("k"), r("k")), x.lt(v, w)),
  "a band beside an equality that takes null as equal": x.and(x.not(x.isDistinctFrom(l("k"), r("k"))), x.between(v, r("lo"), r("hi"))),
  "overlap beside an equality": x.and(x.lt(l("lo"), r("hi")), x.eq(l("k"), r("k")), x.lt(r("lo"), l("hi"))),
  "beside a conjunct on both sides": x.and(x.ge(v, w), x.ne(l("row"), r("row"))),
  "overlap beside conjuncts on one side": x.and(x.gt(r("row"), 3), x.lt(l("lo"), r("hi")), x.lt(r("lo"), l("hi")), x.lt(l("row"), 12)),
  "beside an or": x.and(x.lt(v, w), x.or(x.eq(l("k"), r("k")), x.isNull(l("hi")))),
  "within an or": x.or(x.lt(x.add(v, 20), w), x.gt(v, x.add(w, 22))),
  "a not of an inequality": x.not(x.lt(v, w)),
  "a not of a between": x.not(x.between(v, r("lo"), r("hi"))),
  "the same inequality twice": x.and(x.lt(v, w), x.gt(w, v)),
  "inequalities that contradict each other": x.and(x.lt(v, w), x.gt(v, w)),
  "inequalities that leave ties": x.and(x.le(v, w), x.ge(v, w)),
  "that every pair passes, but for nulls": x.ge(v, x.sub(w, 1_000_000n)),
  "that no pair passes": x.gt(v, x.add(w, 1_000_000n)),
  "and a constant beside it": x.and(x.lt(v, w), lit(true)),
  "of a cast": x.lt(x.cast(v, "int64"), x.cast(w, "float64")),
};

for (const how of ALL_KINDS) {
  describe(`a ${how} join on a range gives what testing every pair gives`, () => {
    for (const type of Object.keys(ORDERED)) {
      it(`over ${type}`, async () => {
        const [few, many] = [side(type, 13, 271, false), side(type, 37, 389, true)];
        const op = OPERATORS[(how.length + type.length) % 4];
        await expectJoinWhere(few, many, x[op](v, w), { how }, turn());
        await expectJoinWhere(many, few, x[op](w, v), { how }, turn());
      });
    }

    for (const op of OPERATORS) {
      it(`by ${op}, of doubles and of integers, written either way`, async () => {
        await expectJoinWhere(side("float64", 31, 389, true), side("float64", 12, 271, false), x[op](v, w), { how }, turn());
        await expectJoinWhere(side("int32", 12, 271, false), side("int32", 31, 389, true), x[op](w, v), { how }, turn());
      });
    }

    for (const [name, predicate] of Object.entries(SHAPES)) {
      it(name, async () => {
        await expectJoinWhere(intervals(17, 271), intervals(14, 389), predicate, { how }, turn());
      });
    }

    it("of times in different units, dates of either width, decimals of different scale", async () => {
      const times = (make: (cells: readonly Cell[]) => c.Column, unit: bigint) => (rows: number, step: number) =>
        intervals(rows, step, make, (n) => BigInt(n - 10) * unit);
      const [us, s] = [times(c.timestamp("us"), 500_000n), times(c.timestamp("s"), 1n)];
      await expectJoinWhere(us(13, 271), s(11, 389), x.lt(v, w), { how }, turn());
      await expectJoinWhere(s(13, 271), us(11, 389), x.between(v, r("lo"), r("hi")), { how }, turn());
      await expectJoinWhere(us(13, 271), s(11, 389), SHAPES["overlapping intervals"], { how }, turn());
      const day = 86_400_000n;
      const [date32, date64] = [intervals(13, 271, c.date32, (n) => n - 9), intervals(11, 389, c.date64, (n) => BigInt(n - 9) * day)];
      await expectJoinWhere(date32, date64, x.and(x.le(v, r("hi")), x.ge(v, r("lo"))), { how }, turn());
      const cents = intervals(13, 271, c.decimal128(12, 2), (n) => BigInt(n - 9) * 50n);
      const mills = intervals(11, 389, c.decimal128(38, 3), (n) => BigInt(n - 9) * 10n ** 3n);
      await expectJoinWhere(cents, mills, x.between(v, r("lo"), r("hi")), { how }, turn());
      await expectJoinWhere(mills, cents, x.gt(v, w), { how }, turn());
      await expectJoinWhere(cents, intervals(11, 389), x.le(v, w), { how }, turn());
      const half = (unit: bigint) => intervals(12, 271, c.timestamp(unit === 1n ? "s" : "ns"), (n) => BigInt(n - 9) * unit);
      await expectJoinWhere(half(1n), half(2n ** 58n), SHAPES["overlapping or touching intervals"], { how }, turn());
      const later = x.and(x.gt(v, w), x.le(x.sub(v, w), lit("3", "duration(s)")));
      await expectJoinWhere(us(13, 271), s(11, 389), later, { how }, turn());
    });

    it("of integers of every width and sign against each other, and against floats", async () => {
      const signed = table({ v: c.int64([-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 53n + 1n, null, 5n]) }, { split: [3, 4] });
      const unsigned = table({ v: c.uint64([0n, 2n ** 64n - 1n, 2n ** 63n, 5n, null, 2n ** 53n]) });
      const floats = table({
        v: c.float64([2 ** 53, Number.NEGATIVE_INFINITY, 5.5, "NaN(7ff8000000000000)", "-0", 2 ** 63, -(2 ** 63), null]),
      });
      const small = table({ v: c.int8([5, -1, null, 127, 0]) });
      const all = [signed, unsigned, floats, small];
      for (const [i, a] of all.entries())
        for (const [j, b] of all.entries()) {
          await expectJoinWhere(a, b, x[OPERATORS[(i + j + how.length) % 4]](v, w), { how }, turn(19));
          if (i !== j) await expectJoinWhere(a, b, x.and(x.ge(v, w), x.le(v, x.add(w, 1))), { how }, turn(38));
        }
    });

    it("where intervals are infinite, empty, or of NaN", async () => {
      const [nan, inf] = ["NaN(7ff8000000000000)", Number.POSITIVE_INFINITY];
      const points = table({ v: c.float64([nan, inf, -inf, 0, "-0", null, 1, "NaN(fff8000000000001)"]) });
      const spans = table({
        lo: c.float64([-inf, 0, "-0", nan, 1, null, 2, inf, 0]),
        hi: c.float64([inf, "-0", 0, nan, 1, 3, 1, nan, null]),
      });
      await expectJoinWhere(points, spans, SHAPES["a point in an interval of the right"], { how }, turn(9));
      await expectJoinWhere(points, spans, SHAPES["a point in a half-open interval of the right"], { how }, turn(9));
      await expectJoinWhere(spans, points, SHAPES["a point in an interval of the left"], { how }, turn(9));
      await expectJoinWhere(spans, spans, SHAPES["overlapping intervals"], { how }, turn(9));
      await expectJoinWhere(spans, spans, SHAPES["overlapping or touching intervals"], { how }, turn(9));
    });

    it("where all values are the same, or all null", async () => {
      const same = table({ v: c.int32(new Array<number>(9).fill(3)), row: c.int32(numbers(9, 1)) }, { split: [4, 5] });
      const nulls = table({ v: c.int32(new Array<null>(5).fill(null)) });
      for (const op of OPERATORS) await expectJoinWhere(same, same, x[op](v, w), { how }, turn());
      await expectJoinWhere(same, nulls, x.le(v, w), { how }, turn());
      await expectJoinWhere(nulls, same, x.ge(v, w), { how }, turn());
    });

    it("in the right's order, and in any", async () => {
      for (const name of ["a point in an interval of the right", "overlapping intervals", "beside a conjunct on both sides"]) {
        await expectJoinWhere(intervals(17, 271), intervals(14, 389), SHAPES[name], { how, order: "right" }, turn());
        await expectJoinWhere(intervals(17, 271), intervals(14, 389), SHAPES[name], { how, order: "any" }, turn());
      }
    });
  });
}

describe("of some thousand rows, the path chosen, the sorted search and the loop agree", () => {
  const [left, right] = [intervals(220, 271), intervals(170, 389)];
  const spread = (rows: number, step: number) => {
    const at = Array.from({ length: rows }, (_, i) => (i * step) % 100_003);
    const starts = c.int32(at.map((n) => (n % 97 === 5 ? null : n)));
    return table({ v: starts, lo: starts, hi: c.int32(at.map((n) => n + (n % 150))), k: c.int32(at.map((n) => n % 7)), row: starts });
  };
  const [a, b] = [spread(800, 7919), spread(700, 6037)];
  const PATHS: readonly Switches[] = [{ wherePath: "loop" }, {}, { rangeSearch: "always" }, { rangeSearch: "off" }];
  for (const [name, predicate] of Object.entries(SHAPES)) {
    if (/or$|not of|passes/.test(name)) continue;
    it(name, () => {
      for (const [i, kernel] of (["wasm", "ts"] as const).entries()) {
        for (const [p, q] of [
          [left, right],
          [a, b],
        ]) {
          const kinds = ALL_KINDS.filter((_, at) => (at + number++) % 10 === i);
          for (const how of kinds) {
            const digest = (switches: Switches) => {
              const limit = how.length < 6 ? { multiple: "first" } : {};
              const { rows } = readTable(runJoinWhere(p, q, predicate, { how, kernel, select: columnsOf(how), ...limit }, switches));
              return rows.map(rowText).join("\n");
            };
            const [loop, ...others] = PATHS.map(digest);
            others.forEach((other, at) => expect(other === loop, `${how}, ${kernel}, ${JSON.stringify(PATHS[at + 1])}`).toBe(true));
          }
        }
      }
    });
  }
});

function columnsOf(how: string): string[] {
  const mark = how.endsWith("Mark") ? ["mark"] : [];
  if (/^left[A-Z]/.test(how)) return ["left.row", ...mark];
  return /^right[A-Z]/.test(how) ? ["right.row", ...mark] : ["left.row", "right.row"];
}
