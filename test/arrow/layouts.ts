/** Columns of every layout with the same number of cells, and another copy's objects, which have the fields but not the classes. */

import type { Table } from "apache-arrow";
import type { Cell } from "../support/cell.ts";
import {
  binary,
  bool,
  type Column,
  date32,
  date64,
  decimal128,
  dictionary,
  duration,
  fixedSizeBinary,
  fixedSizeList,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  list,
  map,
  nullType,
  struct,
  time32,
  time64,
  timestamp,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
} from "../support/column.ts";

export const ROWS = 41;

type Fill = (i: number) => Cell;

/** ROWS cells, every fourth of them null where `nulls`. */
export const cells = (fill: Fill, nulls: boolean): Cell[] =>
  Array.from({ length: ROWS }, (_, i) => (nulls && i % 4 === 1 ? null : fill(i)));

const hex = (n: number, bytes: number) => n.toString(16).padStart(2 * bytes, "0");
const text: Fill = (i) => (i % 5 === 0 ? "" : `value ${"x".repeat(i % 40)} ${i % 7}`);
const small: Fill = (i) => i % 9;

export interface Layout {
  readonly name: string;
  readonly make: (nulls: boolean) => Column;
  readonly dictionary?: boolean;
}

const layout = (name: string, make: (cells?: readonly Cell[]) => Column, fill: Fill): Layout => ({
  name,
  make: (nulls) => make(cells(fill, nulls)),
});

export const flatLayouts: readonly Layout[] = [
  layout("int8", int8, (i) => i - 20),
  layout("int16", int16, (i) => i * 700 - 9000),
  layout("int32", int32, (i) => i * 1e7 - 2e8),
  layout("int64", int64, (i) => BigInt(i) * 10n ** 16n - 3n),
  layout("uint8", uint8, (i) => 255 - i),
  layout("uint16", uint16, (i) => 65535 - i),
  layout("uint32", uint32, (i) => 4294967295 - i),
  layout("uint64", uint64, (i) => 18446744073709551615n - BigInt(i)),
  layout("float16", float16, (i) => i / 4),
  layout("float32", float32, (i) => (i === 3 ? "NaN(7fc00001)" : i === 6 ? "-0" : i / 8)),
  layout("float64", float64, (i) => (i === 3 ? "NaN(7ff8000000000001)" : i === 6 ? "-0" : i / 8)),
  layout("decimal128", decimal128(30, 4), (i) => BigInt(i) * 10n ** 25n - 1n),
  layout("date32", date32, (i) => i),
  layout("date64", date64, (i) => BigInt(i) * 86_400_000n),
  layout("time32", time32("ms"), (i) => i),
  layout("time64", time64("ns"), (i) => BigInt(i)),
  layout("timestamp", timestamp("us", "UTC"), (i) => BigInt(i) * 10n ** 15n),
  layout("duration", duration("s"), (i) => BigInt(-i)),
  layout("fixedSizeBinary 3", fixedSizeBinary(3), (i) => hex(i * 77777, 3)),
  layout("fixedSizeBinary 6", fixedSizeBinary(6), (i) => hex(i * 77777, 6)),
  layout("fixedSizeBinary 16", fixedSizeBinary(16), (i) => hex(i * 77777, 16)),
  layout("bool", bool, (i) => i % 3 === 0),
  layout("utf8", utf8, text),
  layout("binary", binary, (i) => hex(i, (i % 4) + 1)),
  { name: "null", make: () => nullType(cells(() => null, false)) },
];

export const dictionaryLayouts: readonly Layout[] = [
  { name: "dictionary of utf8, int8 codes", make: (n) => dictionary(utf8(cells(text, n)), { index: "int8" }), dictionary: true },
  {
    name: "dictionary of int64, uint16 codes",
    make: (n) => dictionary(int64(cells((i) => BigInt(i % 7), n)), { index: "uint16" }),
    dictionary: true,
  },
  {
    name: "dictionary of utf8, int64 codes, 3 chunks",
    make: (n) => dictionary(utf8(cells(text, n)), { index: "int64", chunks: 3 }),
    dictionary: true,
  },
  { name: "dictionary with a null value", make: (n) => dictionary(utf8(cells(text, n)), { nullValue: n }), dictionary: true },
  { name: "dictionary with repeated values", make: (n) => dictionary(utf8(cells(text, n)), { repeated: true }), dictionary: true },
];

export const nestedLayouts: readonly Layout[] = [
  {
    name: "list of int32",
    make: (n) =>
      list(
        int32(),
        cells((i) => Array.from({ length: i % 4 }, (_, k) => (n && k === 2 ? null : i + k)), n),
      ),
  },
  {
    name: "list of utf8",
    make: (n) =>
      list(
        utf8(),
        cells((i) => Array.from({ length: i % 3 }, (_, k) => `v${i}${k}`), n),
      ),
  },
  {
    name: "list of lists of bool",
    make: (n) =>
      list(
        list(bool()),
        cells((i) => Array.from({ length: i % 3 }, (_, k) => [k === 0, i % 2 === 0]), n),
      ),
  },
  {
    name: "fixed-size list of int16",
    make: (n) =>
      fixedSizeList(
        3,
        int16(),
        cells((i) => [i, n ? null : 1, 100 - i], n),
      ),
  },
  {
    name: "struct",
    make: (n) =>
      struct(
        { a: int64(), b: utf8(), c: bool() },
        cells((i) => ({ a: BigInt(i), b: n && i % 3 === 0 ? null : `s${i}`, c: i % 2 === 0 }), n),
      ),
  },
  {
    name: "struct of struct and list",
    make: (n) =>
      struct(
        { s: struct({ x: float64() }), l: list(int8()) },
        cells((i) => ({ s: { x: i / 2 }, l: [i % 5, 1] }), n),
      ),
  },
  {
    name: "map",
    make: (n) =>
      map(
        utf8(),
        int32(),
        cells((i) => Array.from({ length: i % 3 }, (_, k) => [`k${k}`, n && k === 1 ? null : i]), n),
      ),
  },
  {
    name: "struct of fixed-size list",
    make: (n) =>
      struct(
        { f: fixedSizeList(2, utf8()) },
        cells((i) => ({ f: [`a${i}`, "b"] }), n),
      ),
  },
  {
    name: "list of null",
    make: (n) =>
      list(
        nullType(),
        cells((i) => Array.from({ length: i % 3 }, () => null), n),
      ),
  },
];

export const layouts: readonly Layout[] = [
  ...flatLayouts,
  ...dictionaryLayouts,
  ...nestedLayouts,
  { name: "small ints", make: (n) => uint8(cells(small, n)) },
];

/** A deep copy without a single prototype of apache-arrow: what another copy's, or another version's, objects are to us. */
export function foreign<T>(value: T, seen = new Map<unknown, unknown>()): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value;
  if (seen.has(value)) return seen.get(value) as T;
  if (value instanceof Map) return new Map(value) as T;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    seen.set(value, copy);
    for (const item of value) copy.push(foreign(item, seen));
    return copy as T;
  }
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const key of new Set([...Object.keys(value), "children", "typeId"])) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member !== "function" && member !== undefined) copy[key] = foreign(member, seen);
  }
  return copy as T;
}

export const foreignTable = (table: Table): Table => foreign(table);
