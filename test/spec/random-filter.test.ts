/** Planned filters against the evaluator that reads SEMANTICS 3 aloud, for random trees over columns of every type. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planFilter } from "../../src/spec/plan-filter.ts";
import type { Cell } from "../support/cell.ts";
import { cellValue, parseType } from "../support/exact.ts";
import { predicateOf } from "../support/predicate.ts";
import { seed } from "../support/random.ts";
import { l, lit, type Operand, r, type Tree, x } from "../support/tree.ts";
import { fieldsOf, fieldTexts } from "./fields.ts";
import { checkSpec, matches } from "./interpret.ts";

const INT64 = [0n, 1n, -1n, 127n, 128n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 86_400_000n, 86_399_999n];
const FLOATS = [0, "-0", 1.5, -0.5, 1, 127, 128, 2 ** 24, "NaN(7ff8000000000000)", Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

const DOMAINS: { readonly [type: string]: readonly Cell[] } = {
  int8: [0, 1, -1, 127, -128],
  uint8: [0, 1, 127, 128, 255],
  int16: [0, 1, 255, 256, 32767, -32768],
  uint16: [0, 255, 256, 65535, 32768],
  int32: [0, 1, -1, 65535, 65536, 2147483647, -2147483648],
  uint32: [0, 1, 2147483647, 2147483648, 4294967295],
  int64: INT64,
  uint64: [0n, 1n, 127n, 128n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n],
  float16: [0, "-0", 1.5, -0.5, 127, 128, 65504, "NaN(7e00)", Number.POSITIVE_INFINITY],
  float32: [...FLOATS, 0.10000000149011612, 3.4028234663852886e38, 1.401298464324817e-45],
  float64: [...FLOATS, 0.1, 2 ** 53, 2 ** 63, 2 ** 64, 1e30, 5e-324, 1.7976931348623157e308],
  "decimal128(9, 2)": [0n, 100n, 150n, -50n, 10n, 12_700n, 999_999_999n],
  "decimal128(38, 10)": [0n, 10n ** 10n, 10n ** 9n, 10n ** 9n + 1n, -5n * 10n ** 9n, 10n ** 38n - 1n],
  "decimal256(76, 0)": [0n, 1n, 128n, 2n ** 63n, 2n ** 64n, 10n ** 30n, 10n ** 76n - 1n, -(10n ** 76n) + 1n],
  "dictionary(int8, int64)": INT64,
  date32: [0, 1, -1, 19_000, 2147483647, -2147483648],
  date64: [0n, 86_400_000n, -86_400_000n, 1n, 19_000n * 86_400_000n, 2n ** 63n - 1n],
  "time32(s)": [0, 1, 86_399],
  "time32(ms)": [0, 1000, 1, 86_399_000],
  "time64(us)": [0n, 1_000_000n, 1n],
  "time64(ns)": [0n, 1_000_000_000n, 1n, 1000n, 2n ** 63n - 1n],
  "timestamp(s)": [0n, 1n, -1n, 86_400n, 2n ** 63n - 1n, -(2n ** 63n)],
  "timestamp(ms)": [0n, 1000n, -1n, 1n, -1000n],
  "timestamp(ns)": [0n, 1_000_000_000n, 1n, -1n, -1_000_000_000n, 2n ** 63n - 1n],
  "timestamp(us, UTC)": [0n, 1_000_000n, -1n, 2n ** 63n - 1n],
  "timestamp(ms, Europe/Berlin)": [0n, 1000n, -1n, 1n],
  "duration(s)": [0n, 1n, -1n, 2n ** 63n - 1n],
  "duration(us)": [0n, 1_000_000n, -1_000_000n, 1n],
  utf8: ["", "a", "ab", "b", "\uffff", "😀", "a'"],
  "dictionary(int16, utf8)": ["", "a", "ba", "😀"],
  binary: ["", "00", "ff", "00ff"],
  "fixedsizebinary(1)": ["00", "ff"],
  bool: [true, false],
  null: [null],
};

const TYPES = Object.keys(DOMAINS);
const COLUMNS = Object.fromEntries(TYPES.map((type, i) => [`c${i}`, type]));
const FIELDS = fieldsOf(COLUMNS);
const TEXTS = { left: fieldTexts(COLUMNS), right: fieldTexts(COLUMNS) };

const columnOf = (pattern: RegExp): fc.Arbitrary<Tree> =>
  fc
    .tuple(fc.constantFrom(l, r), fc.constantFrom(...Object.entries(COLUMNS).filter(([, type]) => pattern.test(type))))
    .map(([side, [name]]) => side(name));

const NUMBERS: readonly Operand[] = [
  ...[0, 1, -1, 1.5, -0.5, 0.1, 127, 128, 255, 256, -129, 65535, 2 ** 31, 2 ** 32, 16777217, 2 ** 53, 2 ** 63, 1e30, 1e23, 1e-30],
  ...[5e-324, 1e-323, 1.7976931348623157e308, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1234567890123456800],
  ...[2n ** 53n + 1n, 2n ** 63n, 2n ** 63n - 1n, 2n ** 64n, 2n ** 64n - 1n, -(2n ** 63n), -(2n ** 63n) - 1n, 10n ** 40n, 10n ** 309n],
  ...[lit(5, "int8"), lit("0.10", "decimal128(5, 2)"), lit(0.5, "float32"), lit(0.1, "float64"), lit("18446744073709551615", "uint64")],
  ...[lit(`${10n ** 76n - 1n}`, "decimal256(76, 0)"), lit("9007199254740993", "int64"), lit(null, "int16"), null],
];
const DATES: readonly Operand[] = [new Date(0), new Date(1), new Date(-1), new Date(1000), new Date(86_400_000), new Date(8.64e15), null];

const SIGNED = /^(int|dictionary\(int8)/;
const UNSIGNED = /^uint/;
const FLOAT = /^float/;
const NUMERIC = /^(u?int|float|dictionary\(int8)/;
const NUMBER = /^(u?int|float|decimal|dictionary\(int8)/;
const COMMUTING = ["add", "sub", "mul"] as const;

const integer = (column: RegExp, literals: readonly Operand[], depth: number): fc.Arbitrary<Tree> => {
  if (depth <= 0) return columnOf(column);
  const inner = integer(column, literals, depth - 1);
  return fc.oneof(
    columnOf(column),
    fc.tuple(fc.constantFrom(...COMMUTING, "mod"), inner, fc.oneof(inner, fc.constantFrom(...literals))).map(([op, a, b]) => x[op](a, b)),
    inner.map((a) => x.abs(a)),
  );
};

const numeric = (depth: number): fc.Arbitrary<Tree> => {
  if (depth <= 0) return columnOf(NUMERIC);
  const inner = numeric(depth - 1);
  const signed = integer(SIGNED, [1, -3, 2n ** 62n, 7], depth);
  return fc.oneof(
    signed,
    integer(UNSIGNED, [1, 2n ** 63n, 0], depth),
    signed.map((a) => x.neg(a)),
    columnOf(UNSIGNED).map((a) => x.neg(a)),
    fc
      .tuple(fc.constantFrom(...COMMUTING, "mod"), columnOf(UNSIGNED), signed, fc.boolean())
      .map(([op, a, b, turned]) => (turned ? x[op](b, a) : x[op](a, b))),
    fc.tuple(fc.constantFrom(...COMMUTING, "div", "mod"), columnOf(FLOAT), inner).map(([op, a, b]) => x[op](a, b)),
    fc.tuple(fc.constantFrom("div"), inner, inner).map(([op, a, b]) => x[op](a, b)),
    fc.tuple(signed, fc.constantFrom(1.5, -0.1)).map(([a, b]) => x.mul(a, b)),
    fc
      .tuple(inner, fc.constantFrom("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"))
      .map(([a, type]) => x.cast(a, type)),
    columnOf(/decimal/).map((a) => x.cast(a, "float64")),
  );
};

/** Two operands that meet. */
const pair = (depth: number): fc.Arbitrary<readonly [Operand, Operand]> => {
  const number = fc.oneof(columnOf(NUMBER), numeric(depth));
  const any = fc.oneof({ weight: 2, arbitrary: number }, { weight: 1, arbitrary: fc.constantFrom(...NUMBERS) });
  const date = columnOf(/^date/);
  const zoneless = fc.oneof(
    columnOf(/^timestamp\(\w+\)/),
    fc.tuple(fc.constantFrom("add", "sub"), columnOf(/^timestamp\(\w+\)/), columnOf(/^duration/)).map(([op, a, b]) => x[op as "add"](a, b)),
    fc.tuple(columnOf(/^timestamp\(\w+\)/), fc.constantFrom("s", "ms", "us", "ns")).map(([a, unit]) => x.cast(a, `timestamp(${unit})`)),
  );
  const zoned = columnOf(/^timestamp\(\w+, /);
  const duration = fc.oneof(
    columnOf(/^duration/),
    fc.tuple(zoned, zoned).map(([a, b]) => x.sub(a, b)),
  );
  const text = fc.oneof(columnOf(/utf8/), fc.constantFrom<Operand>("", "a", "b", "\uffff", "😀", "zz", lit("ab", "utf8"), null));
  const both = <T extends Operand>(one: fc.Arbitrary<T>) => fc.tuple(one, one);
  return fc.oneof(
    { weight: 6, arbitrary: both(any) },
    { weight: 1, arbitrary: fc.tuple(date, fc.oneof(date, fc.constantFrom(...DATES))) },
    { weight: 2, arbitrary: fc.tuple(zoneless, fc.oneof(zoneless, fc.constantFrom(...DATES, lit("7", "timestamp(us)")))) },
    { weight: 1, arbitrary: fc.tuple(zoned, fc.oneof(zoned, fc.constantFrom(...DATES))) },
    { weight: 1, arbitrary: both(columnOf(/^time\d/)) },
    { weight: 1, arbitrary: both(duration) },
    { weight: 2, arbitrary: both(text) },
    { weight: 1, arbitrary: both(columnOf(/binary/)) },
    { weight: 1, arbitrary: both(fc.oneof(columnOf(/^bool/), fc.constantFrom(true, false))) },
    { weight: 1, arbitrary: fc.tuple(columnOf(/^null/), columnOf(/./)) },
  );
};

const predicate = (depth: number): fc.Arbitrary<Tree> => {
  const parts = fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge", "isDistinctFrom"), pair(depth), fc.boolean())
        .map(([op, [a, b], turned]) => (turned ? x[op as "eq"](b, a) : x[op as "eq"](a, b))),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(pair(0), pair(0)).map(([[a, b], [c]]) => (sameFamily(b, c) ? x.between(a, b, c) : x.between(a, b, b))),
    },
    { weight: 1, arbitrary: fc.tuple(pair(0), pair(0)).map(([[a, b], [c]]) => (sameFamily(b, c) ? x.in(a, b, c) : x.in(a, b))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom("startsWith", "endsWith", "contains"),
          columnOf(/utf8/),
          fc.oneof(columnOf(/utf8/), fc.constantFrom<Operand>("", "a", null)),
        )
        .map(([op, a, b]) => x[op as "contains"](a, b)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("isNull", "isNotNull"), columnOf(/./)).map(([op, a]) => x[op as "isNull"](a)) },
    { weight: 1, arbitrary: columnOf(/^bool/) },
  );
  if (depth <= 0) return parts;
  const inner = predicate(depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: parts },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom("and", "or"),
          fc.array(fc.oneof(inner, inner, inner, fc.constantFrom(lit(true), lit(false), lit(null))), { minLength: 2, maxLength: 4 }),
        )
        .map(([op, args]) => x[op as "and"](...args)),
    },
    { weight: 1, arbitrary: inner.map((arg) => x.not(arg)) },
  );
};

