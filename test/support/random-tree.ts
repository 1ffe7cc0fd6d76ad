/**
 * Random filters for fast-check: tables with a column of every kind that an expression may read, values that naive code gets wrong, and
 * well-typed trees over them. Every tree has a meaning: what is constant can be computed, so nothing is refused.
 */

import type { Table } from "apache-arrow";
import fc from "fast-check";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import { table } from "./table.ts";
import { l, lit, type Operand, r, type Tree, x } from "./tree.ts";

interface Domain {
  readonly make: (cells: readonly Cell[]) => c.Column;
  readonly values: readonly Cell[];
}

type Domains = { readonly [column: string]: Domain };

const INT64_MAX = 2n ** 63n - 1n;
const TEXTS = ["", "a", "ab", "b", "\uffff", "😀", "a\u0000", "ba"];
const DOUBLES = [0, "-0", 1.5, "NaN(7ff8000000000000)", 0.1, 2 ** 53, Number.POSITIVE_INFINITY, -3, Number.NEGATIVE_INFINITY, 5e-324, 2];

/** The columns of a left table. `s` and `d` are texts; `t` and `e` times. */
export const LEFT: Domains = {
  i: { make: c.int8, values: [1, -128, 127, 0, -1, 2] },
  j: { make: c.int64, values: [1n, INT64_MAX, 0n, -(2n ** 63n), 2n ** 53n + 1n, -3n, 5n] },
  u: { make: c.uint64, values: [1n, 2n ** 64n - 1n, 0n, 2n ** 63n, 5n, 2n ** 53n + 1n] },
  f: { make: c.float64, values: DOUBLES },
  n: { make: c.decimal128(20, 2), values: [10n, 150n, -300n, 0n, 10n ** 19n, 200n] },
  s: { make: c.utf8, values: TEXTS },
  d: { make: (cells) => c.dictionary(c.utf8(cells), { index: "int8", perBatch: true, repeated: true, nullValue: true }), values: TEXTS },
  b: { make: c.bool, values: [true, false] },
  t: { make: c.timestamp("us"), values: [0n, -1n, 1_000_000n, 1_700_000_000_000_001n, 2_000_000n, INT64_MAX] },
  e: { make: c.date32, values: [0, -1, 19_000, 1] },
};

/** The same kinds on the right, in other types. */
export const RIGHT: Domains = {
  i: { make: c.int32, values: [2, 2147483647, 0, -2147483648, -1, 127] },
  j: { make: c.int64, values: [-1n, 2n, -(2n ** 63n), INT64_MAX, 2n ** 53n, 0n, 5n] },
  u: { make: c.uint32, values: [2n, 4294967295n, 0n, 5n].map(Number) },
  f: { make: c.float32, values: [1.5, 0, "NaN(ffc00001)", "-0", 0.10000000149011612, 2 ** 24, Number.POSITIVE_INFINITY, -3] },
  n: { make: c.decimal128(38, 4), values: [1000n, 15000n, 0n, 1n, -30000n, 10n ** 37n] },
  s: { make: (cells) => c.dictionary(c.utf8(cells), { index: "uint16" }), values: TEXTS },
  d: { make: c.utf8, values: TEXTS },
  b: { make: c.bool, values: [false, true] },
  t: { make: c.timestamp("ms"), values: [0n, 1000n, -1n, 1_700_000_000_000n, 2000n] },
  e: { make: c.date64, values: [0n, 86_400_000n, -86_400_000n, 19_000n * 86_400_000n] },
};

/** A row by its number: which value each column has. One value in seven is null. */
export type RowSeed = number;

const cellOf = ({ values }: Domain, seed: RowSeed, column: number): Cell => {
  let mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
  return mixed % 7 === 6 ? null : values[(mixed >>> 8) % values.length];
};

export interface SideSpec {
  readonly rows: readonly { readonly key: number; readonly seed: RowSeed }[];
  readonly cuts: readonly number[];
  readonly slice: boolean;
}

export const sideSpec = (maxRows: number): fc.Arbitrary<SideSpec> =>
  fc.record({
    rows: fc.array(fc.record({ key: fc.nat(3), seed: fc.nat(500) }), { maxLength: maxRows }),
    cuts: fc.array(fc.nat(maxRows), { maxLength: 2 }),
    slice: fc.boolean(),
  });

