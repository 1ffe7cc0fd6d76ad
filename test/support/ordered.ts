/** Columns of every type that has an order, with cells by number: values that naive code confuses, ties, NaN, and extremes. */

import type { Cell } from "./cell.ts";
import { type Column, date32, decimal128, dictionary, float32, float64, int8, int32, int64, timestamp, uint64, utf8 } from "./column.ts";

export interface Ordered {
  readonly make: (cells: readonly Cell[]) => Column;
  /** Cell number n, in [0, 39); see `orderedColumn`. */
  readonly cell: (n: number) => Cell;
}

export const ORDERED: { readonly [type: string]: Ordered } = {
  int32: { make: int32, cell: (n) => (n === 0 ? -2147483648 : n === 38 ? 2147483647 : n - 20) },
  int64: { make: int64, cell: (n) => (n === 0 ? -(2n ** 63n) : n === 38 ? 2n ** 63n - 1n : 2n ** 53n + BigInt(n)) },
  float64: {
    make: float64,
    cell: (n) =>
      n < 2
        ? "NaN(7ff8000000000000)"
        : n === 2
          ? "NaN(fff8000000000001)"
          : n === 3
            ? "-0"
            : n === 5
              ? Number.POSITIVE_INFINITY
              : (n - 4) / 2,
  },
  float32: {
    make: float32,
    cell: (n) => (n < 2 ? "NaN(ffc00001)" : n === 3 ? "-0" : n === 4 ? 0 : n === 5 ? Number.NEGATIVE_INFINITY : n - 20),
  },
  uint64: { make: uint64, cell: (n) => (n === 0 ? 2n ** 64n - 1n : n === 1 ? 2n ** 63n : BigInt(n)) },
  int8: { make: int8, cell: (n) => n * 6 - 128 },
  utf8: { make: utf8, cell: (n) => (n % 5 === 0 ? "" : `${"ab"[n % 2]}${"x".repeat(n % 7)}`) },
  dictionary: {
    make: (cells) => dictionary(utf8(cells), { index: "int16", perBatch: true }),
    cell: (n) => (n % 5 === 0 ? "" : `${"ab"[n % 2]}${n % 9}`),
  },
  timestamp: { make: timestamp("us"), cell: (n) => BigInt(n - 20) * 10n ** 15n },
  date32: { make: date32, cell: (n) => n - 20 },
  decimal: { make: decimal128(30, 3), cell: (n) => BigInt(n - 20) * 10n ** 20n },
};

/** The cells of the numbers modulo 40, of which 39 is null. */
export const orderedColumn = (type: string, numbers: readonly number[]): Column =>
  ORDERED[type].make(numbers.map((n) => (n % 40 === 39 ? null : ORDERED[type].cell(n % 40))));
