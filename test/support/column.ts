/**
 * Typed columns for tests, laid out from raw buffers so that every layout is exact.
 *
 * What lies under a null is always garbage that would matter if it were read: another row's value, a code outside the dictionary,
 * a non-empty string or list. A bitmap exists only where there is a null.
 */

import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Null,
  Struct,
  Time,
  Timestamp,
  TimeUnit,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
} from "apache-arrow";
import { bytesOf, type Cell, type FloatWidth, floatBits } from "./cell.ts";

export interface Column {
  readonly type: DataType;
  readonly cells: readonly Cell[];
  /** A value of the type, for padding where the column itself has none. */
  readonly sample: Cell;
  /** Data of these cells, at offset 0. `all` are the cells of the whole column: what shared dictionaries are made of. */
  readonly encode: (cells: readonly Cell[], all: readonly Cell[]) => Data;
  /** Dictionary columns: the values that no cell shows. */
  readonly hasNullValue?: boolean;
}

type Make = (cells?: readonly Cell[]) => Column;

/** Bit i: cell i is not null. Undefined where none is null. The bits after the last are set: nobody may read them. */
export function bitmapOf(cells: readonly Cell[]): Uint8Array | undefined {
  if (cells.every((cell) => cell !== null)) return undefined;
  const bytes = new Uint8Array((cells.length + 7) >> 3).fill(255);
  cells.forEach((cell, i) => {
    if (cell === null) bytes[i >> 3] &= ~(1 << (i & 7));
  });
  return bytes;
}

/** Nulls replaced by what is to lie under them. */
const filled = (cells: readonly Cell[], sample: Cell): readonly Cell[] => {
  const under = cells.find((cell) => cell !== null) ?? sample;
  return cells.map((cell) => cell ?? under);
};

type Words = { new (length: number): ArrayLike<number> | ArrayLike<bigint> };

function fixed(type: DataType, array: Words, sample: Cell, bits: (cell: Cell) => number | bigint = (cell) => cell as number): Make {
  return (cells = []) => ({
    type,
    cells,
    sample,
    encode: (part) => {
      const data = new array(part.length) as unknown as { [i: number]: number | bigint };
      filled(part, sample).forEach((cell, i) => {
        data[i] = bits(cell);
      });
      return makeData({ type, length: part.length, data, nullBitmap: bitmapOf(part) } as never);
    },
  });
}

export const int8 = fixed(new Int8(), Int8Array, 1);
export const int16 = fixed(new Int16(), Int16Array, 1);
export const int32 = fixed(new Int32(), Int32Array, 1);
export const int64 = fixed(new Int64(), BigInt64Array, 1n);
export const uint8 = fixed(new Uint8(), Uint8Array, 1);
export const uint16 = fixed(new Uint16(), Uint16Array, 1);
export const uint32 = fixed(new Uint32(), Uint32Array, 1);
export const uint64 = fixed(new Uint64(), BigUint64Array, 1n);

function float(type: DataType, width: FloatWidth): Make {
  return (cells = []) => ({
    type,
    cells,
    sample: 1.5,
    encode: (part) => {
      const view = new DataView(new ArrayBuffer(part.length * (width / 8)));
      filled(part, 1.5).forEach((cell, i) => {
        const bits = floatBits(width, cell);
        if (width === 64) view.setBigUint64(i * 8, bits, true);
        else if (width === 32) view.setUint32(i * 4, Number(bits), true);
        else view.setUint16(i * 2, Number(bits), true);
      });
      const data =
        width === 64 ? new Float64Array(view.buffer) : width === 32 ? new Float32Array(view.buffer) : new Uint16Array(view.buffer);
      return makeData({ type, length: part.length, data, nullBitmap: bitmapOf(part) } as never);
    },
  });
}

export const float16 = float(new Float16(), 16);
export const float32 = float(new Float32(), 32);
export const float64 = float(new Float64(), 64);

export const date32 = fixed(new DateDay(), Int32Array, 1);
export const date64 = fixed(new DateMillisecond(), BigInt64Array, 86_400_000n);

const UNITS = { s: TimeUnit.SECOND, ms: TimeUnit.MILLISECOND, us: TimeUnit.MICROSECOND, ns: TimeUnit.NANOSECOND } as const;
type Unit = keyof typeof UNITS;

export const timestamp = (unit: Unit, timezone: string | null = null): Make =>
  fixed(new Timestamp(UNITS[unit], timezone), BigInt64Array, 1n);
export const time32 = (unit: "s" | "ms"): Make => fixed(new Time(UNITS[unit], 32), Int32Array, 1);
export const time64 = (unit: "us" | "ns"): Make => fixed(new Time(UNITS[unit], 64), BigInt64Array, 1n);
export const duration = (unit: Unit): Make => fixed(new Duration(UNITS[unit]), BigInt64Array, 1n);