/** `lrow` or `rrow`, the keys `k` (0 to 2, else null) and `m`, `same` in every row, and the columns of the domains named `columns`. */
export function tableOf(
  spec: SideSpec,
  side: "left" | "right",
  columns = Object.keys(LEFT),
  domains = side === "left" ? LEFT : RIGHT,
): Table {
  const rows = spec.rows.length;
  const cuts = [0, ...spec.cuts.map((cut) => Math.min(cut, rows)).sort((a, b) => a - b), rows];
  return table(
    {
      [side === "left" ? "lrow" : "rrow"]: c.int32(spec.rows.map((_, i) => i)),
      k: c.int32(spec.rows.map(({ key }) => (key === 3 ? null : key))),
      m: c.utf8(spec.rows.map(({ seed }) => (seed % 5 === 4 ? null : `m${seed % 2}`))),
      same: c.int32(spec.rows.map(() => 7)),
      ...Object.fromEntries(
        columns.map((name, i) => [name, domains[name].make(spec.rows.map(({ seed }) => cellOf(domains[name], seed, i)))]),
      ),
    },
    { split: cuts.slice(1).map((cut, i) => cut - cuts[i]), slice: spec.slice },
  );
}

/** The columns of the domains that a tree reads, of either side. */
export function columnsRead(tree: Tree): string[] {
  if ("side" in tree) return tree.column in LEFT ? [tree.column] : [];
  return "op" in tree ? [...new Set(tree.args.flatMap(columnsRead))] : [];
}

// Trees

const oneColumn = (...names: string[]): fc.Arbitrary<Tree> =>
  fc.tuple(fc.constantFrom(l, r), fc.constantFrom(...names)).map(([side, name]) => side(name));

const NUMBERS: readonly Operand[] = [0, 1, 2, -1, 1.5, 0.1, 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 63n), Number.NaN, -0, 127];
const WHOLE: readonly Operand[] = [0, 1, 2, -3, 7n, 2n ** 62n];

export interface Grammar {
  /** A number that is no decimal and no constant. */
  readonly number: (depth: number) => fc.Arbitrary<Tree>;
  /** What comparisons take; each pair meets. */
  readonly pairs: (depth: number) => readonly fc.Arbitrary<readonly [Tree, Operand]>[];
  readonly texts: fc.Arbitrary<Tree>;
  readonly any: fc.Arbitrary<Tree>;
  readonly bools: fc.Arbitrary<Tree>;
  /** Names of columns of which any may stand where another does. */
  readonly kinds: readonly string[];
}

const signed = oneColumn("i", "j");
const COMMUTING = ["add", "sub", "mul"] as const;

/** Everything of SEMANTICS 3. */
export const GRAMMAR: Grammar = {
  number: (depth) =>
    depth <= 0
      ? oneColumn("i", "j", "f", "u")
      : fc.oneof(
          oneColumn("i", "j", "f"),
          fc.tuple(fc.constantFrom(...COMMUTING, "div", "mod"), integer(depth - 1), integer(depth - 1)).map(([op, a, b]) => x[op](a, b)),
          fc
            .tuple(fc.constantFrom(...COMMUTING, "div", "mod"), integer(depth - 1), fc.constantFrom(...WHOLE))
            .map(([op, a, b]) => x[op](a, b)),
          fc.tuple(fc.constantFrom(...COMMUTING, "div", "mod"), oneColumn("f"), GRAMMAR.number(depth - 1)).map(([op, a, b]) => x[op](a, b)),
          fc
            .tuple(fc.constantFrom(...COMMUTING), fc.constant(l("u")), fc.constantFrom(r("u"), lit(1), lit(2n)))
            .map(([op, a, b]) => x[op](a, b)),
          fc
            .tuple(
              fc.constantFrom(...COMMUTING, "mod"),
              oneColumn("u"),
              fc.oneof(integer(depth - 1), fc.constant<Operand>(-1)),
              fc.boolean(),
            )
            .map(([op, a, b, turned]) => (turned ? x[op](b, a) : x[op](a, b))),
          oneColumn("u").map((a) => x.neg(a)),
          fc.tuple(fc.constantFrom("abs", "neg"), fc.oneof(integer(depth - 1), oneColumn("f"))).map(([op, a]) => x[op as "abs"](a)),
          fc
            .tuple(fc.oneof(integer(depth - 1), oneColumn("f")), fc.constantFrom("int8", "int32", "float64", "uint64"))
            .map(([a, type]) => x.cast(a, type)),
          fc.tuple(integer(depth - 1), fc.constant(1.5)).map(([a, b]) => x.add(a, b)),
        ),
  pairs: (depth) => {
    const number = fc.oneof(GRAMMAR.number(depth), oneColumn("n"));
    const time = fc.oneof(
      oneColumn("t"),
      fc.constant(x.add(l("t"), x.sub(r("t"), l("t")))),
      fc.constant(x.sub(r("t"), lit("1000000", "duration(us)"))),
    );
    return [
      fc.tuple(number, fc.oneof(number, fc.constantFrom(...NUMBERS))),
      fc.tuple(oneColumn("n"), fc.oneof(number, fc.constantFrom<Operand>(0.1, 1.5, -3, lit("1.50", "decimal128(10, 2)"), 1n))),
      fc.tuple(oneColumn("s", "d"), fc.oneof(oneColumn("s", "d"), fc.constantFrom<Operand>(...TEXTS, null))),
      fc.tuple(time, fc.oneof(time, fc.constantFrom<Operand>(new Date(0), new Date(1000), lit("1000000", "timestamp(us)")))),
      fc.tuple(fc.constant(x.sub(l("t"), r("t"))), fc.constant(lit("1000", "duration(ms)"))),
      fc.tuple(oneColumn("e"), fc.oneof(oneColumn("e"), fc.constantFrom<Operand>(new Date(0), new Date(1)))),
    ];
  },
  texts: oneColumn("s", "d"),
  any: oneColumn(...Object.keys(LEFT)),
  bools: oneColumn("b"),
  kinds: ["ijufn", "sd", "t", "e"],
};