/** Only plain numbers are put together at random. */
const sameFamily = (...operands: readonly Operand[]): boolean =>
  operands.every((operand) => {
    if (typeof operand === "number" || typeof operand === "bigint") return true;
    const column = typeof operand === "object" && operand !== null && "column" in operand ? operand.column : "";
    return NUMBER.test(COLUMNS[column] ?? "");
  });

const row: fc.Arbitrary<readonly Cell[]> = fc.tuple(
  ...TYPES.map((type) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...DOMAINS[type]) }, { weight: 1, arbitrary: fc.constant<Cell>(null) }),
  ),
);

const values = (cells: readonly Cell[]) => cells.map((cell, i) => cellValue(cell, parseType(TYPES[i])));

describe("a planned filter", () => {
  it("is TRUE, FALSE and NULL where its expression is", () => {
    fc.assert(
      fc.property(predicate(3), fc.array(fc.tuple(row, row), { minLength: 1, maxLength: 12 }), (tree, pairs) => {
        const truth = predicateOf(tree, TEXTS);
        const [isTrue, isFalse, isNull] = [tree, x.not(tree), x.isNull(tree)].map((one) => planFilter(one, FIELDS, FIELDS));
        for (const spec of [isTrue, isFalse, isNull]) checkSpec(spec);
        for (const [left, right] of pairs) {
          const expected = truth(left, right);
          const got = [isTrue, isFalse, isNull].map((spec) => matches(spec, values(left), values(right)));
          if (String(got) !== String([true, false, null].map((value) => value === expected)))
            expect(got, isTrue.text).toEqual([expected === true, expected === false, expected === null]);
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 500), ...seed() },
    );
  });
});