export const bool: Make = (cells = []) => ({
  type: new Bool(),
  cells,
  sample: true,
  encode: (part) => {
    const data = new Uint8Array((part.length + 7) >> 3);
    filled(part, true).forEach((cell, i) => {
      if (cell) data[i >> 3] |= 1 << (i & 7);
    });
    return makeData({ type: new Bool(), length: part.length, data, nullBitmap: bitmapOf(part) });
  },
});

/** Cells are unscaled bigints. */
export function decimal128(precision: number, scale: number): Make {
  const type = new Decimal(scale, precision, 128);
  return (cells = []) => ({
    type,
    cells,
    sample: 1n,
    encode: (part) => {
      const data = new Uint32Array(part.length * 4);
      filled(part, 1n).forEach((cell, i) => {
        for (let word = 0; word < 4; word++) data[4 * i + word] = Number(BigInt.asUintN(32, (cell as bigint) >> BigInt(32 * word)));
      });
      return makeData({ type, length: part.length, data, nullBitmap: bitmapOf(part) });
    },
  });
}

/** Cells are hex texts of `width` bytes. */
export function fixedSizeBinary(width: number): Make {
  const type = new FixedSizeBinary(width);
  const sample = "ab".repeat(width);
  return (cells = []) => ({
    type,
    cells,
    sample,
    encode: (part) => {
      const data = new Uint8Array(part.length * width);
      filled(part, sample).forEach((cell, i) => {
        data.set(bytesOf(cell as string), i * width);
      });
      return makeData({ type, length: part.length, data, nullBitmap: bitmapOf(part) });
    },
  });
}

function varying(type: DataType, sample: Cell, bytes: (cell: Cell) => Uint8Array): Make {
  return (cells = []) => ({
    type,
    cells,
    sample,
    encode: (part) => {
      const parts = filled(part, sample).map(bytes);
      const valueOffsets = new Int32Array(part.length + 1);
      parts.forEach((p, i) => {
        valueOffsets[i + 1] = valueOffsets[i] + p.length;
      });
      const data = new Uint8Array(valueOffsets[part.length]);
      parts.forEach((p, i) => {
        data.set(p, valueOffsets[i]);
      });
      return makeData({ type, length: part.length, valueOffsets, data, nullBitmap: bitmapOf(part) } as never);
    },
  });
}

const encoder = new TextEncoder();

export const utf8 = varying(new Utf8(), "sample", (cell) => encoder.encode(cell as string));
/** Cells are hex texts. */
export const binary = varying(new Binary(), "ff00", (cell) => bytesOf(cell as string));

export const nullType: Make = (cells = []) => ({
  type: new Null(),
  cells,
  sample: null,
  encode: (part) => makeData({ type: new Null(), length: part.length }),
});

export type IndexType = "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64";

const INDEX: { readonly [name in IndexType]: { readonly type: DataType; readonly array: Words; readonly max: number } } = {
  int8: { type: new Int8(), array: Int8Array, max: 127 },
  int16: { type: new Int16(), array: Int16Array, max: 32767 },
  int32: { type: new Int32(), array: Int32Array, max: 2 ** 31 - 1 },
  int64: { type: new Int64(), array: BigInt64Array, max: Number.MAX_SAFE_INTEGER },
  uint8: { type: new Uint8(), array: Uint8Array, max: 255 },
  uint16: { type: new Uint16(), array: Uint16Array, max: 65535 },
  uint32: { type: new Uint32(), array: Uint32Array, max: 2 ** 32 - 1 },
  uint64: { type: new Uint64(), array: BigUint64Array, max: Number.MAX_SAFE_INTEGER },
};

export interface DictionaryOptions {
  readonly index?: IndexType;
  /** Every batch has a dictionary of its own, of other values in another order, instead of one for all. */
  readonly perBatch?: boolean;
  /** Every value stands twice in the dictionary, and rows use both codes in turn. */
  readonly repeated?: boolean;
  /** The dictionary holds a null, and every second null cell is a valid code of it. */
  readonly nullValue?: boolean;
  /** The dictionary vector has this many chunks. */
  readonly chunks?: number;
}