/** Of type int64. */
function integer(depth: number): fc.Arbitrary<Tree> {
  if (depth <= 0) return signed;
  return fc.oneof(
    signed,
    fc
      .tuple(fc.constantFrom(...COMMUTING, "mod"), integer(depth - 1), fc.oneof(signed, fc.constantFrom<Operand>(...WHOLE)))
      .map(([op, a, b]) => x[op](a, b)),
  );
}

const COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "isDistinctFrom"] as const;

/** A condition of the grammar; `depth` bounds and/or/not and arithmetic. */
export function predicate(grammar: Grammar, depth: number): fc.Arbitrary<Tree> {
  const pair = fc.oneof(...grammar.pairs(depth - 1));
  const parts = [
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...COMPARISONS), pair, fc.boolean())
        .map(([op, [a, b], turned]) => (turned ? x[op](b, a) : x[op](a, b))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(pair, pair)
        .filter(([[a], [b]]) => kindOf(a, grammar.kinds) === kindOf(b, grammar.kinds))
        .map(([[a, low], [, high]]) => x.between(a, low, high)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(pair, pair)
        .filter(([[a], [b]]) => kindOf(a, grammar.kinds) === kindOf(b, grammar.kinds))
        .map(([[a, one], [, two]]) => x.in(a, one, two, one)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("startsWith", "endsWith", "contains"), grammar.texts, fc.oneof(grammar.texts, fc.constantFrom(...TEXTS)))
        .map(([op, a, b]) => x[op as "contains"](a, b)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("isNull", "isNotNull"), grammar.any).map(([op, a]) => x[op as "isNull"](a)) },
    { weight: 1, arbitrary: grammar.bools },
  ];
  if (depth <= 0) return fc.oneof(...parts);
  const inner = predicate(grammar, depth - 1);
  return fc.oneof(
    { weight: 12, arbitrary: fc.oneof(...parts) },
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom("and", "or"), fc.array(inner, { minLength: 2, maxLength: 3 }))
        .map(([op, args]) => x[op as "and"](...args)),
    },
    { weight: 2, arbitrary: inner.map((arg) => x.not(arg)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("and", "or"), inner, fc.constantFrom(true, false, null)).map(([op, a, b]) => x[op as "or"](a, b)),
    },
  );
}

/** What kind of value a first operand is: two of one kind may stand for one another in a BETWEEN or an IN. */
function kindOf(tree: Tree, kinds: readonly string[]): string {
  if ("side" in tree) return kinds.find((names) => names.includes(tree.column)) ?? "";
  if (!("op" in tree)) return tree.type;
  if (tree.op === "cast") return kinds[0];
  const args = tree.args.map((arg) => kindOf(arg, kinds));
  return args.every((one) => one === "t") && tree.op === "sub" ? "duration" : args[0];
}
