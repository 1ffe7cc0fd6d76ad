/** Random joins for fast-check: small tables of mixed keys and payloads, in random batches and slices, with random options. */

import type { Table } from "apache-arrow";
import fc from "fast-check";
import { type Combination, combinationOf } from "./axes.ts";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import type { How, Options } from "./run.ts";
import { table } from "./table.ts";

export const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];
/** With the marks. */
export const ALL_KINDS: readonly How[] = [...KINDS, "leftMark", "rightMark"];

/** Few values a type, so that keys meet; the first ones are those that naive code confuses. */
export const KEY_DOMAINS: {
  readonly [type: string]: { readonly make: (cells: readonly Cell[]) => c.Column; readonly values: readonly Cell[] };
} = {
  int32: { make: c.int32, values: [0, -1, 2147483647, 5] },
  int64: { make: c.int64, values: [0n, 4294967296n, -1n, 9223372036854775807n] },
  double: { make: c.float64, values: [0, "-0", "NaN(7ff8000000000000)", 1.5] },
  utf8: { make: c.utf8, values: ["", "a", "ab", "ä€😀 and more than sixteen bytes"] },
  int8: { make: c.int8, values: [-128, 127, 0, 1] },
  uint16: { make: c.uint16, values: [0, 65535, 1] },
  uint64: { make: c.uint64, values: [0n, 18446744073709551615n, 1n] },
  bool: { make: c.bool, values: [true, false] },
  float32: { make: c.float32, values: ["-0", 0, "NaN(7fc00001)", "NaN(ffc00000)", 2.5] },
  date32: { make: c.date32, values: [0, -1, 20000] },
  timestamp: { make: c.timestamp("us"), values: [0n, -1n, 1700000000000001n] },
  binary: { make: c.binary, values: ["", "00", "0000", "ff"] },
  "binary[3]": { make: c.fixedSizeBinary(3), values: ["000000", "000001", "010000"] },
  "binary[20]": { make: c.fixedSizeBinary(20), values: ["00".repeat(20), `${"00".repeat(19)}01`] },
  dictionary: { make: (cells) => c.dictionary(c.utf8(cells), { index: "int8" }), values: ["", "a", "ab"] },
  "dictionary per batch": {
    make: (cells) => c.dictionary(c.utf8(cells), { index: "uint16", perBatch: true, nullValue: true, repeated: true }),
    values: ["", "a", "ab"],
  },
};

const PAYLOADS: readonly ((cells: readonly number[]) => c.Column)[] = [
  (cells) => c.utf8(cells.map((n) => (n % 3 === 0 ? null : "x".repeat(n % 5)))),
  (cells) => c.bool(cells.map((n) => (n % 4 === 0 ? null : n % 2 === 0))),
  (cells) => c.int64(cells.map((n) => BigInt(n) << 40n)),
  (cells) =>
    c.list(
      c.int32(),
      cells.map((n) => (n % 3 === 1 ? null : Array.from({ length: n % 3 }, (_, i) => n + i))),
    ),
  (cells) => c.dictionary(c.utf8(cells.map((n) => (n % 5 === 0 ? null : `d${n % 4}`))), { index: "int16", perBatch: true }),
  (cells) =>
    c.struct(
      { a: c.float64(), b: c.utf8() },
      cells.map((n) => (n % 4 === 2 ? null : { a: n / 2, b: n % 2 ? null : `s${n}` })),
    ),
  (cells) => c.decimal128(20, 2)(cells.map((n) => (n % 2 ? BigInt(n) * -(10n ** 15n) : null))),
  (cells) =>
    c.fixedSizeList(
      2,
      c.int16(),
      cells.map((n) => (n % 3 === 2 ? null : [n, null])),
    ),
];

export interface RandomJoin {
  readonly left: Table;
  readonly right: Table;
  readonly options: Options;
  readonly combination: Combination;
  readonly keyTypes: readonly string[];
  /** What fast-check prints: enough to see the case. */
  readonly toString: () => string;
}