/** A dictionary column of the values of `column`, in descending order with one value that no row uses. */
export function dictionary(column: Column, options: DictionaryOptions = {}): Column {
  const index = INDEX[options.index ?? "int32"];
  const type = new Dictionary(column.type, index.type as Int32);
  /** One dictionary for all batches of a table: for all parts of the same cells. */
  const shared = new Map<string, ReturnType<typeof makeDictionary>>();
  let batches = 0;

  const makeDictionary = (cells: readonly Cell[], rotate: number) => {
    const distinct = [...new Set(cells.filter((cell) => cell !== null && cell !== column.sample) as (string | number | bigint)[])].sort(
      (a, b) => (a < b ? 1 : a > b ? -1 : 0),
    );
    const turned = [...distinct.slice(rotate % (distinct.length || 1)), ...distinct.slice(0, rotate % (distinct.length || 1))];
    const values: Cell[] = [column.sample, ...turned, ...(options.repeated ? turned : []), ...(options.nullValue ? [null] : [])];
    const codes = new Map<string, number[]>();
    values.forEach((value, code) => {
      const key = String(value);
      codes.set(key, [...(codes.get(key) ?? []), code]);
    });
    const cut = Math.ceil(values.length / (options.chunks ?? 1));
    const chunks: Data[] = [];
    for (let at = 0; at < values.length; at += cut) chunks.push(column.encode(values.slice(at, at + cut), values));
    return { codes, vector: new Vector(chunks) };
  };

  return {
    type,
    cells: column.cells,
    sample: column.sample,
    hasNullValue: options.nullValue,
    encode: (part, all) => {
      const of = JSON.stringify([...new Set(all.map(String))].sort());
      const made = options.perBatch ? makeDictionary(part, batches++) : (shared.get(of) ?? makeDictionary(all, 0));
      if (!options.perBatch) shared.set(of, made);
      const data = new index.array(part.length) as unknown as { [i: number]: number | bigint };
      const big = index.type.typeId === 2 && (index.type as Int32).bitWidth === (64 as number);
      const validity: Cell[] = [];
      part.forEach((cell, i) => {
        const known = made.codes.get(String(cell));
        const useNullValue = cell === null && known !== undefined && i % 2 === 0;
        const code = cell === null && !useNullValue ? index.max : known?.[i % known.length];
        if (code === undefined) throw new Error(`${String(cell)} is not in the dictionary`);
        data[i] = big ? BigInt(code) : code;
        validity.push(cell === null && !useNullValue ? null : 1);
      });
      return makeData({ type, length: part.length, data, nullBitmap: bitmapOf(validity), dictionary: made.vector } as never);
    },
  };
}

/** Child values of lists end to end, and where each list begins. What lies under a null list is one garbage element. */
function flatten(cells: readonly Cell[], under: readonly Cell[]): { flat: Cell[]; valueOffsets: Int32Array } {
  const flat: Cell[] = [];
  const valueOffsets = new Int32Array(cells.length + 1);
  cells.forEach((cell, i) => {
    flat.push(...((cell as readonly Cell[] | null) ?? under));
    valueOffsets[i + 1] = flat.length;
  });
  return { flat, valueOffsets };
}

export function list(child: Column, cells: readonly Cell[] = []): Column {
  const type = new List(new Field("item", child.type, true));
  return {
    type,
    cells,
    sample: [child.sample],
    encode: (part) => {
      const { flat, valueOffsets } = flatten(part, [child.sample]);
      return makeData({ type, length: part.length, valueOffsets, child: child.encode(flat, flat), nullBitmap: bitmapOf(part) });
    },
  };
}

export function fixedSizeList(size: number, child: Column, cells: readonly Cell[] = []): Column {
  const type = new FixedSizeList(size, new Field("item", child.type, true));
  const sample = Array.from({ length: size }, () => child.sample);
  return {
    type,
    cells,
    sample,
    encode: (part) => {
      const { flat } = flatten(part, sample);
      return makeData({ type, length: part.length, child: child.encode(flat, flat), nullBitmap: bitmapOf(part) });
    },
  };
}

export function struct(children: { readonly [name: string]: Column }, cells: readonly Cell[] = []): Column {
  const entries = Object.entries(children);
  const type = new Struct(entries.map(([name, child]) => new Field(name, child.type, true)));
  const sample = Object.fromEntries(entries.map(([name, child]) => [name, child.sample]));
  return {
    type,
    cells,
    sample,
    encode: (part) => {
      const rows = part.map((cell) => (cell ?? sample) as { [name: string]: Cell });
      const data = entries.map(([name, child]) => {
        const values = rows.map((row) => row[name]);
        return child.encode(values, values);
      });
      return makeData({ type, length: part.length, children: data, nullBitmap: bitmapOf(part) });
    },
  };
}

/** Cells are arrays of [key, value]. */
export function map(key: Column, value: Column, cells: readonly Cell[] = []): Column {
  const entry = new Struct([new Field("key", key.type, false), new Field("value", value.type, true)]);
  const type = new Map_(new Field("entries", entry, false) as never);
  return {
    type,
    cells,
    sample: [[key.sample, value.sample]],
    encode: (part) => {
      const { flat, valueOffsets } = flatten(part, [[key.sample, value.sample]]);
      const pairs = flat as readonly (readonly Cell[])[];
      const keys = pairs.map((pair) => pair[0]);
      const values = pairs.map((pair) => pair[1]);
      const child = makeData({ type: entry, length: pairs.length, children: [key.encode(keys, keys), value.encode(values, values)] });
      return makeData({ type, length: part.length, valueOffsets, child, nullBitmap: bitmapOf(part) } as never);
    },
  };
}