interface Side {
  readonly rows: readonly (readonly number[])[];
  readonly cuts: readonly number[];
  readonly slice: boolean;
  readonly payload: number;
}

function sideOf(keys: number, rows: number): fc.Arbitrary<Side> {
  return fc.record({
    rows: fc.array(fc.tuple(...Array.from({ length: keys }, () => fc.nat(5))), { maxLength: rows }),
    cuts: fc.array(fc.nat(rows), { maxLength: 3 }),
    slice: fc.boolean(),
    payload: fc.nat(PAYLOADS.length - 1),
  });
}

/** A code beyond the values is null. */
function keyCells(side: Side, key: number, type: string): Cell[] {
  const { values } = KEY_DOMAINS[type];
  return side.rows.map((row) => (row[key] >= 4 ? null : values[row[key] % values.length]));
}

function splitOf(side: Side): number[] {
  const rows = side.rows.length;
  const cuts = [0, ...side.cuts.map((cut) => Math.min(cut, rows)).sort((a, b) => a - b), rows];
  return cuts.slice(1).map((cut, i) => cut - cuts[i]);
}

function tableOf(side: Side, which: "l" | "r", keyTypes: readonly string[], sameNames: boolean): Table {
  const columns: { [name: string]: c.Column } = { [`${which}v`]: c.int32(side.rows.map((_, i) => i)) };
  keyTypes.forEach((type, key) => {
    columns[sameNames ? `k${key}` : `${which}k${key}`] = KEY_DOMAINS[type].make(keyCells(side, key, type));
  });
  columns.p = PAYLOADS[side.payload](side.rows.map((row, i) => i * 3 + row[0]));
  return table(columns, { split: splitOf(side), slice: side.slice });
}

export interface RandomOptions {
  readonly types: readonly string[];
  readonly rows: number;
  readonly sameNames?: boolean;
  readonly kinds?: readonly How[];
}

export function randomJoin({ types, rows, sameNames, kinds = ALL_KINDS }: RandomOptions): fc.Arbitrary<RandomJoin> {
  return fc
    .array(fc.constantFrom(...types), { minLength: 1, maxLength: 3 })
    .chain((keyTypes) =>
      fc.record({
        keyTypes: fc.constant(keyTypes),
        left: sideOf(keyTypes.length, rows),
        right: sideOf(keyTypes.length, rows),
        how: fc.constantFrom(...kinds),
        nullsEqual: fc.array(fc.boolean(), { minLength: keyTypes.length, maxLength: keyTypes.length }),
        order: fc.constantFrom(undefined, "left" as const, "right" as const, "any" as const),
        coalesceKeys: fc.boolean(),
        same: sameNames === undefined ? fc.boolean() : fc.constant(sameNames),
        batchSize: fc.constantFrom(undefined, 1, 2, 3, 5),
        axes: fc.nat(),
      }),
    )
    .map((spec) => {
      const options: Options = {
        on: spec.keyTypes.map((_, key) => ({
          left: spec.same ? `k${key}` : `lk${key}`,
          right: spec.same ? `k${key}` : `rk${key}`,
          nullsEqual: spec.nullsEqual[key],
        })),
        how: spec.how,
        coalesceKeys: spec.coalesceKeys,
        ...(spec.order && { order: spec.order }),
        ...(spec.batchSize && { batchSize: spec.batchSize }),
      };
      const combination = combinationOf(spec.axes);
      return {
        left: tableOf(spec.left, "l", spec.keyTypes, spec.same),
        right: tableOf(spec.right, "r", spec.keyTypes, spec.same),
        options,
        combination,
        keyTypes: spec.keyTypes,
        toString: () => JSON.stringify({ ...spec, combination }),
      };
    });
}

/** Random on every run; a failure prints its seed, and ARROW_JOIN_SEED repeats it. */
export const seed = (): { seed?: number } => (process.env.ARROW_JOIN_SEED ? { seed: Number(process.env.ARROW_JOIN_SEED) } : {});
